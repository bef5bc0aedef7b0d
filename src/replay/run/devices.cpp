#include "replay/run/devices.hpp"

#include <fmt/format.h>

#include <numeric>

#include "base/fail.hpp"
#include "document/trace/holds_graph.hpp"
#include "document/trace/ranges.hpp"

namespace reel::rerun {

namespace {

enum class Match : std::uint8_t { exact, backend };

std::optional<Device> find_device(const TraceDevice& recorded, const std::vector<DeviceInfo>& here,
                                  Match match) {
  for (const DeviceInfo& info : here) {
    if (!info.available()) continue;
    const bool fits =
        match == Match::exact ? is_same_device(recorded, info) : recorded.backend == info.backend;
    if (!fits) continue;
    DeviceInfo wanted = info;
    wanted.features = recorded.features;
    return open_device(wanted);
  }
  return std::nullopt;
}

}  // namespace

void check_is_capture(const Trace& trace) {
  if (holds_graph(trace))
    fail(Code::unsupported,
         "'{}' holds a saved graph and no recorded work; Graph::load() launches it.", trace.path());
}

bool is_same_device(const TraceDevice& recorded, const DeviceInfo& here) {
  return recorded.backend == here.backend && recorded.name == here.name &&
         recorded.driver == here.driver && recorded.driver_version == here.driver_version;
}

bool are_same_devices(const Trace& trace, const std::vector<Device>& here) {
  for (std::size_t i = 0; i < here.size(); ++i)
    if (!is_same_device(trace.devices()[i], here[i].info())) return false;
  return true;
}

std::vector<std::uint32_t> joined_devices(const Trace& trace) {
  std::vector<std::uint32_t> stands_for(trace.devices().size());
  std::iota(stands_for.begin(), stands_for.end(), 0u);
  const auto root = [&](std::uint32_t device) {
    while (stands_for[device] != device) device = stands_for[device];
    return device;
  };
  for (const TraceCommand& command : trace.commands()) {
    const std::uint32_t own = trace.streams()[command.stream].device;
    const TraceWork& work = trace.work_of(command);
    for_each_range(trace, work, [&](const TraceArgument& range, Access) {
      const std::uint32_t other = trace.buffers()[range.buffer].device;
      if (root(other) != root(own)) stands_for[root(other)] = root(own);
    });
    if (work.kind != WorkKind::dispatch || work.kernel == no_index) continue;
    const std::uint32_t other = trace.kernels()[work.kernel].device;
    if (root(other) != root(own)) stands_for[root(other)] = root(own);
  }
  for (std::uint32_t i = 0; i < stands_for.size(); ++i) stands_for[i] = root(i);
  return stands_for;
}

std::vector<Device> recorded_devices(const Trace& trace) {
  check_is_capture(trace);
  const std::vector<DeviceInfo> here = devices();
  const std::vector<std::uint32_t> stands_for = joined_devices(trace);
  std::vector<Device> result(trace.devices().size());
  for (std::uint32_t i = 0; i < result.size(); ++i) {
    if (stands_for[i] != i) continue;
    const TraceDevice& recorded = trace.devices()[i];
    auto device = find_device(recorded, here, Match::exact);
    if (!device) device = find_device(recorded, here, Match::backend);
    if (!device) {
      std::vector<std::string> names;
      for (const DeviceInfo& info : here)
        if (info.available()) names.push_back(info.id);
      fail(Code::no_device,
           "It was recorded on {} ({}), and no {} device can be opened here; there are {}. Choose "
           "one with --device.",
           recorded.selector, recorded.name, recorded.backend, fmt::join(names, ", "));
    }
    result[i] = *device;
  }
  for (std::uint32_t i = 0; i < result.size(); ++i) result[i] = result[stands_for[i]];
  return result;
}

std::optional<std::vector<Device>> exactly_recorded_devices(const Trace& trace) {
  const std::vector<DeviceInfo> here = devices();
  const std::vector<std::uint32_t> stands_for = joined_devices(trace);
  std::vector<Device> result(trace.devices().size());
  for (std::uint32_t i = 0; i < result.size(); ++i) {
    if (stands_for[i] != i) continue;
    const auto device = find_device(trace.devices()[i], here, Match::exact);
    if (!device) return std::nullopt;
    result[i] = *device;
  }
  for (std::uint32_t i = 0; i < result.size(); ++i) result[i] = result[stands_for[i]];
  return result;
}

}  // namespace reel::rerun
