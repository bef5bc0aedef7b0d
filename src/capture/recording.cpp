#include "capture/recording.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <thread>

#include "base/glob.hpp"
#include "capture/pass.hpp"
#include "capture/recorded_stream.hpp"
#include "document/columns/kernel_row.hpp"
#include "document/columns/work_codec.hpp"
#include "graph/commands/access.hpp"
#include "graph/commands/kernel_forms.hpp"
#include "recording/writing/call_meter.hpp"
#include "runtime/device_state.hpp"
#include "runtime/graphs/graph_exec_state.hpp"
#include "runtime/stream_state.hpp"

namespace reel::capture {

namespace {

// Stamps are fetched from the driver this often, so that neither it nor we keep many.
constexpr std::uint32_t collect_every = 512;
// Buffers that the program let go of and whose results were not read yet.
constexpr std::uint64_t most_freed_bytes = std::uint64_t{64} << 20;

std::uint32_t u32(auto id) { return static_cast<std::uint32_t>(id); }

// Numbers of the process: those of the document.
struct Ids {
  std::uint32_t kernel(const KernelResource& kernel) const noexcept { return u32(kernel.id); }
  std::uint32_t buffer(const BufferResource& buffer) const noexcept { return u32(buffer.id); }
};

}  // namespace

Recording::Recording(std::uint32_t capture_number, std::string document_path,
                     std::unique_ptr<DocumentThread> document, const CaptureOptions& options,
                     std::optional<PassRange> passes)
    : RecordingCore(capture_number, std::move(document_path), std::move(document), options.contents,
                    std::chrono::seconds(5)),
      selection_{options.device.state().get(), options.stream.state().get(), options.scope},
      passes_(passes) {}

Recording::~Recording() = default;

// --- commands -----------------------------------------------------------------------------------

bool Recording::is_wanted(const StreamState& stream, Scope scope) const {
  if (document_.is_lost() || phase_.load(std::memory_order_relaxed) != Phase::open) return false;
  if (selection_.device && stream.device.get() != selection_.device) return false;
  if (selection_.stream && &stream != selection_.stream) return false;
  if (passes_ && !gives_for(*passes_)) return false;
  return selection_.scope.empty() || scope_matches(selection_.scope, scope.path());
}

void Recording::submit(StreamState& stream, const Command& command, std::uint64_t begin_ns) {
  CallMeter meter;
  meter.begin();
  RecordedStream* record = nullptr;
  if (is_wanted(stream, command.scope)) quietly([&] { record = introduce(stream); });
  if (!record) {
    leave_out(stream, command.work);
    stream.submit(command);
    return;
  }
  const std::uint32_t id = next_command_.fetch_add(1, std::memory_order_relaxed);
  std::optional<Command> told;
  record->changes.clear();
  quietly([&] {
    before(stream, *record, id, command.work);
    if (std::holds_alternative<HostCall>(command.work)) [[unlikely]]
      told = telling(stream, id, command);
  });
  try {
    meter.driver_begins();
    stream.submit_stamped(told ? *told : command, id);
    meter.driver_ends();
  } catch (const std::exception& error) {
    const std::string refused = error.what();
    quietly([&] {
      append(stream, *record, {.id = id, .begin_ns = begin_ns, .end_ns = monotonic_ns()}, command);
      note("refused", fmt::format("c{} was refused: {}", id, refused));
      ledger_.undo(record->changes);
    });
    throw;
  }
  quietly([&] {
    append(stream, *record, {.id = id, .begin_ns = begin_ns, .end_ns = monotonic_ns()}, command);
    after(stream, *record, id, command.work);
    if (++record->since_collected >= collect_every) collect(stream, *record);
  });
  if (const std::uint64_t ns = meter.end()) add_command_time(ns);
}

// A function of the program may tell its threads that all before it is done: what they give from
// then on comes after it.
std::optional<Command> Recording::telling(const StreamState& stream, std::uint32_t id,
                                          const Command& command) const {
  const auto* call = std::get_if<HostCall>(&command.work);
  if (!call || !call->function) return std::nullopt;
  Command told = command;
  told.work = HostCall{std::make_shared<const std::function<void()>>(
      [function = call->function, point = RecordedPoint{number, {{u32(stream.id), id}}}] {
        reel::host_waited(point);
        (*function)();
      })};
  return told;
}

void Recording::before(StreamState& stream, RecordedStream& record, std::uint32_t id,
                       const Work& work) {
  record.unknown.clear();
  look_at(id, work, record);
  place(
      record, {id}, [] {}, [] {});
  record.last_command() = id;
  if (contents == Contents::none) return;
  if (!record.unknown.empty()) {
    read_pieces(stream, record, ContentRole::input, id, record.unknown);
    expect_mapped(stream, record, record.unknown);
  }
  if (const auto* write = std::get_if<Write>(&work)) keep_written_bytes(id, *write);
}

// What a command wrote is read at the end of the capture; here only what would be gone by then, or
// what somebody wants of every command. The host may write mapped memory as soon as it is done.
void Recording::after(StreamState& stream, RecordedStream& record, std::uint32_t id,
                      const Work& work) {
  if (contents == Contents::none) return;
  std::vector<Piece> checks, mapped;
  const auto add = [&](const BufferRange& range) {
    checks.push_back({range.buffer, range.offset_bytes, range.size_bytes});
  };
  if (const auto* read = std::get_if<Read>(&work)) {
    if (read->source.size_bytes && ledger_.is_device_written(read->source)) add(read->source);
  } else {
    const bool is_host = std::holds_alternative<Write>(work);
    for_each_access(work, [&](const BufferRange& range, Access access) {
      if (!writes(access)) return;
      if (range.buffer->mapped)
        mapped.push_back({range.buffer, range.offset_bytes, range.size_bytes});
      if (!is_host && (contents == Contents::all || range.buffer->mapped)) add(range);
    });
  }
  if (!checks.empty()) read_pieces(stream, record, ContentRole::check, id, checks);
  if (!mapped.empty()) [[unlikely]] {
    expect_mapped(stream, record, mapped);
    for (const Piece& piece : mapped) ledger_.settle(range_of(piece));
  }
  if (freed_bytes_.load(std::memory_order_relaxed) > most_freed_bytes) read_freed_buffers();
}

// A dispatch may leave bytes as they were; whatever else writes overwrites.
void Recording::look_at(std::uint32_t id, const Work& work, RecordedStream& record) {
  const auto* dispatch = std::get_if<Dispatch>(&work);
  for_each_access(work, [&](const BufferRange& range, Access access) {
    const bool overwrites = !dispatch && writes(access);
    if (range.buffer->mapped) [[unlikely]] {
      if (!overwrites) take_host_writes(id, range, record.changes);
      if (writes(access)) {
        mapped_.forget(range);
        record.changes.push_back(BufferLedger::Change::to_unknown(range));
      }
    }
    if (overwrites ? ledger_.overwrite(range, std::holds_alternative<Write>(work), &record.changes)
                   : ledger_.use(range, access, record.unknown, &record.changes))
      note_buffer(*range.buffer);
  });
  if (!dispatch) return;
  note_kernel(*dispatch->kernel);
  for (const Argument& a : dispatch->arguments)
    if (a.is_memory() && a.range.buffer->storage) note_view(*a.range.buffer);
}

void Recording::leave_out(const StreamState& stream, const Work& work) {
  for_each_access(work, [&](const BufferRange& range, Access access) {
    if (!writes(access)) return;
    ledger_.forget(range);
    if (range.buffer->mapped) mapped_.forget(range);
    final_checks_.overwritten(range, stream.id);
  });
}

// --- graphs -------------------------------------------------------------------------------------

std::shared_ptr<StepTimes> Recording::launch(StreamState& stream, GraphExecState& exec, bool timed,
                                             std::uint64_t begin_ns) {
  CallMeter meter;
  meter.begin_surely();
  const auto& steps = exec.steps();
  const bool wanted = std::any_of(steps.begin(), steps.end(), [&](const auto& step) {
    return is_wanted(stream, step.command.scope);
  });
  RecordedStream* record = nullptr;
  if (wanted) quietly([&] { record = introduce(stream); });
  if (!record) {
    for (const auto& step : steps)
      if (step.enabled) leave_out(stream, step.command.work);
    if (timed) return stream.launch_timed_now(exec.executable());
    stream.launch_now(exec.executable());
    return nullptr;
  }
  std::uint32_t enabled = 0;
  for (const auto& step : steps) enabled += step.enabled;
  const std::uint32_t id = next_command_.fetch_add(enabled + 1, std::memory_order_relaxed);
  RecordedStream::PendingLaunch pending{{}, {}, id, {}};
  record->changes.clear();
  quietly([&] {
    pending.commands.reserve(steps.size());
    std::uint32_t next = id + 1;
    for (const auto& step : steps) {
      pending.commands.push_back(step.enabled ? next++ : no_index);
      if (step.enabled) before(stream, *record, pending.commands.back(), step.command.work);
    }
  });
  const auto append_all = [&] {
    const std::uint64_t end_ns = monotonic_ns();
    append_launch(stream, *record, {.id = id, .begin_ns = begin_ns, .end_ns = end_ns}, exec);
    for (std::uint32_t i = 0; i < steps.size(); ++i)
      if (steps[i].enabled)
        append(stream, *record, {pending.commands[i], id, i, begin_ns, end_ns}, steps[i].command);
  };
  meter.driver_begins();
  try {
    if (timed || stream.device->info().can_stamp_time)
      pending.times = std::make_shared<SharedStepTimes>(stream.launch_timed_now(exec.executable()));
    else
      stream.launch_now(exec.executable());
  } catch (const std::exception& error) {
    const std::string refused = error.what();
    quietly([&] {
      append_all();
      note("refused", fmt::format("c{} was refused: {}", id, refused));
      ledger_.undo(record->changes);
    });
    throw;
  }
  meter.driver_ends();
  const auto times = pending.times;
  quietly([&] {
    append_all();
    // What a step wrote can be read only when all are done.
    for (const auto& step : steps)
      if (step.enabled) after(stream, *record, id + enabled, step.command.work);
    record->last_command() = id + enabled;
    if (times) {
      pending.done = stream.mark_aside();
      record->launches.push_back(std::move(pending));
    }
    if ((record->since_collected += enabled) >= collect_every) collect(stream, *record);
  });
  add_command_time(meter.end());
  return timed ? times : nullptr;
}

void Recording::append_launch(StreamState& stream, RecordedStream& record, const Given& given,
                              GraphExecState& exec) {
  once(exec.recorded_in, exec.recorded_graph, [&](auto&& add) {
    const auto& steps = exec.plan().steps;
    for (std::uint32_t i = 0; i < steps.size(); ++i)
      for (const std::uint32_t before : steps[i].waits) add(before, i);
  });
  PackedCommand* entry =
      reserve_command(*record.log, u32(stream.id), given, 0, 0, exec.launch_name.size());
  entry->work.kind = WorkKind::launch;
  entry->work.graph = exec.recorded_graph;
  exec.launch_name.copy(entry->label(), exec.launch_name.size());
  record.log->commit();
}

void Recording::append(StreamState& stream, RecordedStream& record, const Given& given,
                       const Command& command) {
  const document::StoredSizes sizes = document::stored_sizes(command.work);
  PackedCommand* entry = reserve_command(*record.log, u32(stream.id), given, sizes.arguments,
                                         sizes.value_bytes, command.label.size());
  entry->scope = command.scope.key();
  document::store(command.work, Ids{}, entry->work, entry->arguments(), entry->values());
  command.label.copy(entry->label(), command.label.size());
  record.log->commit();
}

// --- calls, things ------------------------------------------------------------------------------

void Recording::allocated(BufferResource& buffer, std::uint64_t begin_ns) {
  if (selection_.device && buffer.device.get() != selection_.device) return;
  CallMeter meter;
  meter.begin();
  quietly([&] {
    if (buffer.storage)
      note_view(buffer);
    else if (ledger_.allocated(buffer))
      note_buffer(buffer);
    if (buffer.mapped) mapped_.allocated(buffer);
    document_.push(document::AllocationRow{false, u32(buffer.id), monotonic_ns()});
  });
  called("Device::buffer()", begin_ns);
  if (const std::uint64_t ns = meter.end()) add_command_time(ns);
}

void Recording::freed(std::unique_ptr<BufferResource> buffer) {
  if (selection_.device && buffer->device.get() != selection_.device) return;
  CallMeter meter;
  meter.begin();
  quietly([&] {
    document_.push(document::AllocationRow{true, u32(buffer->id), monotonic_ns()});
    if (buffer->storage) return;
    if (buffer->mapped) mapped_.release(*buffer);
    std::vector<Piece> written = ledger_.release(*buffer);
    if (written.empty() || contents == Contents::none) return;
    freed_bytes_.fetch_add(buffer->size_bytes, std::memory_order_relaxed);
    const std::lock_guard lock(mutex_);
    freed_.push_back({std::move(buffer), std::move(written)});
  });
  if (const std::uint64_t ns = meter.end()) add_command_time(ns);
}

void Recording::built(KernelResource& kernel, std::uint64_t begin_ns) {
  if (selection_.device && kernel.device.get() != selection_.device) return;
  quietly([&] { note_kernel(kernel); });
  called("Device::kernel()", begin_ns);
}

void Recording::called(std::string_view name, std::uint64_t begin_ns) {
  RecordingCore::called(name, begin_ns);
}

RecordedStream& Recording::record_of(StreamState& stream) {
  auto* record = static_cast<RecordedStream*>(stream.recorded.get());
  if (record && record->capture == number) [[likely]]
    return *record;
  auto fresh = std::make_unique<RecordedStream>(stream, number, u32(stream.id));
  // Contents of an earlier capture may still be on their way into its memory, until the stream
  // ends.
  if (record && (record->earlier || !record->contents.empty() || !record->group.contents.empty()))
    fresh->earlier = std::move(stream.recorded);
  record = fresh.get();
  stream.recorded = std::move(fresh);
  return *record;
}

RecordedStream* Recording::introduce(StreamState& stream) {
  RecordedStream& record = record_of(stream);
  if (record.is_in_document) [[likely]]
    return &record;
  note_device(*stream.device);
  {
    // Who cuts the capture has looked at the streams for the last time under this lock.
    const std::lock_guard lock(mutex_);
    if (phase_.load(std::memory_order_relaxed) != Phase::open) return nullptr;
    streams_.push_back(stream.weak_from_this());
  }
  document_.push(document::StreamRow{u32(stream.id), stream.device->number, stream.label});
  document_.add(record.log);
  record.is_in_document = true;
  return &record;
}

void Recording::note_device(DeviceState& device) {
  {
    const std::lock_guard lock(mutex_);
    if (!devices_.try_emplace(&device, device.shared_from_this()).second) return;
  }
  const DeviceInfo& info = device.info();
  document_.push(document::DeviceRow{device.number, info.id, info.backend, info.name, info.type,
                                     info.driver, info.driver_version, info.api_version,
                                     info.memory_bytes, info.compute_units, info.can_stamp_time,
                                     info.stamp_resolution_ns});
  if (!info.can_stamp_time) note("no_stamps", fmt::format("Device {} can't stamp time.", info.id));
  note_clock(device);
}

void Recording::note_buffer(const BufferResource& buffer) {
  note_device(*buffer.device);
  document::BufferRow row{u32(buffer.id), buffer.device->number, buffer.size_bytes, buffer.label};
  row.image = buffer.image;
  row.kind = buffer.image               ? BufferKind::image
             : buffer.is_shared_virtual ? BufferKind::svm
                                        : BufferKind::buffer;
  document_.push(std::move(row));
}

// An image that is made on a buffer has no bytes of its own, so the ledger doesn't know it.
void Recording::note_view(BufferResource& image) {
  once(image.known_in, [&] { note_buffer(image); });
}

void Recording::note_kernel(KernelResource& kernel) {
  once(kernel.recorded_in, [&] {
    note_device(*kernel.device);
    document_.push(
        document::kernel_row(kernel, kernel.device->number,
                             built_form(kernel.source, kernel.device->info().kernel_forms)));
  });
}

void Recording::note_clock(DeviceState& device) {
  RecordingCore::note_clock(device.number, [&] { return device.driver().now_ns(); });
}

}  // namespace reel::capture
