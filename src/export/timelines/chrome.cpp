// chrome.cpp - trace events in JSON as PyTorch's profiler (Kineto) writes them, which Perfetto,
// speedscope, chrome://tracing and Holistic Trace Analysis open.
#include <algorithm>
#include <array>
#include <charconv>
#include <map>
#include <unordered_map>

#include "export/export_formats.hpp"
#include "export/timelines/chrome_events.hpp"
#include "export/timelines/counters.hpp"
#include "export/timelines/slices.hpp"

namespace reel {
namespace {

using chrome::Events;
using chrome::Place;

constexpr std::uint64_t many_dispatches = 800'000;  // some 600 MB of JSON; browsers end at 512

const char* category_of(WorkKind kind) {
  switch (kind) {
    case WorkKind::dispatch:
      return "kernel";
    case WorkKind::copy:
    case WorkKind::read:
    case WorkKind::write:
      return "gpu_memcpy";
    case WorkKind::fill:
      return "gpu_memset";
    default:
      return "gpu_user_annotation";
  }
}

// The only names by which Holistic Trace Analysis finds what gave work to a device.
const char* hta_call_name(WorkKind kind) {
  switch (kind) {
    case WorkKind::dispatch:
      return "cudaLaunchKernel";
    case WorkKind::copy:
    case WorkKind::read:
    case WorkKind::write:
      return "cudaMemcpyAsync";
    case WorkKind::fill:
      return "cudaMemsetAsync";
    default:
      return nullptr;
  }
}

class ChromeExport {
 public:
  ChromeExport(const Trace& trace, const analysis::Memory& memory, ExportFile& file, bool hta)
      : trace_(trace), memory_(memory), file_(file), events_(file), hta_(hta) {
    std::uint64_t pid = 0;
    if (const auto found = trace.facts().find("pid"); found != trace.facts().end())
      std::from_chars(found->second.data(), found->second.data() + found->second.size(), pid);
    // Devices are the processes 0, 1, …, as Kineto has it.
    host_ = pid > trace.devices().size() ? pid : 1'000'000 + pid;
    extra_tid_ = trace.streams().size() + 1;
    for (const TraceStream& stream : trace.streams())
      extra_tid_ = std::max(extra_tid_, tid_of(stream) + 1);
  }

  void write() {
    begin();
    name_processes();
    write_streams();
    write_calls();
    write_spans();
    write_counters();
    file_.write("\n]}\n");
  }
  std::uint64_t cut() const noexcept { return cut_; }

 private:
  void begin() {
    file_.write(R"({"schemaVersion":1,"displayTimeUnit":"ns","deviceProperties":[)");
    for (std::size_t d = 0; d < trace_.devices().size(); ++d) {
      const TraceDevice& device = trace_.devices()[d];
      std::string text =
          fmt::format(R"({}{{"id":{},"name":{})", d ? "," : "", d, json_string(device.name));
      if (device.memory_bytes) text += fmt::format(R"(,"totalGlobalMem":{})", device.memory_bytes);
      if (device.compute_units) text += fmt::format(R"(,"numSms":{})", device.compute_units);
      file_.write(text + "}");
    }
    file_.write("],\"traceEvents\":[");
  }

  // Streams count from 1: 0 means "none" to those who read CUDA's.
  static std::uint64_t tid_of(const TraceStream& stream) {
    return static_cast<std::uint64_t>(stream.id) + 1;
  }
  std::uint64_t pid_of(const TraceStream& stream) const {
    return stream.device == no_index ? trace_.devices().size() : stream.device;
  }

  void name_processes() {
    const auto program = trace_.facts().find("program");
    events_.name("process_name", {host_, 0},
                 program == trace_.facts().end() ? "program" : program->second);
    events_.sort_index("process_sort_index", {host_, 0}, 0);
    for (std::size_t d = 0; d < trace_.devices().size(); ++d) {
      const TraceDevice& device = trace_.devices()[d];
      events_.name("process_name", {d, 0}, device.selector + " " + device.name);
      events_.sort_index("process_sort_index", {d, 0}, d + 1);
    }
  }

  // One lane after the other: the first under `tid`, others under numbers of their own.
  template <class Write>
  void on_lanes(std::vector<Slice>& slices, std::uint64_t pid, std::uint64_t tid,
                const std::string& name, const Write& write) {
    const Lanes lanes = assign_lanes(slices);
    cut_ += lanes.cut;
    std::vector<Place> places;
    for (std::uint32_t lane = 0; lane < lanes.count; ++lane) {
      places.push_back({pid, lane == 0 ? tid : extra_tid_++});
      events_.name("thread_name", places.back(),
                   lane == 0 ? name : fmt::format("{} ({})", name, lane + 1));
    }
    for (const Slice& slice : slices) write(slice, places[slice.lane]);
  }

  // --- commands ---

  void write_streams() {
    const auto streams = commands_by_stream(trace_);
    for (std::uint32_t s = 0; s < streams.size(); ++s) {
      const TraceStream& stream = trace_.streams()[s];
      std::vector<Slice> slices;
      for (const std::uint32_t c : streams[s]) {
        const TraceCommand& command = trace_.commands()[c];
        if (command.has_run_times())
          slices.push_back({command.started_ns, command.started_ns + command.run_ns(), 0, c, {}});
      }
      for (const TraceInterval& interval : trace_.intervals())
        if (interval.stream == s)
          slices.push_back(
              {interval.begin_ns, interval.end_ns, 0, interval.first, slice_name(interval)});
      on_lanes(slices, pid_of(stream), tid_of(stream), "stream " + stream_name(stream),
               [&](const Slice& slice, const Place& place) {
                 if (slice.name.empty())
                   write_command(slice, place);
                 else
                   events_.slice(place, "kernel", slice.name, slice.begin_ns, slice.end_ns);
               });
      std::vector<Slice> scopes = scope_slices(trace_, streams[s]);
      on_lanes(scopes, pid_of(stream), extra_tid_++, "scopes of " + stream_name(stream),
               [&](const Slice& slice, const Place& place) {
                 events_.slice(place, "gpu_user_annotation", slice.name, slice.begin_ns,
                               slice.end_ns);
               });
    }
  }

  static std::string list(const Dim3& size) {
    return fmt::format("[{},{},{}]", size.x, size.y, size.z);
  }

  void write_command(const Slice& slice, const Place& place) {
    const TraceCommand& command = trace_.commands()[slice.id];
    const TraceWork& work = trace_.work_of(command);
    const TraceStream& stream = trace_.streams()[command.stream];
    std::string more = fmt::format(R"("device":{},"stream":{},"correlation":{},"id":"c{}")",
                                   pid_of(stream), tid_of(stream), correlation(slice.id), slice.id);
    std::uint64_t bytes = 0, shared = 0;
    for (const TraceArgument& argument : trace_.arguments(work)) {
      if (argument.buffer != no_index) bytes = std::max(bytes, argument.size_bytes);
      if (argument.kind == ArgumentKind::shared) shared += argument.size_bytes;
    }
    if (work.kind == WorkKind::dispatch)
      more += fmt::format(R"(,"grid":{},"block":{},"shared memory":{})", list(work.groups),
                          list(work.group_size), shared);
    else if (bytes > 0) {
      more += fmt::format(R"(,"bytes":{})", bytes);
      if (const std::uint64_t ns = command.run_ns())
        more += fmt::format(",\"memory bandwidth (GB/s)\":{:.3f}",
                            static_cast<double>(bytes) / static_cast<double>(ns));
    }
    if (command.queued_ns) more += R"(,"queued":)" + chrome::microseconds(command.queued_ns);
    if (work.label) more += R"(,"label":)" + json_string(trace_.text(work.label));
    if (work.scope) more += R"(,"scope":)" + json_string(trace_.text(work.scope));
    events_.slice(place, category_of(work.kind), slice_name(trace_, command), slice.begin_ns,
                  slice.end_ns, more);
    if (command.launch == no_index || !trace_.commands()[command.launch].has_run_times())
      events_.flow(false, place, correlation(slice.id), slice.begin_ns);
  }
  // Nodes of a graph were given by the call that launched it.
  std::uint64_t correlation(std::uint32_t command) const {
    const std::uint32_t launch = trace_.commands()[command].launch;
    return std::uint64_t{launch == no_index ? command : launch} + 1;
  }

  // --- the host ---

  void write_calls() {
    std::map<std::uint32_t, std::vector<Slice>> threads;
    for (std::uint32_t i = 0; i < trace_.calls().size(); ++i) {
      const TraceCall& call = trace_.calls()[i];
      if (call.begin_ns)
        threads[call.thread].push_back(
            {call.begin_ns, std::max(call.begin_ns, call.end_ns), 0, i, {}});
    }
    for (auto& [thread, slices] : threads) {
      extra_tid_ = std::max<std::uint64_t>(extra_tid_, std::uint64_t{thread} + 1);
      on_lanes(slices, host_, thread, fmt::format("thread {}", thread),
               [&](const Slice& slice, const Place& place) { write_call(slice, place); });
    }
  }

  void write_call(const Slice& slice, const Place& place) {
    const TraceCall& call = trace_.calls()[slice.id];
    const std::string& name = trace_.text(call.name);
    if (call.command == no_index) {
      events_.slice(place, "cuda_runtime", name, slice.begin_ns, slice.end_ns);
      return;
    }
    const TraceCommand& command = trace_.commands()[call.command];
    const char* known = hta_ ? hta_call_name(trace_.work_of(command).kind) : nullptr;
    std::string more = fmt::format(R"("correlation":{})", correlation(call.command));
    if (known) more += R"(,"call":)" + json_string(name);
    events_.slice(place, "cuda_runtime", known ? std::string_view(known) : name, slice.begin_ns,
                  slice.end_ns, more);
    if (command.has_run_times())
      events_.flow(true, place, correlation(call.command), slice.begin_ns);
  }

  void write_spans() {
    std::vector<Slice> regions = region_slices(trace_), overheads = overhead_slices(trace_);
    const auto write = [&](const char* category) {
      return [this, category](const Slice& slice, const Place& place) {
        events_.slice(place, category, slice.name, slice.begin_ns, slice.end_ns);
      };
    };
    on_lanes(regions, host_, extra_tid_++, "passes and regions", write("user_annotation"));
    on_lanes(overheads, host_, extra_tid_++, "capture", write("overhead"));
    const Place notes{host_, extra_tid_++};
    for (const TraceNote& note : trace_.notes())
      if (note.time_ns) events_.instant(notes, note.kind + ": " + note.text, note.time_ns);
  }

  void write_counters() {
    const auto memory = memory_counters(trace_, memory_);
    const auto depth = depth_counters(trace_);
    for (std::size_t d = 0; d < trace_.devices().size(); ++d) {
      for (const CounterPoint& point : memory[d])
        events_.counter(d, "bytes allocated", "bytes", point.time_ns, point.value);
      for (const CounterPoint& point : depth[d])
        events_.counter(d, "commands in flight", "commands", point.time_ns, point.value);
    }
  }

  const Trace& trace_;
  const analysis::Memory& memory_;
  ExportFile& file_;
  Events events_;
  bool hta_;
  std::uint64_t host_ = 0, extra_tid_ = 0, cut_ = 0;
};

}  // namespace

ExportReport export_chrome(const Trace& trace, const std::string& path, const ExportOptions& how) {
  const bool pack = path.ends_with(".gz");
  ExportFile file(trace, path, how, pack ? ExportFile::Packing::gzip : ExportFile::Packing::none);
  const analysis::Memory memory = analysis::find_memory(trace, analysis::find_activity(trace));
  ChromeExport writer(trace, memory, file, how.hta);
  writer.write();
  ExportReport told;
  told.bytes = file.keep();
  told.files = {path};
  tell_untimed(trace, told);
  tell_cut(writer.cut(), told);
  const auto dispatches = std::ranges::count_if(trace.commands(), [&](const TraceCommand& command) {
    return trace.work_of(command).kind == WorkKind::dispatch;
  });
  if (static_cast<std::uint64_t>(dispatches) > many_dispatches)
    told.left_out.push_back(fmt::format(
        "{} dispatches are more JSON than most viewers open; the format perfetto is a quarter as "
        "large and opens.",
        dispatches));
  return told;
}

}  // namespace reel
