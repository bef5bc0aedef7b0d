#include "weights/llama_sizes.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

namespace forward_pass {
namespace {

using nlohmann::json;

std::uint32_t small(const TensorFile& file, const std::string& what, std::uint64_t value) {
  if (value == 0 || value > 1u << 30)
    file.file().refuse(fmt::format("{} is {}, which can't be.", what, value));
  return static_cast<std::uint32_t>(value);
}

// Rows or columns of a tensor that must be a matrix.
std::uint32_t side(const TensorFile& file, const std::string& name, std::size_t index) {
  const Tensor& tensor = file.at(name);
  if (tensor.shape.size() != 2)
    file.file().refuse(
        fmt::format("tensor '{}' has {} dimensions, not 2.", name, tensor.shape.size()));
  return small(file, fmt::format("a side of tensor '{}'", name), tensor.shape[index]);
}

// What a GGUF file says of itself.
void from_metadata(const TensorFile& file, Sizes& sizes) {
  const auto& metadata = file.index().metadata;
  const auto find = [&]<class T>(const std::string& key, T) -> const T* {
    const auto found = metadata.find(key);
    return found == metadata.end() ? nullptr : std::get_if<T>(&found->second);
  };
  const auto* architecture = find("general.architecture", std::string());
  if (!architecture || *architecture != "llama")
    file.file().refuse(fmt::format("its architecture is '{}'; only 'llama' is known here.",
                                   architecture ? *architecture : "not given"));
  if (find("llama.rope.scaling.type", std::string()) &&
      *find("llama.rope.scaling.type", std::string()) != "none")
    file.file().refuse("it scales its rotary positions, which this example doesn't.");
  const auto* heads = find("llama.attention.head_count", std::uint64_t{});
  if (!heads)
    file.file().refuse("it doesn't say how many heads there are (llama.attention.head_count).");
  sizes.heads = small(file, "the number of heads", *heads);
  if (const auto* base = find("llama.rope.freq_base", double{})) sizes.rope_base = *base;
  if (const auto* epsilon = find("llama.attention.layer_norm_rms_epsilon", double{}))
    sizes.epsilon = static_cast<float>(*epsilon);
}

// What config.json beside a safetensors file says.
void from_config(const TensorFile& file, Sizes& sizes) {
  const auto path = std::filesystem::path(file.file().name()).parent_path() / "config.json";
  std::ifstream stream(path);
  if (!stream) return;
  const json config = json::parse(stream, nullptr, false);
  if (!config.is_object())
    file.file().refuse(fmt::format("'{}' beside it is not a JSON object.", path.string()));
  const json type = config.value("model_type", json("llama"));
  if (type != "llama")
    file.file().refuse(fmt::format("'{}' says model_type {}; only \"llama\" is known here.",
                                   path.string(), type.dump()));
  if (config.contains("rope_scaling") && !config["rope_scaling"].is_null())
    file.file().refuse(fmt::format("'{}' scales its rotary positions, which this example doesn't.",
                                   path.string()));
  const json heads = config.value("num_attention_heads", json());
  if (heads.is_number_unsigned())
    sizes.heads = small(file, "num_attention_heads", heads.get<std::uint64_t>());
  const json base = config.value("rope_theta", json()),
             epsilon = config.value("rms_norm_eps", json());
  if (base.is_number()) sizes.rope_base = base.get<double>();
  if (epsilon.is_number()) sizes.epsilon = epsilon.get<float>();
}

}  // namespace

Sizes llama_sizes(const TensorFile& file, Sizes sizes) {
  const bool gguf = file.index().is_gguf;
  const auto layer = [&](std::uint32_t number, const char* in_gguf, const char* otherwise) {
    return gguf ? fmt::format("blk.{}.{}.weight", number, in_gguf)
                : fmt::format("model.layers.{}.{}.weight", number, otherwise);
  };
  const std::string embedding = gguf ? "token_embd.weight" : "model.embed_tokens.weight";
  sizes.vocabulary = side(file, embedding, 0);
  sizes.dim = side(file, embedding, 1);
  sizes.layers = 0;
  while (file.has(layer(sizes.layers, "attn_q", "self_attn.q_proj"))) ++sizes.layers;
  sizes.hidden = side(file, layer(0, "ffn_gate", "mlp.gate_proj"), 0);
  if (gguf)
    from_metadata(file, sizes);
  else
    from_config(file, sizes);
  const std::uint32_t kv_dim = side(file, layer(0, "attn_k", "self_attn.k_proj"), 0);
  if (sizes.dim % sizes.heads != 0 || kv_dim % sizes.head_size() != 0)
    file.file().refuse(
        fmt::format("{} heads don't divide its {} columns and {} rows of keys; say how many there "
                    "are with --heads, or put the "
                    "model's config.json beside it.",
                    sizes.heads, sizes.dim, kv_dim));
  sizes.kv_heads = kv_dim / sizes.head_size();
  if (file.has(layer(0, "attn_q", "self_attn.q_proj")
                   .replace(layer(0, "attn_q", "self_attn.q_proj").size() - 6, 6, "bias")))
    file.file().refuse("its projections have biases, which a LLaMA-style decoder hasn't.");
  return sizes;
}

}  // namespace forward_pass
