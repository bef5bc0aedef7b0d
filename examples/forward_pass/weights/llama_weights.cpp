#include "weights/llama_weights.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "weights/llama_sizes.hpp"

namespace forward_pass {
namespace {

struct Name {
  std::string_view ours, safetensors, gguf;
};
// Behind "layer3/", "model.layers.3." and "blk.3.".
constexpr std::array layer_names{
    Name{"attention/norm", "input_layernorm", "attn_norm"},
    Name{"attention/q_proj", "self_attn.q_proj", "attn_q"},
    Name{"attention/k_proj", "self_attn.k_proj", "attn_k"},
    Name{"attention/v_proj", "self_attn.v_proj", "attn_v"},
    Name{"attention/o_proj", "self_attn.o_proj", "attn_output"},
    Name{"feed_forward/norm", "post_attention_layernorm", "ffn_norm"},
    Name{"feed_forward/gate_proj", "mlp.gate_proj", "ffn_gate"},
    Name{"feed_forward/up_proj", "mlp.up_proj", "ffn_up"},
    Name{"feed_forward/down_proj", "mlp.down_proj", "ffn_down"},
};
constexpr std::array names{
    Name{"embedding", "model.embed_tokens", "token_embd"},
    Name{"final_norm", "model.norm", "output_norm"},
    Name{"head", "lm_head", "output"},
};

std::string_view look_up(const auto& table, std::string_view ours, bool gguf) {
  const auto found = std::ranges::find(table, ours, &Name::ours);
  if (found == table.end())
    throw reel::Error(reel::Code::invalid_argument,
                      fmt::format("No weights are called '{}'.", ours));
  return gguf ? found->gguf : found->safetensors;
}

// Hugging Face keeps the first halves of all pairs of a head, then the second ones.
std::vector<float> neighbours(const std::vector<float>& rows, std::uint32_t head_size,
                              std::uint32_t columns) {
  std::vector<float> result(rows.size());
  const std::size_t count = rows.size() / columns;
  for (std::size_t row = 0; row < count; ++row) {
    const std::size_t head = row / head_size * head_size, i = row % head_size;
    const std::size_t from = head + i / 2 + (i % 2) * (head_size / 2);
    std::copy_n(rows.begin() + static_cast<std::ptrdiff_t>(from * columns), columns,
                result.begin() + static_cast<std::ptrdiff_t>(row * columns));
  }
  return result;
}

}  // namespace

LlamaWeights::LlamaWeights(TensorFile file, const Sizes& given)
    : file_(std::move(file)), sizes_(llama_sizes(file_, given)) {}

LlamaWeights LlamaWeights::open(const std::string& path, const Sizes& given) {
  return LlamaWeights(TensorFile(FileBytes(path)), given);
}

std::string LlamaWeights::name_in_file(const std::string& name) const {
  const bool gguf = file_.index().is_gguf;
  if (!name.starts_with("layer")) {
    // A model may use its embedding as its head, too.
    const std::string found = fmt::format("{}.weight", look_up(names, name, gguf));
    return name == "head" && !file_.has(found) ? name_in_file("embedding") : found;
  }
  const std::size_t slash = name.find('/');
  return fmt::format("{}{}.{}.weight", gguf ? "blk." : "model.layers.", name.substr(5, slash - 5),
                     look_up(layer_names, std::string_view(name).substr(slash + 1), gguf));
}

const Tensor& LlamaWeights::shaped(const std::string& name,
                                   const std::vector<std::uint64_t>& shape) const {
  const Tensor& tensor = file_.at(name);
  if (tensor.shape != shape)
    file_.file().refuse(fmt::format("tensor '{}' is {}; by the others it must be {}.", name,
                                    fmt::join(tensor.shape, " x "), fmt::join(shape, " x ")));
  return tensor;
}

std::vector<float> LlamaWeights::matrix(const std::string& name, std::uint32_t rows,
                                        std::uint32_t columns) const {
  const std::string stored = name_in_file(name);
  shaped(stored, {rows, columns});
  std::vector<float> values = file_.read(stored);
  const bool turns = name.ends_with("/q_proj") || name.ends_with("/k_proj");
  // GGUF has them as neighbours already.
  return turns && !file_.index().is_gguf ? neighbours(values, sizes_.head_size(), columns) : values;
}

std::vector<float> LlamaWeights::vector(const std::string& name, std::uint32_t size) const {
  const std::string stored = name_in_file(name);
  shaped(stored, {size});
  return file_.read(stored);
}

std::vector<std::string> LlamaWeights::pieces() const {
  const auto& metadata = file_.index().metadata;
  const auto found = metadata.find("tokenizer.ggml.tokens");
  const auto* texts =
      found == metadata.end() ? nullptr : std::get_if<std::vector<std::string>>(&found->second);
  return texts ? *texts : std::vector<std::string>{};
}

}  // namespace forward_pass
