// recording_contents.cpp - the part of a Recording that takes bytes: inputs before a command needs
// them, what the host gives, checks of what was written, and all that is left at the end.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstring>

#include "base/clock.hpp"
#include "layers/opencl/held_back.hpp"
#include "layers/opencl/recording/driver_reads.hpp"
#include "layers/opencl/recording/recording.hpp"
#include "layers/opencl/recording/session.hpp"

namespace reel::layer {

using capture::Block;
using capture::Piece;
using capture::piece_bytes;
using capture::Reading;

namespace {

std::uint32_t u32(auto id) { return static_cast<std::uint32_t>(id); }

Storage& storage_of(const Piece& piece) { return static_cast<Storage&>(*piece.buffer); }

// Of the memory for contents, as long as the driver reads.
std::uint64_t bytes_of(const DriverReading& reading) {
  return reading.contents ? reading.contents->block.bytes().size() : 0;
}

// At the end of the block, whatever way it is left.
struct Forgetting {
  capture::HostPages& pages;
  const void* key;
  ~Forgetting() { pages.forget(key); }
};

}  // namespace

// Waits while somebody gives memory back who needs nothing of the program: the document's writer
// does, a driver that reads behind a user event does not.
bool Recording::keep_waiting(capture::QueueLog* queue) {
  const bool is_being_written = memory_->taken() > being_read_.load(std::memory_order_acquire);
  if (!is_being_written && !held_back::is_free(held_back::now())) return false;
  if (queue) next().clFlush(static_cast<QueueRecord&>(*queue).handle);
  return true;
}

// OpenCL reads boxes of pixels, not ranges of bytes.
bool Recording::is_read_whole(const BufferResource& buffer) const {
  return static_cast<const Storage&>(buffer).image.has_value();
}

// --- reading ------------------------------------------------------------------------------------

void Recording::read_pieces(QueueRecord& record, ContentRole role, std::uint32_t command,
                            std::span<const Piece> pieces, const ReadOrder& order) {
  std::vector<HeldEvent> reads;
  std::shared_ptr<Trial> trial;
  if (role == ContentRole::check && order.ahead_of) {
    trial = order.ahead_of->trial;
    if (!trial) trial = order.ahead_of->trial = std::make_shared<Trial>();
  }
  RecordingCore::read_pieces(record, role, command, pieces, [&](std::size_t i, Reading bytes) {
    Storage& storage = storage_of(pieces[i]);
    const std::uint64_t at = bytes.offset_bytes;
    const std::span<std::byte> target = bytes.block.bytes();
    auto reading = std::make_unique<DriverReading>();
    reading->contents = std::move(bytes);
    reading->trial = trial;
    cl_event event = nullptr;
    const cl_int status = enqueue_read(record.handle, storage, at, target, order.wait_count,
                                       order.waits, &event, reading->scratch);
    if (status != CL_SUCCESS) {
      missing(storage, answered(status));
      return false;
    }
    if (order.waiter && event) reads.push_back(HeldEvent::of(event));
    // Who comes after the command that needs an input comes after its read, too.
    if (role != ContentRole::input && event)
      reading->read =
          own_reads_.add({&storage, at, target.size()}, command, record.handle, record.in_order,
                         event, window_of(storage).size_bytes != 0 ? order.after : nullptr);
    when_done(record, event, std::move(reading));
    return true;
  });
  if (order.waiter) order.waiter->wait_for(std::move(reads));
}

void Recording::settle_trial(Ticket& ticket, cl_int status) {
  if (!ticket.trial) return;
  for (Reading& reading : ticket.trial->answered(status == CL_SUCCESS)) arrived(reading);
  ticket.trial = nullptr;
}

void Recording::read_inputs(Ticket& ticket, bool in_order) {
  const std::vector<Piece> unknown = look_at(*ticket.record, call_of(ticket));
  // A command with a wrong list will be refused, and so would be our reads.
  if (!unknown.empty() && contents != Contents::none && ticket.has_list())
    read_pieces(*ticket.record, ContentRole::input, ticket.id, unknown, before(ticket, in_order));
}

void Recording::wait_for_all(const std::vector<HeldEvent>& events) {
  if (events.empty()) return;
  const std::uint64_t begin_ns = monotonic_ns();
  std::vector<cl_event> waits;
  for (const HeldEvent& event : events) waits.push_back(event.get());
  next().clWaitForEvents(u32(waits.size()), waits.data());
  overhead(OverheadKind::waiting, begin_ns, 0);
}

void Recording::check(Ticket& ticket, std::span<const WorkArgument> ranges,
                      ContentRole role) noexcept {
  if (!ticket.record || ranges.empty() || contents == Contents::none) return;
  quietly([&] {
    const cl_event event = ticket.program_event ? *ticket.program_event : ticket.taken;
    read_pieces(*ticket.record, role, ticket.id, capture::pieces_of(ranges),
                behind(event, ticket.queue->out_of_order));
  });
}

// PoCL 3.1 lets commands of a queue pass a buffer of commands, even if the queue is in order: the
// reads wait for it.
void Recording::check_nodes(Ticket& ticket, cl_event launched) {
  const auto results = capture::results_of(ticket.buffer->works);
  for (auto i = u32(results.size()); i-- > 0;)
    read_pieces(*ticket.record, ContentRole::check, ticket.id + 1 + i, results[i],
                behind(launched, true));
}

void Recording::check_before(Ticket& ticket) noexcept {
  if (!ticket.record || contents == Contents::none || !ticket.has_list()) return;
  quietly([&] {
    read_pieces(*ticket.record, ContentRole::check, ticket.id,
                capture::pieces_of(ticket.work->arguments),
                before(ticket, ticket.record->in_order));
  });
}

std::shared_ptr<Block> Recording::copy_before(
    Ticket& ticket, std::span<const Range> ranges,
    std::shared_ptr<const capture::UnderWay>& read) noexcept {
  std::shared_ptr<Block> copy;
  if (!ticket.has_list()) return copy;
  quietly([&] {
    const std::uint64_t begin_ns = monotonic_ns();
    const auto& storage = static_cast<const Storage&>(*ranges[0].storage);
    std::uint64_t total = 0;
    for (const Range& range : ranges) total += range.size_bytes;
    // A region of pixels is rows apart: the whole is read.
    const Range whole[] = {{ranges[0].storage, 0, storage.size_bytes}};
    if (storage.image) {
      ranges = whole;
      total = storage.size_bytes;
    }
    auto block = map_memory_->try_take(total);
    if (!block) {
      missing(storage, "no memory was free for a copy of what was mapped");
      return;
    }
    auto bytes = std::make_shared<Block>(std::move(*block));
    std::vector<HeldMemory> scratch;     // the driver keeps what its commands use
    std::vector<HeldEvent> to_wait_for;  // of a queue without order
    std::uint64_t at = 0;
    cl_int status = CL_SUCCESS;
    for (const Range& range : ranges) {
      if (status != CL_SUCCESS) break;
      cl_event one = nullptr;
      status = enqueue_read(ticket.record->handle, storage, range.offset_bytes,
                            bytes->bytes().subspan(at, range.size_bytes), ticket.wait_count,
                            ticket.waits, &one, scratch);
      at += range.size_bytes;
      if (status != CL_SUCCESS) break;
      // Until the read is done the bytes are the driver's, whatever becomes of the map.
      auto reading = std::make_unique<DriverReading>();
      reading->kept = bytes;
      if (one) {
        if (!ticket.record->in_order) to_wait_for.push_back(HeldEvent::of(one));
        read = std::make_shared<HeldEvent>(HeldEvent::of(one));
      }
      when_done(*ticket.record, one, std::move(reading));
    }
    ticket.wait_for(std::move(to_wait_for));
    if (status == CL_SUCCESS)
      copy = std::move(bytes);
    else
      missing(storage, answered(status));
    overhead(OverheadKind::inputs, begin_ns, total);
  });
  return copy;
}

// Takes over the event.
void Recording::when_done(QueueRecord& record, cl_event event,
                          std::unique_ptr<DriverReading> reading) {
  reading->recording = this;
  reading->count = record.readings;
  // What is done by now the driver did within the call, on this thread: that is counted already.
  reading->is_timed = record.is_timed && event && !is_done(event);
  being_read_.fetch_add(bytes_of(*reading), std::memory_order_release);
  record.readings->fetch_add(1, std::memory_order_relaxed);
  if (!event) {  // from a driver that gives none
    next().clFinish(record.handle);
    read_done(nullptr, CL_COMPLETE, reading.release());
    return;
  }
  cl_int status = CL_INVALID_OPERATION;
  if (driver_has(event, &cl_icd_dispatch::clSetEventCallback))
    status = next().clSetEventCallback(event, CL_COMPLETE, Recording::read_done, reading.get());
  if (status == CL_SUCCESS) {
    static_cast<void>(reading.release());  // the callback's now
    next().clReleaseEvent(event);
    return;
  }
  next().clWaitForEvents(1, &event);
  read_done(event, CL_COMPLETE, reading.release());
  next().clReleaseEvent(event);
}

// On a thread of the driver.
void CL_CALLBACK Recording::read_done(cl_event event, cl_int status, void* data) {
  const std::unique_ptr<DriverReading> reading(static_cast<DriverReading*>(data));
  Recording& recording = *reading->recording;
  recording.being_read_.fetch_sub(bytes_of(*reading), std::memory_order_release);
  recording.quietly([&] {
    cl_ulong begin_ns = 0, end_ns = 0;
    if (event && reading->is_timed && status >= 0 &&
        next().clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_START, sizeof begin_ns,
                                       &begin_ns, nullptr) == CL_SUCCESS &&
        next().clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_END, sizeof end_ns, &end_ns,
                                       nullptr) == CL_SUCCESS &&
        end_ns > begin_ns)
      recording.add_read_time(end_ns - begin_ns, 0);
    // Commands that pass by an ending capture wait for nobody.
    const bool passed_by =
        recording.is_ending_.load(std::memory_order_acquire) && session::stray_commands() != 0;
    if (reading->read && (passed_by || reading->read->called_off.load(std::memory_order_acquire)))
      recording.note(
          "unchecked",
          fmt::format(
              "c{} is not checked in b{}: the program may have overwritten the bytes before "
              "they could be read, and waiting for the read could have stopped it.",
              reading->read->command, reading->contents->buffer));
    else if (status < 0)
      recording.note("contents_missing",
                     fmt::format("Contents could not be read: the driver's command ended with {} "
                                 "({}).",
                                 status_name(status), status));
    else if (reading->contents && (!reading->trial || reading->trial->admits(*reading->contents)))
      recording.arrived(*reading->contents);
  });
  if (reading->read) recording.own_reads_.done(std::exchange(reading->read, nullptr));
  reading->scratch.clear();
  reading->count->fetch_sub(1, std::memory_order_release);
}

// --- what the host gives and finds --------------------------------------------------------------

void Recording::written(Ticket& ticket, ByteSource& bytes) noexcept {
  if (!ticket.record || contents == Contents::none) return;
  quietly([&] { push_ranges(ContentRole::written, ticket.id, ticket.work->arguments, bytes); });
}

// --- the end ------------------------------------------------------------------------------------

void Recording::freed(const std::shared_ptr<Storage>& storage) noexcept {
  quietly([&] {
    const Forgetting forgetting{host_pages_, storage.get()};
    shared_writes_.forget(*storage);
    // The memory is the program's again once this returns.
    if ((storage->address || (storage->flags & CL_MEM_USE_HOST_PTR)) &&
        held_back::is_free(held_back::now()))
      wait_for_all(own_reads_.of(*storage));
    const std::vector<Piece> pieces = ledger_.release(*storage);
    if (storage->noted_in.load(std::memory_order_relaxed) != number) return;
    document_.push(document::AllocationRow{true, u32(storage->id), monotonic_ns()});
    if (pieces.empty() || contents == Contents::none || storage->is_strange) return;
    const std::uint32_t stream = storage->writer_stream.load(std::memory_order_relaxed);
    const std::uint32_t writer = storage->writer_command.load(std::memory_order_relaxed);
    std::vector<std::shared_ptr<Object>> candidates;
    {
      const std::lock_guard lock(mutex_);
      candidates = queues_;
    }
    // A callback of the driver may release memory while another thread is inside the driver with
    // a queue's lock; neither may wait for the other.
    std::shared_ptr<Queue> queue;
    std::unique_lock<std::recursive_mutex> lock;
    bool is_busy = false;
    for (const auto& candidate : candidates) {
      auto one = std::static_pointer_cast<Queue>(candidate);
      if (one->context != storage->context) continue;
      std::unique_lock held(one->mutex, std::try_to_lock);
      is_busy = is_busy || !held;
      if (!held || !one->record || one->record->capture != number) continue;
      const auto& lanes = one->record->lanes;
      if (std::none_of(lanes.begin(), lanes.end(),
                       [&](const capture::Lane& lane) { return lane.stream == stream; }))
        continue;
      queue = std::move(one);
      lock = std::move(held);
      break;
    }
    if (!queue && is_busy) {
      missing(*storage, "it was released while another thread gave commands to its queue");
      return;
    }
    if (storage->address) {
      if (queue && queue->record->handle &&
          !wait_until_done(*queue, *queue->record, std::chrono::seconds(5)))
        missing(*storage, "it was released before the commands that write it were done");
      else
        for (const Piece& piece : pieces) check_shared(piece, writer);
      return;
    }
    if (!queue || !queue->record->handle) {
      // The queue went before, and only after all it was given was done.
      OwnQueues queues;
      for (const Piece& piece : pieces)
        read_now(
            piece, writer,
            [&](const BufferRange& range, std::span<std::byte> target) {
              return read_beside(queues, range, target);
            },
            [] { return true; });
      return;
    }
    QueueRecord& record = *queue->record;
    std::vector<cl_event> waits;
    if (queue->out_of_order)
      for (const auto& pending : record.pending) waits.push_back(pending.event.get());
    read_pieces(record, ContentRole::check, writer, pieces,
                {.wait_count = u32(waits.size()), .waits = waits.empty() ? nullptr : waits.data()});
    next().clFlush(record.handle);
    // Once it let go of the object the program may take back the memory that it lent for it.
    if (storage->flags & CL_MEM_USE_HOST_PTR)
      wait_until_done(*queue, record, std::chrono::seconds(5));
    else
      collect(*queue, record);  // events that we hold may hold the memory
  });
}

void Recording::read_results() {
  OwnQueues queues;
  const auto is_still_ours = [] { return session::stray_commands() == 0; };
  read_final(is_still_ours, [&](const Piece& piece, std::uint32_t command) -> std::uint64_t {
    if (const Kept kept(storage_of(piece)); kept)
      return read_now(
          piece, command,
          [&](const BufferRange& range, std::span<std::byte> target) {
            return read_beside(queues, range, target);
          },
          is_still_ours);
    missing(*piece.buffer, "the program released it while the capture ended");
    return 0;
  });
}

}  // namespace reel::layer
