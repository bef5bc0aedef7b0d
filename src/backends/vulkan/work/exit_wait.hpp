// exit_wait.hpp - exit() waits for drivers that compute inside this process.
//
// llvmpipe compiles and runs shaders on threads of this process. exit() takes away under them what
// LLVM keeps for the process, and a program that leaves with work under way then ends by a signal,
// in some 7 of 15 runs where it leaves 10 ms after its last call. So the work that such a device
// has is waited for when exit() begins; work for a GPU isn't, its driver sees to that.
#pragma once

#include <memory>

namespace reel::vulkan {

class Line;

// What the device has of it when exit() begins is waited for, up to two seconds for all lines.
void wait_at_exit(const std::shared_ptr<Line>& line);

}  // namespace reel::vulkan
