#include "reel/trace_totals.hpp"

#include <algorithm>

#include "document/trace/loading/trace_loader.hpp"

namespace reel {
namespace {

void add_commands(const TraceCommands& commands, const std::vector<TraceWork>& works,
                  TraceTotals& totals) {
  totals.command_count = commands.size();
  std::vector<bool> has_timed_nodes(commands.size());
  for (const TraceCommand& command : commands)
    if (command.launch != no_index && command.has_run_times())
      has_timed_nodes[command.launch] = true;
  totals.first_ns = ~std::uint64_t{0};
  for (std::size_t i = 0; i < commands.size(); ++i) {
    const TraceCommand command = commands[i];
    ++totals.commands[static_cast<std::size_t>(works[command.work].kind)];
    totals.first_ns = std::min(totals.first_ns, command.call_begin_ns);
    totals.last_ns = std::max({totals.last_ns, command.call_end_ns, command.ended_ns});
    if (!has_timed_nodes[i]) totals.busy_ns += command.run_ns();
  }
}

// An image that is made on a buffer is bound as a view of it.
std::uint64_t allocated_bytes(const document::TraceTables& tables) {
  std::vector<bool> is_view(tables.buffers.size());
  for (const TraceArgument& argument : tables.arguments)
    if (argument.view < is_view.size()) is_view[argument.view] = true;
  std::uint64_t bytes = 0;
  for (std::size_t i = 0; i < is_view.size(); ++i)
    if (!is_view[i]) bytes += tables.buffers[i].size_bytes;
  return bytes;
}

}  // namespace

TraceTotals TraceTotals::load(const std::string& path) {
  document::CommandTotals counted;
  std::shared_ptr<TraceState> state = document::load_state(path, &counted);
  const bool is_counted = counted.is_plain();
  if (!is_counted) state = document::load_state(path, nullptr);

  TraceTotals totals;
  document::TraceTables& tables = state->tables;
  if (is_counted) {
    totals.command_count = counted.commands();
    totals.commands = counted.by_kind;
    totals.first_ns = counted.first_ns();
    totals.last_ns = std::max(counted.last_ns(), counted.last_end_ns);
    totals.busy_ns = counted.busy_ns();
  } else {
    add_commands(tables.commands, tables.works, totals);
  }
  for (const TraceInterval& interval : tables.intervals) {
    totals.busy_ns += interval.size_ns();
    totals.last_ns = std::max(totals.last_ns, interval.end_ns);
  }
  if (totals.last_ns < totals.first_ns) totals.first_ns = totals.last_ns = 0;
  totals.contents_count = tables.contents.size();
  for (const TraceContents& contents : tables.contents) {
    totals.contents_bytes += contents.size_bytes;
    totals.stored_contents += contents.stored ? 1 : 0;
  }
  totals.buffer_bytes = allocated_bytes(tables);
  totals.path = state->path;
  totals.file_bytes = state->file.size();
  totals.stored_bytes = state->blobs.stored_bytes();
  totals.is_complete = state->is_complete;
  totals.problems = std::move(state->problems);
  totals.facts = std::move(state->facts);
  totals.end_facts = std::move(state->end_facts);
  totals.devices = std::move(tables.devices);
  totals.streams = std::move(tables.streams);
  totals.buffers = std::move(tables.buffers);
  totals.kernels = std::move(tables.kernels);
  totals.regions = std::move(tables.regions);
  totals.overheads = std::move(tables.overheads);
  totals.notes = std::move(tables.notes);
  return totals;
}

}  // namespace reel
