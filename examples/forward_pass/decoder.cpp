#include "decoder.hpp"

#include <span>
#include <utility>

namespace forward_pass {

using reel::Buffer;
using reel::GraphSession;
using reel::ops::CacheBinding;
using reel::ops::KvCache;

namespace {

// A pass for one op, within a scope of its own: ops.matmul(step("q_proj"), …).
struct Step {
  GraphSession& pass;
  reel::ScopeGuard scope;
  void dispatch(const reel::Kernel& kernel, const reel::Launch& launch,
                std::span<const reel::Argument> arguments) {
    pass.dispatch(kernel, launch, arguments);
  }
};
auto steps_of(GraphSession& pass) {
  return [&pass](const char* name) { return Step{pass, pass.scope(name)}; };
}

}  // namespace

Decoder::Decoder(const reel::Device& device, const Model& model, const reel::ops::Ops& ops)
    : device_(device), model_(model), ops_(ops) {
  const Sizes& s = model.sizes;
  const auto floats = [&](std::uint32_t count, const char* label) {
    return device.buffer(std::uint64_t{count} * sizeof(float), label);
  };
  tokens_ = device.buffer((std::uint64_t{s.tokens} + 1) * sizeof(std::uint32_t), "tokens");
  x_ = floats(s.dim, "x");
  normed_ = floats(s.dim, "normed");
  q_ = floats(s.dim, "q");
  k_ = floats(s.kv_dim(), "k");
  v_ = floats(s.kv_dim(), "v");
  mixed_ = floats(s.dim, "mixed");
  gate_ = floats(s.hidden, "gate");
  up_ = floats(s.hidden, "up");
  activated_ = floats(s.hidden, "activated");
  projected_ = floats(s.dim, "projected");
  logits_ = floats(s.vocabulary, "logits");
  for (std::uint32_t i = 0; i < s.layers; ++i) {
    scopes_.push_back("layer" + std::to_string(i));
    caches_.push_back(reel::ops::make_kv_cache(device, s.tokens, s.kv_heads, s.head_size(),
                                               scopes_.back() + "/cache"));
  }
}

void Decoder::reset(std::uint32_t first_token) const {
  const reel::Stream stream = device_.stream("reset");
  for (const Buffer& buffer : {tokens_, logits_}) stream.fill(buffer, std::uint8_t{0});
  for (const KvCache& cache : caches_)
    for (const Buffer& buffer : {cache.keys, cache.values}) stream.fill(buffer, std::uint8_t{0});
  stream.write(tokens_.elements<std::uint32_t>(0, 1), std::vector{first_token});
  stream.synchronize();
}

std::vector<std::uint32_t> Decoder::tokens() const { return tokens_.read<std::uint32_t>(); }
std::vector<float> Decoder::logits() const { return logits_.read<float>(); }

void Decoder::encode(GraphSession& pass, std::uint32_t position, CacheBinding binding) const {
  const Sizes& s = model_.sizes;
  const auto step = steps_of(pass);
  ops_.embedding(step("embedding"), {.table = model_.embedding,
                                     .tokens = tokens_,
                                     .y = x_,
                                     .size = s.dim,
                                     .vocabulary = s.vocabulary,
                                     .position = position});
  for (std::size_t i = 0; i < model_.layers.size(); ++i) {
    auto scope = pass.scope(scopes_[i]);
    encode_attention(pass, model_.layers[i], caches_[i], position, binding);
    encode_feed_forward(pass, model_.layers[i]);
  }
  auto scope = pass.scope("head");
  ops_.rms_norm(step("norm"), {.x = x_, .weight = model_.final_norm, .y = normed_, .size = s.dim});
  ops_.matmul(step("logits"), {.matrix = model_.head, .x = normed_, .y = logits_});
  ops_.argmax(step("next_token"),
              {.x = logits_, .tokens = tokens_, .size = s.vocabulary, .position = position + 1});
}

void Decoder::encode_attention(GraphSession& pass, const Layer& layer, const KvCache& cache,
                               std::uint32_t position, CacheBinding binding) const {
  const Sizes& s = model_.sizes;
  const auto step = steps_of(pass);
  auto scope = pass.scope("attention");
  ops_.rms_norm(step("norm"),
                {.x = x_, .weight = layer.attention_norm, .y = normed_, .size = s.dim});
  ops_.matmul(step("q_proj"), {.matrix = layer.q_proj, .x = normed_, .y = q_});
  ops_.matmul(step("k_proj"), {.matrix = layer.k_proj, .x = normed_, .y = k_});
  ops_.matmul(step("v_proj"), {.matrix = layer.v_proj, .x = normed_, .y = v_});
  ops_.rope(step("q_rope"), {.x = q_,
                             .table = model_.rope_table,
                             .heads = s.heads,
                             .head_size = s.head_size(),
                             .position = position});
  ops_.rope(step("k_rope"), {.x = k_,
                             .table = model_.rope_table,
                             .heads = s.kv_heads,
                             .head_size = s.head_size(),
                             .position = position});
  ops_.kv_append(
      step("append"),
      {.key = k_, .value = v_, .cache = cache, .position = position, .binding = binding});
  ops_.attention(step("mix"), {.query = q_,
                               .cache = cache,
                               .y = mixed_,
                               .heads = s.heads,
                               .position = position,
                               .binding = binding});
  ops_.matmul(step("o_proj"), {.matrix = layer.o_proj, .x = mixed_, .y = projected_});
  ops_.residual_add(step("residual"), {.x = x_, .y = projected_, .size = s.dim});
}

void Decoder::encode_feed_forward(GraphSession& pass, const Layer& layer) const {
  const Sizes& s = model_.sizes;
  const auto step = steps_of(pass);
  auto scope = pass.scope("feed_forward");
  ops_.rms_norm(step("norm"),
                {.x = x_, .weight = layer.feed_forward_norm, .y = normed_, .size = s.dim});
  ops_.matmul(step("gate_proj"), {.matrix = layer.gate_proj, .x = normed_, .y = gate_});
  ops_.matmul(step("up_proj"), {.matrix = layer.up_proj, .x = normed_, .y = up_});
  ops_.swiglu(step("swiglu"), {.gate = gate_, .up = up_, .y = activated_, .size = s.hidden});
  ops_.matmul(step("down_proj"), {.matrix = layer.down_proj, .x = activated_, .y = projected_});
  ops_.residual_add(step("residual"), {.x = x_, .y = projected_, .size = s.dim});
}

}  // namespace forward_pass
