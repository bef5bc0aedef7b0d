// buffers.cpp - `reel buffers`: the memory that commands used.
#include <fmt/format.h>

#include "cli/showing/command_details.hpp"
#include "cli/showing/table.hpp"
#include "cli/verbs.hpp"
#include "reel/analysis.hpp"
#include "reel/units.hpp"

namespace reel::cli {
namespace {

struct Usage {
  std::uint64_t readers = 0, writers = 0;  // commands
  std::uint64_t contents = 0, stored = 0;  // ranges recorded, and those whose bytes are there
};

std::vector<Usage> usages_of(const Trace& trace) {
  // Once for each work, times the commands that share it.
  std::vector<std::uint64_t> runs(trace.works().size());
  for (const TraceCommand& command : trace.commands()) ++runs[command.work];
  std::vector<Usage> usages(trace.buffers().size());
  for (std::size_t i = 0; i < runs.size(); ++i)
    for (const TraceArgument& argument : trace.arguments(trace.works()[i])) {
      if (argument.buffer == no_index) continue;
      if (reads(argument.access)) usages[argument.buffer].readers += runs[i];
      if (writes(argument.access)) usages[argument.buffer].writers += runs[i];
    }
  for (const TraceContents& contents : trace.contents()) {
    ++usages[contents.buffer].contents;
    usages[contents.buffer].stored += contents.stored;
  }
  return usages;
}

// Of the first buffer that a command writes: after that one its bytes are known, or can be.
void print_hints(const Trace& trace, const TraceOptions& options) {
  for (std::uint32_t c = 0; c < trace.commands().size(); ++c)
    for (const TraceArgument& a : trace.arguments(trace.work_of(trace.commands()[c])))
      if (a.buffer != no_index && writes(a.access)) {
        const std::string id = name_of(trace.buffers()[a.buffer].id);
        return print_next(options, {{"reel buffer $ " + id + " --stats", "what it held at the end"},
                                    {fmt::format("reel buffer $ {} --at {}", id, command_name(c)),
                                     "its elements after the first command that writes it"}});
      }
  print_next(options, {{"reel memory $", "how much was allocated, and when"}});
}

int run(const TraceOptions& options) {
  const Trace trace = open_trace(options);
  const std::vector<Usage> usages = usages_of(trace);
  if (options.json) {
    Json json = json_of(trace);
    json["buffers"] = Json::array();
    for (std::size_t i = 0; i < usages.size(); ++i) {
      const TraceBuffer& buffer = trace.buffers()[i];
      const auto time = [](const auto& ns) { return ns ? Json(*ns) : Json(); };
      json["buffers"].push_back({{"id", name_of(buffer.id)},
                                 {"label", buffer.label},
                                 {"device", trace.devices()[buffer.device].selector},
                                 {"kind", to_string(buffer.kind)},
                                 {"image", image_json(buffer)},
                                 {"size_bytes", buffer.size_bytes},
                                 {"starts_undefined", buffer.starts_undefined},
                                 {"allocated_ns", time(buffer.allocated_ns)},
                                 {"freed_ns", time(buffer.freed_ns)},
                                 {"readers", usages[i].readers},
                                 {"writers", usages[i].writers},
                                 {"contents", usages[i].contents},
                                 {"stored", usages[i].stored}});
    }
    print_json(json);
    return done;
  }
  if (usages.empty()) {
    print_none(trace, "buffers", "The document has no buffers.");
    return done;
  }
  const std::uint64_t origin = analysis::find_span(trace).begin_ns;
  const auto when = [&](const std::optional<std::uint64_t>& ns, const char* otherwise) {
    if (!ns) return std::string(otherwise);
    return *ns < origin ? "-" + time_text(origin - *ns) : time_text(*ns - origin);
  };
  using enum Table::Align;
  Table table({{"ID"},
               {"LABEL"},
               {"KIND"},
               {"SIZE", right},
               {"ALLOCATED", right},
               {"FREED", right},
               {"READ", right},
               {"WRITTEN", right},
               {"KEPT", right}});
  for (std::size_t i = 0; i < usages.size(); ++i) {
    const TraceBuffer& buffer = trace.buffers()[i];
    table.add(
        {name_of(buffer.id), buffer.label, memory_text(buffer), size_text(buffer.size_bytes),
         when(buffer.allocated_ns, "before"), when(buffer.freed_ns, "-"),
         std::to_string(usages[i].readers), std::to_string(usages[i].writers),
         usages[i].contents ? fmt::format("{} of {}", usages[i].stored, usages[i].contents) : "-"});
  }
  fmt::print("{}", table.text());
  print_hints(trace, options);
  return done;
}

}  // namespace

void add_buffers(CommandLine& line) {
  add_trace_verb(line, "buffers", "Buffers and images that commands used", run)
      .verb.footer("Example:\n  reel buffers pass.reel");
}

}  // namespace reel::cli
