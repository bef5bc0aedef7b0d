#include "recording/call_recording.hpp"

#include <fmt/format.h>

#include <cstring>

namespace reel::capture {

namespace {

std::uint32_t u32(auto id) { return static_cast<std::uint32_t>(id); }

bool overwrites(WorkKind kind) {
  return kind == WorkKind::copy || kind == WorkKind::fill || kind == WorkKind::write;
}

}  // namespace

// --- things, each written when it is first named ------------------------------------------------

void CallRecording::note_buffer(TrackedBuffer& buffer) {
  once(buffer.noted_in, [&] {
    document_.push(document::BufferRow{u32(buffer.id), device_of(buffer), buffer.size_bytes,
                                       buffer.label, buffer.kind, true, buffer.image});
  });
}

void CallRecording::allocated(TrackedBuffer& buffer) noexcept {
  quietly([&] {
    note_buffer(buffer);
    document_.push(document::AllocationRow{false, u32(buffer.id), monotonic_ns()});
  });
}

void CallRecording::note_clock(CallClock& clock, std::uint32_t device) {
  constexpr std::uint64_t second = 1'000'000'000;
  clock.row.device = device;
  {
    const std::lock_guard lock(clock_mutex_);
    document::ClockRow& last = clocks_[device];
    if (last.host_ns) clock.next_ns = last.host_ns + second;
    // A clock that stands still or goes back places nothing.
    if (last.host_ns &&
        (clock.row.host_ns < last.host_ns + second || clock.row.device_ns <= last.device_ns))
      return;
    last = clock.row;
  }
  document_.push(clock.row);
  clock.tightest_ns = ~std::uint64_t{0};
}

// --- one command --------------------------------------------------------------------------------

std::vector<Piece> CallRecording::look_at(QueueLog& queue, const Call& call) {
  std::vector<Piece> unknown;
  const std::uint32_t stream = queue.lanes[call.lane].stream;
  look_at(queue, {stream, call.id}, *call.work, unknown);
  for (std::uint32_t i = 0; i < call.nodes.size(); ++i) {
    const auto& [work, kept, after, bytes] = call.nodes[i];
    look_at(queue, {stream, call.id + 1 + i}, work, unknown);
    if (bytes.empty() || contents == Contents::none) continue;
    PatternSource pattern(bytes);
    push_ranges(ContentRole::written, call.id + 1 + i, work.arguments, pattern);
  }
  return unknown;
}

void CallRecording::look_at(QueueLog& queue, const Point& command, const CallWork& work,
                            std::vector<Piece>& unknown) {
  if (work.kernel && (!work.kernel->identity ||
                      work.kernel->identity->recorded_in.load(std::memory_order_relaxed) != number))
    note_kernel(*work.kernel, queue);
  for (const WorkArgument& argument : work.arguments) {
    if (!argument.is_buffer()) continue;
    TrackedBuffer& buffer = *argument.range.storage;
    note_buffer(buffer);
    if (argument.view) note_buffer(*argument.view);
    if (buffer.is_strange) continue;
    if (contents != Contents::none) take_host_writes(command.command, buffer);
    if (argument.is_written() && is_seen_by_host(buffer)) shared_writes_.begin(buffer, command);
    const BufferRange range = argument.range.of_buffer();
    if (argument.is_written() && overwrites(work.row.kind))
      ledger_.overwrite(range, work.row.kind == WorkKind::write);
    else
      ledger_.use(range, argument.access, unknown);
  }
}

// A loop gives the same kernel with the same arguments.
bool CallRecording::is_again(const QueueLog& queue, const Call& call, const CallWork& work,
                             std::string_view label) {
  const auto& last = queue.last;
  return work.is_appended && last.work == &work && work.row.kind == WorkKind::dispatch &&
         last.scope == call.scope && last.label == label &&
         std::memcmp(&last.row, &work.row, sizeof last.row) == 0;
}

void CallRecording::append(QueueLog& queue, const Call& call, const CallWork& work,
                           const Given& given, bool is_refused) {
  const std::uint32_t arguments = is_refused ? 0 : u32(work.arguments.size());
  const std::uint32_t values = is_refused ? 0 : u32(work.values.size());
  const std::string_view label = work.kernel ? std::string_view(work.kernel->label) : work.label;
  if (is_again(queue, call, work, label) && given.launch == no_index && !is_refused) {
    append_again(*queue.log, queue.lanes[call.lane].stream, given);
    return;
  }
  PackedCommand* entry = reserve_command(*queue.log, queue.lanes[call.lane].stream, given,
                                         arguments, values, label.size());
  entry->scope = call.scope;
  entry->work = work.row;
  entry->work.argument_count = arguments;
  if (work.kernel) entry->work.kernel = u32(work.kernel->identity->id);
  if (work.row.kind == WorkKind::launch) entry->work.graph = call.graph;
  TraceArgument* argument = entry->arguments();
  for (std::uint32_t i = 0; i < arguments; ++i) {
    const WorkArgument& a = work.arguments[i];
    if (a.is_buffer())
      *argument++ = {a.kind,
                     a.access,
                     u32(a.range.storage->id),
                     a.range.offset_bytes,
                     a.range.size_bytes,
                     a.view ? u32(a.view->id) : no_index};
    else
      *argument++ = {a.kind, a.access, no_index, 0, a.size_bytes};
  }
  if (values) std::memcpy(entry->values(), work.values.data(), values);
  label.copy(entry->label(), label.size());
  queue.log->commit();
  queue.last.work = is_refused || given.launch != no_index ? nullptr : &work;
  if (!queue.last.work) return;
  work.is_appended = true;
  queue.last.row = work.row;
  queue.last.scope = call.scope;
  queue.last.label = label;
}

void CallRecording::append_all(QueueLog& queue, const Call& call, bool is_refused) {
  append(queue, call, *call.work, {call.id, no_index, no_index, call.begin_ns, call.end_ns},
         is_refused);
  for (std::uint32_t i = 0; i < call.nodes.size(); ++i)
    append(queue, call, call.nodes[i].work,
           {call.id + 1 + i, call.id, i, call.begin_ns, call.end_ns}, is_refused);
  queue.lanes[call.lane].last_command = call.id + u32(call.nodes.size());
}

void CallRecording::taken(QueueLog& queue, const Call& call) {
  append_all(queue, call, false);
  const std::uint32_t stream = queue.lanes[call.lane].stream;
  wrote(*call.work, {stream, call.id});
  for (std::uint32_t i = 0; i < call.nodes.size(); ++i)
    wrote(call.nodes[i].work, {stream, call.id + 1 + i});
}

// It wrote nothing, and what was read for it is not for others.
void CallRecording::refused(QueueLog& queue, const Call& call, std::string_view why) {
  append_all(queue, call, true);
  const std::uint32_t last = queue.lanes[call.lane].last_command;
  for (std::uint32_t id = call.id; id <= last; ++id)
    note("refused", fmt::format("c{} was refused: {}.", id, why));
  shared_writes_.refused(call.id, last);
  const auto forget_all = [&](const CallWork& work) {
    for (const WorkArgument& argument : work.arguments)
      if (argument.is_buffer()) ledger_.forget(argument.range.of_buffer());
  };
  forget_all(*call.work);
  for (const BufferedWork& node : call.nodes) forget_all(node.work);
}

// What is known of its bytes once it is on its way.
void CallRecording::wrote(const CallWork& work, const Point& command) {
  for (const WorkArgument& argument : work.arguments) {
    if (!argument.is_written()) continue;
    TrackedBuffer& buffer = *argument.range.storage;
    buffer.writer_stream.store(command.stream, std::memory_order_relaxed);
    buffer.writer_command.store(command.command, std::memory_order_relaxed);
  }
  if (!work.why_not_again) return;
  note("not_replayable", fmt::format("c{} ({}) can't be replayed: {}.", command.command, work.label,
                                     work.why_not_again));
  leave_out(work);  // what it wrote, later commands are given as inputs
}

void CallRecording::leave_out(const CallWork& work) {
  for (const WorkArgument& argument : work.arguments) {
    if (!argument.is_written()) continue;
    TrackedBuffer& buffer = *argument.range.storage;
    if (buffer.address) buffer.written_unseen_in.store(number, std::memory_order_release);
    ledger_.forget(argument.range.of_buffer());
  }
}

void CallRecording::failed(std::uint32_t command, std::string_view status) {
  note("failed", fmt::format("c{} failed: it ended with {}; what devices had written by then is "
                             "not checked.",
                             command, status));
  ledger_.forget_device_written();
}

// --- what the host knows ------------------------------------------------------------------------

void CallRecording::host_waited(std::uint32_t stream, std::uint32_t command) noexcept {
  quietly([&] {
    polled_.waited(stream, command);
    saw_done(stream, command);
  });
}

void CallRecording::host_saw(std::uint32_t stream, std::uint32_t command) noexcept {
  quietly([&] {
    if (!host_waits_.is_done(stream, command)) polled_.saw(stream, command);
    saw_done(stream, command);
  });
}

// What the device has finished in memory that the host sees is not the host's.
void CallRecording::saw_done(std::uint32_t stream, std::uint32_t command) {
  host_waits_.saw_done(stream, command);
  for (const auto& buffer : shared_writes_.take_done(
           [&](const Point& point) { return host_waits_.is_done(point.stream, point.command); })) {
    const HostWindow window = window_of(*buffer);
    if (window.size_bytes) host_pages_.refresh(buffer.get(), window.address, window.size_bytes);
  }
}

}  // namespace reel::capture
