// decoder.hpp - one forward pass as a line of ops: a token in, the next token out; or many tokens
// of a prompt in.
//
// The sequence lives on the device: the pass at `position` reads its token there and writes the
// one after it, so that nothing comes back to the host between passes. One pass at a time.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "model.hpp"
#include "ops/ops.hpp"
#include "reel/executor.hpp"

namespace forward_pass {

class Decoder {
 public:
  Decoder(const reel::Device& device, const Model& model, const reel::ops::Ops& ops);

  // Forgets everything but the prompt; waits for the device.
  void reset(std::span<const std::uint32_t> prompt) const;
  // The token at `position`, which gives the one after it.
  void encode(reel::GraphSession& pass, std::uint32_t position,
              reel::ops::CacheBinding binding) const;
  // So many tokens of the prompt from `position` on, at most Sizes::prompt_rows: their keys and
  // values.
  void encode_prompt(reel::GraphSession& pass, std::uint32_t position, std::uint32_t rows) const;

  const Sizes& sizes() const noexcept { return model_.sizes; }
  std::vector<std::uint32_t> tokens() const;  // the prompt and all generated
  std::vector<float> logits() const;          // of the last pass

 private:
  // What goes through the layers together.
  struct Rows {
    std::uint32_t position, count;
    reel::ops::CacheBinding binding;
  };
  void encode_layers(reel::GraphSession& pass, const Rows& rows) const;
  void encode_attention(reel::GraphSession& pass, const Layer& layer,
                        const reel::ops::KvCache& cache, const Rows& rows) const;
  void encode_feed_forward(reel::GraphSession& pass, const Layer& layer, std::uint32_t rows) const;

  reel::Device device_;
  const Model& model_;
  const reel::ops::Ops& ops_;
  reel::Buffer tokens_, x_, normed_, q_, k_, v_, mixed_, gate_, up_, activated_, projected_,
      logits_;
  std::vector<reel::ops::KvCache> caches_;  // one a layer
  std::vector<std::string> scopes_;         // "layer0", …
};

}  // namespace forward_pass
