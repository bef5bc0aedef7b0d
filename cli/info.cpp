// info.cpp - `reel info`: what a document holds, on one screen.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <array>
#include <memory>

#include "graph_info.hpp"
#include "reel/analysis.hpp"
#include "reel/units.hpp"
#include "terminal.hpp"
#include "verbs.hpp"

namespace reel::cli {
namespace {

constexpr std::size_t kinds = static_cast<std::size_t>(WorkKind::unknown) + 1;

struct Summary {
  std::array<std::uint64_t, kinds> commands{};
  std::uint64_t busy_ns = 0;
  std::uint64_t buffer_bytes = 0;
  std::uint64_t contents_bytes = 0;  // as recorded
  std::uint64_t stored_contents = 0;
  std::array<std::uint64_t, 5> overhead_ns{};
  std::uint64_t first_ns = 0, last_ns = 0;
  std::size_t passes = 0;
};

Summary summary_of(const Trace& trace) {
  Summary s;
  s.first_ns = ~std::uint64_t{0};
  for (const TraceCommand& command : trace.commands()) {
    ++s.commands[static_cast<std::size_t>(trace.work_of(command).kind)];
    s.first_ns = std::min(s.first_ns, command.call_begin_ns);
    s.last_ns = std::max({s.last_ns, command.call_end_ns, command.ended_ns});
  }
  for (const std::uint64_t ns : own_run_ns(trace)) s.busy_ns += ns;
  if (s.last_ns < s.first_ns) s.first_ns = s.last_ns = 0;
  for (const TraceBuffer& buffer : trace.buffers()) s.buffer_bytes += buffer.size_bytes;
  for (const TraceContents& contents : trace.contents()) {
    s.contents_bytes += contents.size_bytes;
    s.stored_contents += contents.stored;
  }
  for (const TraceOverhead& overhead : trace.overheads())
    s.overhead_ns[static_cast<std::size_t>(overhead.kind)] += overhead.end_ns - overhead.begin_ns;
  for (const TraceRegion& region : trace.regions())
    s.passes += region.kind == TraceRegion::Kind::pass;
  return s;
}

std::string fact(const std::map<std::string, std::string>& facts, const char* key) {
  const auto found = facts.find(key);
  return found == facts.end() ? std::string() : found->second;
}

std::uint64_t overhead_of(const Summary& s) {
  std::uint64_t total = 0;
  for (const std::uint64_t ns : s.overhead_ns) total += ns;
  return total;
}

Json to_json(const Trace& trace) {
  const Summary s = summary_of(trace);
  Json json = json_of(trace);
  json["kind"] = holds_graph(trace) ? "graph" : "capture";
  if (holds_graph(trace)) json["graph"] = graph_json(trace);
  json["file_bytes"] = trace.file_bytes();
  json["problems"] = trace.problems();
  json["facts"] = trace.facts();
  json["end_facts"] = trace.end_facts();
  json["span_ns"] = s.last_ns - s.first_ns;
  json["busy_ns"] = s.busy_ns;
  json["devices"] = Json::array();
  for (const TraceDevice& device : trace.devices()) {
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
  json["commands"] = {{"total", trace.commands().size()}};
  for (std::size_t kind = 0; kind < kinds; ++kind)
    json["commands"][to_string(static_cast<WorkKind>(kind))] = s.commands[kind];
  json["streams"] = trace.streams().size();
  json["kernels"] = trace.kernels().size();
  json["buffers"] = {{"count", trace.buffers().size()}, {"bytes", s.buffer_bytes}};
  json["contents"] = {{"count", trace.contents().size()},
                      {"stored", s.stored_contents},
                      {"bytes", s.contents_bytes},
                      {"blob_bytes", trace.stored_bytes()}};
  json["passes"] = s.passes;
  json["overhead_ns"] = {{"total", overhead_of(s)}};
  for (std::size_t kind = 0; kind < s.overhead_ns.size(); ++kind)
    json["overhead_ns"][to_string(static_cast<OverheadKind>(kind))] = s.overhead_ns[kind];
  json["notes"] = Json::array();
  for (const TraceNote& note : trace.notes())
    json["notes"].push_back({{"time_ns", note.time_ns}, {"kind", note.kind}, {"text", note.text}});
  return json;
}

void line(const char* what, const std::string& value) {
  if (!value.empty()) fmt::print("{}{}\n", dim(fmt::format("{:<12}", what)), printable(value));
}

std::string commands_text(const Trace& trace, const Summary& s) {
  std::string list;
  for (std::size_t kind = 0; kind < kinds; ++kind)
    if (s.commands[kind] > 0)
      list += fmt::format("{}{} {}", list.empty() ? "" : ", ", s.commands[kind],
                          to_string(static_cast<WorkKind>(kind)));
  if (!trace.commands().empty()) return fmt::format("{} ({})", trace.commands().size(), list);
  // Of what was cut off nobody can say that nothing ran.
  return trace.end_facts().empty() ? "none that can be read"
                                   : "none: nothing ran while it was recorded";
}

std::string overhead_text(const Summary& s) {
  std::string list;
  for (std::size_t kind = 0; kind < s.overhead_ns.size(); ++kind)
    if (s.overhead_ns[kind] > 0)
      list +=
          fmt::format("{}{} {}", list.empty() ? "" : ", ",
                      to_string(static_cast<OverheadKind>(kind)), time_text(s.overhead_ns[kind]));
  return list.empty() ? list : fmt::format("{} ({})", time_text(overhead_of(s)), list);
}

// " (2 images, 1 svm)"
std::string images_text(const Trace& trace) {
  std::uint64_t images = 0, shared = 0;
  for (const TraceBuffer& buffer : trace.buffers()) {
    images += buffer.kind == BufferKind::image;
    shared += buffer.kind == BufferKind::svm;
  }
  std::string text = images ? count_text(images, "image") : std::string();
  if (shared) text += fmt::format("{}{} svm", text.empty() ? "" : ", ", shared);
  return text.empty() ? text : fmt::format(" ({})", text);
}

std::string contents_text(const Trace& trace, const Summary& s) {
  std::string text = fact(trace.facts(), "contents");
  if (trace.contents().empty()) return text;
  if (!text.empty()) text += ": ";
  text += fmt::format("{} of {} kept, {}", s.stored_contents,
                      count_text(trace.contents().size(), "range"), size_text(s.contents_bytes));
  const std::string stripped = fact(trace.facts(), "stripped");
  if (!stripped.empty()) text += fmt::format("; stripped: {}", stripped);
  return text;
}

void print(const Trace& trace, const TraceOptions& options) {
  const Summary s = summary_of(trace);
  const auto& facts = trace.facts();
  fmt::print("{}  {}, {}\n", bold(options.path), size_text(trace.file_bytes()),
             trace.is_complete() ? "complete" : "incomplete");
  line("program", fact(facts, "program"));
  line("command", fact(facts, "command_line"));
  const std::string started = fact(facts, "started"), host = fact(facts, "host");
  line("recorded", host.empty() || started.empty() ? started + host : started + " on " + host);
  if (s.last_ns > s.first_ns)
    line("took", fmt::format("{}, of which commands ran {}", time_text(s.last_ns - s.first_ns),
                             time_text(s.busy_ns)));
  for (const TraceDevice& device : trace.devices())
    line("device", fmt::format("{}  {}  {} {}", device.selector, device.name, device.driver,
                               device.driver_version));
  line("commands", commands_text(trace, s));
  line("streams", std::to_string(trace.streams().size()));
  line("kernels", std::to_string(trace.kernels().size()));
  line("buffers", fmt::format("{}{}, {}", trace.buffers().size(), images_text(trace),
                              size_text(s.buffer_bytes)));
  line("contents", contents_text(trace, s));
  // bytes_in: what was recorded; the same bytes are stored once, and compressed.
  const std::string bytes_in = fact(trace.end_facts(), "bytes_in");
  line("stored", bytes_in.empty()
                     ? size_text(trace.stored_bytes())
                     : fmt::format("{} for {} recorded", size_text(trace.stored_bytes()),
                                   size_text(std::strtoull(bytes_in.c_str(), nullptr, 10))));
  if (s.passes > 0) line("passes", std::to_string(s.passes));
  line("selection", fact(facts, "selection"));
  line("overhead", overhead_text(s));
  for (const TraceNote& note : trace.notes()) line("note", note.text);
  const std::string complete = fact(trace.end_facts(), "complete");
  if (!complete.empty() && complete != "yes") line("lost", complete);
  for (const std::string& problem : trace.problems()) line("problem", problem);
  if (!trace.is_complete())
    print_next(options, {{"reel recover $", "write what can be read into a whole document"},
                         {"reel verify $", "check every byte"}});
  else
    print_next(options, {{"reel insights $", "what is worth knowing, and what to do"},
                         {"reel view $", "all of it, in the browser"},
                         {"reel commands $", "what ran, one by one"},
                         {"reel replay $", "run it again, compare every byte"}});
}

}  // namespace

void add_info(CLI::App& app, Action& chosen) {
  auto options = std::make_shared<TraceOptions>();
  CLI::App* verb = app.add_subcommand("info", "What a document holds, on one screen");
  add_trace_options(*verb, *options);
  verb->footer("Example:\n  reel info pass.reel");
  verb->callback([options, &chosen] {
    chosen = [options] {
      const Trace trace = Trace::load(options->path);  // problems are part of the answer
      if (options->json)
        print_json(to_json(trace));
      else if (holds_graph(trace))
        print_graph(trace, *options);
      else
        print(trace, *options);
      return done;
    };
  });
}

}  // namespace reel::cli
