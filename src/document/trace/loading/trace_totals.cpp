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

TraceTotals TraceTotals::load(const std::string& path, std::uint64_t max_commands_kept) {
  document::CountedState loaded = document::count_or_load_state(path, max_commands_kept);
  // Once more where counting didn't do, or where a document that was cut short has fewer than
  // its size let expect.
  if (const auto& counted = loaded.totals;
      counted && (!counted->is_plain() || counted->commands() <= max_commands_kept))
    loaded = {document::load_state(path), {}};

  TraceTotals totals;
  const std::shared_ptr<const TraceState> state = loaded.state;
  const document::TraceTables& tables = state->tables;
  if (const auto& counted = loaded.totals) {
    totals.command_count = counted->commands();
    totals.commands = counted->by_kind;
    totals.first_ns = counted->first_ns();
    totals.last_ns = std::max(counted->last_ns(), counted->last_end_ns);
    totals.busy_ns = counted->busy_ns();
  } else {
    add_commands(tables.commands, tables.works, totals);
    if (totals.command_count <= max_commands_kept) totals.trace = Trace(state);
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
  totals.problems = state->problems;
  totals.facts = state->facts;
  totals.run_facts = state->run_facts;
  totals.end_facts = state->end_facts;
  totals.devices = tables.devices;
  totals.streams = tables.streams;
  totals.buffers = tables.buffers;
  totals.kernels = tables.kernels;
  totals.regions = tables.regions;
  totals.overheads = tables.overheads;
  totals.notes = tables.notes;
  return totals;
}

}  // namespace reel
