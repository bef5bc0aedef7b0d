// model.hpp - the sizes and the weights of a small LLaMA-style decoder.
//
// Weights are random, from a seed, and the same on every device. A Model belongs to one device;
// nothing changes it once made.
#pragma once

#include <cstdint>
#include <vector>

#include "ops/matrix.hpp"
#include "reel/device.hpp"

namespace forward_pass {

struct Sizes {
  std::uint32_t layers = 4, dim = 128, heads = 8, kv_heads = 4, hidden = 352, vocabulary = 1024;
  std::uint32_t tokens = 64;  // to generate
  // Of the first 40 seeds the one that repeats itself least: 58 different tokens among 65.
  std::uint64_t seed = 11;
  bool quantised = false;

  std::uint32_t head_size() const { return dim / heads; }
  std::uint32_t kv_dim() const { return kv_heads * head_size(); }
  reel::ops::Format format() const {
    return quantised ? reel::ops::Format::q8 : reel::ops::Format::f32;
  }
};

// Throws invalid_argument naming the size that can't be.
void check(const Sizes& sizes);

struct Layer {
  reel::Buffer attention_norm, feed_forward_norm;
  reel::ops::Matrix q_proj, k_proj, v_proj, o_proj, gate_proj, up_proj, down_proj;
};

struct Model {
  Sizes sizes;
  reel::Buffer embedding, final_norm, rope_table;
  std::vector<Layer> layers;
  reel::ops::Matrix head;

  Model(const reel::Device& device, const Sizes& given);
  std::uint64_t weight_bytes() const;
};

}  // namespace forward_pass
