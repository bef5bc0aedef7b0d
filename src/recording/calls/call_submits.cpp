// call_submits.cpp - the part of a CallRecording that has commands which are given together: what
// they use is looked at before the first of them runs.
//
// What one of them needs and nobody knows is what was there before all of them: had an earlier one
// written it, it would be known. So reads go ahead of the whole, and stand with its first command.
// But where an earlier one is of those that nobody replays: what that one left is read between the
// two, if they are in different parts of the submission.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "base/range_set.hpp"
#include "recording/calls/call_recording.hpp"

namespace reel::capture {

void CallRecording::submit(Ticket& ticket, Submission& list) noexcept {
  quietly([&] {
    ticket.work->clear();
    if (list.count == 0) {
      for (std::uint32_t i = 0; i < ticket.program_waits; ++i)
        if (const RecordedEvent* event = ticket.place->api.waited_for(ticket, i);
            event && event->capture == number)
          event->for_each_done([&](const Point& point) { add_point(ticket.after, point); });
      ticket.record->add_before(ticket.after, true);
      ticket.is_followed = true;
      return;
    }
    ticket.submission = &list;
    ticket.id =
        next_command_.fetch_add(static_cast<std::uint32_t>(list.count), std::memory_order_relaxed);
    place(ticket);
    for (const Submission::Given& one : list.all()) guard(ticket, one.work, true);
    if (contents != Contents::none) take_host_writes(ticket, list);
    for (const Submission::Given& one : list.all())
      if (one.hands_over)
        for (const WorkArgument& argument : one.work.arguments) {
          if (!argument.is_bytes()) continue;
          check_results_before(ticket, argument.range);
          ledger_.settle(argument.range.of_buffer());
        }
    std::vector<Piece> unknown;
    std::vector<LateRead> late;
    look_at_submission(ticket, list, unknown, late);
    if (contents == Contents::none) return;
    if (!unknown.empty())
      read_pieces(*ticket.record, ContentRole::input, ticket.id, unknown, ahead_of(ticket, true));
    for (const LateRead& read : late) {
      ticket.read_behind = read.behind;
      if (read.behind == no_index) ticket.read_part = read.part;
      read_pieces(*ticket.record, ContentRole::input, read.command, read.pieces,
                  ahead_of(ticket, true));
    }
    ticket.read_behind = no_index;
  });
  if (ticket.id == no_index) ticket.give_up();
}

void CallRecording::look_at_submission(Ticket& ticket, Submission& list,
                                       std::vector<Piece>& unknown, std::vector<LateRead>& late) {
  auto& changes = ticket.work->changes;
  changes.clear();
  const std::uint32_t stream = ticket.record->lanes[ticket.lane].stream;
  // By a command of this submission that nobody can replay: what it leaves can't be read before
  // others of the same part run, unless it is kept.
  struct Unseen {
    RangeSet ranges;
    std::uint32_t part;
    std::uint32_t kept_behind;  // the command; no_index: it isn't
  };
  std::map<const TrackedBuffer*, std::vector<Unseen>> unseen;
  const auto is_gone = [](const CallWork& work, const WorkArgument& argument) {
    return argument.access == Access::write && overwrites(work.row.kind);
  };
  const auto needs_unseen = [&](const Submission::Given& one, const WorkArgument& argument) {
    if (!argument.has_range() || is_gone(one.work, argument)) return false;
    const Range& range = argument.range;
    const auto found = unseen.find(range.storage);
    return found != unseen.end() && std::ranges::any_of(found->second, [&](const Unseen& left) {
             return left.part >= one.part && left.kept_behind == no_index &&
                    left.ranges.overlaps(range.offset_bytes, range.offset_bytes + range.size_bytes);
           });
  };
  std::uint32_t id = ticket.id;
  for (Submission::Given& one : list.all()) {
    CallWork& work = one.work;
    const Point command{stream, id++};
    note_kernel_of(work, *ticket.queue);
    // Before any of its arguments is looked at: then nobody knows what it leaves in the others.
    for (const WorkArgument& argument : work.arguments)
      if (!work.why_not_again && needs_unseen(one, argument))
        work.why_not_again =
            "it uses what a command before it in the same submission left, which can't be "
            "replayed";
    for (const WorkArgument& argument : work.arguments) {
      if (!argument.has_range()) continue;
      TrackedBuffer& buffer = *argument.range.storage;
      note_buffers_of(argument);
      if (buffer.is_strange) continue;
      // Nobody runs it again, so nobody needs what it reads.
      if (work.row.kind == WorkKind::opaque && argument.access == Access::read) continue;
      const Range& range = argument.range;
      const std::uint64_t begin = range.offset_bytes, end = begin + range.size_bytes;
      if (argument.is_written() && (buffer.may_be_mapped || is_seen_by_host(buffer))) {
        shared_writes_.begin(buffer, begin, end, command);
        host_pages_.let_write(&buffer, begin, range.size_bytes);
      }
      const auto found = unseen.find(&buffer);
      for (Unseen& earlier : found == unseen.end() ? std::span<Unseen>() : found->second) {
        std::vector<Piece> met;
        earlier.ranges.for_each_in(begin, end, [&](std::uint64_t first, std::uint64_t last) {
          met.push_back({&buffer, first, last - first});
        });
        if (!met.empty() && !is_gone(work, argument) && !work.why_not_again) {
          for (const Piece& piece : met) ledger_.settle(range_of(piece));
          late.push_back({one.part, command.command, earlier.kept_behind, met});
        }
        if (!work.why_not_again || argument.is_written()) earlier.ranges.remove(begin, end);
      }
      enter(work, argument, changes, unknown);
      if (argument.is_written() && work.why_not_again) {
        const bool is_kept = std::ranges::find(one.kept, &buffer) != one.kept.end();
        Unseen& left = unseen[&buffer].emplace_back(
            Unseen{{}, one.part, is_kept ? command.command : no_index});
        left.ranges.add(begin, end);
      }
    }
    if (work.row.kind == WorkKind::write && !one.data.empty() && contents != Contents::none) {
      BoxSource bytes(one.data.data(), line(one.data.size()));
      push_ranges(ContentRole::written, command.command, work.arguments, bytes);
    }
  }
  for (TrackedBuffer* buffer : list.named) note_buffer(*buffer);
}

void CallRecording::take_host_writes(Ticket& ticket, Submission& list) {
  std::map<TrackedBuffer*, RangeSet> used;
  for (const Submission::Given& one : list.all())
    for (const WorkArgument& argument : one.work.arguments) {
      if (!argument.has_range()) continue;
      TrackedBuffer& buffer = *argument.range.storage;
      if (buffer.is_strange || !buffer.address) continue;
      // What is written whole is not the host's any more.
      if (argument.access == Access::write && overwrites(one.work.row.kind)) continue;
      used[&buffer].add(argument.range.offset_bytes,
                        argument.range.offset_bytes + argument.range.size_bytes);
    }
  for (const auto& entry : used)  // clang 14 captures no names of parts
    entry.second.for_each_in(0, entry.first->size_bytes,
                             [&](std::uint64_t begin, std::uint64_t end) {
                               const Range range{entry.first, begin, end - begin};
                               if (ticket.may_start_late)
                                 forget_host_known(range);
                               else
                                 take_host_writes(ticket.id, range);
                             });
  // The host may be asked to write what it reads, or some other work may.
  if (ticket.may_start_late || ticket.may_meet_unseen) return;
  const Point last{ticket.record->lanes[ticket.lane].stream,
                   ticket.id + static_cast<std::uint32_t>(list.count) - 1};
  for (auto& [buffer, ranges] : used)
    if (!buffer->is_foreign) shared_reads_.begin(*buffer, std::move(ranges), ticket.id, last);
}

// Whole pages of what it reads, that nothing recorded writes: of others nobody knows who did it.
void CallRecording::note_early_writes(const SharedReads::Read& read) {
  TrackedBuffer& buffer = *read.buffer;
  const HostWindow window = window_of(buffer);
  if (window.size_bytes == 0 || buffer.written_unseen_in.load(std::memory_order_acquire) == number)
    return;
  read.ranges.for_each_in(0, window.size_bytes, [&](std::uint64_t begin, std::uint64_t end) {
    const auto changes =
        host_pages_.changed_since(&buffer, window.address, window.size_bytes, begin, end - begin,
                                  [&](std::uint64_t first, std::uint64_t last) {
                                    return shared_writes_.are_under_way(buffer, first, last);
                                  });
    for (const auto& [at, size] : changes)
      note(
          "host_changed",
          fmt::format("c{} to c{}: the host changed bytes {} to {} of b{} before it knew that they "
                      "were done.",
                      read.first, read.last.command, at, at + size,
                      static_cast<std::uint32_t>(buffer.id)));
  });
}

// What is the host's may change until the commands start, so it is read in their order.
void CallRecording::forget_host_known(const Range& range) {
  RangeSet written;
  for (const Piece& piece : ledger_.device_written(range.of_buffer()))
    written.add(piece.offset_bytes, piece.offset_bytes + piece.size_bytes);
  written.for_each_gap(range.offset_bytes, range.offset_bytes + range.size_bytes,
                       [&](std::uint64_t begin, std::uint64_t end) {
                         ledger_.forget(range_of(*range.storage, begin, end - begin));
                       });
}

// Bytes that changed while no command that may write them was under way.
void CallRecording::take_host_writes(std::uint32_t command, const Range& range) {
  TrackedBuffer& buffer = *range.storage;
  if (buffer.written_unseen_in.load(std::memory_order_acquire) == number) {
    ledger_.forget(range.of_buffer());
    return;
  }
  const HostWindow window = window_of(buffer);
  if (window.size_bytes == 0) return;
  // A device writes some of these pages: whether the host wrote the rest nobody can tell, so that
  // is read in the order of the commands.
  std::vector<Range> shared;
  const std::uint64_t range_end = range.offset_bytes + range.size_bytes;
  const auto changes =
      host_pages_.changed_in(&buffer, window.address, window.size_bytes, range.offset_bytes,
                             range.size_bytes, [&](std::uint64_t begin, std::uint64_t end) {
                               if (!shared_writes_.are_under_way(buffer, begin, end)) return false;
                               begin = std::max(begin, range.offset_bytes);
                               end = std::min(end, range_end);
                               if (begin < end) shared.push_back({&buffer, begin, end - begin});
                               return true;
                             });
  for (const Range& one : shared) forget_host_known(one);
  for (const auto& [at, size] : changes) {
    const WorkArgument written{ArgumentKind::buffer, Access::write, {&buffer, at, size}};
    BoxSource bytes(window.address + at, line(size));
    push_ranges(ContentRole::input, command, {&written, 1}, bytes);
    ledger_.overwrite(written.range.of_buffer(), true);
  }
}

void CallRecording::check_seen(const SharedWrites::Done& done, const HostWindow& window) {
  const std::uint64_t end = std::min(done.end, window.size_bytes);
  if (done.first >= end || contents == Contents::none) return;
  TrackedBuffer& buffer = *done.buffer;
  host_pages_.learn(&buffer, window.address, window.size_bytes, done.first, end - done.first);
  // Pages are known as a whole: what the host wrote beside the device's bytes is not seen any more,
  // and is read when it is next used.
  constexpr std::uint64_t page = HostPages::page_bytes;
  const std::uint64_t pages_begin = done.first / page * page;
  const std::uint64_t pages_end = std::min((end + page - 1) / page * page, window.size_bytes);
  if (pages_begin < done.first) forget_host_known({&buffer, pages_begin, done.first - pages_begin});
  if (end < pages_end) forget_host_known({&buffer, end, pages_end - end});
  const BufferRange range = range_of(buffer, done.first, end - done.first);
  for (const Piece& piece : ledger_.device_written(range)) {
    const WorkArgument written{
        ArgumentKind::buffer, Access::write, {&buffer, piece.offset_bytes, piece.size_bytes}};
    const std::byte* from = window.address + piece.offset_bytes;
    std::vector<std::byte> copy;
    if (is_ending_.load(std::memory_order_acquire)) {
      // Commands of the program pass by: what they write is no result of what was recorded.
      copy.assign(from, from + piece.size_bytes);
      if (!is_still_ours()) return;
      from = copy.data();
    }
    BoxSource bytes(from, line(piece.size_bytes));
    push_ranges(ContentRole::check, done.command, {&written, 1}, bytes);
  }
  ledger_.settle(range);
}

void CallRecording::made(TrackedBuffer& buffer) noexcept {
  buffer.made_ns = monotonic_ns();
  buffer.made_in.store(number, std::memory_order_release);
}

void CallRecording::became_visible(TrackedBuffer& buffer) noexcept {
  if (contents == Contents::none) return;
  quietly([&] {
    const HostWindow window = window_of(buffer);
    for (const Piece& piece : ledger_.device_written(range_of(buffer, 0, buffer.size_bytes))) {
      const std::uint64_t begin = piece.offset_bytes, end = begin + piece.size_bytes;
      if (shared_writes_.are_under_way(buffer, begin, end)) continue;
      check_seen({std::static_pointer_cast<TrackedBuffer>(buffer.shared_from_this()), begin, end,
                  buffer.writer_command.load(std::memory_order_relaxed)},
                 window);
    }
  });
}

RecordedEvent CallRecording::submitted(Ticket& ticket, int status, Completion done) noexcept {
  if (!ticket.submission) {
    if (!ticket.is_followed) return {};
    const RecordedEvent event = followed(ticket, status);
    ticket.give_up();
    return event;
  }
  RecordedEvent event;
  if (!ticket.record) return event;
  const std::uint64_t end_ns = monotonic_ns();
  CallQueue& record = *ticket.record;
  quietly([&] {
    settle_trial(ticket, 0);  // where it was refused, reads ahead of it failed
    Submission& list = *ticket.submission;
    Lane& lane = record.lanes[ticket.lane];
    SubmissionMessage message{ticket.id, static_cast<std::uint32_t>(list.count), lane.stream,
                              list.call, std::move(list.barriers)};
    for (document::BarrierRow& barrier : message.barriers) barrier.command += ticket.id;
    std::uint32_t id = ticket.id;
    for (Submission::Given& one : list.all()) {
      const Call call{id, ticket.lane, &one.work, {}, 0, one.scope, ticket.begin_ns, end_ns};
      append(record, call, one.work,
             {.id = id, .call_begin_ns = call.begin_ns, .call_end_ns = call.end_ns}, status != 0);
      record.last.work = nullptr;  // it is used again for another one
      lane.last_command = id;
      ++id;
    }
    document_.push(std::move(message));
    const std::uint32_t last = lane.last_command;
    if (status != 0) {
      note("refused", fmt::format("c{} to c{} were refused: {} answered {}.", ticket.id, last,
                                  list.call, record.api.words(status)));
      shared_writes_.refused(ticket.id, last);
      shared_reads_.refused(ticket.id);
      ledger_.undo(ticket.work->changes);
      return;
    }
    id = ticket.id;
    for (const Submission::Given& one : list.all()) wrote(one.work, {lane.stream, id++});
    event = {{}, number, lane.stream, last};
    if (shared_writes_.are_any()) shared_writes_.given(ticket.id, last, done, true);
    ticket.done = done.get();
    if (done) {
      record.pending.push_back(
          {ticket.id, ticket.lane, std::move(done), ticket.begin_ns, end_ns, true});
      ++lane.pending;
    }
    record.since_collected += static_cast<std::uint32_t>(list.count);
    // What is behind all that was given together may have overwritten it.
    if (contents != Contents::all || ticket.is_overtaken) return;
    // What each of them left, where no later one wrote.
    std::map<const BufferResource*, RangeSet> later;
    id = last;
    for (std::size_t i = list.count; i-- > 0; --id) {
      std::vector<Piece> results;
      const CallWork& work = list.works[i].work;
      for (const WorkArgument& argument : work.arguments) {
        if (!argument.is_written() || !argument.is_bytes()) continue;
        const Range& range = argument.range;
        const std::uint64_t begin = range.offset_bytes, end = begin + range.size_bytes;
        RangeSet& written = later[range.storage];
        if (work.row.kind != WorkKind::write && !work.why_not_again)
          written.for_each_gap(begin, end, [&](std::uint64_t first, std::uint64_t stop) {
            results.push_back({range.storage, first, stop - first});
          });
        written.add(begin, end);
      }
      if (!results.empty())
        read_pieces(record, ContentRole::check, id, results, behind(ticket.done, false));
    }
  });
  if (!ticket.own_work) record.is_busy = false;
  return event;
}

}  // namespace reel::capture
