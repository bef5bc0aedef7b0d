// context.hpp - one opened OpenCL device, shared by everything that was made on it.
//
// Holds the cl_context, the clock, the thread that runs host calls, and the count of bytes in
// use. All of it may be used from any thread.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "backends/opencl/device/api.hpp"
#include "backends/opencl/device/clock.hpp"
#include "backends/opencl/device/platform.hpp"
#include "reel/image.hpp"
#include "runtime/driver.hpp"

namespace reel::opencl {

class DeviceContext {
 public:
  explicit DeviceContext(const FoundDevice& found);

  const DeviceInfo& info() const noexcept { return info_; }
  cl_platform_id platform() const noexcept { return platform_; }
  cl_device_id device() const noexcept { return device_; }
  cl_context get() const noexcept { return context_.get(); }
  bool has_extension(std::string_view name) const;

  std::uint64_t now_ns() const { return clock_.now_ns(device_); }

  // In order, with stamps.
  // Stamped: its commands have times, where the device can tell them.
  QueueHandle make_queue(StreamPriority priority = StreamPriority::normal,
                         Stamped stamped = Stamped::yes) const;
  // Memory that is really there, and zero, on return.
  struct Memory {
    MemoryHandle handle;
    std::byte* address = nullptr;  // where the device's memory is the host's, and replay native
    std::byte* shared = nullptr;   // of shared virtual memory
  };
  Memory allocate_zeroed(std::uint64_t bytes);  // any thread
  // Shared virtual memory where the device has it, else other memory.
  Memory allocate_shared(std::uint64_t bytes, cl_svm_mem_flags flags = 0);  // any thread
  // One of this kind, kept as long as the context. Any thread.
  cl_sampler sampler(const SamplerShape& shape);
  // Why graphs can't be replayed natively here; empty when they can.
  const std::string& why_not_native() const noexcept { return why_not_native_; }

  // The driver allocates when memory is first used and may then fail, or crash, where nobody can
  // say for which buffer; so bytes are counted against the device's memory when asked for.
  bool reserve(std::uint64_t bytes) noexcept;
  void release(std::uint64_t bytes) noexcept { in_use_bytes_ -= bytes; }
  std::uint64_t in_use_bytes() const noexcept { return in_use_bytes_; }

 private:
  Memory allocate_on_host(std::uint64_t bytes);
  void zero(cl_mem memory, std::uint64_t bytes);

  DeviceInfo info_;
  cl_platform_id platform_;
  cl_device_id device_;
  std::string extensions_;
  std::string why_not_native_;
  ContextHandle context_;
  std::atomic<std::uint64_t> in_use_bytes_ = 0;
  std::mutex mutex_;
  QueueHandle own_queue_;  // for allocate_zeroed
  std::vector<std::pair<SamplerShape, SamplerHandle>> samplers_;
  Clock clock_;
};

}  // namespace reel::opencl
