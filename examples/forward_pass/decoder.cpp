#include "decoder.hpp"

#include <algorithm>
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
  // A prompt of one token is no more than a pass that generates.
  const std::uint32_t rows = std::min(s.prompt, Sizes::prompt_rows);
  const auto floats = [&](std::uint32_t count, const char* label) {
    return device.buffer(std::uint64_t{count} * rows * sizeof(float), label);
  };
  tokens_ = device.buffer(std::uint64_t{s.positions()} * sizeof(std::uint32_t), "tokens");
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
  logits_ = device.buffer(std::uint64_t{s.vocabulary} * sizeof(float), "logits");
  for (std::uint32_t i = 0; i < s.layers; ++i) {
    scopes_.push_back("layer" + std::to_string(i));
    caches_.push_back(reel::ops::make_kv_cache(device, s.positions(), s.kv_heads, s.head_size(),
                                               scopes_.back() + "/cache"));
  }
}

void Decoder::reset(std::span<const std::uint32_t> prompt) const {
  const reel::Stream stream = device_.stream("reset");
  for (const Buffer& buffer : {tokens_, logits_}) stream.fill(buffer, std::uint8_t{0});
  for (const KvCache& cache : caches_)
    for (const Buffer& buffer : {cache.keys, cache.values}) stream.fill(buffer, std::uint8_t{0});
  stream.write(tokens_.elements<std::uint32_t>(0, prompt.size()),
               std::vector(prompt.begin(), prompt.end()));
  stream.synchronize();
}

std::vector<std::uint32_t> Decoder::tokens() const { return tokens_.read<std::uint32_t>(); }
std::vector<float> Decoder::logits() const { return logits_.read<float>(); }

void Decoder::encode(GraphSession& pass, std::uint32_t position, CacheBinding binding) const {
  const Sizes& s = model_.sizes;
  const auto step = steps_of(pass);
  encode_layers(pass, {position, 1, binding});
  auto scope = pass.scope("head");
  ops_.rms_norm(
      step("norm"),
      {.x = x_, .weight = model_.final_norm, .y = normed_, .size = s.dim, .epsilon = s.epsilon});
  ops_.matmul(step("logits"), {.matrix = model_.head, .x = normed_, .y = logits_});
  ops_.argmax(step("next_token"),
              {.x = logits_, .tokens = tokens_, .size = s.vocabulary, .position = position + 1});
}

void Decoder::encode_prompt(GraphSession& pass, std::uint32_t position, std::uint32_t rows) const {
  auto scope = pass.scope("prompt");
  encode_layers(pass, {position, rows, CacheBinding::exact});
}

void Decoder::encode_layers(GraphSession& pass, const Rows& rows) const {
  const Sizes& s = model_.sizes;
  ops_.embedding(steps_of(pass)("embedding"), {.table = model_.embedding,
                                               .tokens = tokens_,
                                               .y = x_,
                                               .size = s.dim,
                                               .vocabulary = s.vocabulary,
                                               .position = rows.position,
                                               .rows = rows.count});
  for (std::size_t i = 0; i < model_.layers.size(); ++i) {
    auto scope = pass.scope(scopes_[i]);
    encode_attention(pass, model_.layers[i], caches_[i], rows);
    encode_feed_forward(pass, model_.layers[i], rows.count);
  }
}

void Decoder::encode_attention(GraphSession& pass, const Layer& layer, const KvCache& cache,
                               const Rows& rows) const {
  const Sizes& s = model_.sizes;
  const auto step = steps_of(pass);
  const std::uint32_t count = rows.count;
  auto scope = pass.scope("attention");
  ops_.rms_norm(step("norm"), {.x = x_,
                               .weight = layer.attention_norm,
                               .y = normed_,
                               .size = s.dim,
                               .rows = count,
                               .epsilon = s.epsilon});
  ops_.matmul(step("q_proj"), {.matrix = layer.q_proj, .x = normed_, .y = q_, .rows = count});
  ops_.matmul(step("k_proj"), {.matrix = layer.k_proj, .x = normed_, .y = k_, .rows = count});
  ops_.matmul(step("v_proj"), {.matrix = layer.v_proj, .x = normed_, .y = v_, .rows = count});
  const auto rope = [&](const char* name, const Buffer& x, std::uint32_t heads) {
    ops_.rope(step(name), {.x = x,
                           .table = model_.rope_table,
                           .heads = heads,
                           .head_size = s.head_size(),
                           .position = rows.position,
                           .rows = count});
  };
  rope("q_rope", q_, s.heads);
  rope("k_rope", k_, s.kv_heads);
  ops_.kv_append(step("append"), {.key = k_,
                                  .value = v_,
                                  .cache = cache,
                                  .position = rows.position,
                                  .rows = count,
                                  .binding = rows.binding});
  ops_.attention(step("mix"), {.query = q_,
                               .cache = cache,
                               .y = mixed_,
                               .heads = s.heads,
                               .position = rows.position,
                               .rows = count,
                               .binding = rows.binding});
  ops_.matmul(step("o_proj"),
              {.matrix = layer.o_proj, .x = mixed_, .y = projected_, .rows = count});
  ops_.residual_add(step("residual"), {.x = x_, .y = projected_, .size = s.dim * count});
}

void Decoder::encode_feed_forward(GraphSession& pass, const Layer& layer,
                                  std::uint32_t rows) const {
  const Sizes& s = model_.sizes;
  const auto step = steps_of(pass);
  auto scope = pass.scope("feed_forward");
  ops_.rms_norm(step("norm"), {.x = x_,
                               .weight = layer.feed_forward_norm,
                               .y = normed_,
                               .size = s.dim,
                               .rows = rows,
                               .epsilon = s.epsilon});
  ops_.matmul(step("gate_proj"),
              {.matrix = layer.gate_proj, .x = normed_, .y = gate_, .rows = rows});
  ops_.matmul(step("up_proj"), {.matrix = layer.up_proj, .x = normed_, .y = up_, .rows = rows});
  ops_.swiglu(step("swiglu"), {.gate = gate_, .up = up_, .y = activated_, .size = s.hidden * rows});
  ops_.matmul(step("down_proj"),
              {.matrix = layer.down_proj, .x = activated_, .y = projected_, .rows = rows});
  ops_.residual_add(step("residual"), {.x = x_, .y = projected_, .size = s.dim * rows});
}

}  // namespace forward_pass
