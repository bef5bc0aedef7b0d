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

[[gnu::noinline]] ReadyDispatch* learn(KnownDispatch& known, const KernelResource& kernel,
                                       const Launch& launch, std::span<const Argument> arguments,
                                       const DeviceState& device, QueueDriver& queue) {
  if (arguments.size() > KnownArguments::most || launch.items != unset_dim ||
      launch.offset != unset_dim)
    return nullptr;
  const Dim3 size = launch.group_size == unset_dim ? kernel.group_size : launch.group_size;
  const Dispatch dispatch{const_cast<KernelResource*>(&kernel), launch.groups, size, arguments};
  if (!is_plainly_fine(dispatch, &device, device.limits)) return nullptr;
  known.kernel = KnownDispatch::none;  // until all of it is there
  if (!known.ready) known.ready = queue.make_ready_dispatch();
  known.ready->known = {&device, device.limits.binding};
  known.ready->known.learn(arguments);
  known.ready->prepare(dispatch);
  known.argument_count = static_cast<std::uint32_t>(arguments.size());
  known.groups = launch.groups;
  known.given_size = launch.group_size;
  known.kernel = kernel.id;
  return known.ready.get();
}

// By fours of bytes, as they were stored: a wider load of what has just been written in parts waits
// until all of it is in the cache.
inline std::uint32_t difference(const Dim3& a, const Dim3& b) noexcept {
  return (a.x ^ b.x) | (a.y ^ b.y) | (a.z ^ b.z);
}
static_assert(unset_dim == Dim3{0, 0, 0});
inline std::uint32_t is_set(const Dim3& a) noexcept { return a.x | a.y | a.z; }

}  // namespace

// Sums of three: one over all would be a chain, each step after the one before.
inline bool KnownDispatch::is_like(const KernelResource& other, const Launch& launch,
                                   std::span<const Argument> arguments) const noexcept {
  if (kernel != other.id || argument_count != arguments.size()) [[unlikely]]
    return false;
  if (difference(groups, launch.groups)) [[unlikely]]
    return false;
  if (difference(given_size, launch.group_size)) [[unlikely]]
    return false;
  if (is_set(launch.items) | is_set(launch.offset)) [[unlikely]]
    return false;
  return true;
}

inline ReadyDispatch* KnownDispatches::find(const KernelResource& kernel, const Launch& launch,
                                            std::span<const Argument> arguments,
                                            const DeviceState& device, QueueDriver& queue) {
  // A kernel is launched on a few grids by turns.
  const std::uint32_t place = static_cast<std::uint32_t>(kernel.id) + launch.groups.x;
  KnownDispatch& known = known_[place % known_.size()];
  if (known.is_like(kernel, launch, arguments)) [[likely]] {
    ReadyDispatch* const ready = known.ready.get();
    if (!ready) __builtin_unreachable();  // there where a kernel is
    return ready;
  }
  return learn(known, kernel, launch, arguments, device, queue);
}

void StreamState::send_barrier_if(bool conflict) {
  static const Command barrier{Barrier{}};  // not made anew for each
  if (!wants_barriers_) return;
  if (conflict || fence_pending_) queue_->submit(barrier);
  fence_pending_ = false;
}

// Where hazards are only counted, a dispatch is given first: looking at its arguments is part of
// that.
template <StreamState::IfRecorded if_recorded>
[[gnu::always_inline]] inline bool StreamState::give_quickly(const KernelResource& kernel,
                                                             const Launch& launch,
                                                             std::span<const Argument> arguments) {
  if (is_recorder_there() || capture_) [[unlikely]]
    return if_recorded == IfRecorded::yes && !capture_ && give_recorded(kernel, launch, arguments);
  ReadyDispatch* ready = known_.find(kernel, launch, arguments, *device, *queue_);
  if (!ready) [[unlikely]]
    return false;
  if (wants_barriers_) [[unlikely]] {
    if (!ready->known.take(arguments)) return false;
    send_barrier_if(tracker_->needs_barrier(arguments, ready->known.ranges));
    ready->give(arguments);
    return true;
  }
  if (!ready->give_if_known(arguments)) [[unlikely]]
    return false;
  if (tracker_) tracker_->needs_barrier(arguments, ready->known.ranges);
  return true;
}

// What a recorder is told is the same as on the long way.
bool StreamState::give_recorded(const KernelResource& kernel, const Launch& launch,
                                std::span<const Argument> arguments) {
  const std::uint64_t begin_ns = monotonic_ns();
  ReadyDispatch* ready = known_.find(kernel, launch, arguments, *device, *queue_);
  if (!ready || !ready->known.take(arguments)) return false;
  const RecorderUse recorder;
  if (!recorder) return false;  // it went just now
  const Dim3 size = launch.group_size == unset_dim ? kernel.group_size : launch.group_size;
  const Command command{
      Dispatch{const_cast<KernelResource*>(&kernel), launch.groups, size, arguments},
      launch.label.empty() ? std::string_view(kernel.source.name) : launch.label, scope_};
  recorder->submit(*this, command, begin_ns, ready);
  return true;
}

// A thread of a forked child is never the owner, and a lock of its parent's may be held for good.
bool StreamState::give_after_waiting(const KernelResource& kernel, const Launch& launch,
                                     std::span<const Argument> arguments) {
  if (device->is_inherited()) return false;
  const BiasedLock lock(mutex_);
  // Waiting is part of the call that a recorder is told of: the long way does that.
  return give_quickly<IfRecorded::no>(kernel, launch, arguments);
}

template <StreamState::IfRecorded if_recorded>
[[gnu::always_inline]] inline bool StreamState::try_quickly(const Kernel& handle,
                                                            const Launch& launch,
                                                            std::span<const Argument> arguments) {
  KernelResource* kernel = resource_of(handle).get();
  if (!kernel || Callback::current()) [[unlikely]]
    return false;
  const OwnersLock lock(mutex_);
  if (!lock) [[unlikely]]
    return give_after_waiting(*kernel, launch, arguments);
  return give_quickly<if_recorded>(*kernel, launch, arguments);
}

bool StreamState::dispatch_quickly(const Kernel& kernel, const Launch& launch,
                                   std::span<const Argument> arguments) {
  return try_quickly<IfRecorded::no>(kernel, launch, arguments);
}

void StreamState::dispatch(const Kernel& kernel, const Launch& launch,
                           std::span<const Argument> arguments) {
  if (!try_quickly<IfRecorded::yes>(kernel, launch, arguments)) [[unlikely]]
    dispatch_slowly(kernel, launch, arguments);
}

void StreamState::dispatch_slowly(const Kernel& kernel, const Launch& launch,
                                  std::span<const Argument> arguments) {
  enqueue(dispatch_command(kernel, launch, arguments));
}

}  // namespace reel
