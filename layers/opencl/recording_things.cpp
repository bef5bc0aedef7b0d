// recording_things.cpp - the part of a Recording that writes rows of devices, memory and kernels,
// each when it is first named.
#include <fmt/format.h>

#include "base/clock.hpp"
#include "layers/opencl/device_row.hpp"
#include "layers/opencl/kernel_row.hpp"
#include "layers/opencl/recording.hpp"

namespace reel::layer {

namespace {
std::uint32_t u32(auto id) { return static_cast<std::uint32_t>(id); }
}  // namespace

std::uint32_t Recording::note_device(cl_device_id device) {
  std::uint32_t id = 0;
  {
    const std::lock_guard lock(mutex_);
    const auto [it, is_new] = devices_.try_emplace(device, u32(devices_.size()));
    if (!is_new) return it->second;
    id = it->second;
  }
  document_.push(device_row(device, id));
  return id;
}

// Memory belongs to a context; its first device stands for it.
std::uint32_t Recording::device_of(const capture::TrackedBuffer& buffer) {
  const auto devices = devices_of(static_cast<const Storage&>(buffer).context);
  return devices.empty() ? 0 : note_device(devices[0]);
}

void Recording::note_kernel(capture::TrackedKernel& tracked, cl_device_id device) {
  auto& kernel = static_cast<Kernel&>(tracked);
  if (!kernel.identity) kernel.identity = identity_of(kernel);
  once(kernel.identity->recorded_in,
       [&] { document_.push(kernel_row(kernel, device, note_device(device))); });
}

}  // namespace reel::layer
