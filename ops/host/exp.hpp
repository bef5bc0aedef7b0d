// exp.hpp - e to the x, made of additions and multiplications only: see ../kernels/exp.cl.
#pragma once

#include <bit>
#include <cstdint>

namespace reel::ops {

inline float portable_exp(float x) {
  const float clamped = x < -87.0f ? -87.0f : (x > 88.0f ? 88.0f : x);
  // A NaN can't become an int in C++; it goes round and comes back in `clamped`.
  const float safe = clamped == clamped ? clamped : 0.0f;
  const int n = static_cast<int>(safe * 1.44269504f + 128.5f) - 128;
  const auto whole = static_cast<float>(n);
  const float r = (clamped - whole * 0.693359375f) + whole * 2.12194440e-4f;
  float series = 1.0f / 5040.0f;
  series = series * r + 1.0f / 720.0f;
  series = series * r + 1.0f / 120.0f;
  series = series * r + 1.0f / 24.0f;
  series = series * r + 1.0f / 6.0f;
  series = series * r + 0.5f;
  series = series * r + 1.0f;
  series = series * r + 1.0f;
  return series * std::bit_cast<float>((n + 127) << 23);
}

}  // namespace reel::ops
