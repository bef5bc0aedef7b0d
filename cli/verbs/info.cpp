// info.cpp - `reel info`: what a document holds, on one screen.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "cli/showing/graph_info.hpp"
#include "cli/showing/note_lines.hpp"
#include "cli/showing/terminal.hpp"
#include "cli/verbs.hpp"
#include "reel/analysis.hpp"
#include "reel/trace_totals.hpp"
#include "reel/units.hpp"

namespace reel::cli {
namespace {

// What follows from single commands takes loading all of them: 24 million of them take seconds, and
// this verb answers at once.
constexpr std::uint64_t most_loaded_commands = 4'000'000;

struct Summary {
  explicit Summary(const TraceTotals& totals)
      : is_loaded(totals.trace.has_value()),
        is_complete(totals.is_complete),
        overhead_ns(reel::overhead_ns(totals.overheads)) {
    if (!is_loaded) return;
    activity = analysis::find_activity(*totals.trace);
    passes = analysis::find_passes(*totals.trace, analysis::find_repetitions(*totals.trace));
  }

  bool is_loaded, is_complete;
  analysis::Activity activity = {};
  std::vector<analysis::Pass> passes = {};
  std::array<std::uint64_t, overhead_kinds> overhead_ns;
};

std::string fact(const std::map<std::string, std::string>& facts, const char* key) {
  const auto found = facts.find(key);
  return found == facts.end() ? std::string() : found->second;
}

std::uint64_t overhead_of(const Summary& s) {
  std::uint64_t total = 0;
  for (const std::uint64_t ns : s.overhead_ns) total += ns;
  return total;
}

bool holds_graph(const TraceTotals& totals) { return fact(totals.facts, "kind") == "graph"; }

Trace trace_of(const TraceTotals& totals) {
  return totals.trace ? *totals.trace : Trace::load(totals.path);
}

Json to_json(const TraceTotals& totals) {
  const Summary s(totals);
  Json json = {{"schema_version", 1}, {"document", totals.path}, {"complete", totals.is_complete}};
  json["kind"] = holds_graph(totals) ? "graph" : "capture";
  if (holds_graph(totals)) json["graph"] = graph_json(trace_of(totals));
  json["file_bytes"] = totals.file_bytes;
  json["problems"] = totals.problems;
  json["facts"] = totals.facts;
  json["run_facts"] = totals.run_facts;
  json["end_facts"] = totals.end_facts;
  const bool has_times = s.activity.has_times();
  const auto known = [&](std::uint64_t ns) { return has_times ? Json(ns) : Json(); };
  json["origin_ns"] = s.activity.span_ns() ? Json(s.activity.begin_ns) : Json();
  json["span_ns"] = s.activity.span_ns() ? Json(s.activity.span_ns()) : Json();
  json["active_ns"] = known(s.activity.active_ns);
  json["busy_ns"] = known(s.activity.busy_ns);
  json["devices"] = Json::array();
  for (const TraceDevice& device : totals.devices) {
    Json row = {{"selector", device.selector},
                {"backend", device.backend},
                {"name", device.name},
                {"type", device.type},
                {"driver", device.driver},
                {"driver_version", device.driver_version},
                {"api_version", device.api_version},
                {"memory_bytes", device.memory_bytes}};
    row["clock_error_ns"] = device.clock_error_ns ? Json(*device.clock_error_ns) : Json();
    json["devices"].push_back(row);
  }
  json["commands"] = {{"total", totals.command_count}};
  for (std::size_t kind = 0; kind < totals.commands.size(); ++kind)
    json["commands"][to_string(static_cast<WorkKind>(kind))] = totals.commands[kind];
  json["streams"] = totals.streams.size();
  json["kernels"] = totals.kernels.size();
  json["buffers"] = {{"count", totals.buffers.size()}, {"bytes", totals.buffer_bytes}};
  json["contents"] = {{"count", totals.contents_count},
                      {"stored", totals.stored_contents},
                      {"bytes", totals.contents_bytes},
                      {"blob_bytes", totals.stored_bytes}};
  json["passes"] = s.is_loaded ? Json(s.passes.size()) : Json();
  json["pass_kind"] = s.passes.empty() ? Json() : Json(to_string(s.passes[0].kind));
  json["overhead_ns"] = {{"total", overhead_of(s)}};
  for (std::size_t kind = 0; kind < s.overhead_ns.size(); ++kind)
    json["overhead_ns"][to_string(static_cast<OverheadKind>(kind))] = s.overhead_ns[kind];
  json["notes"] = Json::array();
  for (const TraceNote& note : totals.notes)
    json["notes"].push_back({{"time_ns", note.time_ns}, {"kind", note.kind}, {"text", note.text}});
  return json;
}

void line(const char* what, const std::string& value) {
  if (!value.empty()) fmt::print("{}{}\n", dim(fmt::format("{:<12}", what)), printable(value));
}

std::string commands_text(const TraceTotals& totals) {
  std::string list;
  for (std::size_t kind = 0; kind < totals.commands.size(); ++kind)
    if (totals.commands[kind] > 0)
      list += fmt::format("{}{} {}", list.empty() ? "" : ", ", totals.commands[kind],
                          to_string(static_cast<WorkKind>(kind)));
  if (totals.command_count > 0) return fmt::format("{} ({})", totals.command_count, list);
  // Of what was cut off nobody can say that nothing ran.
  return totals.end_facts.empty() ? "none that can be read"
                                  : "none: nothing ran while it was recorded";
}

// "rank 3 of 8, job 4711, commit 4f2c1a9, branch main"; the host stands elsewhere, and the boot is
// of interest to nobody but clocks.
std::string run_text(std::map<std::string, std::string> facts) {
  std::string text;
  const auto add = [&](const std::string& name, const std::string& value) {
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", name, value);
    facts.erase(name);
  };
  for (const char* name : {"host", "boot_id", "clock_boot_id"}) facts.erase(name);
  const std::string ranks = fact(facts, "ranks");
  if (const std::string rank = fact(facts, "rank"); !rank.empty()) {
    add("rank", ranks.empty() ? rank : fmt::format("{} of {}", rank, ranks));
    facts.erase("ranks");
  }
  for (const char* name : {"local_rank", "node", "job", "container", "commit"})
    if (const std::string value = fact(facts, name); !value.empty()) add(name, value);
  for (const auto& [name, value] : std::map(facts)) add(name, value);
  return text;
}

std::string took_text(const Summary& s) {
  const analysis::Activity& activity = s.activity;
  if (!s.is_loaded)
    return fmt::format("not computed for more than {} commands; `reel gaps` loads them all",
                       most_loaded_commands);
  if (activity.span_ns() == 0) return {};
  const std::string span = time_text(activity.span_ns());
  if (!activity.has_times())
    return span + (s.is_complete ? "; no times of commands were recorded"
                                 : "; no times of commands can be read, since it is incomplete");
  if (activity.is_partly_timed())
    return fmt::format("{}; {} of {} {} no times, the others took {}", span, activity.untimed,
                       count_text(activity.timed + activity.untimed, "command"),
                       activity.untimed == 1 ? "has" : "have", time_text(activity.busy_ns));
  return fmt::format("{}; devices were busy {}, {} of the {} from first start to last end", span,
                     time_text(activity.busy_ns), share_text(activity.busy_ns, activity.active_ns),
                     time_text(activity.active_ns));
}

// "11 launches of one graph, median 353.8 µs"
std::string passes_text(const std::vector<analysis::Pass>& passes) {
  if (passes.empty()) return {};
  const bool is_one = passes.size() == 1;
  std::string text = std::to_string(passes.size());
  switch (passes[0].kind) {
    case analysis::Pass::Kind::session:
      text += is_one ? " session" : " sessions";
      break;
    case analysis::Pass::Kind::launch:
      text += is_one ? " launch of a graph" : " launches of one graph";
      break;
    case analysis::Pass::Kind::scope:
      text += " by repeated scopes";
      break;
    case analysis::Pass::Kind::repetition:
      text += " by repeated commands";
      break;
  }
  std::vector<std::uint64_t> took;
  for (const analysis::Pass& pass : passes)
    if (pass.took_ns()) took.push_back(pass.took_ns());
  if (took.empty()) return text;
  std::ranges::sort(took);
  return fmt::format("{}, {}{}", text, took.size() == 1 ? "" : "median ",
                     time_text(took[took.size() / 2]));
}

std::string overhead_text(const Summary& s) {
  std::string list;
  for (std::size_t kind = 0; kind < s.overhead_ns.size(); ++kind)
    if (s.overhead_ns[kind] > 0 && static_cast<OverheadKind>(kind) != OverheadKind::writing)
      list +=
          fmt::format("{}{} {}", list.empty() ? "" : ", ",
                      to_string(static_cast<OverheadKind>(kind)), time_text(s.overhead_ns[kind]));
  if (overhead_of(s) == 0) return {};
  // What its own thread takes is no time of the program.
  const std::uint64_t writing = s.overhead_ns[static_cast<std::size_t>(OverheadKind::writing)];
  const std::uint64_t others = overhead_of(s) - writing;
  std::string text = fmt::format("recording took {} on the program's threads", time_text(others));
  if (!list.empty()) text += fmt::format(" ({})", list);
  if (writing) text += fmt::format(" and {} of CPU time on its own", time_text(writing));
  return text;
}

// " (2 images, 1 svm)"
std::string images_text(const TraceTotals& totals) {
  std::uint64_t images = 0, shared = 0;
  for (const TraceBuffer& buffer : totals.buffers) {
    images += buffer.kind == BufferKind::image;
    shared += buffer.kind == BufferKind::svm;
  }
  std::string text = images ? count_text(images, "image") : std::string();
  if (shared) text += fmt::format("{}{} svm", text.empty() ? "" : ", ", shared);
  return text.empty() ? text : fmt::format(" ({})", text);
}

std::string contents_text(const TraceTotals& totals) {
  std::string text = fact(totals.facts, "contents");
  if (totals.contents_count == 0) return text;
  if (!text.empty()) text += ": ";
  text += fmt::format("{} of {} kept, {}", totals.stored_contents,
                      count_text(totals.contents_count, "range"), size_text(totals.contents_bytes));
  const std::string stripped = fact(totals.facts, "stripped");
  if (!stripped.empty()) text += fmt::format("; stripped: {}", stripped);
  return text;
}

// Rows that a recovered document would have.
bool holds_anything(const TraceTotals& totals) {
  return totals.command_count > 0 || !totals.kernels.empty() || !totals.buffers.empty() ||
         !totals.streams.empty() || !totals.devices.empty() || totals.contents_count > 0 ||
         !totals.notes.empty() || !totals.overheads.empty();
}

void print(const TraceTotals& totals, const TraceOptions& options) {
  const Summary s(totals);
  const auto& facts = totals.facts;
  fmt::print("{}  {}, {}\n", bold(printable(options.path)), size_text(totals.file_bytes),
             !totals.is_complete        ? "incomplete"
             : totals.end_facts.empty() ? "recovered"
                                        : "complete");
  line("program", fact(facts, "program"));
  line("command", fact(facts, "command_line"));
  const std::string started = fact(facts, "started"), host = fact(facts, "host");
  line("recorded", host.empty() || started.empty() ? started + host : started + " on " + host);
  line("run", run_text(totals.run_facts));
  line("took", took_text(s));
  for (const TraceDevice& device : totals.devices)
    line("device", fmt::format("{}  {}  {} {}", device.selector, device.name, device.driver,
                               device.driver_version));
  line("commands", commands_text(totals));
  line("streams", std::to_string(totals.streams.size()));
  line("kernels", std::to_string(totals.kernels.size()));
  line("buffers", fmt::format("{}{}, {}", totals.buffers.size(), images_text(totals),
                              size_text(totals.buffer_bytes)));
  line("contents", contents_text(totals));
  // bytes_in: what was recorded; the same bytes are stored once, and compressed.
  const std::string bytes_in = fact(totals.end_facts, "bytes_in");
  line("stored", bytes_in.empty()
                     ? size_text(totals.stored_bytes)
                     : fmt::format("{} for {} recorded", size_text(totals.stored_bytes),
                                   size_text(std::strtoull(bytes_in.c_str(), nullptr, 10))));
  line("passes", passes_text(s.passes));
  line("selection", fact(facts, "selection"));
  line("overhead", overhead_text(s));
  for (const std::string& note : note_lines(totals.notes)) line("note", note);
  const std::string complete = fact(totals.end_facts, "complete");
  if (!complete.empty() && complete != "yes") line("lost", complete);
  for (const std::string& problem : totals.problems) line("problem", problem);
  if (!totals.is_complete && holds_anything(totals))
    print_next(options, {{"reel recover $", "write what can be read into a whole document"},
                         {"reel verify $", "check every byte"}});
  else if (!totals.is_complete)
    print_next(options,
               {{"reel verify $", "what is wrong with each byte; nothing can be recovered"}});
  else
    print_next(options, {{"reel insights $", "what is worth knowing, and what to do"},
                         {"reel view $", "all of it, in the browser"},
                         {"reel commands $", "what ran, one by one"},
                         {"reel replay $", "run it again, compare every byte"}});
}

int run(const TraceOptions& options) {
  // Problems are part of the answer.
  const TraceTotals totals = TraceTotals::load(options.path, most_loaded_commands);
  if (options.json)
    print_json(to_json(totals));
  else if (holds_graph(totals))
    print_graph(trace_of(totals), options);
  else
    print(totals, options);
  return done;
}

}  // namespace

void add_info(CommandLine& line) {
  add_trace_verb(line, "info", "Summary of a document on one screen", run)
      .verb.footer("Example:\n  reel info pass.reel");
}

}  // namespace reel::cli
