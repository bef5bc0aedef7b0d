#include "replay/devices.hpp"

#include <fmt/format.h>

#include "base/fail.hpp"

namespace reel::rerun {

namespace {

enum class Match : std::uint8_t { exact, backend };

std::optional<Device> find_device(const TraceDevice& recorded, const std::vector<DeviceInfo>& here,
                                  Match match) {
  for (const DeviceInfo& info : here) {
    if (!info.available()) continue;
    const bool fits =
        match == Match::exact ? is_same_device(recorded, info) : recorded.backend == info.backend;
    if (fits) return open_device(info.id);
  }
  return std::nullopt;
}

}  // namespace

void check_is_capture(const Trace& trace) {
  const auto kind = trace.facts().find("kind");
  if (kind != trace.facts().end() && kind->second == "graph")
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

std::vector<Device> recorded_devices(const Trace& trace) {
  const std::vector<DeviceInfo> here = devices();
  std::vector<Device> result;
  for (const TraceDevice& recorded : trace.devices()) {
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
    result.push_back(*device);
  }
  return result;
}

std::optional<std::vector<Device>> exactly_recorded_devices(const Trace& trace) {
  const std::vector<DeviceInfo> here = devices();
  std::vector<Device> result;
  for (const TraceDevice& recorded : trace.devices()) {
    auto device = find_device(recorded, here, Match::exact);
    if (!device) return std::nullopt;
    result.push_back(*device);
  }
  return result;
}

}  // namespace reel::rerun
