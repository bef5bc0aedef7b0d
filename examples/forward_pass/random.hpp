// random.hpp - the same numbers on every machine, which std::uniform_real_distribution is not.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace forward_pass {

// splitmix64, started from a seed and the name of a tensor: tensors don't depend on each other.
class Random {
 public:
  Random(std::uint64_t seed, std::string_view name) : state_(seed) {
    for (const char c : name) state_ = next_bits() ^ static_cast<unsigned char>(c);
  }

  // Uniform in [-limit, limit).
  float next(float limit) {
    const auto bits = static_cast<std::int32_t>(next_bits() >> 40) - (1 << 23);  // 24 bits: exact
    return static_cast<float>(bits) * (limit / (1 << 23));
  }
  std::vector<float> take(std::size_t count, float limit) {
    std::vector<float> result(count);
    for (float& value : result) value = next(limit);
    return result;
  }

 private:
  std::uint64_t next_bits() {
    std::uint64_t z = state_ += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
  }
  std::uint64_t state_;
};

}  // namespace forward_pass
