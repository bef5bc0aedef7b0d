// weights_fuzz.cpp - any bytes as a file of weights, safetensors or GGUF.
#include <vector>

#include "fuzz/target.hpp"
#include "reel/error.hpp"
#include "weights/llama_weights.hpp"

namespace reel {

void fuzz_one(std::span<const std::byte> input) {
  try {
    const forward_pass::LlamaWeights weights(
        forward_pass::TensorFile(forward_pass::FileBytes("input", {input.begin(), input.end()})),
        {});
    const forward_pass::Sizes& sizes = weights.sizes();
    const auto table = weights.matrix("embedding", sizes.vocabulary, sizes.dim);
    check(table.size() == std::size_t{sizes.vocabulary} * sizes.dim, "a matrix of another size");
    weights.pieces();
  } catch (const Error& error) {
    check(error.code() == Code::invalid_argument, "another error than those that are promised");
  }
}

}  // namespace reel
