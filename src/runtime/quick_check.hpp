// quick_check.hpp - is this dispatch plainly fine? One pass over it, nothing else.
//
// Every dispatch that is_plainly_fine() accepts passes check(); of the others, some do. Only then
// the checks that know what to say run: on the direct path they took 60 of 140 ns (perf), because
// each asks the device and the kernel anew.
#pragma once

#include <bit>
#include <cstdint>
#include <limits>

#include "graph/commands/resource.hpp"
#include "reel/command.hpp"
#include "reel/device.hpp"

namespace reel {

// What a dispatch is measured against, close together.
struct BindingLimits {
  std::uint64_t max_bytes = 0;
  std::uint64_t misaligned_bits = 0;  // of an offset; all of them where the alignment is odd
};

struct DispatchLimits {
  Dim3 max_group_size, max_groups;
  std::uint64_t max_group_items;
  BindingLimits binding;

  explicit DispatchLimits(const DeviceInfo& info)
      : max_group_size(info.max_group_size),
        max_groups(info.max_groups),
        max_group_items(info.max_group_items),
        binding{info.max_binding_bytes, std::has_single_bit(info.binding_alignment_bytes)
                                            ? info.binding_alignment_bytes - 1
                                            : std::numeric_limits<std::uint64_t>::max()} {}
};

inline bool within(const Dim3& size, const Dim3& most) noexcept {
  return size.x <= most.x && size.y <= most.y && size.z <= most.z;
}

inline bool is_plainly_fine(const BufferRange& range, const DeviceState* device,
                            const BindingLimits& limits) noexcept {
  if (!range.buffer) [[unlikely]]
    return false;
  const BufferResource& buffer = *range.buffer;
  if (buffer.device.get() != device || buffer.freed.load(std::memory_order_relaxed)) [[unlikely]]
    return false;
  // Not empty, and not too large: 0 becomes the largest number.
  if (range.size_bytes - 1 >= limits.max_bytes) [[unlikely]]
    return false;
  if (range.offset_bytes > buffer.size_bytes ||
      range.size_bytes > buffer.size_bytes - range.offset_bytes) [[unlikely]]
    return false;
  if (range.offset_bytes & limits.misaligned_bits) [[unlikely]]
    return false;
  return true;
}

inline bool is_plainly_fine(const Argument& argument, const Parameter& parameter,
                            const DeviceState* device, const DispatchLimits& limits) noexcept {
  if (argument.kind != parameter.kind) return false;
  if (argument.kind == ArgumentKind::value)
    return argument.value_bytes == parameter.size_bytes && argument.value_bytes != 0 &&
           argument.value_bytes <= max_outside_value_bytes;
  return argument.kind == ArgumentKind::buffer &&
         is_plainly_fine(argument.range, device, limits.binding);
}

inline bool is_plainly_fine(const Dispatch& dispatch, const DeviceState* device,
                            const DispatchLimits& limits) noexcept {
  if (!dispatch.kernel || dispatch.indirect.buffer || dispatch.predicate || dispatch.is_free_grid())
    return false;
  const KernelResource& kernel = *dispatch.kernel;
  if (kernel.device.get() != device || !kernel.reflected || kernel.checks_arguments ||
      dispatch.arguments.size() != kernel.parameters.size())
    return false;
  const Dim3 &size = dispatch.group_size, &groups = dispatch.groups;
  constexpr Dim3 countable{1u << 20, 1u << 20, 1u << 20};  // products stay within 64 bits
  if (size.x == 0 || size.y == 0 || size.z == 0 || !within(size, limits.max_group_size) ||
      !within(size, countable) || !within(groups, limits.max_groups) || !within(groups, countable))
    return false;
  if (kernel.group_size_fixed && size != kernel.group_size) return false;
  if (size.count() > (kernel.max_group_items ? kernel.max_group_items : limits.max_group_items))
    return false;
  // Where kinds agree place by place, the k-th of a kind is the k-th of that kind in both lists:
  // right for parameters_by_kind too.
  for (std::size_t i = 0; i < dispatch.arguments.size(); ++i)
    if (!is_plainly_fine(dispatch.arguments[i], kernel.parameters[i], device, limits)) return false;
  return true;
}

}  // namespace reel
