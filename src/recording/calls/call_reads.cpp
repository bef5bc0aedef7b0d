// call_reads.cpp - the part of a CallRecording that has drivers read, in the order of their queues:
// inputs before a command needs them, and checks of what was written.
#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <map>

#include "base/range_set.hpp"
#include "recording/calls/call_recording.hpp"
#include "recording/calls/held_back.hpp"

namespace reel::capture {

namespace {

// Of the memory for contents, as long as the driver reads.
std::uint64_t bytes_of(const ReadUnderWay& read) {
  return read.contents ? read.contents->block.bytes().size() : 0;
}

// What could not be read before these commands is not in the document: those that use it can't be
// replayed, nor those that use what they leave, as long as that can't be read either.
void leave_out_readers(Submission& list, const Range& missing) {
  std::map<const TrackedBuffer*, RangeSet> unknown;
  unknown[missing.storage].add(missing.offset_bytes, missing.offset_bytes + missing.size_bytes);
  for (Submission::Given& one : list.all()) {
    CallWork& work = one.work;
    bool is_met = false;
    const auto each = [&](auto&& visit) {
      for (const WorkArgument& argument : work.arguments)
        if (argument.has_range())
          visit(argument, argument.range.offset_bytes,
                argument.range.offset_bytes + argument.range.size_bytes);
    };
    each([&](const WorkArgument& argument, std::uint64_t begin, std::uint64_t end) {
      if (argument.is_written() && overwrites(work.row.kind)) return;
      if (const auto known = unknown.find(argument.range.storage); known != unknown.end())
        known->second.for_each_in(begin, end, [&](std::uint64_t, std::uint64_t) { is_met = true; });
    });
    if (is_met && !work.why_not_again) work.why_not_again = "what it uses could not be read";
    each([&](const WorkArgument& argument, std::uint64_t begin, std::uint64_t end) {
      if (!argument.is_written()) return;
      if (is_met)
        unknown[argument.range.storage].add(begin, end);
      else if (overwrites(work.row.kind))
        unknown[argument.range.storage].remove(begin, end);
    });
  }
}

}  // namespace

// Waits while somebody gives memory back who needs nothing of the program: the document's writer
// does, a driver that reads behind an event of the program's does not.
bool CallRecording::keep_waiting(QueueLog* queue) {
  const bool is_being_written = memory_->taken() > being_read_.load(std::memory_order_acquire);
  if (!is_being_written && !held_back::is_free(held_back::now())) return false;
  if (!queue) return true;
  auto& record = static_cast<CallQueue&>(*queue);
  record.api.flush(record.handle.get());
  take_asked(record);
  return true;
}

bool CallRecording::is_read_whole(const BufferResource& buffer) const {
  const auto& tracked = static_cast<const TrackedBuffer&>(buffer);
  return tracked.api.is_read_whole(tracked);
}

// The driver will write to what it was given: where there is no memory to wait for that, it is left
// to it.
template <class F>
static void keep_from_here(std::unique_ptr<ReadUnderWay>& read, F&& function) {
  try {
    function();
  } catch (...) {
    static_cast<void>(read.release());
    throw;
  }
}

void CallRecording::read_pieces(CallQueue& record, ContentRole role, std::uint32_t command,
                                std::span<const Piece> pieces, const Place& place) {
  std::vector<Completion> reads;
  std::shared_ptr<Trial> trial;
  if (Ticket* ticket = place.order.ahead_of; ticket && role == ContentRole::check) {
    if (!ticket->trial) ticket->trial = std::make_shared<Trial>();
    trial = ticket->trial;
  }
  RecordingCore::read_pieces(record, role, command, pieces, [&](std::size_t i, Reading bytes) {
    auto& buffer = static_cast<TrackedBuffer&>(*pieces[i].buffer);
    const std::span<std::byte> target = bytes.block.bytes();
    const Range range{&buffer, bytes.offset_bytes, target.size()};
    auto read = read_into(record, target, range.of_buffer(), place.order);
    if (!read && role == ContentRole::input && place.order.ahead_of &&
        place.order.ahead_of->submission)
      leave_out_readers(*place.order.ahead_of->submission,
                        {&buffer, pieces[i].offset_bytes, pieces[i].size_bytes});
    if (!read) return false;
    bytes.moment = place.moment;
    read->contents = std::move(bytes);
    read->trial = trial;
    keep_from_here(read, [&] {
      if (place.waiter && read->done) reads.push_back(read->done);
      // Who comes after the command that needs an input comes after its read, too.
      if (role != ContentRole::input && read->done)
        read->own = own_reads_.add(
            range, command, record.handle.get(), read->done,
            Completion::of(record.api, window_of(buffer).size_bytes != 0 ? place.of : nullptr));
      when_done(record, read);
    });
    return true;
  });
  if (place.waiter) std::ranges::move(reads, std::back_inserter(place.waiter->own_waits));
}

// Null: the driver can't, and the document says so.
std::unique_ptr<ReadUnderWay> CallRecording::read_into(CallQueue& record,
                                                       std::span<std::byte> target,
                                                       const BufferRange& range,
                                                       const ReadOrder& order) {
  auto read = std::make_unique<ReadUnderWay>(*this, record);
  const std::string why_not =
      record.api.read(record.handle.get(), range, target, order, read->done, read->scratch);
  if (why_not.empty()) return read;
  missing(*range.buffer, why_not);
  return nullptr;
}

void CallRecording::settle_trial(Ticket& ticket, int status) {
  if (!ticket.trial) return;
  for (Reading& reading : ticket.trial->answered(status == 0)) arrived(reading);
  ticket.trial = nullptr;
}

void CallRecording::read_inputs(Ticket& ticket, bool in_order) {
  if (!ticket.list && is_all_known(*ticket.work)) [[likely]] {
    ticket.work->changes.clear();
    return;
  }
  const std::vector<Piece> unknown = look_at(ticket, call_of(ticket));
  if (!unknown.empty() && contents != Contents::none && !ticket.is_refused_for_sure)
    read_pieces(*ticket.record, ContentRole::input, ticket.id, unknown, ahead_of(ticket, in_order));
}

void CallRecording::check(Ticket& ticket, std::span<const WorkArgument> ranges,
                          ContentRole role) noexcept {
  if (!ticket.record || ranges.empty() || contents == Contents::none) return;
  quietly([&] {
    read_pieces(*ticket.record, role, ticket.id, pieces_of(ranges),
                behind(ticket.done, !ticket.queue->in_order));
  });
}

// Commands of a queue may pass a list of commands, even if the queue is in order (PoCL 3.1): the
// reads wait for it.
void CallRecording::check_nodes(Ticket& ticket) {
  const auto results = results_of(ticket.list->works);
  for (auto i = static_cast<std::uint32_t>(results.size()); i-- > 0;)
    read_pieces(*ticket.record, ContentRole::check, ticket.id + 1 + i, results[i],
                behind(ticket.done, true));
}

void CallRecording::check_before(Ticket& ticket) noexcept {
  if (!ticket.record || contents == Contents::none || ticket.is_refused_for_sure) return;
  quietly([&] {
    read_pieces(*ticket.record, ContentRole::check, ticket.id, pieces_of(ticket.work->arguments),
                ahead_of(ticket, ticket.record->in_order));
  });
}

std::shared_ptr<Block> CallRecording::copy_before(Ticket& ticket, std::span<const Range> ranges,
                                                  Completion& last) noexcept {
  std::shared_ptr<Block> copy;
  if (ticket.is_refused_for_sure) return copy;
  quietly([&] {
    const std::uint64_t begin_ns = monotonic_ns();
    const TrackedBuffer& buffer = *ranges[0].storage;
    // A region of pixels is rows apart: the whole is read.
    const Range whole[] = {{ranges[0].storage, 0, buffer.size_bytes}};
    if (is_read_whole(buffer)) ranges = whole;
    std::uint64_t total = 0;
    for (const Range& range : ranges) total += range.size_bytes;
    auto block = map_memory_->try_take(total);
    if (!block) {
      missing(buffer, "no memory was free for a copy of what was mapped");
      return;
    }
    copy = std::make_shared<Block>(std::move(*block));
    std::vector<Completion> reads;  // of a queue without order, to be waited for
    std::uint64_t at = 0;
    for (const Range& range : ranges) {
      auto read = read_into(*ticket.record, copy->bytes().subspan(at, range.size_bytes),
                            range.of_buffer(), {&ticket, {}});
      at += range.size_bytes;
      if (!read) {
        copy = nullptr;
        break;
      }
      // Until the read is done the bytes are the driver's, whatever becomes of the map.
      read->kept = copy;
      keep_from_here(read, [&] {
        if (read->done) last = read->done;
        if (read->done && !ticket.record->in_order) reads.push_back(read->done);
        when_done(*ticket.record, read);
      });
    }
    std::ranges::move(reads, std::back_inserter(ticket.own_waits));
    overhead(OverheadKind::inputs, begin_ns, total);
  });
  return copy;
}

void CallRecording::written(Ticket& ticket, ByteSource& bytes) noexcept {
  if (!ticket.record || contents == Contents::none) return;
  quietly([&] { push_ranges(ContentRole::written, ticket.id, ticket.work->arguments, bytes); });
}

// --- when they are done -------------------------------------------------------------------------

void CallRecording::when_done(CallQueue& record, std::unique_ptr<ReadUnderWay>& read) {
  being_read_.fetch_add(bytes_of(*read), std::memory_order_release);
  record.readings->fetch_add(1, std::memory_order_relaxed);
  if (!read->done) {  // from a driver that gives nothing to ask for
    record.api.finish(record.handle.get());
    read_done(read.release(), 0);
    return;
  }
  // The driver keeps what it will tell of; with a reference of ours that would be until then.
  const Completion done = std::move(read->done);
  read->completion = done.get();
  // What is done by now the driver did within the call, on this thread: that is counted already.
  read->is_timed = read->is_timed && record.api.status(done.get()) > 0;
  if (record.api.tell_when_done(done.get(), read.get()))
    static_cast<void>(read.release());
  else
    record.asked.emplace_back(CallQueue::Asked{done, nullptr}).read = std::move(read);
}

// Taken out one by one: what arrives may need memory, and who waits for that comes here again.
void CallRecording::take_asked(CallQueue& record) {
  for (;;) {
    int status = 0;
    const auto done = std::ranges::find_if(record.asked, [&](const CallQueue::Asked& one) {
      status = record.api.status(one.done.get());
      return status <= 0;
    });
    if (done == record.asked.end()) return;
    CallQueue::Asked one = std::move(*done);
    record.asked.erase(done);
    read_done(one.read.release(), status);
  }
}

// Often on a thread of the driver.
void CallRecording::read_done(ReadUnderWay* done, int status) noexcept {
  const std::unique_ptr<ReadUnderWay> read(done);
  CallRecording& recording = read->recording;
  recording.being_read_.fetch_sub(bytes_of(*read), std::memory_order_release);
  recording.quietly([&] {
    if (document::StampRow row{}; read->completion && read->is_timed && status >= 0 &&
                                  read->api.stamps(read->completion, row) &&
                                  row.ended_ns > row.started_ns)
      recording.add_read_time(row.ended_ns - row.started_ns, 0);
    // Commands that pass by an ending capture wait for nobody.
    const bool passed_by =
        recording.is_ending_.load(std::memory_order_acquire) && !recording.is_still_ours();
    if (read->own && (passed_by || read->own->called_off.load(std::memory_order_acquire)))
      recording.note(
          "unchecked",
          fmt::format(
              "c{} is not checked in b{}: the program may have overwritten the bytes before "
              "they could be read, and waiting for the read could have stopped it.",
              read->own->command, read->contents->buffer));
    else if (status < 0)
      recording.note("contents_missing",
                     fmt::format("Contents could not be read: the driver's command ended with {}.",
                                 read->api.words(status)));
    else if (read->contents && (!read->trial || read->trial->admits(*read->contents)))
      recording.arrived(*read->contents);
  });
  if (read->own) recording.own_reads_.done(std::exchange(read->own, nullptr));
  read->scratch.reset();
  read->count->fetch_sub(1, std::memory_order_release);
}

// --- what they hold up --------------------------------------------------------------------------

// Those of one driver together: it is asked for all at once.
void CallRecording::wait_for_all(std::vector<Completion> reads) {
  if (reads.empty()) return;
  const std::uint64_t begin_ns = monotonic_ns();
  std::ranges::sort(reads, {}, &Completion::driver);
  std::vector<void*> handles;
  for (std::size_t i = 0; i < reads.size(); ++i) {
    handles.push_back(reads[i].get());
    if (i + 1 < reads.size() && reads[i + 1].driver() == reads[i].driver()) continue;
    reads[i].driver()->wait(handles);
    handles.clear();
  }
  overhead(OverheadKind::waiting, begin_ns, 0);
}

void CallRecording::settle_reads() noexcept {
  quietly([&] { wait_for_all(own_reads_.host_may_write()); });
}

void CallRecording::call_off_reads() noexcept {
  quietly([&] { own_reads_.call_off_where_host_may_write(); });
}

}  // namespace reel::capture
