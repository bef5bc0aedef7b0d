// kept_values.hpp - values too large for an Argument, which only points to them.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "reel/command.hpp"

namespace reel {

// Copies the larger values of `arguments` to the end of `data`, and makes the arguments point
// there: `data` may not grow any more.
inline void keep_values(std::vector<std::byte>& data, std::span<Argument> arguments) {
  std::size_t bytes = 0;
  for (const Argument& a : arguments)
    if (a.is_outside()) bytes += a.value_bytes;
  if (bytes == 0) return;
  data.reserve(data.size() + bytes);  // it must not move
  for (Argument& a : arguments) {
    if (!a.is_outside()) continue;
    const std::span<const std::byte> value = a.value();
    a.outside = data.data() + data.size();
    data.insert(data.end(), value.begin(), value.end());
  }
}

}  // namespace reel
