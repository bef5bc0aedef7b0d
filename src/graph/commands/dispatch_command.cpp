#include "graph/commands/dispatch_command.hpp"

#include <limits>

#include "base/fail.hpp"
#include "base/handles.hpp"
#include "graph/commands/describe.hpp"
#include "graph/commands/resource.hpp"
#include "graph/order/validate.hpp"

namespace reel {
namespace {

std::uint32_t divided_up(std::uint32_t items, std::uint32_t size) {
  return items / size + (items % size != 0 ? 1 : 0);
}

// Items become groups where that is the same, or where the kernel says that more do no harm.
void set_items(Dispatch& dispatch, const Launch& launch) {
  const KernelResource& kernel = *dispatch.kernel;
  const Dim3 &items = launch.items, &size = dispatch.group_size;
  if (launch.groups != Dim3{})
    fail(Code::invalid_argument,
         "Kernel '{}' is launched with {} groups and with {} items; give one of the two.",
         kernel.source.name, describe(launch.groups), describe(items));
  if (items.count() == 0) {
    dispatch.groups = {0, 1, 1};
    return;
  }
  dispatch.items = items;
  if (size.x == 0 || size.y == 0 || size.z == 0) return;  // the device's choice, or refused later
  dispatch.groups = {divided_up(items.x, size.x), divided_up(items.y, size.y),
                     divided_up(items.z, size.z)};
  const bool is_whole = items.x % size.x == 0 && items.y % size.y == 0 && items.z % size.z == 0;
  if (is_whole || (launch.guarded && kernel.whole_groups_only)) dispatch.items = unset_dim;
}

void check_rows(const char* role, const Pitched& rows_of, std::uint64_t width_bytes,
                std::uint64_t rows) {
  const BufferRange& range = rows_of.range;
  if (!range.buffer) fail(Code::invalid_argument, "The {} of copy_2d() names no buffer.", role);
  if (rows > 1 && rows_of.pitch_bytes < width_bytes)
    fail(Code::invalid_argument,
         "The {} of copy_2d() has rows {} bytes apart; they are {} bytes wide.", role,
         rows_of.pitch_bytes, width_bytes);
  const std::uint64_t between = rows > 1 ? rows_of.pitch_bytes : 0;
  constexpr auto most = std::numeric_limits<std::uint64_t>::max();
  const bool fits = width_bytes <= range.size_bytes &&
                    (between == 0 || rows - 1 <= most / between) &&
                    (rows - 1) * between <= range.size_bytes - width_bytes;
  if (!fits)
    fail(Code::invalid_argument,
         "The {} of copy_2d() has {} rows of {} bytes, {} apart; they end past {}.", role, rows,
         width_bytes, rows_of.pitch_bytes, describe(range));
}

BufferRange row_of(const Pitched& rows_of, std::uint64_t row, std::uint64_t bytes) {
  BufferRange range = rows_of.range;
  range.offset_bytes += row * rows_of.pitch_bytes;
  range.size_bytes = bytes;
  return range;
}

}  // namespace

Command dispatch_command(const Kernel& kernel, const Launch& launch,
                         std::span<const Argument> arguments) {
  if (!kernel) fail(Code::invalid_argument, "dispatch() is given an empty Kernel.");
  KernelResource& resource = *resource_of(kernel);
  const Dim3 size = launch.group_size == unset_dim ? resource.group_size : launch.group_size;
  Command command{Dispatch{&resource, launch.groups, size, arguments, {}},
                  launch.label.empty() ? std::string_view(resource.source.name) : launch.label};
  auto& dispatch = *std::get_if<Dispatch>(&command.work);
  if (launch.items != unset_dim) [[unlikely]]
    set_items(dispatch, launch);
  dispatch.offset = launch.offset;
  return command;
}

Command indirect_dispatch_command(const Kernel& kernel, const BufferRange& groups,
                                  const Launch& launch, std::span<const Argument> arguments) {
  Command command = dispatch_command(kernel, launch, arguments);
  if (!groups.buffer)
    fail(Code::invalid_argument, "dispatch_indirect() of kernel '{}' names no buffer of groups.",
         kernel.name());
  if (launch.items != unset_dim)
    fail(Code::invalid_argument,
         "dispatch_indirect() of kernel '{}' reads its groups on the device, and can't have items "
         "beside.",
         kernel.name());
  std::get<Dispatch>(command.work).indirect = groups;
  return command;
}

Command with_group_size(const Command& command) {
  Command result = command;
  if (auto* dispatch = std::get_if<Dispatch>(&result.work); dispatch && dispatch->kernel)
    dispatch->group_size = resolve_group_size(result, *dispatch->kernel, dispatch->group_size);
  return result;
}

std::vector<Copy> row_copies(const Pitched& target, const Pitched& source,
                             std::uint64_t width_bytes, std::uint64_t rows) {
  if (width_bytes == 0 || rows == 0) return {};
  check_rows("target", target, width_bytes, rows);
  check_rows("source", source, width_bytes, rows);
  const bool is_dense = target.pitch_bytes == width_bytes && source.pitch_bytes == width_bytes;
  const std::uint64_t bytes = is_dense ? width_bytes * rows : width_bytes;
  std::vector<Copy> copies;
  for (std::uint64_t row = 0; row < (is_dense ? 1 : rows); ++row)
    copies.push_back({row_of(target, row, bytes), row_of(source, row, bytes)});
  return copies;
}

}  // namespace reel
