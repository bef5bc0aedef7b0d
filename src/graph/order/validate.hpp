// validate.hpp - is a command sound? What can be told without knowing the device.
//
// The one place for these rules: graphs check nodes as they are added, streams what is enqueued.
// Success costs no allocation. Every failure is invalid_argument with a sentence that names the
// command, the value found and the value allowed.
#pragma once

#include <cstddef>

#include "graph/commands/resource.hpp"
#include "reel/command.hpp"

namespace reel {

// Ranges inside live buffers, sizes that fit each other, arguments as the kernel wants them.
// A dispatch must have its group size by now.
void validate(const Command& command);

// The group size a launch of this kernel gets when `asked` was given (unset_dim: nothing was).
Dim3 resolve_group_size(const Command& command, const KernelResource& kernel, Dim3 asked);

// One argument of a dispatch that is about to be replaced by `value`.
void validate_argument(const Command& command, std::size_t index, const Argument& value);

}  // namespace reel
