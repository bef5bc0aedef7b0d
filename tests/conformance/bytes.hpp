// bytes.hpp - what tests compare: bytes that tell where they came from.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <numeric>
#include <string>
#include <thread>
#include <vector>

#include "reel/buffer.hpp"
#include "reel/device.hpp"

namespace reel::test {

using Bytes = std::vector<std::uint8_t>;
using Words = std::vector<std::uint32_t>;

// The sizes that go wrong: below, at and across words, pages and 16 bits.
inline constexpr std::uint64_t odd_sizes[] = {1, 3, 4, 4095, 4096, 65537};
inline constexpr std::uint64_t odd_offsets[] = {0, 1, 2, 3, 5, 64, 4093};

// Bytes without a pattern that shifting by a few would keep; never zero.
inline Bytes noise(std::size_t size, std::uint32_t seed) {
  Bytes bytes(size);
  std::uint32_t state = seed * 2654435761u + 1;
  for (auto& byte : bytes) {
    state = state * 1664525u + 1013904223u;
    byte = static_cast<std::uint8_t>(1 + (state >> 24) % 255);
  }
  return bytes;
}

inline Words counting(std::size_t count, std::uint32_t first = 0) {
  Words words(count);
  std::iota(words.begin(), words.end(), first);
  return words;
}

// As a sentence: gtest would print both lists whole.
template <class T>
std::string first_difference(const std::vector<T>& found, const std::vector<T>& wanted) {
  if (found.size() != wanted.size())
    return std::to_string(found.size()) + " elements, not " + std::to_string(wanted.size());
  for (std::size_t i = 0; i < found.size(); ++i)
    if (found[i] != wanted[i])
      return "element " + std::to_string(i) + " is " + std::to_string(found[i]) + ", not " +
             std::to_string(wanted[i]);
  return {};
}

// True as soon as `condition` is; false after ten seconds.
template <class F>
bool eventually(F&& condition) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(10);
  while (!condition()) {
    if (std::chrono::steady_clock::now() > end) return false;
    std::this_thread::sleep_for(std::chrono::microseconds(200));
  }
  return true;
}

}  // namespace reel::test
