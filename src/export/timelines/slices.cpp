#include "export/timelines/slices.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "reel/decision_tree.hpp"

namespace reel {

Lanes assign_lanes(std::vector<Slice>& slices, std::uint32_t most) {
  Lanes lanes;
  std::ranges::stable_sort(slices, [](const Slice& a, const Slice& b) {
    return a.begin_ns != b.begin_ns ? a.begin_ns < b.begin_ns : a.end_ns > b.end_ns;
  });
  std::vector<std::vector<std::uint64_t>> open;  // by lane: where the slices around us end
  for (Slice& slice : slices) {
    for (slice.lane = 0;; ++slice.lane) {
      if (slice.lane == open.size()) open.emplace_back();
      auto& ends = open[slice.lane];
      while (!ends.empty() && ends.back() <= slice.begin_ns) ends.pop_back();
      if (ends.empty() || slice.end_ns <= ends.back()) break;
      if (slice.lane + 1 < most) continue;
      slice.end_ns = ends.back();
      ++lanes.cut;
      break;
    }
    open[slice.lane].push_back(slice.end_ns);
  }
  lanes.count = static_cast<std::uint32_t>(open.size());
  return lanes;
}

namespace {

std::vector<std::string_view> parts_of(std::string_view path) {
  std::vector<std::string_view> parts;
  while (!path.empty()) {
    const std::size_t slash = path.find('/');
    parts.push_back(path.substr(0, slash));
    path = slash == std::string_view::npos ? "" : path.substr(slash + 1);
  }
  return parts;
}

}  // namespace

std::vector<Slice> scope_slices(const Trace& trace, const std::vector<std::uint32_t>& commands) {
  struct Open {
    std::string_view name;
    std::uint64_t begin_ns, end_ns;
    std::uint32_t first;
  };
  std::vector<Slice> slices;
  std::vector<Open> open;
  const auto close_to = [&](std::size_t depth) {
    for (; open.size() > depth; open.pop_back())
      slices.push_back({open.back().begin_ns, open.back().end_ns, 0, open.back().first,
                        std::string(open.back().name)});
  };
  for (const std::uint32_t c : commands) {
    const TraceCommand& command = trace.commands()[c];
    if (!command.has_run_times()) continue;
    const auto parts = parts_of(trace.text(trace.work_of(command).scope));
    std::size_t same = 0;
    while (same < parts.size() && same < open.size() && open[same].name == parts[same]) ++same;
    close_to(same);
    const std::uint64_t begin_ns = command.started_ns, end_ns = begin_ns + command.run_ns();
    for (Open& scope : open) {
      scope.begin_ns = std::min(scope.begin_ns, begin_ns);
      scope.end_ns = std::max(scope.end_ns, end_ns);
    }
    for (std::size_t i = same; i < parts.size(); ++i)
      open.push_back({parts[i], begin_ns, end_ns, c});
  }
  close_to(0);
  return slices;
}

std::vector<std::vector<std::uint32_t>> commands_by_stream(const Trace& trace) {
  std::vector<std::vector<std::uint32_t>> streams(trace.streams().size());
  for (std::uint32_t c = 0; c < trace.commands().size(); ++c)
    streams[trace.commands()[c].stream].push_back(c);
  return streams;
}

std::string slice_name(const Trace& trace, const TraceCommand& command) {
  const TraceWork& work = trace.work_of(command);
  if (work.kernel != no_index && !trace.kernels()[work.kernel].name.empty())
    return trace.kernels()[work.kernel].name;
  const std::string& label = trace.text(work.label);
  return label.empty() ? to_string(work.kind) : label;
}

std::string slice_name(const TraceInterval& interval) {
  return fmt::format("{} to {}, timed together", command_name(interval.first),
                     command_name(interval.first + interval.count - 1));
}

std::string stream_name(const TraceStream& stream) {
  return stream.label.empty() ? name_of(stream.id) : name_of(stream.id) + " " + stream.label;
}

namespace {

template <class Row, class Name>
std::vector<Slice> slices_of(const std::vector<Row>& rows, Name&& name) {
  std::vector<Slice> slices;
  for (const Row& row : rows)
    if (row.begin_ns)
      slices.push_back({row.begin_ns, std::max(row.begin_ns, row.end_ns), 0, 0, name(row)});
  return slices;
}

}  // namespace

std::vector<Slice> region_slices(const Trace& trace) {
  const analysis::RegionTitles titles(trace);
  return slices_of(trace.regions(), [&](const TraceRegion& region) {
    const auto index = static_cast<std::uint32_t>(&region - trace.regions().data());
    // A launch is known by its name alone.
    const std::string& name = trace.text(region.name);
    return region.kind == TraceRegion::Kind::launch && !name.empty() ? name : titles.of(index);
  });
}

std::vector<Slice> overhead_slices(const Trace& trace) {
  return slices_of(trace.overheads(),
                   [](const TraceOverhead& overhead) { return to_string(overhead.kind); });
}

std::map<std::uint32_t, std::vector<Slice>> call_slices(const Trace& trace) {
  std::map<std::uint32_t, std::vector<Slice>> threads;
  for (std::uint32_t i = 0; i < trace.calls().size(); ++i) {
    const TraceCall& call = trace.calls()[i];
    if (call.begin_ns)
      threads[call.thread].push_back(
          {call.begin_ns, std::max(call.begin_ns, call.end_ns), 0, i, {}});
  }
  return threads;
}

}  // namespace reel
