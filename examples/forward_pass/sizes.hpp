// sizes.hpp - how large a decoder is, and what it is run for.
#pragma once

#include <cstdint>

#include "ops/matrix.hpp"

namespace forward_pass {

struct Sizes {
  std::uint32_t layers = 4, dim = 128, heads = 8, kv_heads = 4, hidden = 352, vocabulary = 1024;
  std::uint32_t tokens = 64;  // to generate
  std::uint32_t prompt = 1;   // tokens that are given
  float epsilon = 1e-5f;      // of the norms
  double rope_base = 10000;
  // Of the first 40 seeds the one that repeats itself least: 58 different tokens among 65.
  std::uint64_t seed = 11;
  bool quantised = false;

  std::uint32_t head_size() const { return dim / heads; }
  std::uint32_t positions() const { return prompt + tokens; }
  // Tokens of a prompt that go through together.
  static constexpr std::uint32_t prompt_rows = 32;
  std::uint32_t kv_dim() const { return kv_heads * head_size(); }
  reel::ops::Format format() const {
    return quantised ? reel::ops::Format::q8 : reel::ops::Format::f32;
  }
};

// Throws invalid_argument naming the size that can't be.
void check(const Sizes& sizes);

}  // namespace forward_pass
