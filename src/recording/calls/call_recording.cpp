#include "recording/calls/call_recording.hpp"

#include <fmt/format.h>

#include <cstring>

#include "base/id_number.hpp"

namespace reel::capture {

namespace {

// Copies of what is mapped for writing, all together; a single one may be of any size.
constexpr std::size_t map_memory_bytes = std::size_t{1} << 30;
constexpr std::size_t kept_map_bytes = std::size_t{256} << 20;

}  // namespace

CallRecording::CallRecording(std::uint32_t capture_number, std::string document_path,
                             std::unique_ptr<DocumentThread> document, Contents which,
                             const std::atomic<std::uint32_t>& strays)
    : RecordingCore(capture_number, std::move(document_path), std::move(document), which,
                    std::chrono::seconds(1)),
      strays_(strays),
      map_memory_(std::make_shared<MemoryBudget>(map_memory_bytes, kept_map_bytes)) {}

CallRecording::~CallRecording() = default;

// --- things, each written when it is first named ------------------------------------------------

CallQueue& CallRecording::record_of(TrackedQueue& queue) {
  if (queue.record && queue.record->capture == number) [[likely]]
    return *queue.record;
  auto record = std::make_unique<CallQueue>(queue.api, queue.driver_handle());
  record->capture = number;
  record->in_order = queue.in_order;
  record->is_ordered = queue.is_ordered;
  record->is_timed = queue.can_stamp;
  record->has_clock = queue.api.now_ns(queue.device).has_value();
  document_.add(record->log);
  queue.record = std::move(record);
  {
    const std::lock_guard lock(mutex_);
    queues_.push_back(queue.share());
  }
  if (!queue.can_stamp) note("no_stamps", queue.why_no_stamps);
  add_lane(queue, *queue.record);
  return *queue.record;
}

void CallRecording::add_lane(const TrackedQueue& queue, CallQueue& record) {
  Lane lane;
  lane.stream = id_number(next_stream_id());
  std::string label = queue.label;
  if (!queue.in_order)
    label = fmt::format("{} lane {}", label.empty() ? "queue" : label, record.lanes.all.size());
  document_.push(document::StreamRow{lane.stream, note_device(queue.api, queue.device), label,
                                     queue.is_ordered, queue.family});
  record.lanes.all.push_back(std::move(lane));
}

std::uint32_t CallRecording::note_device(ApiAdapter& api, const void* device) {
  std::uint32_t id = 0;
  {
    const std::lock_guard lock(mutex_);
    const auto [it, is_new] = devices_.try_emplace({&api, device}, id_number(devices_.size()));
    if (!is_new) return it->second;
    id = it->second;
  }
  document_.push(api.device_row(device, id));
  look_at_clock(api, device, id);
  return id;
}

void CallRecording::look_at_clock(ApiAdapter& api, const void* device,
                                  std::uint32_t device_number) {
  if (!api.now_ns(device)) return;
  RecordingCore::note_clock(device_number, [&] { return api.now_ns(device).value_or(0); });
}

void CallRecording::note_kernel(TrackedKernel& kernel, const TrackedQueue& queue) {
  if (!kernel.identity) kernel.identity = queue.api.identity_of(kernel);
  once(kernel.identity->recorded_in, [&] {
    document_.push(
        queue.api.kernel_row(kernel, queue.device, note_device(queue.api, queue.device)));
  });
}

void CallRecording::note_buffer(TrackedBuffer& buffer) {
  once(buffer.noted_in, [&] {
    const void* device = buffer.api.device_of(buffer);
    document_.push(document::BufferRow{
        id_number(buffer.id), device ? note_device(buffer.api, device) : 0, buffer.size_bytes,
        buffer.label, buffer.kind, true, buffer.image, buffer.placed});
    if (buffer.made_in.load(std::memory_order_acquire) == number)
      document_.push(document::AllocationRow{false, id_number(buffer.id), buffer.made_ns});
  });
}

void CallRecording::allocated(TrackedBuffer& buffer) noexcept {
  quietly([&] {
    note_buffer(buffer);
    document_.push(document::AllocationRow{false, id_number(buffer.id), monotonic_ns()});
  });
}

void CallRecording::note_clock(CallClock& clock, std::uint32_t device) {
  clock.row.device = device;
  {
    const std::lock_guard lock(mutex_);
    document::ClockRow& last = clocks_[device];
    if (last.host_ns) clock.told(last);  // by another queue, maybe
    // A clock that stands still or goes back places nothing.
    if (!clock.is_due() || clock.row.device_ns <= last.device_ns) return;
    last = clock.row;
    clock.told(last);
  }
  document_.push(clock.row);
  clock.tightest_ns = ~std::uint64_t{0};
}

// --- one command --------------------------------------------------------------------------------

CallRecording::Call CallRecording::call_of(const Ticket& ticket, const void* scope,
                                           std::uint64_t end_ns) {
  Call call{ticket.id, ticket.lane, ticket.work, {}, 0, scope, ticket.begin_ns, end_ns};
  if (ticket.list) call.nodes = ticket.list->works;
  if (ticket.list) call.graph = ticket.list->graph;
  return call;
}

std::vector<Piece> CallRecording::look_at(const Ticket& ticket, const Call& call) {
  std::vector<Piece> unknown;
  ticket.work->changes.clear();
  const std::uint32_t stream = ticket.record->lanes[call.lane].stream;
  look_at(ticket, {stream, call.id}, *call.work, unknown);
  for (std::uint32_t i = 0; i < call.nodes.size(); ++i) {
    const auto& [work, kept, after, bytes] = call.nodes[i];
    look_at(ticket, {stream, call.id + 1 + i}, work, unknown);
    if (bytes.empty() || contents == Contents::none) continue;
    PatternSource pattern(bytes);
    push_ranges(ContentRole::written, call.id + 1 + i, work.arguments, pattern);
  }
  return unknown;
}

void CallRecording::look_at(const Ticket& ticket, const Point& command, const CallWork& work,
                            std::vector<Piece>& unknown) {
  note_kernel_of(work, *ticket.queue);
  for (const WorkArgument& argument : work.arguments) {
    if (!argument.is_buffer()) continue;
    TrackedBuffer& buffer = *argument.range.storage;
    note_buffers_of(argument);
    if (buffer.is_strange) continue;
    if (contents != Contents::none) take_host_writes(command.command, buffer, ticket.work->changes);
    const BufferRange range = argument.range.of_buffer();
    if (argument.is_written() && is_seen_by_host(buffer)) {
      shared_writes_.begin(buffer, command);
      if (buffer.address) host_pages_.let_write(&buffer, range.offset_bytes, range.size_bytes);
    }
    enter(work, argument, ticket.work->changes, unknown);
  }
}

// Then looking at it changes nothing: a loop comes here with the same kernel and the same memory.
bool CallRecording::is_all_known(const CallWork& work) const noexcept {
  const auto is_ours = [&](const auto& capture) {
    return capture.load(std::memory_order_acquire) == number;
  };
  if (work.row.kind != WorkKind::dispatch || !work.kernel || !work.kernel->identity ||
      !is_ours(work.kernel->identity->recorded_in))
    return false;
  for (const WorkArgument& argument : work.arguments) {
    if (!argument.is_buffer()) continue;
    const TrackedBuffer& buffer = *argument.range.storage;
    if (argument.view || is_seen_by_host(buffer) || !is_ours(buffer.noted_in) ||
        !is_ours(buffer.known_in) || (argument.is_written() && !is_ours(buffer.written_in)))
      return false;
  }
  return true;
}

void CallRecording::note_kernel_of(const CallWork& work, const TrackedQueue& queue) {
  if (work.kernel && (!work.kernel->identity ||
                      work.kernel->identity->recorded_in.load(std::memory_order_relaxed) != number))
    note_kernel(*work.kernel, queue);
}

void CallRecording::note_buffers_of(const WorkArgument& argument) {
  note_buffer(*argument.range.storage);
  if (argument.view) note_buffer(*argument.view);
}

void CallRecording::enter(const CallWork& work, const WorkArgument& argument,
                          BufferLedger::Changes& changes, std::vector<Piece>& unknown) {
  const BufferRange range = argument.range.of_buffer();
  if (argument.is_written() && overwrites(work.row.kind))
    ledger_.overwrite(range, work.row.kind == WorkKind::write, &changes);
  else
    ledger_.use(range, argument.access, unknown, &changes);
}

// A loop gives the same kernel with the same arguments, or with other values.
bool CallRecording::is_again(const CallQueue& record, const Call& call, const CallWork& work,
                             std::string_view label) {
  const auto& last = record.last;
  return work.is_appended && last.work == &work && work.row.kind == WorkKind::dispatch &&
         last.scope == call.scope && last.label == label &&
         std::memcmp(&last.row, &work.row, sizeof last.row) == 0;
}

// Barriers between commands that differ are the same most of the time.
bool CallRecording::is_bare_again(const CallQueue& record, const Call& call, const CallWork& work) {
  const auto& last = record.last_bare;
  return last.is_there && work.row.kind == WorkKind::barrier && !work.kernel &&
         work.arguments.empty() && work.values.empty() && last.scope == call.scope &&
         last.label == work.label && std::memcmp(&last.row, &work.row, sizeof last.row) == 0;
}

void CallRecording::append(CallQueue& record, const Call& call, const CallWork& work,
                           const document::CommandRow& given, bool is_refused) {
  const std::uint32_t arguments = is_refused ? 0 : id_number(work.arguments.size());
  const std::uint32_t values = is_refused ? 0 : id_number(work.values.size());
  const std::string_view label = work.kernel ? std::string_view(work.kernel->label) : work.label;
  if (is_again(record, call, work, label) && given.launch == no_index && !is_refused) {
    if (std::exchange(work.has_other_values, false))
      append_values(*record.log, record.lanes[call.lane].stream, given, work.values);
    else
      append_again(*record.log, record.lanes[call.lane].stream, given);
    return;
  }
  if (is_bare_again(record, call, work) && given.launch == no_index && !is_refused) {
    append_again(*record.log, record.lanes[call.lane].stream, given, EntryType::bare_again);
    record.last.work = nullptr;
    return;
  }
  PackedCommand* entry = reserve_command(*record.log, record.lanes[call.lane].stream, given,
                                         arguments, values, label.size());
  entry->scope = call.scope;
  entry->work = work.row;
  entry->work.argument_count = arguments;
  if (work.kernel) entry->work.kernel = id_number(work.kernel->identity->id);
  if (work.row.kind == WorkKind::launch) entry->work.graph = call.graph;
  TraceArgument* argument = entry->arguments();
  for (std::uint32_t i = 0; i < arguments; ++i) {
    const WorkArgument& a = work.arguments[i];
    if (a.has_range())
      *argument++ = {a.kind,
                     a.access,
                     id_number(a.range.storage->id),
                     a.range.offset_bytes,
                     a.range.size_bytes,
                     a.view ? id_number(a.view->id) : no_index};
    else
      *argument++ = {a.kind, a.access, no_index, 0, a.size_bytes};
  }
  if (values) std::memcpy(entry->values(), work.values.data(), values);
  label.copy(entry->label(), label.size());
  if (is_bare(*entry)) record.last_bare = {true, work.row, call.scope, work.label};
  record.log->commit();
  record.last.work = is_refused || given.launch != no_index ? nullptr : &work;
  if (!record.last.work) return;
  work.is_appended = true;
  work.has_other_values = false;
  record.last.row = work.row;
  record.last.scope = call.scope;
  record.last.label = label;
}

void CallRecording::append_all(CallQueue& record, const Call& call, bool is_refused) {
  document::CommandRow given{
      .id = call.id, .call_begin_ns = call.begin_ns, .call_end_ns = call.end_ns};
  append(record, call, *call.work, given, is_refused);
  given.launch = call.id;
  for (given.node = 0; given.node < call.nodes.size(); ++given.node) {
    ++given.id;
    append(record, call, call.nodes[given.node].work, given, is_refused);
  }
  record.lanes[call.lane].last_command = call.id + id_number(call.nodes.size());
}

void CallRecording::taken(CallQueue& record, const Call& call) {
  append_all(record, call, false);
  const std::uint32_t stream = record.lanes[call.lane].stream;
  wrote(*call.work, {stream, call.id});
  for (std::uint32_t i = 0; i < call.nodes.size(); ++i)
    wrote(call.nodes[i].work, {stream, call.id + 1 + i});
}

// What was read for it, in the order of a command that isn't, is not for others.
void CallRecording::refused(CallQueue& record, const Call& call, std::string_view why) {
  append_all(record, call, true);
  const std::uint32_t last = record.lanes[call.lane].last_command;
  shared_writes_.refused(call.id, last);
  note_refused(call.work->changes, call.id, last, why);
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
  for (const WorkArgument& argument : work.arguments)
    if (argument.is_written()) written_unseen(argument.range);
}

void CallRecording::written_unseen(const Range& range) noexcept {
  TrackedBuffer& buffer = *range.storage;
  if (buffer.address) buffer.written_unseen_in.store(number, std::memory_order_release);
  forget({&range, 1});
}

}  // namespace reel::capture
