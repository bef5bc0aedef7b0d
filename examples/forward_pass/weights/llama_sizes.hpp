// llama_sizes.hpp - how large the model of a file is: from the shapes of its tensors, and from what
// is said of it.
#pragma once

#include "sizes.hpp"
#include "weights/tensor_file.hpp"

namespace forward_pass {

Sizes llama_sizes(const TensorFile& file, Sizes given);

}  // namespace forward_pass
