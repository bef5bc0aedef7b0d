#include "recording/contents/byte_source.hpp"

namespace reel::capture {

std::uint64_t Box::end_bytes() const noexcept {
  if (row_bytes == 0 || rows == 0 || slices == 0) return offset_bytes;
  return offset_bytes + (slices - 1) * slice_pitch + (rows - 1) * row_pitch + row_bytes;
}

bool Box::fits(std::uint64_t size_bytes) const noexcept {
  // Numbers of a program that is wrong may be anything; the driver refuses them.
  constexpr std::uint64_t most = std::uint64_t{1} << 48;
  if (offset_bytes > most || row_bytes > most || row_pitch > most || slice_pitch > most ||
      rows > (1u << 24) || slices > (1u << 24))
    return false;
  if (rows > 1 && row_pitch > most / rows) return false;
  if (slices > 1 && slice_pitch > most / slices) return false;
  return end_bytes() <= size_bytes;
}

}  // namespace reel::capture
