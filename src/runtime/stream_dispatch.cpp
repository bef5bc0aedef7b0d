// stream_dispatch.cpp - the short way of a dispatch: from the program's call to the driver's.
//
// All of it is compiled together, and nothing in it throws but the driver. What isn't plainly fine
// goes the long way (StreamState::enqueue), which knows what to say.
#include <algorithm>

#include "base/handles.hpp"
#include "graph/commands/dispatch_command.hpp"
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

[[gnu::noinline]] ReadyDispatch* learn(KnownDispatch& known, const KernelResource& kernel,
                                       const Launch& launch, std::span<const Argument> arguments,
                                       const DeviceState& device, QueueDriver& queue) {
  if (arguments.size() > KnownDispatch::most_arguments) return nullptr;
  const Dim3 size = launch.group_size == unset_dim ? kernel.group_size : launch.group_size;
  const Dispatch dispatch{const_cast<KernelResource*>(&kernel), launch.groups, size, arguments};
  if (!is_plainly_fine(dispatch, &device, device.limits)) return nullptr;
  known.is_used = false;  // until all of it is there
  if (!known.ready) known.ready = queue.make_ready_dispatch();
  known.ready->prepare(dispatch);
  known.kernel = kernel.id;
  known.argument_count = static_cast<std::uint32_t>(arguments.size());
  known.groups = launch.groups;
  known.given_size = launch.group_size;
  std::ranges::transform(arguments, known.kinds.begin(), kind_of);
  known.is_used = true;
  return known.ready.get();
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

inline ReadyDispatch* KnownDispatches::find(const KernelResource& kernel, const Launch& launch,
                                            std::span<const Argument> arguments,
                                            const DeviceState& device, QueueDriver& queue) {
  if (differ(launch.items, unset_dim) || differ(launch.offset, unset_dim)) [[unlikely]]
    return nullptr;
  // A kernel is launched on a few grids by turns.
  const std::uint32_t place = static_cast<std::uint32_t>(kernel.id) + launch.groups.x;
  KnownDispatch& known = known_[place % known_.size()];
  if (known.is_like(kernel, launch, arguments) && known.has_kinds_of(arguments, device)) [[likely]]
    return known.ready.get();
  return learn(known, kernel, launch, arguments, device, queue);
}

void StreamState::send_barrier_if(bool conflict) {
  if (!wants_barriers_) return;
  if (conflict || fence_pending_) queue_->submit({Barrier{}});
  fence_pending_ = false;
}

[[gnu::always_inline]] inline bool StreamState::try_quickly(const Kernel& handle,
                                                            const Launch& launch,
                                                            std::span<const Argument> arguments) {
  KernelResource* kernel = resource_of(handle).get();
  if (!kernel || Callback::current() || device->is_inherited()) [[unlikely]]
    return false;
  const BiasedLock lock(mutex_);
  if (is_recorder_there() || capture_) [[unlikely]]
    return false;
  ReadyDispatch* ready = known_.find(*kernel, launch, arguments, *device, *queue_);
  if (!ready) [[unlikely]]
    return false;
  if (tracker_) {
    const bool conflict = tracker_->needs_barrier(arguments);
    if (wants_barriers_) send_barrier_if(conflict);
  }
  ready->give(arguments);
  return true;
}

bool StreamState::dispatch_quickly(const Kernel& kernel, const Launch& launch,
                                   std::span<const Argument> arguments) {
  return try_quickly(kernel, launch, arguments);
}

void StreamState::dispatch(const Kernel& kernel, const Launch& launch,
                           std::span<const Argument> arguments) {
  if (!try_quickly(kernel, launch, arguments)) [[unlikely]]
    dispatch_slowly(kernel, launch, arguments);
}

void StreamState::dispatch_slowly(const Kernel& kernel, const Launch& launch,
                                  std::span<const Argument> arguments) {
  enqueue(dispatch_command(kernel, launch, arguments));
}

}  // namespace reel
