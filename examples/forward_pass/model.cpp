#include "model.hpp"

#include <fmt/format.h>

#include <cmath>
#include <string>

#include "ops/kv_cache.hpp"
#include "random.hpp"
#include "weights/llama_weights.hpp"

namespace forward_pass {
namespace {

using reel::ops::Matrix;

class Maker {
 public:
  Maker(const reel::Device& device, const Sizes& sizes, const LlamaWeights* weights)
      : device_(device), sizes_(sizes), weights_(weights) {}

  // Random ones are uniform with a variance of 1 / columns, so that what comes out is as large as
  // what goes in.
  Matrix matrix(const std::string& name, std::uint32_t rows, std::uint32_t columns) const {
    const float limit = std::sqrt(3.0f / static_cast<float>(columns));
    return make_matrix(device_, floats(name, rows, columns, limit), rows, columns, sizes_.format(),
                       name);
  }
  reel::Buffer norm(const std::string& name) const {
    if (weights_) return device_.buffer_of(weights_->vector(name, sizes_.dim), name);
    auto values = Random(sizes_.seed, name).take(sizes_.dim, 0.1f);
    for (float& value : values) value += 1;
    return device_.buffer_of(values, name);
  }
  reel::Buffer table(const std::string& name) const {
    return device_.buffer_of(floats(name, sizes_.vocabulary, sizes_.dim, 1.0f), name);
  }
  Layer layer(const std::string& name) const {
    const auto [dim, kv_dim, hidden] = std::array{sizes_.dim, sizes_.kv_dim(), sizes_.hidden};
    return {.attention_norm = norm(name + "/attention/norm"),
            .feed_forward_norm = norm(name + "/feed_forward/norm"),
            .q_proj = matrix(name + "/attention/q_proj", dim, dim),
            .k_proj = matrix(name + "/attention/k_proj", kv_dim, dim),
            .v_proj = matrix(name + "/attention/v_proj", kv_dim, dim),
            .o_proj = matrix(name + "/attention/o_proj", dim, dim),
            .gate_proj = matrix(name + "/feed_forward/gate_proj", hidden, dim),
            .up_proj = matrix(name + "/feed_forward/up_proj", hidden, dim),
            .down_proj = matrix(name + "/feed_forward/down_proj", dim, hidden)};
  }

 private:
  std::vector<float> floats(const std::string& name, std::uint32_t rows, std::uint32_t columns,
                            float limit) const {
    return weights_ ? weights_->matrix(name, rows, columns)
                    : Random(sizes_.seed, name).take(std::size_t{rows} * columns, limit);
  }

  const reel::Device& device_;
  const Sizes& sizes_;
  const LlamaWeights* weights_;
};

[[noreturn]] void refuse(const std::string& sentence) {
  throw reel::Error(reel::Code::invalid_argument, sentence);
}

}  // namespace

void check(const Sizes& sizes) {
  for (const auto& [name, value] : {std::pair{"layers", sizes.layers},
                                    {"dim", sizes.dim},
                                    {"heads", sizes.heads},
                                    {"kv-heads", sizes.kv_heads},
                                    {"hidden", sizes.hidden},
                                    {"vocab", sizes.vocabulary},
                                    {"tokens", sizes.tokens},
                                    {"prompt", sizes.prompt}})
    if (value == 0) refuse(fmt::format("--{} is 0; it must be at least 1.", name));
  if (sizes.dim % sizes.heads != 0)
    refuse(fmt::format("--dim {} is not a multiple of --heads {}.", sizes.dim, sizes.heads));
  if (sizes.heads % sizes.kv_heads != 0)
    refuse(
        fmt::format("--heads {} is not a multiple of --kv-heads {}.", sizes.heads, sizes.kv_heads));
  if (sizes.head_size() % 4 != 0)
    refuse(fmt::format("--dim {} over --heads {} gives heads of {}; they must be multiples of 4.",
                       sizes.dim, sizes.heads, sizes.head_size()));
  const std::uint32_t multiple = sizes.quantised ? 32 : 4;
  if (sizes.dim % multiple != 0 || sizes.hidden % multiple != 0)
    refuse(fmt::format("--dim {} and --hidden {} must be multiples of {} for {} weights.",
                       sizes.dim, sizes.hidden, multiple, to_string(sizes.format())));
}

Model::Model(const reel::Device& device, const Sizes& given, const LlamaWeights* weights)
    : sizes(given) {
  check(sizes);
  const Maker make(device, sizes, weights);
  embedding = make.table("embedding");
  for (std::uint32_t i = 0; i < sizes.layers; ++i)
    layers.push_back(make.layer(fmt::format("layer{}", i)));
  final_norm = make.norm("final_norm");
  head = make.matrix("head", sizes.vocabulary, sizes.dim);
  rope_table =
      reel::ops::make_rope_table(device, sizes.positions(), sizes.head_size(), sizes.rope_base);
}

std::uint64_t Model::weight_bytes() const {
  std::uint64_t bytes = embedding.size_bytes() + final_norm.size_bytes() + head.size_bytes();
  for (const Layer& layer : layers) {
    bytes += layer.attention_norm.size_bytes() + layer.feed_forward_norm.size_bytes();
    for (const Matrix* matrix : {&layer.q_proj, &layer.k_proj, &layer.v_proj, &layer.o_proj,
                                 &layer.gate_proj, &layer.up_proj, &layer.down_proj})
      bytes += matrix->size_bytes();
  }
  return bytes;
}

}  // namespace forward_pass
