#include "export/timelines/perfetto_tracks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <map>

#include "export/timelines/counters.hpp"
#include "export/timelines/slices.hpp"

namespace reel::perfetto {
namespace {

// Fields of TracePacket.
constexpr std::uint32_t track_event = 11, track = 60, gpu_memory = 71;
enum EventType : std::uint64_t { slice_begins = 1, slice_ends = 2, instant = 3, counter = 4 };

class Tracks {
 public:
  Tracks(const Trace& trace, std::uint64_t begin_ns, Packets& packets)
      : trace_(trace), begin_ns_(begin_ns), packets_(packets), pid_(packets.place().pid) {}

  void write(const analysis::Memory& memory) {
    write_host();
    write_scopes();
    write_counters(memory);
  }
  std::uint64_t cut() const noexcept { return cut_; }

 private:
  // --- the host ---

  std::uint64_t named_track(const std::string& name, std::uint64_t parent = 0) {
    const std::uint64_t uuid = packets_.new_track();
    Message descriptor;
    descriptor.number(1, uuid);
    descriptor.text(2, name);
    if (parent) descriptor.number(5, parent);
    packets_.write(track, descriptor);
    return uuid;
  }

  std::uint64_t process_track() {
    const auto program = trace_.facts().find("program");
    const std::string name =
        packets_.place().prefix + (program == trace_.facts().end() ? "program" : program->second);
    if (!pid_) return named_track(name);
    Message process, descriptor;
    const std::uint64_t uuid = packets_.new_track();
    process.number(1, pid_);
    process.text(6, name);
    descriptor.number(1, uuid);
    descriptor.message(3, process);
    packets_.write(track, descriptor);
    return uuid;
  }

  std::uint64_t thread_track(std::uint64_t process, std::uint32_t number) {
    const std::string name = fmt::format("thread {}", number);
    if (!pid_ || !number) return named_track(name, process);
    Message thread, descriptor;
    const std::uint64_t uuid = packets_.new_track();
    thread.number(1, pid_);
    thread.number(2, number);
    thread.text(5, name);
    descriptor.number(1, uuid);
    descriptor.message(4, thread);
    packets_.write(track, descriptor);
    return uuid;
  }

  void write_event(std::uint64_t time_ns, EventType type, std::uint64_t uuid, const Message& more) {
    Message event = more;
    event.number(9, type);
    event.number(11, uuid);
    packets_.write_at(time_ns, track_event, event);
  }

  // Each lane is a track; `track_of` makes those, `more_of` what a slice has besides its name.
  template <class TrackOf, class MoreOf>
  void write_slices(std::vector<Slice> slices, const TrackOf& track_of, const MoreOf& more_of) {
    const Lanes lanes = assign_lanes(slices);
    cut_ += lanes.cut;
    std::vector<std::vector<const Slice*>> by_lane(lanes.count);
    for (const Slice& slice : slices) by_lane[slice.lane].push_back(&slice);
    for (std::uint32_t lane = 0; lane < lanes.count; ++lane) {
      const std::uint64_t uuid = track_of(lane);
      std::vector<std::uint64_t> open;
      const auto close_until = [&](std::uint64_t time_ns) {
        for (; !open.empty() && open.back() <= time_ns; open.pop_back())
          write_event(open.back(), slice_ends, uuid, {});
      };
      for (const Slice* slice : by_lane[lane]) {
        close_until(slice->begin_ns);
        write_event(slice->begin_ns, slice_begins, uuid, more_of(*slice));
        open.push_back(slice->end_ns);
      }
      close_until(~std::uint64_t{0});
    }
  }

  Message name_of_slice(const std::string& name) {
    Message more;
    more.number(10, packets_.event_name(name));
    return more;
  }

  void write_host() {
    const std::uint64_t process = process_track();
    const auto lane_name = [](const std::string& name, std::uint32_t lane) {
      return lane == 0 ? name : fmt::format("{} ({})", name, lane + 1);
    };
    const auto named = [&](const char* name) {
      return [this, name, process, lane_name](std::uint32_t lane) {
        return named_track(lane_name(name, lane), process);
      };
    };

    for (auto& [number, slices] : call_slices(trace_))
      write_slices(
          std::move(slices),
          [&, thread = number](std::uint32_t lane) {
            return lane == 0
                       ? thread_track(process, thread)
                       : named_track(lane_name(fmt::format("thread {}", thread), lane), process);
          },
          [this](const Slice& slice) { return call_message(trace_.calls()[slice.id]); });

    const auto by_name = [this](const Slice& slice) { return name_of_slice(slice.name); };
    write_slices(region_slices(trace_), named("passes and regions"), by_name);
    write_slices(overhead_slices(trace_), named("capture"), by_name);
    write_notes(process);
  }

  Message call_message(const TraceCall& call) {
    Message more = name_of_slice(trace_.text(call.name));
    if (call.command == no_index) return more;
    Message correlation;
    correlation.number(1, packets_.event_id(call.command));
    more.message(3000, correlation);
    const std::uint32_t stream = trace_.commands()[call.command].stream;
    const std::uint32_t device = trace_.streams()[stream].device;
    if (device != no_index)
      if (const std::uint64_t api = api_of(trace_.devices()[device].backend))
        more.number(3001, api);
    return more;
  }

  void write_notes(std::uint64_t process) {
    std::uint64_t uuid = 0;
    const auto write_note = [&](std::uint64_t time_ns, const std::string& text) {
      if (!uuid) uuid = named_track("notes", process);
      Message more;
      more.text(23, text);
      write_event(time_ns, instant, uuid, more);
    };
    if (const std::string& note = packets_.place().note; !note.empty())
      write_note(begin_ns_, "clock: " + note);
    for (const TraceNote& note : trace_.notes())
      if (note.time_ns) write_note(note.time_ns, note.kind + ": " + note.text);
  }

  void write_scopes() {
    const auto streams = commands_by_stream(trace_);
    for (std::uint32_t s = 0; s < streams.size(); ++s) {
      const std::string name =
          packets_.place().prefix + stream_name(trace_.streams()[s]) + ": scopes";
      write_slices(
          scope_slices(trace_, streams[s]), [&](std::uint32_t) { return named_track(name); },
          [this](const Slice& slice) { return name_of_slice(slice.name); });
    }
  }

  // --- counters ---

  void write_counter(const Counter& points, const std::string& name, std::uint64_t unit) {
    if (points.empty()) return;
    const std::uint64_t uuid = packets_.new_track();
    Message descriptor, kind;
    kind.number(3, unit);
    descriptor.number(1, uuid);
    descriptor.text(2, name);
    descriptor.message(8, kind);
    packets_.write(track, descriptor);
    for (const CounterPoint& point : points) {
      Message value;
      value.number(30, point.value);
      write_event(point.time_ns, counter, uuid, value);
    }
  }

  void write_counters(const analysis::Memory& use) {
    const auto memory = memory_counters(trace_, use);
    const auto depth = depth_counters(trace_);
    for (std::uint32_t d = 0; d < trace_.devices().size(); ++d) {
      const std::string device = packets_.place().prefix + trace_.devices()[d].selector;
      write_counter(memory[d], device + ": bytes allocated", 3);
      write_counter(depth[d], device + ": commands in flight", 2);
      for (const CounterPoint& point : memory[d]) {
        Message total;
        total.number(1, packets_.gpu_id(d));
        total.number(2, 0);  // of all processes that were recorded
        total.number(3, point.value);
        packets_.write_at(point.time_ns, gpu_memory, total);
      }
    }
  }

  const Trace& trace_;
  std::uint64_t begin_ns_;
  Packets& packets_;
  std::uint32_t pid_;
  std::uint64_t cut_ = 0;
};

}  // namespace

std::uint32_t process_of(const Trace& trace) {
  std::uint32_t pid = 0;
  if (const auto fact = trace.facts().find("pid"); fact != trace.facts().end())
    std::from_chars(fact->second.data(), fact->second.data() + fact->second.size(), pid);
  return pid;
}

std::uint64_t api_of(const std::string& backend) {
  return backend == "vulkan" ? 2 : backend == "opencl" ? 3 : 0;
}

std::uint64_t write_tracks(const Trace& trace, const analysis::Activity& activity,
                           Packets& packets) {
  Tracks tracks(trace, activity.begin_ns, packets);
  tracks.write(analysis::find_memory(trace, activity));
  return tracks.cut();
}

}  // namespace reel::perfetto
