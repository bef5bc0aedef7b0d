#include "runtime/check.hpp"

#include <algorithm>

#include "base/fail.hpp"
#include "graph/commands/access.hpp"
#include "graph/commands/resource.hpp"
#include "graph/order/validate.hpp"
#include "runtime/device_state.hpp"
#include "runtime/quick_check.hpp"

namespace reel {

namespace {

// "device opencl:0, not to vulkan:0"; or that the two were opened apart.
std::string two_devices(const DeviceState* owner, std::string_view word,
                        const DeviceState& device) {
  if (!owner) return fmt::format("no device, not {} {}", word, device.info().id);
  if (owner->info().id == device.info().id)
    return fmt::format(
        "another device that was opened as {}; each open_device() opens one of its own, so open it "
        "once and share the Device",
        device.info().id);
  return fmt::format("device {}, not {} {}", owner->info().id, word, device.info().id);
}

void check_buffer(const BufferResource& buffer, const DeviceState& device) {
  if (buffer.device.get() == &device) [[likely]]
    return;
  fail(Code::invalid_argument, "Buffer '{}' belongs to {}.", buffer.label,
       two_devices(buffer.device.get(), "to", device));
}

void check_kernel(const KernelResource& kernel, const DeviceState& device) {
  if (kernel.device.get() == &device) [[likely]]
    return;
  fail(Code::invalid_argument, "Kernel '{}' was built for {}.", kernel.source.name,
       two_devices(kernel.device.get(), "for", device));
}

std::string text(Dim3 d) { return fmt::format("{} x {} x {}", d.x, d.y, d.z); }

void check_group_size(const Dispatch& dispatch, const DeviceInfo& info) {
  const Dim3 size = dispatch.group_size;
  const std::string& name = dispatch.kernel->source.name;
  const Dim3 most = info.max_group_size;
  if (size.x > most.x || size.y > most.y || size.z > most.z)
    fail(Code::invalid_argument, "Kernel '{}' is launched with a group size of {}; {} allows {}.",
         name, text(size), info.id, text(most));
  const std::uint64_t limit =
      dispatch.kernel->max_group_items ? dispatch.kernel->max_group_items : info.max_group_items;
  if (size.count() > limit)
    fail(Code::invalid_argument,
         "Kernel '{}' is launched with groups of {} items ({}); {} allows {} for it.", name,
         size.count(), text(size), info.id, limit);
}

void check_partial_groups(const Dispatch& dispatch, const DeviceInfo& info) {
  const Dim3 &items = dispatch.items, &size = dispatch.group_size;
  if (items == unset_dim || size == unset_dim || info.takes_partial_groups) return;
  if (items.x % size.x || items.y % size.y || items.z % size.z)
    fail(Code::unsupported,
         "Kernel '{}' is launched with {} items in groups of {}; on {} every group is full. Launch "
         "a "
         "multiple, or let the kernel skip what is past the end and say so (Launch::guarded).",
         dispatch.kernel->source.name, text(items), text(size), info.id);
}

// Groups that begin at another than the first, all of them full.
bool is_whole_offset(const Dispatch& dispatch) {
  const Dim3 &offset = dispatch.offset, &size = dispatch.group_size, &items = dispatch.items;
  if (!dispatch.kernel->takes_group_offsets || size == unset_dim) return false;
  if (items != unset_dim &&
      (items.x != dispatch.groups.x * size.x || items.y != dispatch.groups.y * size.y ||
       items.z != dispatch.groups.z * size.z))
    return false;
  return offset.x % size.x == 0 && offset.y % size.y == 0 && offset.z % size.z == 0;
}

void check_shared(const Dispatch& dispatch, const DeviceInfo& info) {
  std::uint64_t total = 0;
  for (const Argument& argument : dispatch.arguments)
    if (argument.kind == ArgumentKind::shared) {
      total += std::min(argument.shared_bytes, info.max_shared_bytes + 1);  // never wraps
      if (total > info.max_shared_bytes)
        fail(Code::invalid_argument,
             "Kernel '{}' asks for {} bytes of shared memory and more; {} has {}.",
             dispatch.kernel->source.name, argument.shared_bytes, info.id, info.max_shared_bytes);
    }
}

// Used by its address, so that it may begin anywhere and be of any size.
bool is_by_address(const Dispatch& dispatch, std::size_t argument) {
  return dispatch.kernel->follows_addresses && argument >= dispatch.kernel->parameters.size() &&
         dispatch.arguments[argument].kind == ArgumentKind::buffer;
}

}  // namespace

void check_groups(Dim3 groups, const std::string& kernel_name, const DeviceState& device) {
  const Dim3 most = device.info().max_groups;
  if (groups.x > most.x || groups.y > most.y || groups.z > most.z)
    fail(Code::invalid_argument, "Kernel '{}' is launched with {} groups; {} allows {}.",
         kernel_name, text(groups), device.info().id, text(most));
  // No device gets through 2^62 groups, and their number must fit in 64 bits.
  if (std::uint64_t{groups.x} * groups.y > (std::uint64_t{1} << 62) / std::max(groups.z, 1u))
    fail(Code::invalid_argument, "Kernel '{}' is launched with {} groups, which is more than 2^62.",
         kernel_name, text(groups));
}

void check_argument_for_device(const Argument& argument, std::size_t index,
                               const std::string& kernel_name, const DeviceState& device) {
  const DeviceInfo& info = device.info();
  if ((argument.kind == ArgumentKind::image || argument.kind == ArgumentKind::sampler) &&
      !info.takes_images)
    fail(Code::unsupported, "Argument {} of kernel '{}' is {} {}; {} takes no images and samplers.",
         index, kernel_name, argument.kind == ArgumentKind::image ? "an" : "a",
         to_string(argument.kind), info.id);
  if (!argument.is_memory()) return;
  check_buffer(*argument.range.buffer, device);
  if (argument.kind == ArgumentKind::image) return;
  if (argument.range.offset_bytes % info.binding_alignment_bytes != 0 &&
      !argument.range.buffer->is_shared_virtual)
    fail(Code::invalid_argument,
         "Argument {} of kernel '{}' is bound at offset {} of buffer '{}'; {} needs a multiple of "
         "{}.",
         index, kernel_name, argument.range.offset_bytes, argument.range.buffer->label, info.id,
         info.binding_alignment_bytes);
  if (argument.range.size_bytes > info.max_binding_bytes)
    fail(Code::invalid_argument,
         "Argument {} of kernel '{}' binds {} bytes of buffer '{}'; {} allows {} in one binding.",
         index, kernel_name, argument.range.size_bytes, argument.range.buffer->label, info.id,
         info.max_binding_bytes);
}

void check_for_device(const Command& command, const DeviceState& device) {
  if (const auto* dispatch = std::get_if<Dispatch>(&command.work)) {
    check_kernel(*dispatch->kernel, device);
    const std::string& name = dispatch->kernel->source.name;
    for (std::size_t i = 0; i < dispatch->arguments.size(); ++i) {
      if (is_by_address(*dispatch, i))
        check_buffer(*dispatch->arguments[i].range.buffer, device);
      else
        check_argument_for_device(dispatch->arguments[i], i, name, device);
    }
    check_group_size(*dispatch, device.info());
    check_partial_groups(*dispatch, device.info());
    if (dispatch->kernel->checks_arguments) dispatch->kernel->check_arguments(*dispatch);
    if (dispatch->is_free_grid() && !device.info().takes_free_grids && !is_whole_offset(*dispatch))
      fail(Code::unsupported,
           "Kernel '{}' is launched with an offset, or by items without a group size; {} takes "
           "whole groups that begin at 0.",
           name, device.info().id);
    check_groups(dispatch->groups, name, device);
    check_shared(*dispatch, device.info());
    if (dispatch->predicate) {
      if (!device.info().can_dispatch_conditionally)
        fail(Code::unsupported,
             "Kernel '{}' can't be dispatched conditionally: {} reads no predicate from device "
             "memory.",
             name, device.info().id);
      check_buffer(*dispatch->predicate.word.buffer, device);
    }
    if (!dispatch->indirect.buffer) return;
    if (!device.info().can_dispatch_indirect)
      fail(Code::unsupported,
           "Kernel '{}' can't be dispatched indirectly: {} reads no grid from device memory.", name,
           device.info().id);
    check_buffer(*dispatch->indirect.buffer, device);
    return;
  }
  for_each_access(command.work,
                  [&](const BufferRange& range, Access) { check_buffer(*range.buffer, device); });
}

void check(const Command& command, const DeviceState& device) {
  const auto* dispatch = std::get_if<Dispatch>(&command.work);
  if (dispatch && is_plainly_fine(*dispatch, &device, device.limits)) [[likely]]
    return;
  validate(command);
  check_for_device(command, device);
}

}  // namespace reel
