// device.hpp - something that runs kernels: the embedded host, an OpenCL or a Vulkan device.
//
// A Device is a cheap handle; copies share the open device, which closes when the last buffer,
// kernel, stream and handle is gone. Everything here may be called from any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "reel/buffer.hpp"
#include "reel/dim3.hpp"
#include "reel/error.hpp"
#include "reel/image.hpp"
#include "reel/kernel.hpp"

namespace reel {

class Device;
class DeviceState;
class Stream;
class Event;

struct DeviceInfo {
  std::string id;       // "opencl:0": what open_device takes
  std::string backend;  // "host", "opencl", "vulkan"
  std::string name;     // "pthread-haswell-AMD EPYC"
  std::string type;     // "cpu", "integrated gpu", "discrete gpu", "accelerator", "other"
  std::string driver;   // "Portable Computing Language"
  std::string driver_version;
  std::string api_version;  // "OpenCL 3.0", "Vulkan 1.3.230"
  std::string unavailable;  // why it can't be opened; empty when it can

  std::uint64_t memory_bytes = 0;
  std::uint64_t max_buffer_bytes = 0;
  std::uint64_t max_binding_bytes = 0;        // of one range bound to a kernel
  std::uint32_t binding_alignment_bytes = 1;  // of the offset of such a range
  std::uint32_t compute_units = 0;
  std::uint64_t max_group_items = 0;
  Dim3 max_group_size;
  Dim3 max_groups;
  std::uint64_t max_shared_bytes = 0;
  bool can_stamp_time = false;
  double stamp_resolution_ns = 0;
  bool can_dispatch_indirect = false;
  bool takes_images = false;                // and samplers
  bool maps_memory = false;                 // host_visible_buffer()
  bool takes_stream_priority = false;       // elsewhere it is ignored
  bool takes_free_grids = false;            // an offset, a group size of its own choice, items
  bool takes_partial_groups = false;        // items that are no multiple of the group size
  bool wants_barriers = false;              // commands of a stream overlap unless told not to
  bool can_dispatch_conditionally = false;  // by a DispatchPredicate
  std::vector<KernelForm> kernel_forms;     // what kernel() takes, the preferred one first
  // Of Vulkan, by name: what is on beyond what all kernels need. Set to have open_device(info)
  // switch on more: robustBufferAccess, robustBufferAccess2, robustImageAccess, robustImageAccess2.
  std::vector<std::string> features;

  bool available() const noexcept { return unavailable.empty(); }  // can it be opened?
};

// Everything that can be opened here, and what can't with the reason. Never throws for a driver
// that is missing or broken.
std::vector<DeviceInfo> devices();

// "host", "opencl", "opencl:0", "vulkan:llvmpipe" (part of the name, any case), or "" for
// $REEL_DEVICE and, where that is unset, the best one: GPUs first, then OpenCL, Vulkan, host.
// Each call opens a device of its own: buffers and kernels of one are refused by another.
// After fork(), whatever the parent made throws `unsupported` in the child, and is let go there
// without a word to the driver. The host device may be opened anew; OpenCL and Vulkan only where
// the parent never looked for their devices, since drivers don't survive a fork.
Device open_device(std::string_view selector = "");
// One of devices(), with the features that it asks for and the device has.
Device open_device(const DeviceInfo& info);

// A wish: of work that waits on several streams, the device may take that of the higher priority
// first. Ignored where DeviceInfo::takes_stream_priority is false.
enum class StreamPriority : std::uint8_t { low, normal, high };

struct StreamOptions {  // of a new stream
  std::string_view label = {};
  StreamPriority priority = StreamPriority::normal;
};

class Device {
 public:
  Device() = default;

  const DeviceInfo& info() const;  // what it is, and can

  // Zero-initialised.
  Buffer buffer(std::uint64_t size_bytes, std::string_view label = {}) const;
  // Where info().takes_images: an image of zeros, to be bound by Argument::image. Transfers see its
  // pixels as the bytes of a buffer.
  Buffer image_buffer(const ImageShape& shape, std::string_view label = {}) const;
  // An image view over the bytes of an existing buffer, which is what transfers and hazards see.
  Buffer image_view(BufferRange storage, const ImageShape& shape,
                    std::string_view label = {}) const;
  // A buffer whose ranges may be bound wherever they begin, where the device can do that.
  Buffer shared_virtual_buffer(std::uint64_t size_bytes, std::string_view label = {}) const;
  // A buffer that the host reads and writes by Buffer::mapped(), without a command; throws
  // `unsupported` where info().maps_memory is false.
  Buffer host_visible_buffer(std::uint64_t size_bytes, std::string_view label = {}) const;
  // A buffer that kernels find by Buffer::device_address(), given to them as a number. Its ranges
  // that they use come as arguments behind those of the kernel's parameters. Throws `unsupported`
  // where the device has no such addresses.
  Buffer addressed_buffer(std::uint64_t size_bytes, std::string_view label = {}) const;
  // With these contents.
  template <HostValues R>
  Buffer buffer_of(const R& data, std::string_view label = {}) const {
    Buffer result = buffer(host_bytes(data).size(), label);
    result.write(data);
    return result;
  }

  // Throws build_failed with the driver's log, or unsupported with the forms wanted and given.
  Kernel kernel(const KernelSource& source) const;
  // Several kernels of one source: device.program({.opencl_c = text}).kernel("add").
  Program program(KernelSource source) const { return {*this, std::move(source)}; }

  Stream stream(const StreamOptions& options = {}) const;  // a new one
  Stream stream(std::string_view label) const;
  Event event(std::string_view label = {}) const;  // a new one

  // Waits for every stream of the device.
  void synchronize() const;

  explicit operator bool() const noexcept { return state_ != nullptr; }
  friend bool operator==(const Device& a, const Device& b) { return a.state_ == b.state_; }

 private:
  friend class Program;
  friend struct detail::Inside;
  friend struct std::hash<Device>;
  explicit Device(std::shared_ptr<DeviceState> state) : state_(std::move(state)) {}
  Kernel kernel(const KernelSource& source, std::shared_ptr<void>* shared) const;
  std::shared_ptr<DeviceState> state_;
};

}  // namespace reel

template <>
struct std::hash<reel::Device> {
  std::size_t operator()(const reel::Device& device) const noexcept {
    return std::hash<std::shared_ptr<reel::DeviceState>>()(device.state_);
  }
};
