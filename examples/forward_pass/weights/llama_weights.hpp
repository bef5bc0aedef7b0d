// llama_weights.hpp - the weights of a LLaMA-style decoder in a file, by the names that this
// example uses.
//
// safetensors as Hugging Face names them, with the model's config.json beside the file, or GGUF of
// the architecture llama. One thread at a time.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sizes.hpp"
#include "weights/tensor_file.hpp"

namespace forward_pass {

class LlamaWeights {
 public:
  // Throws where the file can't be read, or isn't a decoder of this kind. `given.heads` counts
  // where neither the file nor a config.json says how many there are.
  LlamaWeights(TensorFile file, const Sizes& given);
  static LlamaWeights open(const std::string& path, const Sizes& given);

  // Those given, with what the file says of the model.
  const Sizes& sizes() const noexcept { return sizes_; }
  // "layer0/attention/q_proj", "embedding", …; the shape is checked. Rows of queries and keys come
  // in the order that pairs of neighbours turn together.
  std::vector<float> matrix(const std::string& name, std::uint32_t rows,
                            std::uint32_t columns) const;
  std::vector<float> vector(const std::string& name, std::uint32_t size) const;
  // What each token stands for; empty where the file doesn't say.
  std::vector<std::string> pieces() const;

 private:
  std::string name_in_file(const std::string& name) const;
  const Tensor& shaped(const std::string& name, const std::vector<std::uint64_t>& shape) const;

  TensorFile file_;
  Sizes sizes_;
};

}  // namespace forward_pass
