// arguments.hpp - arguments of recorded commands, as people read them.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>

#include "reel/trace.hpp"

namespace reel {

// What a dispatch gave its argument to; null where the document doesn't tell.
const Parameter* parameter_of(const Trace& trace, const TraceWork& work, std::size_t argument);
// The argument that is the word by which the work runs or doesn't; null: it always runs.
const TraceArgument* predicate_of(const Trace& trace, const TraceWork& work);

// The type of a buffer's elements as the last kernel that took it has it, up to `command`, and
// whose types are known; none where no kernel tells.
std::optional<ElementType> element_in_kernels(const Trace& trace, std::uint32_t buffer,
                                              std::uint32_t command);

// A value as numbers of its type. Where the kernel's type is not known: as a whole number, and as a
// float where that looks like one.
std::string value_text(std::span<const std::byte> bytes, std::optional<ElementType> element);

// "0x" and the bytes as one number, the last byte first.
std::string hex_text(std::span<const std::byte> bytes);

}  // namespace reel
