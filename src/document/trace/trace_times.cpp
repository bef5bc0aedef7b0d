// The half of TraceAssembler that is about when things happened.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string_view>
#include <utility>
#include <vector>

#include "document/trace/loading/clock_map.hpp"
#include "document/trace/loading/command_joiner.hpp"
#include "document/trace/loading/trace_assembler.hpp"

namespace reel::document {
namespace {

// The clock of each device, and its error in the device's row.
std::vector<ClockMap> clock_maps(std::span<const ClockRow> clocks, const IdIndex& index,
                                 std::vector<TraceDevice>& devices, Problems& problems) {
  std::vector<std::vector<ClockPoint>> points(devices.size());
  for (const ClockRow& clock : clocks) {
    const std::uint32_t device = index.find(clock.device);
    if (device == no_index) {
      problems.left_out("/clocks", "the device is not in the document");
      continue;
    }
    points[device].push_back({clock.device_ns, clock.host_ns, clock.error_ns});
  }
  std::vector<ClockMap> maps;
  for (std::size_t device = 0; device < points.size(); ++device) {
    const ClockMap& map = maps.emplace_back(std::move(points[device]));
    problems.left_out("/clocks", "a clock stands still or goes back there", map.left_out());
    if (!map.empty()) devices[device].clock_error_ns = map.error_ns();
  }
  return maps;
}

// A span that ends before it begins would be one of 500 years.
template <class Row>
void end_in_time(std::vector<Row>& rows, std::string_view what, Problems& problems) {
  std::size_t early = 0;
  for (Row& row : rows) {
    if (row.end_ns >= row.begin_ns) continue;
    row.end_ns = row.begin_ns;
    ++early;
  }
  if (early > 0)
    problems.remark(fmt::format(
        "{} of the {} end before they begin: how long they took is not known.", early, what));
}

// By begin, those around others first; each learns which one it lies in.
void nest(std::vector<TraceRegion>& regions) {
  std::ranges::stable_sort(regions, {}, [](const TraceRegion& region) {
    return std::pair(region.begin_ns, ~region.end_ns);
  });
  std::map<std::uint32_t, std::vector<std::uint32_t>> threads;  // those that may hold the next
  for (std::uint32_t r = 0; r < regions.size(); ++r) {
    // What lies in one that ends before this does lies in this one, too, if it comes later.
    auto& around = threads[regions[r].thread];
    while (!around.empty() && regions[around.back()].end_ns < regions[r].end_ns) around.pop_back();
    regions[r].parent = around.empty() ? no_index : around.back();
    around.push_back(r);
  }
}

}  // namespace

void TraceAssembler::join_commands() {
  auto clocks = clock_maps(raw_.clocks, device_index_, rows_.devices, problems_);
  place_intervals(clocks);
  if (raw_.totals) return settle_totals(std::move(clocks));
  rows_.commands = CommandJoiner(raw_, rows_, {work_index_, stream_index_, work_is_whole_},
                                 std::move(clocks), problems_)
                       .join();
  command_count_ = rows_.commands.size();
}

// Where anything isn't as a recorder writes it, the commands have to be joined.
void TraceAssembler::settle_totals(std::vector<ClockMap> clocks) {
  CommandTotals& totals = *raw_.totals;
  command_count_ = totals.commands();
  for (std::uint32_t id = 0; id < totals.works().size(); ++id) {
    if (totals.works()[id] == 0) continue;
    const std::uint32_t work = work_index_.find(id);
    if (work == no_index || !work_is_whole_[work]) return totals.give_up();
    totals.by_kind[static_cast<std::size_t>(rows_.works[work].kind)] += totals.works()[id];
  }
  for (std::uint32_t id = 0; id < totals.streams().size(); ++id)
    if (totals.streams()[id] > 0 && stream_index_.find(id) == no_index) return totals.give_up();
  if (totals.stamps() == 0) return;
  if (clocks.size() != 1 || !clocks[0].is_even()) return totals.give_up();
  if (totals.least_stamp() > totals.most_stamp()) return;  // none is known
  if (clocks[0].host_ns(totals.least_stamp()) == 0 || clocks[0].host_ns(totals.most_stamp()) == 0)
    return totals.give_up();
  if (totals.last_end() > 0) totals.last_end_ns = clocks[0].host_ns(totals.last_end());
}

void TraceAssembler::check_orders() {
  std::erase_if(rows_.orders, [&](const TraceOrder& order) {
    const bool wrong = order.command >= command_count_ || order.after >= order.command;
    if (wrong) problems_.left_out("/orders", "a command doesn't wait for one before it");
    return wrong;
  });
  std::ranges::stable_sort(rows_.orders, {}, &TraceOrder::command);
}

void TraceAssembler::check_submissions() {
  std::uint64_t end = 0;  // of the one before
  std::ranges::stable_sort(rows_.submissions, {}, &TraceSubmission::first);
  std::erase_if(rows_.submissions, [&](TraceSubmission& row) {
    row.stream = stream_index_.find(row.stream);
    row.call = text(row.call);
    const bool wrong = row.count == 0 || row.first < end || row.stream == no_index ||
                       std::uint64_t{row.first} + row.count > command_count_;
    if (wrong)
      problems_.left_out("/submissions", "its commands are not in the document, or another's");
    else
      end = std::uint64_t{row.first} + row.count;
    return wrong;
  });
}

// On the host's clock; those whose device has none are left out below.
void TraceAssembler::place_intervals(std::vector<ClockMap>& clocks) {
  for (TraceInterval& row : rows_.intervals) {
    row.stream = stream_index_.find(row.stream);
    if (row.stream == no_index) continue;
    ClockMap& clock = clocks[rows_.streams[row.stream].device];
    row.begin_ns = clock.empty() ? 0 : clock.host_ns(row.begin_ns);
    row.end_ns = clock.empty() ? 0 : clock.host_ns(row.end_ns);
  }
}

void TraceAssembler::check_intervals() {
  std::uint64_t end = 0;  // of the one before
  std::ranges::stable_sort(rows_.intervals, {}, &TraceInterval::first);
  std::erase_if(rows_.intervals, [&](const TraceInterval& row) {
    const bool wrong = row.count == 0 || row.first < end || row.stream == no_index ||
                       std::uint64_t{row.first} + row.count > command_count_;
    const bool is_placed = row.begin_ns != 0 && row.begin_ns <= row.end_ns;
    if (wrong)
      problems_.left_out("/intervals", "its commands are not in the document, or another's");
    else if (!is_placed)
      problems_.left_out("/intervals", "its times can't be brought to the host's clock");
    else
      end = std::uint64_t{row.first} + row.count;
    return wrong || !is_placed;
  });
}

void TraceAssembler::check_barriers() {
  std::erase_if(rows_.barriers, [&](TraceBarrier& row) {
    const bool is_of_all = row.buffer == no_index;
    if (!is_of_all) row.buffer = buffer_index_.find(row.buffer);
    const bool wrong = row.command >= command_count_ || (!is_of_all && row.buffer == no_index);
    if (wrong) problems_.left_out("/barriers", "the command or the buffer is not in the document");
    return wrong;
  });
  std::ranges::stable_sort(rows_.barriers, {}, &TraceBarrier::command);
}

void TraceAssembler::check_calls() {
  end_in_time(rows_.calls, "host's calls", problems_);
  for (TraceCall& call : rows_.calls) {
    call.name = text(call.name);
    if (call.command >= command_count_) call.command = no_index;
  }
  if (!std::ranges::is_sorted(rows_.calls, {}, &TraceCall::begin_ns))
    std::ranges::stable_sort(rows_.calls, {}, &TraceCall::begin_ns);
  rows_.first_kind_name = static_cast<std::uint32_t>(rows_.texts.size());
  for (std::size_t kind = 0; kind <= static_cast<std::size_t>(WorkKind::unknown); ++kind)
    rows_.texts.emplace_back(to_string(static_cast<WorkKind>(kind)));
}

void TraceAssembler::sort_spans() {
  end_in_time(rows_.regions, "passes and regions", problems_);
  end_in_time(rows_.overheads, "times that recording took", problems_);
  for (TraceRegion& region : rows_.regions) region.name = text(region.name);
  nest(rows_.regions);
  std::ranges::stable_sort(rows_.overheads, {}, &TraceOverhead::begin_ns);
  std::ranges::stable_sort(rows_.notes, {}, &TraceNote::time_ns);
  std::ranges::stable_sort(rows_.clocks, {}, &TraceClock::time_ns);
  std::ranges::stable_sort(rows_.clocks, {}, &TraceClock::kind);
}

}  // namespace reel::document
