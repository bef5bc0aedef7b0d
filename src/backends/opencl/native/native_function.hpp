// native_function.hpp - the compiled work-group function of a kernel, callable without the driver.
//
// PoCL compiles a kernel for each group size into a library and loads it when the kernel is first
// enqueued. That library is looked up among those loaded, so what is called here is exactly what
// PoCL calls. See docs/design/native-replay.md for why, and for what could go wrong.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>

#include "backends/opencl/device/context.hpp"
#include "reel/dim3.hpp"

namespace reel::opencl {

struct BuiltKernel;

// The launch as PoCL 3.1 tells it to a work-group function (struct pocl_context).
struct PoclContext {
  std::uint64_t num_groups[3];
  std::uint64_t global_offset[3];
  std::uint64_t local_size[3];
  unsigned char* printf_buffer;
  std::uint32_t* printf_buffer_position;
  std::uint32_t printf_buffer_capacity;
  std::uint32_t work_dim;
};
static_assert(sizeof(PoclContext) == 96);

// arguments[i] points at the value of argument i: the bytes of a value, or the address of a
// buffer or of shared memory. Behind them, one for each __local array of the kernel's body.
using WorkGroupFunction = void (*)(void** arguments, const PoclContext* context, std::uint64_t x,
                                   std::uint64_t y, std::uint64_t z);

class NativeFunction {
 public:
  NativeFunction(void* library, WorkGroupFunction function, std::uint64_t body_local_bytes)
      : body_local_bytes_(body_local_bytes), library_(library), function_(function) {}
  ~NativeFunction();
  NativeFunction(const NativeFunction&) = delete;

  WorkGroupFunction get() const noexcept { return function_; }
  // Of all __local arrays of the body together.
  std::uint64_t body_local_bytes() const noexcept { return body_local_bytes_; }
  // What one group took when it was last measured, on one thread.
  float group_ns() const noexcept { return group_ns_.load(std::memory_order_relaxed); }
  void set_group_ns(float ns) const noexcept { group_ns_.store(ns, std::memory_order_relaxed); }

 private:
  std::uint64_t body_local_bytes_;
  void* library_;  // a reference of our own
  WorkGroupFunction function_;
  mutable std::atomic<float> group_ns_ = 0;
};

inline constexpr std::size_t most_native_arguments = 256;
// PoCL compiles grids below this width, in items of any dimension, in a way of their own.
inline constexpr std::uint64_t small_grid_items = 65535;
bool is_small_grid(Dim3 groups, Dim3 group_size) noexcept;

// Why no kernel of this device can be called natively; empty when some can.
std::string why_not_native(const DeviceContext& context);
// Why this kernel can't; empty when it can.
std::string why_not_native(const BuiltKernel& kernel);

// The function for this group size. Null, with the reason in `why`, when PoCL has not loaded it.
std::shared_ptr<const NativeFunction> find_native_function(const BuiltKernel& kernel,
                                                           Dim3 group_size, bool small_grid,
                                                           std::string& why);

}  // namespace reel::opencl
