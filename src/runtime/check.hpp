// check.hpp - what is checked of a command before a device or a graph of a device gets it.
#pragma once

#include <span>

#include "reel/command.hpp"

namespace reel {

class DeviceState;

// Everything that holds for any device (graph/validate), then what this one demands: its own
// buffers and kernels, alignment, limits.
void check(const Command& command, const DeviceState& device);
// The part that depends on the device only.
void check_for_device(const Command& command, const DeviceState& device);
void check_argument_for_device(const Argument& argument, std::size_t index,
                               const std::string& kernel_name, const DeviceState& device);
void check_groups(Dim3 groups, const std::string& kernel_name, const DeviceState& device);

}  // namespace reel
