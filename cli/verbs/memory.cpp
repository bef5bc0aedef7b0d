// memory.cpp - `reel memory`: the peak, and who was alive then.
#include <fmt/format.h>

#include <algorithm>

#include "cli/showing/table.hpp"
#include "cli/trace_input.hpp"
#include "cli/verbs.hpp"
#include "reel/analysis.hpp"
#include "reel/units.hpp"

namespace reel::cli {
namespace {

struct Options : TraceOptions {
  std::size_t most = 20;
};

Json command_json(std::uint32_t index) {
  return index == no_index ? Json() : Json(command_name(index));
}

Json to_json(const Trace& trace, const analysis::Activity& activity,
             const analysis::Memory& memory) {
  Json json = json_of(trace);
  json["peak_bytes"] = memory.peak_bytes;
  const bool has_times = activity.span_ns() > 0;
  json["origin_ns"] = has_times ? Json(activity.begin_ns) : Json();
  json["peak_ns"] =
      has_times ? Json(memory.peak_ns - std::min(memory.peak_ns, activity.begin_ns)) : Json();
  json["needed_at_peak_bytes"] = memory.needed_at_peak_bytes;
  json["curve"] = Json::array();
  for (const analysis::MemoryPoint& point : memory.curve)
    json["curve"].push_back({{"ns", point.time_ns - std::min(point.time_ns, activity.begin_ns)},
                             {"bytes", point.bytes}});
  json["buffers"] = Json::array();
  for (std::size_t b = 0; b < memory.buffers.size(); ++b) {
    const analysis::BufferUse& use = memory.buffers[b];
    json["buffers"].push_back({{"id", name_of(trace.buffers()[b].id)},
                               {"label", trace.buffers()[b].label},
                               {"size_bytes", trace.buffers()[b].size_bytes},
                               {"first", command_json(use.first)},
                               {"last", command_json(use.last)},
                               {"reads", use.reads},
                               {"writes", use.writes},
                               {"at_peak", use.at_peak},
                               {"needed_at_peak", use.needed_at_peak},
                               {"peak_use", to_string(use.peak_use)},
                               {"outlives", use.outlives}});
  }
  return json;
}

int run(const Options& options) {
  const Trace trace = open_trace(options);
  const analysis::Activity activity = analysis::find_activity(trace);
  const analysis::Memory memory = analysis::find_memory(trace, activity);
  if (options.json) {
    print_json(to_json(trace, activity, memory));
    return done;
  }
  if (memory.peak_bytes == 0) {
    print_none(trace, "buffers", "The document names no memory.");
    return done;
  }
  const std::uint64_t after = memory.peak_ns - std::min(memory.peak_ns, activity.begin_ns);
  const std::string when = activity.span_ns() == 0 ? ""
                           : after == 0            ? " from the start on"
                                        : fmt::format(", {} after the start", time_text(after));
  fmt::print(
      "At most {} was allocated{}. Of that, {} was needed then: between its first and its "
      "last use, as far as this document shows.\n\n",
      size_text(memory.peak_bytes), when, size_text(memory.needed_at_peak_bytes));
  std::vector<std::size_t> order;
  for (std::size_t b = 0; b < memory.buffers.size(); ++b) order.push_back(b);
  std::ranges::stable_sort(order, [&](std::size_t a, std::size_t b) {
    return std::pair(!memory.buffers[a].at_peak, ~trace.buffers()[a].size_bytes) <
           std::pair(!memory.buffers[b].at_peak, ~trace.buffers()[b].size_bytes);
  });
  using enum Table::Align;
  Table table({{"ID"},
               {"LABEL"},
               {"SIZE", right},
               {"FIRST"},
               {"LAST"},
               {"READS", right},
               {"WRITES", right},
               {"AT THE PEAK"}});
  for (std::size_t i = 0; i < order.size() && i < options.most; ++i) {
    const TraceBuffer& buffer = trace.buffers()[order[i]];
    const analysis::BufferUse& use = memory.buffers[order[i]];
    const auto name = [](std::uint32_t c) { return c == no_index ? "-" : command_name(c); };
    table.add({name_of(buffer.id), buffer.label, size_text(buffer.size_bytes), name(use.first),
               name(use.last), std::to_string(use.reads), std::to_string(use.writes),
               use.at_peak ? to_string(use.peak_use) : ""});
  }
  fmt::print("{}", table.text());
  if (order.size() > options.most)
    fmt::print("{} more; --most shows them\n", order.size() - options.most);
  print_next(options, {{"reel buffers $", "every buffer"},
                       {"reel insights $", "what could be saved"},
                       {"reel view $", "the curve over time"}});
  return done;
}

}  // namespace

void add_memory(CommandLine& line) {
  auto [verb, options] =
      add_trace_verb(line, "memory", "Peak memory, and the buffers allocated at that time", run);
  verb.add_option("--most", options.most, "How many buffers are listed").show_default();
  verb.footer("Example:\n  reel memory pass.reel");
}

}  // namespace reel::cli
