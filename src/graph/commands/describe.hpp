// describe.hpp - the words for buffers, ranges and arguments in errors, diffs and pictures.
#pragma once

#include <string>

#include "graph/commands/resource.hpp"
#include "reel/command.hpp"
#include "reel/decision.hpp"

namespace reel {

std::string describe(const BufferResource& buffer);  // "'kv'", or "b7" when it has no label
std::string describe(const BufferRange& range);      // "'kv' (offset 64, 32 bytes)"
std::string describe(const Dim3& size);              // "(4, 1, 1)"
// "in 'kv' (offset 64, 32 bytes)", "value 0x3f800000 (4 bytes)", "shared memory (256 bytes)"
std::string describe(const Argument& argument);
// "Copy 'save kv'", "Dispatch 'q_proj'", "Fill": how an error about a command begins.
std::string describe(const Command& command);
std::string describe(
    const DispatchPredicate& predicate);         // "run_if 'flag' (offset 0, 4 bytes)", "none"
std::string describe(const Decision& decision);  // "while of 4", "repeat 3 of 2", "if of 4, else 1"
// What is said of a branch: "then", "else", "body", "case 2".
std::string branch_name(const Decision& decision, std::size_t branch);
// The low byte last, as a number is written: 1.0f is "0x3f800000".
std::string hex(std::span<const std::byte> bytes);

}  // namespace reel
