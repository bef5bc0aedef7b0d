#include <limits>

#include "ops/host/kernels.hpp"

namespace reel::ops::host {

// Largest and first of equals has one answer whatever the order, so one loop does.
void argmax(const HostGroup&, const float* x, std::uint32_t* tokens, std::uint32_t size,
            std::uint32_t position) {
  float best = -std::numeric_limits<float>::infinity();
  std::uint32_t place = 0;
  for (std::uint32_t i = 0; i < size; ++i)
    if (x[i] > best) {
      best = x[i];
      place = i;
    }
  tokens[position] = place;
}

}  // namespace reel::ops::host
