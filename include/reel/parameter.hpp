// parameter.hpp - what a kernel takes, as reflection on its source tells.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "reel/elements.hpp"

namespace reel {

// How a command uses a range of a buffer.
enum class Access : std::uint8_t { read = 1, write = 2, read_write = 3 };

constexpr bool reads(Access access) noexcept { return static_cast<int>(access) & 1; }
constexpr bool writes(Access access) noexcept { return static_cast<int>(access) & 2; }

enum class ParameterKind : std::uint8_t { buffer, value, shared, image, sampler, other };

struct Parameter {
  std::string name;  // empty where the driver doesn't tell
  ParameterKind kind = ParameterKind::buffer;
  std::uint32_t size_bytes = 0;                       // of a value; 0 = unknown, any size is taken
  Access access = Access::read_write;                 // of a buffer
  std::optional<ElementType> element = std::nullopt;  // of a buffer or value, where it is plain
};

const char* to_string(Access access) noexcept;       // "in", "out", "inout"
const char* to_string(ParameterKind kind) noexcept;  // "buffer", "value", "shared memory", "image", …

}  // namespace reel
