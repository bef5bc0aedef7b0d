// device_work.hpp - which commands are work of a device.
#pragma once

#include <cstdint>

#include "reel/trace.hpp"

namespace reel::analysis {

// A host call holds up its stream, but the device is free meanwhile; a launch is its nodes.
inline bool is_device_work(WorkKind kind) noexcept {
  return kind != WorkKind::host_call && kind != WorkKind::barrier && kind != WorkKind::launch;
}

// A launch whose nodes have no times of their own stands for them.
inline bool takes_device_time(WorkKind kind, std::uint64_t own_ns) noexcept {
  return is_device_work(kind) || (kind == WorkKind::launch && own_ns > 0);
}

// Nodes of a graph are enqueued one by one while a capture records them: the driver has no stamps
// within a graph. A program alone launches its graphs otherwise, and faster (docs/capture.md).
inline bool records_nodes_one_by_one(const TraceDevice& device) {
  return device.backend == "opencl";
}

}  // namespace reel::analysis
