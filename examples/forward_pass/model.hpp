// model.hpp - the weights of a LLaMA-style decoder on a device.
//
// They come from a file, or are random, from a seed, and the same on every device. A Model belongs
// to one device; nothing changes it once made.
#pragma once

#include <cstdint>
#include <vector>

#include "ops/matrix.hpp"
#include "reel/device.hpp"
#include "sizes.hpp"

namespace forward_pass {

class LlamaWeights;

struct Layer {
  reel::Buffer attention_norm, feed_forward_norm;
  reel::ops::Matrix q_proj, k_proj, v_proj, o_proj, gate_proj, up_proj, down_proj;
};

struct Model {
  Sizes sizes;
  reel::Buffer embedding, final_norm, rope_table;
  std::vector<Layer> layers;
  reel::ops::Matrix head;

  // Of these sizes; `weights`, where given, are of them, too.
  Model(const reel::Device& device, const Sizes& given, const LlamaWeights* weights = nullptr);
  std::uint64_t weight_bytes() const;
};

}  // namespace forward_pass
