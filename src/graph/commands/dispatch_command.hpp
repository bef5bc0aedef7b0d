// dispatch_command.hpp - what a caller gives, as commands: launches, and copies of rows.
#pragma once

#include <span>
#include <vector>

#include "reel/command.hpp"

namespace reel {

// A Dispatch with the group size filled in from the kernel where the launch leaves it open, and
// the kernel's name as label where the launch has none. A launch by items that fill their groups
// becomes one by groups, which every device takes.
Command dispatch_command(const Kernel& kernel, const Launch& launch,
                         std::span<const Argument> arguments);
Command indirect_dispatch_command(const Kernel& kernel, const BufferRange& groups,
                                  const Launch& launch, std::span<const Argument> arguments);

// A dispatch that leaves its group size open gets its kernel's.
Command with_group_size(const Command& command);

// One copy a row, or one of all where no bytes are between the rows.
std::vector<Copy> row_copies(const Pitched& target, const Pitched& source,
                             std::uint64_t width_bytes, std::uint64_t rows);

}  // namespace reel
