// stream_dispatch.cpp - the short way of a dispatch: from the program's call to the driver's.
//
// All of it is compiled together, and nothing in it throws but the driver. What isn't plainly fine
// goes the long way (StreamState::enqueue), which knows what to say.
#include <algorithm>

#include "base/handles.hpp"
#include "runtime/callback.hpp"
#include "runtime/device_state.hpp"
#include "runtime/quick_check.hpp"
#include "runtime/stream_state.hpp"

namespace reel {
namespace {

// One branch for three numbers. By fours of bytes, as they were stored: a wider load of what has
// just been written in parts waits until all of it is in the cache.
inline bool differ(const Dim3& a, const Dim3& b) noexcept {
  return ((a.x ^ b.x) | (a.y ^ b.y) | (a.z ^ b.z)) != 0;
}

inline std::uint64_t kind_of(const Argument& argument) noexcept {
  return std::uint64_t{argument.value_bytes} << 8 | static_cast<std::uint8_t>(argument.kind);
}

[[gnu::noinline]] const KnownDispatch* learn(KnownDispatch& known, const KernelResource& kernel,
                                             const Launch& launch,
                                             std::span<const Argument> arguments,
                                             const DeviceState& device) noexcept {
  if (arguments.size() > KnownDispatch::most_arguments) return nullptr;
  const Dim3 size = launch.group_size == unset_dim ? kernel.group_size : launch.group_size;
  const Dispatch dispatch{const_cast<KernelResource*>(&kernel), launch.groups, size, arguments};
  if (!is_plainly_fine(dispatch, &device, device.limits)) return nullptr;
  known.is_used = true;
  known.kernel = kernel.id;
  known.argument_count = static_cast<std::uint32_t>(arguments.size());
  known.groups = launch.groups;
  known.given_size = launch.group_size;
  known.group_size = size;
  std::ranges::transform(arguments, known.kinds.begin(), kind_of);
  return &known;
}

}  // namespace

inline bool KnownDispatch::is_like(const KernelResource& other, const Launch& launch,
                                   std::span<const Argument> arguments) const noexcept {
  return is_used && kernel == other.id && argument_count == arguments.size() &&
         !differ(groups, launch.groups) && !differ(given_size, launch.group_size);
}

inline bool KnownDispatch::has_kinds_of(std::span<const Argument> arguments,
                                        const DeviceState& device) const noexcept {
  const std::uint64_t* kind = kinds.data();
  for (const Argument& argument : arguments) {
    if (kind_of(argument) != *kind++) return false;
    if (argument.kind == ArgumentKind::buffer &&
        !is_plainly_fine(argument.range, &device, device.limits))
      return false;
  }
  return true;
}

inline const KnownDispatch* KnownDispatches::find(const KernelResource& kernel,
                                                  const Launch& launch,
                                                  std::span<const Argument> arguments,
                                                  const DeviceState& device) noexcept {
  if (differ(launch.items, unset_dim) || differ(launch.offset, unset_dim)) [[unlikely]]
    return nullptr;
  KnownDispatch& known = known_[static_cast<std::uint32_t>(kernel.id) % known_.size()];
  if (known.is_like(kernel, launch, arguments) && known.has_kinds_of(arguments, device)) [[likely]]
    return &known;
  return learn(known, kernel, launch, arguments, device);
}

void StreamState::send_barrier_if(bool conflict) {
  if (!wants_barriers_) return;
  if (conflict || fence_pending_) queue_->submit({Barrier{}});
  fence_pending_ = false;
}

bool StreamState::dispatch_quickly(const Kernel& handle, const Launch& launch,
                                   std::span<const Argument> arguments) {
  KernelResource* kernel = resource_of(handle).get();
  if (!kernel || Callback::current() || device->is_inherited()) [[unlikely]]
    return false;
  const BiasedLock lock(mutex_);
  if (is_recorder_there() || capture_) [[unlikely]]
    return false;
  const KnownDispatch* known = known_.find(*kernel, launch, arguments, *device);
  if (!known) [[unlikely]]
    return false;
  if (tracker_) send_barrier_if(tracker_->needs_barrier(arguments));
  queue_->dispatch(*kernel, known->groups, known->group_size, arguments);
  return true;
}

}  // namespace reel
