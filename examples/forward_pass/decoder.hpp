// decoder.hpp - one forward pass as a line of ops: a token in, the next token out.
//
// The sequence lives on the device: the pass at `position` reads its token there and writes the
// one after it, so that nothing comes back to the host between passes. One pass at a time.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "model.hpp"
#include "ops/ops.hpp"
#include "reel/executor.hpp"

namespace forward_pass {

class Decoder {
 public:
  Decoder(const reel::Device& device, const Model& model, const reel::ops::Ops& ops);

  // Forgets everything but the first token; waits for the device.
  void reset(std::uint32_t first_token) const;
  void encode(reel::GraphSession& pass, std::uint32_t position,
              reel::ops::CacheBinding binding) const;

  std::vector<std::uint32_t> tokens() const;  // the first and all generated
  std::vector<float> logits() const;          // of the last pass

 private:
  void encode_attention(reel::GraphSession& pass, const Layer& layer,
                        const reel::ops::KvCache& cache, std::uint32_t position,
                        reel::ops::CacheBinding binding) const;
  void encode_feed_forward(reel::GraphSession& pass, const Layer& layer) const;

  reel::Device device_;
  const Model& model_;
  const reel::ops::Ops& ops_;
  reel::Buffer tokens_, x_, normed_, q_, k_, v_, mixed_, gate_, up_, activated_, projected_,
      logits_;
  std::vector<reel::ops::KvCache> caches_;  // one a layer
  std::vector<std::string> scopes_;         // "layer0", …
};

}  // namespace forward_pass
