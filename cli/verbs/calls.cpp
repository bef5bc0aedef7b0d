// calls.cpp - `reel calls`: what the program called, and how long that took it.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "cli/showing/table.hpp"
#include "cli/trace_input.hpp"
#include "cli/verbs.hpp"
#include "reel/analysis.hpp"
#include "reel/units.hpp"

namespace reel::cli {
namespace {

struct Options : TraceOptions {
  bool all = false;
  std::size_t limit = 100;
};

struct Usage {
  std::string name;
  std::uint64_t count = 0, total_ns = 0, longest_ns = 0;
  bool has_times = false;  // a saved graph was given by no call
};

// A clock that ran backwards makes no call last for centuries.
std::uint64_t took_ns(const TraceCall& call) {
  return call.end_ns - std::min(call.begin_ns, call.end_ns);
}

std::vector<Usage> usages_of(const Trace& trace) {
  std::map<std::uint32_t, Usage> by_name;
  for (const TraceCall& call : trace.calls()) {
    Usage& usage = by_name[call.name];
    ++usage.count;
    usage.has_times = usage.has_times || call.begin_ns != 0;
    usage.total_ns += took_ns(call);
    usage.longest_ns = std::max(usage.longest_ns, took_ns(call));
  }
  std::vector<Usage> usages;
  for (auto& [name, usage] : by_name) {
    usage.name = trace.text(name);
    usages.push_back(std::move(usage));
  }
  std::ranges::stable_sort(usages, std::ranges::greater{}, &Usage::total_ns);
  return usages;
}

void print_all(const Trace& trace, const Options& options) {
  using enum Table::Align;
  Table table({{"BEGIN", right}, {"TOOK", right}, {"THREAD", right}, {"CALL"}, {"COMMAND"}});
  const auto& calls = trace.calls();
  const std::uint64_t origin = analysis::find_span(trace).begin_ns;
  const std::size_t shown =
      options.limit == 0 ? calls.size() : std::min(options.limit, calls.size());
  for (std::size_t i = 0; i < shown; ++i)
    table.add({calls[i].begin_ns ? time_text(calls[i].begin_ns - origin) : "-",
               calls[i].begin_ns ? time_text(took_ns(calls[i])) : "-",
               std::to_string(calls[i].thread), trace.text(calls[i].name),
               calls[i].command == no_index ? "" : command_name(calls[i].command)});
  fmt::print("{}", table.text());
  if (shown < calls.size()) fmt::print("… {} more; --limit 0 lists all\n", calls.size() - shown);
  print_next(options, {{"reel calls $", "the same by name"}});
}

void print_names(const std::vector<Usage>& usages, const Options& options) {
  using enum Table::Align;
  Table table({{"CALL"}, {"COUNT", right}, {"TOTAL", right}, {"MEAN", right}, {"LONGEST", right}});
  const auto time = [](const Usage& usage, std::uint64_t ns) {
    return usage.has_times ? time_text(ns) : "-";
  };
  for (const Usage& usage : usages)
    table.add({usage.name, std::to_string(usage.count), time(usage, usage.total_ns),
               time(usage, usage.total_ns / usage.count), time(usage, usage.longest_ns)});
  fmt::print("{}", table.text());
  print_next(options, {{"reel calls $ --all", "each of them, in order"}});
}

int run(const Options& options) {
  const Trace trace = open_trace(options);
  const std::vector<Usage> usages = usages_of(trace);
  if (options.json) {
    Json json = json_of(trace);
    json["names"] = Json::array();
    for (const Usage& usage : usages)
      json["names"].push_back({{"name", usage.name},
                               {"count", usage.count},
                               {"total_ns", usage.has_times ? Json(usage.total_ns) : Json()},
                               {"longest_ns", usage.has_times ? Json(usage.longest_ns) : Json()}});
    if (options.all) {
      json["calls"] = Json::array();
      for (const TraceCall& call : trace.calls())
        json["calls"].push_back(
            {{"name", trace.text(call.name)},
             {"thread", call.thread},
             {"begin_ns", call.begin_ns ? Json(call.begin_ns) : Json()},
             {"end_ns", call.begin_ns ? Json(call.end_ns) : Json()},
             {"command", call.command == no_index ? Json() : Json(command_name(call.command))}});
    }
    print_json(json);
    return done;
  }
  if (usages.empty())
    print_none(trace, "calls", "The document has no calls.");
  else if (options.all)
    print_all(trace, options);
  else
    print_names(usages, options);
  return done;
}

}  // namespace

void add_calls(CommandLine& line) {
  auto [verb, options] =
      add_trace_verb(line, "calls", "Host calls of the program, and their time", run);
  verb.add_flag("--all", options.all, "List each call, in order of time");
  verb.add_option("--limit", options.limit, "With --all: list at most N; 0: all").show_default();
  verb.footer("Examples:\n  reel calls pass.reel\n  reel calls pass.reel --all");
}

}  // namespace reel::cli
