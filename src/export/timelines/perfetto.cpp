// perfetto.cpp - a document for ui.perfetto.dev and trace_processor: commands as GPU events of
// their queues, linked to the calls that gave them and to what they waited for.
#include <algorithm>

#include "export/export_formats.hpp"
#include "export/timelines/perfetto_document.hpp"
#include "export/timelines/perfetto_tracks.hpp"
#include "export/timelines/slices.hpp"

namespace reel {
namespace {

using perfetto::Message;
using perfetto::Packets;

constexpr std::uint32_t render_stage = 53, gpu_info = 128;  // fields of TracePacket

constexpr std::size_t work_kinds = static_cast<std::size_t>(WorkKind::unknown) + 1;

class GpuEvents {
 public:
  GpuEvents(const Trace& trace, Packets& packets) : trace_(trace), packets_(packets) {}

  void write(const std::vector<analysis::Dependency>& dependencies) {
    intern_queues();
    find_waits(dependencies);
    for (std::uint32_t c = 0; c < trace_.commands().size(); ++c)
      if (trace_.commands()[c].has_run_times()) write_command(c);
    for (const TraceInterval& interval : trace_.intervals()) write_interval(interval);
  }

 private:
  // --- what is where ---

  // Queues and stages share their numbers. An event of a queue without a number would be dropped.
  std::uint64_t queue_number(std::uint32_t stream) const { return stream + 1; }
  std::uint64_t stage_number(WorkKind kind) const {
    return trace_.streams().size() + 1 + static_cast<std::uint64_t>(kind);
  }

  void intern_queues() {
    Message& interned = packets_.interned;
    const auto specify = [&](std::uint64_t number, const std::string& name, bool is_compute) {
      Message entry;
      entry.number(1, number);
      entry.text(2, name);
      if (is_compute) entry.number(4, 2);
      interned.message(24, entry);
    };
    for (std::uint32_t s = 0; s < trace_.streams().size(); ++s)
      specify(queue_number(s), packets_.place().prefix + stream_name(trace_.streams()[s]), true);
    for (std::size_t kind = 0; kind < work_kinds; ++kind)
      specify(stage_number(static_cast<WorkKind>(kind)), to_string(static_cast<WorkKind>(kind)),
              static_cast<WorkKind>(kind) == WorkKind::dispatch);
    for (std::size_t d = 0; d < trace_.devices().size(); ++d) {
      Message context;
      context.number(1, d + 1);
      if (const auto pid = packets_.place().pid) context.number(2, pid);
      context.number(3, perfetto::api_of(trace_.devices()[d].backend));
      interned.message(23, context);
    }
    for (std::size_t k = 0; k < trace_.kernels().size(); ++k) {
      Message kernel;
      kernel.number(1, k + 1);
      kernel.text(2, trace_.kernels()[k].name);
      if (const KernelForm form = trace_.kernels()[k].built_form; form != KernelForm::none)
        kernel.text(4, to_string(form));
      interned.message(1000, kernel);
    }
  }

  // What a command waited for: what it was told to, and what its bytes made it. Of a set, the last
  // of its commands: Perfetto has no sets.
  void find_waits(const std::vector<analysis::Dependency>& dependencies) {
    for (const TraceOrder& order : trace_.orders()) waits_.emplace_back(order.command, order.after);
    for (const analysis::Dependency& d : dependencies)
      if (d.kind == analysis::DependencyKind::data || d.kind == analysis::DependencyKind::order)
        waits_.emplace_back(d.to, d.from);
    std::ranges::sort(waits_);
    waits_.erase(std::unique(waits_.begin(), waits_.end()), waits_.end());
  }

  // --- commands ---

  static Message dim(const Dim3& size) {
    Message message;
    message.number(1, size.x);
    message.number(2, size.y);
    message.number(3, size.z);
    return message;
  }

  void add_argument(Message& launch, const char* name, std::uint64_t value) {
    Message argument;
    argument.number(1, packets_.argument_name(name));
    argument.number(4, value);
    launch.message(3, argument);
  }
  void add_argument(Message& launch, const char* name, const std::string& value) {
    if (value.empty()) return;
    Message argument;
    argument.number(1, packets_.argument_name(name));
    argument.number(7, packets_.text(value));
    launch.message(3, argument);
  }

  Message launch_of(const TraceWork& work) {
    Message launch;
    if (work.kind == WorkKind::dispatch) {
      launch.message(1, dim(work.groups));
      launch.message(2, dim(work.group_size));
      add_argument(launch, "thread_count", work.all_items().count());
    }
    std::uint64_t shared = 0, bytes = 0;
    for (const TraceArgument& argument : trace_.arguments(work)) {
      if (argument.kind == ArgumentKind::shared) shared += argument.size_bytes;
      if (argument.buffer != no_index) bytes += argument.size_bytes;
    }
    if (shared) add_argument(launch, "shared_mem_dynamic", shared);
    if (bytes) add_argument(launch, "bytes", bytes);
    add_argument(launch, "label", trace_.text(work.label));
    add_argument(launch, "scope", trace_.text(work.scope));
    return launch;
  }

  // Equal commands share it.
  const Message& launch_of_work(std::uint32_t work) {
    if (launches_.empty()) launches_.resize(trace_.works().size());
    if (launches_[work].empty()) launches_[work] = launch_of(trace_.works()[work]);
    return launches_[work];
  }

  void write_command(std::uint32_t c) {
    const TraceCommand& command = trace_.commands()[c];
    const TraceWork& work = trace_.work_of(command);
    const std::uint32_t device = trace_.streams()[command.stream].device;
    Message event;
    event.number(1, packets_.event_id(c));
    event.number(2, packets_.time_of(command.ended_ns) - packets_.time_of(command.started_ns));
    if (device != no_index) {
      event.number(5, device + 1);
      event.number(11, packets_.gpu_id(device));
    }
    // The nodes of a graph were given together.
    const std::uint32_t given = command.launch == no_index ? c : command.launch;
    event.number(10, packets_.event_id(given));
    if (command.launch != no_index) event.number(12, packets_.event_id(command.launch));
    event.number(13, queue_number(command.stream));
    event.number(14, stage_number(work.kind));
    for (; next_wait_ < waits_.size() && waits_[next_wait_].first <= c; ++next_wait_)
      if (const auto& [waiting, after] = waits_[next_wait_];
          waiting == c && trace_.commands()[after].has_run_times())
        event.number(18, packets_.event_id(after));
    if (work.kernel != no_index && work.kind == WorkKind::dispatch)
      event.number(19, work.kernel + 1);
    event.number(20, packets_.event_name(slice_name(trace_, command)));
    if (const Message& launch = launch_of_work(command.work); !launch.empty())
      event.message(21, launch);
    packets_.write_at(command.started_ns, render_stage, event);
  }

  void write_interval(const TraceInterval& interval) {
    const std::uint32_t device = trace_.streams()[interval.stream].device;
    Message event;
    event.number(1, packets_.event_id(interval.first));
    event.number(2, packets_.time_of(interval.end_ns) - packets_.time_of(interval.begin_ns));
    if (device != no_index) {
      event.number(5, device + 1);
      event.number(11, packets_.gpu_id(device));
    }
    event.number(10, packets_.event_id(interval.first));
    event.number(13, queue_number(interval.stream));
    event.number(14, stage_number(trace_.work_of(trace_.commands()[interval.first]).kind));
    event.number(20, packets_.event_name(slice_name(interval)));
    packets_.write_at(interval.begin_ns, render_stage, event);
  }

  const Trace& trace_;
  Packets& packets_;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> waits_;  // command, after
  std::size_t next_wait_ = 0;
  std::vector<Message> launches_;  // by work
};

}  // namespace

namespace perfetto {

void write_devices(const std::vector<MachineDevice>& devices, Packets& packets) {
  Message info;
  for (const auto& [device, prefix] : devices) {
    Message gpu;
    gpu.text(1, prefix + device.name);
    const auto more = [&](const char* key, const std::string& value) {
      if (value.empty()) return;
      Message pair;
      pair.text(1, key);
      pair.text(2, value);
      gpu.message(6, pair);
    };
    more("selector", device.selector);
    more("type", device.type);
    more("driver", device.driver);
    more("driver_version", device.driver_version);
    more("api_version", device.api_version);
    if (device.memory_bytes) more("memory_bytes", std::to_string(device.memory_bytes));
    if (device.compute_units) more("compute_units", std::to_string(device.compute_units));
    info.message(1, gpu);
  }
  if (!info.empty()) packets.write(gpu_info, info);
}

std::uint64_t write_document(const Trace& trace, const analysis::Activity& activity,
                             Packets& packets) {
  GpuEvents(trace, packets).write(analysis::find_dependencies(trace).edges);
  return write_tracks(trace, activity, packets);
}

}  // namespace perfetto

ExportReport export_perfetto(const Trace& trace, const std::string& path,
                             const ExportOptions& how) {
  ExportFile file(trace, path, how);
  const analysis::Activity activity = analysis::find_activity(trace);
  Packets packets(file);
  packets.enter({.pid = perfetto::process_of(trace)});
  packets.begin(activity.begin_ns);
  std::vector<perfetto::MachineDevice> devices;
  for (const TraceDevice& device : trace.devices()) devices.push_back({device, ""});
  perfetto::write_devices(devices, packets);
  const std::uint64_t cut = perfetto::write_document(trace, activity, packets);
  ExportReport report;
  report.bytes = file.keep();
  report.files = {path};
  tell_untimed(trace, report);
  tell_cut(cut, report);
  return report;
}

}  // namespace reel
