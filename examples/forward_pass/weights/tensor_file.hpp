// tensor_file.hpp - named tensors of a safetensors or GGUF file, and what a GGUF file says beside
// them.
//
// Opening reads the index alone; tensors are read and converted to floats one by one. Both formats
// are little-endian, as is every machine that Reel runs on. One thread at a time.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "weights/file_bytes.hpp"

namespace forward_pass {

enum class TensorType : std::uint8_t {
  f32,
  f16,
  bf16,
  q8_0
};  // q8_0: 32 bytes and their scale, an f16

struct Tensor {
  TensorType type = TensorType::f32;
  std::vector<std::uint64_t> shape;          // the last index runs fastest
  std::uint64_t offset = 0, size_bytes = 0;  // in the file

  std::uint64_t elements() const;
};

// Bytes that so many elements take; none where it is no whole number of blocks or doesn't fit 64
// bits.
std::optional<std::uint64_t> bytes_of(TensorType type, const std::vector<std::uint64_t>& shape);

using Metadata = std::variant<std::uint64_t, double, std::string, std::vector<std::string>>;

struct TensorIndex {
  std::map<std::string, Tensor> tensors;
  std::map<std::string, Metadata> metadata;  // of GGUF; arrays of anything but strings are left out
  bool is_gguf = false;
};

TensorIndex read_safetensors_index(const FileBytes& file);
TensorIndex read_gguf_index(const FileBytes& file);

class TensorFile {
 public:
  explicit TensorFile(FileBytes file);  // told apart by their first bytes

  const FileBytes& file() const noexcept { return file_; }
  const TensorIndex& index() const noexcept { return index_; }
  bool has(const std::string& name) const { return index_.tensors.contains(name); }
  const Tensor& at(const std::string& name) const;  // throws that it isn't there
  // All elements as floats.
  std::vector<float> read(const std::string& name) const;

 private:
  FileBytes file_;
  TensorIndex index_;
};

}  // namespace forward_pass
