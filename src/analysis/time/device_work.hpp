// device_work.hpp - which commands are work of a device.
#pragma once

#include <cstdint>

#include "reel/trace.hpp"

namespace reel::analysis {

// A host call holds up its stream, but the device is free meanwhile; a launch is its nodes. A
// native kernel of OpenCL is a function of the program that the device itself runs, which only
// devices that are processors can: it is kept as a host call, since nobody else can run it, and is
// work.
inline bool is_device_work(const Trace& trace, const TraceWork& work) {
  if (work.kind == WorkKind::host_call) return trace.text(work.label) == "clEnqueueNativeKernel";
  return work.kind != WorkKind::barrier && work.kind != WorkKind::launch;
}

// A launch whose nodes have no times of their own stands for them.
inline bool takes_device_time(const Trace& trace, const TraceWork& work, std::uint64_t own_ns) {
  return is_device_work(trace, work) || (work.kind == WorkKind::launch && own_ns > 0);
}

}  // namespace reel::analysis
