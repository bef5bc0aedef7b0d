#include <algorithm>

#include "reel/command.hpp"

namespace reel {

bool operator==(const Argument& a, const Argument& b) noexcept {
  if (a.kind != b.kind) return false;
  switch (a.kind) {
    case ArgumentKind::buffer:
    case ArgumentKind::image:
      return a.access == b.access && a.range.buffer == b.range.buffer &&
             a.range.offset_bytes == b.range.offset_bytes &&
             a.range.size_bytes == b.range.size_bytes;
    case ArgumentKind::value:
    case ArgumentKind::sampler:
      return std::ranges::equal(a.value(), b.value());
    case ArgumentKind::shared:
      return a.shared_bytes == b.shared_bytes;
    case ArgumentKind::null:
    case ArgumentKind::indirect:
    case ArgumentKind::opaque:
    case ArgumentKind::run_if:
    case ArgumentKind::run_unless:
      return true;
  }
  return false;
}

}  // namespace reel
