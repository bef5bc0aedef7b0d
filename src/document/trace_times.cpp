// The half of TraceAssembler that is about when things happened.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <numeric>

#include "document/clock_map.hpp"
#include "document/trace_assembler.hpp"

namespace reel::document {
namespace {

constexpr std::string_view commands_table = "/commands";

// The clock of each device, and its error in the device's row.
std::vector<ClockMap> clock_maps(std::span<const RawClock> clocks, const IdIndex& index,
                                 std::vector<TraceDevice>& devices, Problems& problems) {
  std::vector<std::vector<ClockPoint>> points(devices.size());
  for (const RawClock& clock : clocks) {
    const std::uint32_t device = index.find(clock.device);
    if (device == no_index) {
      problems.left_out("/clocks", "the device is not in the document");
      continue;
    }
    auto& error = devices[device].clock_error_ns;
    error = std::max(error.value_or(0), clock.error_ns);
    points[device].push_back({clock.device_ns, clock.host_ns, clock.error_ns});
  }
  std::vector<ClockMap> maps;
  for (auto& list : points) {
    problems.left_out("/clocks", "a clock stands still or goes back there",
                      maps.emplace_back(std::move(list)).left_out());
  }
  return maps;
}

}  // namespace

void TraceAssembler::order_commands() {
  std::vector<std::uint32_t>& ids = raw_.command_ids;
  if (std::ranges::is_sorted(ids)) return;
  std::vector<std::uint32_t> order(ids.size());
  std::iota(order.begin(), order.end(), 0U);
  std::ranges::stable_sort(order, {}, [&](std::uint32_t place) { return ids[place]; });
  std::vector<TraceCommand> sorted;
  sorted.reserve(order.size());
  for (const std::uint32_t place : order) sorted.push_back(rows_.commands[place]);
  rows_.commands = std::move(sorted);
  std::ranges::sort(ids);
}

// [12] is c12 for everyone who asks, so nothing can stand behind a command that is missing.
void TraceAssembler::cut_commands_to_prefix() {
  std::vector<TraceCommand>& commands = rows_.commands;
  const std::vector<std::uint32_t>& ids = raw_.command_ids;
  std::size_t kept = 0, duplicates = 0, at = 0;
  std::string_view reason = "a command before them is missing";
  for (; at < commands.size(); ++at) {
    if (kept > 0 && ids[at] == kept - 1) {
      ++duplicates;
      continue;
    }
    if (ids[at] != kept) break;
    TraceCommand command = commands[at];
    command.work = work_index_.find(command.work);
    command.stream = stream_index_.find(command.stream);
    if (command.work == no_index || !work_is_whole_[command.work]) {
      reason = "what a command does is missing, for it or one before it";
      break;
    }
    if (command.stream == no_index) {
      reason = "the stream is missing, for it or one before it";
      break;
    }
    if (command.launch != no_index &&
        (command.launch >= kept ||
         rows_.works[commands[command.launch].work].kind != WorkKind::launch)) {
      problems_.damage(
          fmt::format("c{} says that it was launched by c{}, which is no launch before it.", kept,
                      command.launch));
      command.launch = command.node = no_index;
    }
    if (command.launch == no_index) command.node = no_index;
    commands[kept++] = command;
  }
  problems_.left_out(commands_table, "another row has the same number", duplicates);
  problems_.left_out(commands_table, reason, commands.size() - at);
  commands.resize(kept);
  commands.shrink_to_fit();
  raw_.command_ids = {};
}

void TraceAssembler::place_stamps() {
  constexpr std::string_view stamps = "/stamps";
  std::vector<ClockMap> clocks = clock_maps(raw_.clocks, device_index_, rows_.devices, problems_);
  std::vector<std::uint64_t> unplaced(rows_.devices.size());
  std::vector<bool> seen(rows_.commands.size());
  std::uint64_t out_of_time = 0;
  for (const RawStamp& stamp : raw_.stamps) {
    if (stamp.command >= rows_.commands.size()) {
      problems_.left_out(stamps, "the command is not in the document");
      continue;
    }
    if (seen[stamp.command]) {
      problems_.left_out(stamps, "the command has stamps already");
      continue;
    }
    seen[stamp.command] = true;
    TraceCommand& command = rows_.commands[stamp.command];
    const std::uint32_t device = rows_.streams[command.stream].device;
    if (clocks[device].empty()) {
      ++unplaced[device];
      continue;
    }
    const auto place = [&](unsigned bit, std::uint64_t device_ns) {
      if (((stamp.known >> bit) & 1U) == 0) return std::uint64_t{0};
      const std::uint64_t host_ns = clocks[device].host_ns(device_ns);
      if (host_ns == 0) ++out_of_time;
      return host_ns;
    };
    command.queued_ns = place(0, stamp.queued_ns);
    command.submitted_ns = place(1, stamp.submitted_ns);
    command.started_ns = place(2, stamp.started_ns);
    command.ended_ns = place(3, stamp.ended_ns);
  }
  raw_.stamps = {};
  for (std::size_t i = 0; i < unplaced.size(); ++i)
    if (unplaced[i] > 0)
      problems_.remark(fmt::format(
          "The clock of device '{}' can't be brought to the host's, so the times of {} commands "
          "are not known.",
          rows_.devices[i].selector, unplaced[i]));
  if (out_of_time > 0)
    problems_.damage(
        fmt::format("{} times are before or after all that a clock can show.", out_of_time));
}

void TraceAssembler::check_orders() {
  std::erase_if(rows_.orders, [&](const TraceOrder& order) {
    const bool wrong = order.command >= rows_.commands.size() || order.after >= order.command;
    if (wrong) problems_.left_out("/orders", "a command doesn't wait for one before it");
    return wrong;
  });
  std::ranges::stable_sort(rows_.orders, {}, &TraceOrder::command);
}

void TraceAssembler::add_calls_of_commands() {
  for (TraceCall& call : rows_.calls) {
    call.name = text(call.name);
    if (call.command >= rows_.commands.size()) call.command = no_index;
  }
  std::array<std::uint32_t, static_cast<std::size_t>(WorkKind::unknown) + 1> names{};
  for (std::size_t kind = 0; kind < names.size(); ++kind) {
    names[kind] = static_cast<std::uint32_t>(rows_.texts.size());
    rows_.texts.emplace_back(to_string(static_cast<WorkKind>(kind)));
  }
  rows_.calls.reserve(rows_.calls.size() + rows_.commands.size());
  for (std::uint32_t i = 0; i < rows_.commands.size(); ++i) {
    const TraceCommand& command = rows_.commands[i];
    if (command.launch != no_index) continue;  // the launch was the call
    rows_.calls.push_back({names[static_cast<std::size_t>(rows_.works[command.work].kind)],
                           command.thread, command.call_begin_ns, command.call_end_ns, i});
  }
  if (!std::ranges::is_sorted(rows_.calls, {}, &TraceCall::begin_ns))
    std::ranges::stable_sort(rows_.calls, {}, &TraceCall::begin_ns);
}

void TraceAssembler::sort_spans() {
  for (TraceRegion& region : rows_.regions) region.name = text(region.name);
  std::ranges::stable_sort(rows_.regions, {}, &TraceRegion::begin_ns);
  std::ranges::stable_sort(rows_.overheads, {}, &TraceOverhead::begin_ns);
  std::ranges::stable_sort(rows_.notes, {}, &TraceNote::time_ns);
}

}  // namespace reel::document
