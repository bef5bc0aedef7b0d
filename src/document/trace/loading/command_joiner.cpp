#include "document/trace/loading/command_joiner.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace reel::document {

struct CommandJoiner::Row {
  std::uint32_t work = no_index, stream = no_index, launch = no_index, node = no_index, thread = 0;
  std::uint64_t call_begin_ns = 0, call_ns = 0;
  unsigned known = 0;
  std::array<std::uint64_t, 4> steps_ns{};  // queued, submitted, started, ended
};

TraceCommands CommandJoiner::join() && {
  find_commands();
  find_stamps();
  const auto rows = static_cast<std::uint32_t>(raw_.commands.size());
  for (std::uint32_t c = 0; c < rows; ++c) {
    Row row;
    if (!read(c, row)) break;
    place_times(c, row);
    joined_.add(row.work, row.stream, row.launch, row.node, row.thread, row.call_begin_ns,
                row.call_ns, row.known, row.steps_ns[0], row.steps_ns[1], row.steps_ns[2],
                row.steps_ns[3]);
    if (c % RowPacker<12>::block_rows != 0) continue;
    if (raw_.commands_are_in_place) raw_.commands.forget_before(c);
    if (raw_.stamps_are_in_place) raw_.stamps.forget_before(c);
  }
  tell_left_out();
  tell_untimed();
  raw_.commands = {};
  raw_.stamps = {};
  return TraceCommands(std::make_shared<TraceCommands::Rows>(std::move(joined_).take()));
}

// Ids that a list without holes can have are smaller than the number of rows.
void CommandJoiner::find_commands() {
  if (raw_.commands_are_in_place) return;
  const auto rows = static_cast<std::uint32_t>(raw_.commands.size());
  command_places_.assign(rows, no_index);
  for (std::uint32_t place = 0; place < rows; ++place) {
    const std::uint32_t id = raw_.command_id(place);
    if (id < rows && command_places_[id] == no_index) command_places_[id] = place;
  }
}

void CommandJoiner::find_stamps() {
  if (raw_.stamps_are_in_place) return;
  stamp_places_.assign(raw_.commands.size(), no_index);
  for (std::uint32_t place = 0; place < raw_.stamps.size(); ++place) {
    const std::uint32_t command = raw_.stamped_command(place);
    if (command >= stamp_places_.size())
      ++stamps_of_none_;
    else if (stamp_places_[command] == no_index)
      stamp_places_[command] = place;
    else
      stamped_again_.push_back(command);
  }
}

bool CommandJoiner::read(std::uint32_t command, Row& row) {
  const std::uint32_t place = raw_.commands_are_in_place ? command : command_places_[command];
  if (place == no_index) return false;
  const auto number = [&](raw_command::Column column) { return raw_.commands.at(place, column); };
  const auto id = [&](raw_command::Column column) {
    return static_cast<std::uint32_t>(number(column));
  };
  row.work = indices_.works.find(id(raw_command::work));
  if (row.work == no_index || !indices_.work_is_whole[row.work]) {
    end_reason_ = "what a command does is missing, for it or one before it";
    return false;
  }
  row.stream = indices_.streams.find(id(raw_command::stream));
  if (row.stream == no_index) {
    end_reason_ = "the stream is missing, for it or one before it";
    return false;
  }
  row.launch = id(raw_command::launch);
  if (row.launch != no_index) {
    row.node = id(raw_command::node);
    if (row.launch >= command ||
        rows_.works[joined_.at(row.launch, TraceCommands::work)].kind != WorkKind::launch) {
      problems_.damage(
          fmt::format("c{} says that it was launched by c{}, which is no launch before it.",
                      command, row.launch));
      row.launch = row.node = no_index;
    }
  }
  row.thread = id(raw_command::thread);
  row.call_begin_ns = number(raw_command::call_begin);
  row.call_ns = number(raw_command::call_ns);
  if (row.call_begin_ns + row.call_ns < row.call_begin_ns) {
    row.call_ns = 0;
    ++calls_that_end_early_;
  }
  return true;
}

void CommandJoiner::place_times(std::uint32_t command, Row& row) {
  const std::uint32_t place = !raw_.stamps_are_in_place      ? stamp_places_[command]
                              : command < raw_.stamps.size() ? command
                                                             : no_index;
  if (place == no_index) return;
  const std::uint32_t device = rows_.streams[row.stream].device;
  ClockMap& clock = clocks_[device];
  if (clock.empty()) {
    ++unplaced_[device];
    return;
  }
  const std::uint64_t known = raw_.stamps.at(place, raw_stamp::known);
  std::uint64_t device_ns = 0, before_ns = row.call_begin_ns;
  for (unsigned i = 0; i < row.steps_ns.size(); ++i) {
    device_ns += raw_.stamps.at(place, raw_stamp::queued + i);
    if (((known >> i) & 1U) == 0) continue;
    const std::uint64_t host_ns = clock.host_ns(device_ns);
    if (host_ns == 0) {
      ++out_of_time_;
      continue;
    }
    row.known |= 1U << i;
    row.steps_ns[i] = host_ns - before_ns;
    before_ns = host_ns;
  }
}

void CommandJoiner::tell_left_out() const {
  const std::uint64_t rows = raw_.commands.size(), kept = joined_.size();
  std::uint64_t duplicates = 0;
  if (!raw_.commands_are_in_place) {
    for (std::uint64_t place = 0; place < rows; ++place)
      duplicates += raw_.command_id(place) < kept;
    duplicates -= kept;
  }
  problems_.left_out("/commands", "another row has the same number", duplicates);
  problems_.left_out("/commands", end_reason_, rows - kept - duplicates);

  std::uint64_t without_command = stamps_of_none_;
  if (raw_.stamps_are_in_place)
    without_command += raw_.stamps.size() - std::min<std::uint64_t>(raw_.stamps.size(), kept);
  else
    without_command += static_cast<std::uint64_t>(
        std::ranges::count_if(stamp_places_.begin() + static_cast<std::ptrdiff_t>(kept),
                              stamp_places_.end(), [](auto place) { return place != no_index; }));
  const auto again = static_cast<std::uint64_t>(
      std::ranges::count_if(stamped_again_, [&](std::uint32_t c) { return c < kept; }));
  problems_.left_out("/stamps", "the command is not in the document",
                     without_command + (stamped_again_.size() - again));
  problems_.left_out("/stamps", "the command has stamps already", again);
}

void CommandJoiner::tell_untimed() const {
  for (std::size_t i = 0; i < unplaced_.size(); ++i)
    if (unplaced_[i] > 0)
      problems_.remark(fmt::format(
          "The clock of device '{}' can't be brought to the host's, so the times of {} commands "
          "are not known.",
          rows_.devices[i].selector, unplaced_[i]));
  if (calls_that_end_early_ > 0)
    problems_.remark(
        fmt::format("{} of the calls that gave commands end before they begin: how long they took "
                    "is not known.",
                    calls_that_end_early_));
  if (out_of_time_ > 0)
    problems_.damage(
        fmt::format("{} times are before or after all that a clock can show.", out_of_time_));
}

}  // namespace reel::document
