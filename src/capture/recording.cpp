#include "capture/recording.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/glob.hpp"
#include "base/handles.hpp"
#include "base/id_number.hpp"
#include "capture/decided_regions.hpp"
#include "capture/own_stream.hpp"
#include "capture/pass.hpp"
#include "document/columns/kernel_row.hpp"
#include "document/trace/one_by_one.hpp"
#include "graph/commands/kernel_forms.hpp"
#include "runtime/device_state.hpp"
#include "runtime/graphs/deciding_launch.hpp"
#include "runtime/graphs/graph_exec_state.hpp"

namespace reel::capture {

Recording::Recording(std::uint32_t capture_number, std::string document_path,
                     std::unique_ptr<DocumentThread> document, const CaptureOptions& options,
                     std::optional<PassRange> passes)
    : StreamRecording(capture_number, std::move(document_path), std::move(document),
                      options.contents),
      selection_{state_of(options.device).get(), state_of(options.stream).get(), options.scope},
      passes_(passes) {}

Recording::~Recording() = default;

// --- commands -----------------------------------------------------------------------------------

bool Recording::is_wanted(const std::shared_ptr<DeviceState>& device) const noexcept {
  return !selection_.device || device.get() == selection_.device;
}

bool Recording::is_wanted(const StreamState& stream, Scope scope) const {
  if (document_.is_lost() || !is_open() || !is_wanted(stream.device)) return false;
  if (selection_.stream && &stream != selection_.stream) return false;
  if (passes_ && !gives_for(*passes_)) return false;
  return selection_.scope.empty() || scope_matches(selection_.scope, scope.path());
}

void Recording::submit(StreamState& stream, const Command& command, std::uint64_t begin_ns,
                       ReadyDispatch* ready) {
  CallMeter meter;
  meter.begin();
  OwnStream* record = nullptr;
  if (is_wanted(stream, command.scope)) quietly([&] { record = record_in_document(stream); });
  if (!record) {
    leave_out(stream.id, command.work);
    stream.submit(command);
    return;
  }
  const std::uint32_t id = next_command_.fetch_add(1, std::memory_order_relaxed);
  std::optional<Command> told;
  if (std::holds_alternative<HostCall>(command.work)) [[unlikely]]
    quietly([&] { told = telling(stream, id, command); });
  give(*record, {id, command, told ? *told : command, ready, begin_ns}, meter);
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
      [function = call->function, point = RecordedPoint{number, {{id_number(stream.id), id}}}] {
        reel::host_waited(point);
        (*function)();
      })};
  return told;
}

// --- graphs -------------------------------------------------------------------------------------

// A launch of a graph that decides: what is given between two decisions is a launch of its own, and
// each decision a read of its condition whose label tells what came of it. All of them lie in one
// region, which is the launch as the program made it, and in those of the decisions in it.
class Recording::DecidedLaunch final : public DecidingLaunch {
 public:
  DecidedLaunch(Recording& recording, StreamState& stream, GraphExecState& exec, JoinedTimes* times,
                std::uint64_t begin_ns)
      : DecidingLaunch(Mode::told),
        recording_(recording),
        stream_(stream),
        exec_(exec),
        times_(times),
        regions_(begin_ns, [this](const DecidedRegions::Region& region) { write(region); }) {
    regions_.begin(TraceRegion::Kind::launch, std::string(exec.launch_name), false);
  }
  DecidedLaunch(const DecidedLaunch&) = delete;
  DecidedLaunch& operator=(const DecidedLaunch&) = delete;
  ~DecidedLaunch() { regions_.end_all(); }  // it is over, or failed

  // Is anything of it in the document?
  bool is_recorded() const noexcept { return regions_.is_any_wanted(); }

 protected:
  void give(const LaunchedSteps& steps) override {
    for (const auto& step : steps.steps) want(step.command.scope);
    auto times = recording_.launch(stream_, steps, times_ != nullptr, regions_.now_ns());
    if (times_) times_->add(std::move(times), first_step(), is_in_branch());
  }
  std::shared_ptr<const Stops> give(DecidedLaunchable&) override {
    return nullptr;  // never: it follows the host's way
  }
  std::uint32_t fetch(const BufferRange& condition) override {
    std::uint32_t value = 0;
    ask_in_spite_of_host_calls(
        [&] { stream_.fetch_aside(condition, std::as_writable_bytes(std::span(&value, 1))); });
    return value;
  }
  void decided(const Command& condition, std::string_view words) override {
    std::uint32_t value = 0;
    Command told{Barrier{}, words, condition.scope};
    if (const auto* read = std::get_if<Read>(&condition.work))
      told.work = Read{read->source, std::as_writable_bytes(std::span(&value, 1))};
    want(condition.scope);
    recording_.submit(stream_, told, regions_.now_ns(), nullptr);
    ask_in_spite_of_host_calls([&] { stream_.fetch_aside({}, {}); });  // it fills `value`
  }
  void begins(const Command& condition, DecisionKind kind, NodeId node) override {
    const std::string_view label = condition.label;
    regions_.begin(
        DecidedRegions::kind_of(kind),
        label.empty() ? fmt::format("n{}", static_cast<std::uint32_t>(node)) : std::string(label),
        recording_.is_wanted(stream_, condition.scope));
  }
  void begins(DecidedPart part, std::uint64_t number) override {
    regions_.begin(
        part == DecidedPart::round ? TraceRegion::Kind::round : TraceRegion::Kind::branch, {},
        regions_.is_wanted());
    has_number(number);
  }
  void has_number(std::uint64_t number) override { regions_.set_number(number); }
  void ends() override { regions_.end(); }

 private:
  void want(Scope scope) {
    if (!regions_.is_wanted() && recording_.is_wanted(stream_, scope)) regions_.want();
  }

  void write(const DecidedRegions::Region& region) {
    if (region.kind != TraceRegion::Kind::launch)
      return recording_.region(region.kind, region.number, region.name, region.begin_ns,
                               region.end_ns);
    recording_.quietly([&] {
      recording_.once(exec_.recorded_in, exec_.recorded_graph, [&](auto&&) {
        if (exec_.deciding()->waits_for_nobody())
          recording_.note(
              std::string(in_parts_kind),
              in_parts_text(exec_.recorded_graph, exec_.launch_name, exec_.deciding()->lowering()));
      });
    });
    recording_.region(region.kind, exec_.recorded_graph,
                      region.name.empty() ? "launch" : region.name, region.begin_ns, region.end_ns);
  }

  Recording& recording_;
  StreamState& stream_;
  GraphExecState& exec_;
  JoinedTimes* times_;
  DecidedRegions regions_;
};

std::shared_ptr<StepTimes> Recording::launch(StreamState& stream, GraphExecState& exec, bool timed,
                                             std::uint64_t begin_ns) {
  if (!exec.deciding())
    return launch(stream,
                  LaunchedSteps{exec.executable(), exec.steps(), exec.plan().steps,
                                exec.launch_name, exec.recorded_in, exec.recorded_graph},
                  timed, begin_ns);
  exec.deciding()->prepare();  // so that it can be told how the device takes it otherwise
  auto times = timed ? std::make_shared<JoinedTimes>() : nullptr;
  DecidedLaunch launch(*this, stream, exec, times.get(), begin_ns);
  try {
    launch.run(exec);
  } catch (const DecisionError& error) {
    if (launch.is_recorded()) note(std::string(decision_failed_kind), error.what());
    throw;
  }
  return times;
}

std::shared_ptr<StepTimes> Recording::launch(StreamState& stream, const LaunchedSteps& launched,
                                             bool timed, std::uint64_t begin_ns) {
  CallMeter meter;
  meter.begin_surely();
  const auto& steps = launched.steps;
  OwnStream* record = nullptr;
  if (std::ranges::any_of(steps,
                          [&](const auto& step) { return is_wanted(stream, step.command.scope); }))
    quietly([&] { record = record_in_document(stream); });
  if (!record) {
    for (const auto& step : steps)
      if (step.enabled) leave_out(stream.id, step.command.work);
    if (timed) return stream.launch_timed_now(launched.executable);
    stream.launch_now(launched.executable);
    return nullptr;
  }
  // The launch has the number before those of its steps.
  const auto enabled =
      id_number(std::ranges::count_if(steps, [](const auto& step) { return step.enabled; }));
  const std::uint32_t id = next_command_.fetch_add(enabled + 1, std::memory_order_relaxed);
  const auto each = [&](auto&& visit) {
    std::uint32_t next = id + 1;
    for (const auto& step : steps)
      if (step.enabled) visit(next++, step.command.work);
  };
  OwnStream::PendingLaunch pending{{}, {}, id, {}};
  const auto append_all = [&] {
    document::CommandRow given{.id = id, .call_begin_ns = begin_ns, .call_end_ns = monotonic_ns()};
    append_launch(*record, given, launched);
    given.launch = id;
    for (given.node = 0; given.node < steps.size(); ++given.node) {
      const auto& step = steps[given.node];
      pending.commands.push_back(step.enabled ? ++given.id : no_index);
      if (step.enabled) append(*record, given, step.command);
    }
  };
  give(*record, id, id + enabled, meter, each, append_all, [&] {
    if (timed || stream.device->info().can_stamp_time)
      pending.times =
          std::make_shared<SharedStepTimes>(stream.launch_timed_now(launched.executable));
    else
      stream.launch_now(launched.executable);
  });
  const std::shared_ptr<StepTimes> times = pending.times;
  quietly([&] {
    if (!times) return;
    pending.done = stream.mark_aside();
    record->launches.push_back(std::move(pending));
  });
  add_command_time(meter.end());
  return timed ? times : nullptr;
}

void Recording::append_launch(OwnStream& record, const document::CommandRow& given,
                              const LaunchedSteps& launched) {
  once(launched.recorded_in, launched.recorded_graph, [&](auto&& add) {
    const auto& steps = launched.plan;
    if (steps.size() > 1 && launched.executable.is_timed_step_by_step())
      note(std::string(one_by_one_kind),
           one_by_one_text(launched.recorded_graph, launched.name, launched.executable.lowering()));
    for (std::uint32_t i = 0; i < steps.size(); ++i)
      for (const std::uint32_t before : steps[i].waits) add(before, i);
  });
  PackedCommand* entry =
      reserve_command(*record.log, id_number(record.id), given, 0, 0, launched.name.size());
  entry->work.kind = WorkKind::launch;
  entry->work.graph = launched.recorded_graph;
  launched.name.copy(entry->label(), launched.name.size());
  record.log->commit();
}

// --- streams ------------------------------------------------------------------------------------

OwnStream* Recording::known(const StreamState& stream) const {
  auto* record = static_cast<OwnStream*>(stream.recorded.get());
  return record && record->capture == number ? record : nullptr;
}

OwnStream& Recording::record_of(StreamState& stream) {
  if (OwnStream* record = known(stream)) [[likely]]
    return *record;
  auto fresh = std::make_unique<OwnStream>(stream, number);
  // Contents of an earlier capture may still be on their way into its memory, until the stream
  // ends.
  auto* before = static_cast<OwnStream*>(stream.recorded.get());
  if (before && (before->earlier || before->has_contents_under_way()))
    fresh->earlier = std::move(stream.recorded);
  OwnStream& record = *fresh;
  stream.recorded = std::move(fresh);
  return record;
}

OwnStream* Recording::record_in_document(StreamState& stream) {
  OwnStream& record = record_of(stream);
  if (record.is_in_document) [[likely]]
    return &record;
  note_device(*stream.device);
  // There as long as the stream is.
  const std::shared_ptr<RecordedStream> shared(stream.weak_from_this().lock(), &record);
  return introduce(shared, stream.device->number) ? &record : nullptr;
}

RecordedPoint Recording::point(StreamState& stream) {
  RecordedPoint point;
  quietly([&] {
    if (const OwnStream* record = known(stream)) record->add_given(point.after);
    if (!point.after.empty()) point.capture = number;
  });
  return point;
}

// Of a stream whose commands are not recorded too: another may wait for it, and then comes after
// what this one waited for.
void Recording::wait(StreamState& stream, const RecordedPoint& point) {
  if (point.capture != number) return;
  quietly([&] {
    auto& waits = record_of(stream).carried;
    for (const Point& place : point.after)
      if (place.stream != id_number(stream.id)) add_point(waits, place);
  });
}

void Recording::waited(StreamState& stream) {
  if (OwnStream* record = known(stream)) stream_done(*record);
}

void Recording::host_waited(const RecordedPoint& point) {
  if (point.capture != number) return;
  quietly([&] {
    for (const Point& place : point.after) host_waits_.saw_done(place.stream, place.command);
  });
}

void Recording::stream_ends(StreamState& stream) {
  OwnStream* record = known(stream);
  if (record && record->is_in_document) quietly([&] { StreamRecording::stream_ends(*record); });
}

// --- begin and end ------------------------------------------------------------------------------

// A thread that saw no recorder gives its command with its stream's lock held. Once each lock has
// been ours, all of those are given, and everybody else comes to us.
void Recording::open() {
  for (const auto& stream : StreamState::all())
    if (!lock_patiently([&] { return stream->try_lock(); }))
      note_busy(id_number(stream->id), stream->label,
                "being given a command for seconds when the capture began; that command is not in "
                "it.");
  begin();
}

void Recording::cut_behind(StreamState& stream) {
  quietly([&] { StreamRecording::cut_behind(stream.id); });
}

void Recording::note_end() {
  const std::uint64_t begin_ns = monotonic_ns();  // waiting for the work was not capture's own
  quietly([&] {
    for (const auto& [pointer, device] : devices_) note_clock(*device);
    overhead(OverheadKind::stopping, begin_ns, 0);
  });
}

CaptureReport Recording::close() {
  note_end();
  return close_document();
}

std::shared_ptr<EndingDocument> Recording::close_later() {
  note_end();
  return end_document();
}

// --- calls, things ------------------------------------------------------------------------------

void Recording::allocated(BufferResource& buffer, std::uint64_t begin_ns) {
  if (!is_wanted(buffer.device)) return;
  CallMeter meter;
  meter.begin();
  quietly([&] { add_buffer(buffer); });
  called("Device::buffer()", begin_ns);
  if (const std::uint64_t ns = meter.end()) add_command_time(ns);
}

void Recording::freed(std::unique_ptr<BufferResource> buffer) {
  if (!is_wanted(buffer->device)) return;
  CallMeter meter;
  meter.begin();
  quietly([&] { remove_buffer(std::move(buffer)); });
  if (const std::uint64_t ns = meter.end()) add_command_time(ns);
}

void Recording::built(KernelResource& kernel, std::uint64_t begin_ns) {
  if (!is_wanted(kernel.device)) return;
  quietly([&] { note_kernel(kernel); });
  called("Device::kernel()", begin_ns);
}

void Recording::called(std::string_view name, std::uint64_t begin_ns) {
  RecordingCore::called(name, begin_ns);
}

bool Recording::is_done(Signal& mark) const { return mark.done(); }

StreamRecording::Reader Recording::open_reader(DeviceState& device) {
  const std::shared_ptr<QueueDriver> queue = device.driver().open_queue("reel");
  return [queue](const BufferRange& range, std::span<std::byte> target) {
    queue->submit({Read{range, target}});
    queue->flush();
    queue->wait();
  };
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

void Recording::note_clock(DeviceState& device) {
  RecordingCore::note_clock(device.number, [&] { return device.driver().now_ns(); });
}

void Recording::describe(const BufferResource& buffer) {
  note_device(*buffer.device);
  document::BufferRow row{id_number(buffer.id), buffer.device->number, buffer.size_bytes,
                          buffer.label};
  row.image = buffer.image;
  row.kind = buffer.image               ? BufferKind::image
             : buffer.is_shared_virtual ? BufferKind::svm
                                        : BufferKind::buffer;
  row.memory.address = buffer.device_address;
  document_.push(std::move(row));
}

void Recording::describe(KernelResource& kernel) {
  note_device(*kernel.device);
  document_.push(
      document::kernel_row(kernel, kernel.device->number,
                           built_form(kernel.source, kernel.device->info().kernel_forms)));
}

}  // namespace reel::capture
