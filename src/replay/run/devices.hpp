// devices.hpp - which device stands for which recorded one.
#pragma once

#include <optional>
#include <vector>

#include "reel/device.hpp"
#include "reel/trace.hpp"

namespace reel::rerun {

// Throws unsupported for a document that holds no recorded work: a saved graph.
void check_is_capture(const Trace& trace);

// Same hardware and driver, down to its version: results are expected to be equal to the bit.
bool is_same_device(const TraceDevice& recorded, const DeviceInfo& here);
// Each of them. `here`: by index in trace.devices().
bool are_same_devices(const Trace& trace, const std::vector<Device>& here);

// By index: the device that stands for it. Commands of a stream may name buffers and kernels of
// another device, as those of an OpenCL context do; all of these are replayed on that of the
// stream.
std::vector<std::uint32_t> joined_devices(const Trace& trace);
// By index in trace.devices(): the same device, or else one of the same backend. Throws no_device
// with what was recorded and what is here.
std::vector<Device> recorded_devices(const Trace& trace);
// The same ones and nothing else; none where any is not here.
std::optional<std::vector<Device>> exactly_recorded_devices(const Trace& trace);

}  // namespace reel::rerun
