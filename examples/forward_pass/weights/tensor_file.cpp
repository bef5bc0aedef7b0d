#include "weights/tensor_file.hpp"

#include <fmt/format.h>

#include <bit>
#include <cmath>
#include <cstring>
#include <utility>

namespace forward_pass {
namespace {

struct Layout {
  std::uint64_t block_elements, block_bytes;
};
Layout layout_of(TensorType type) {
  switch (type) {
    case TensorType::f32:
      return {1, 4};
    case TensorType::f16:
    case TensorType::bf16:
      return {1, 2};
    case TensorType::q8_0:
      return {32, 34};
  }
  return {1, 4};
}

std::uint16_t half_at(const std::byte* bytes) {
  std::uint16_t value;
  std::memcpy(&value, bytes, sizeof(value));
  return value;
}

float from_f16(std::uint16_t half) {
  const int exponent = half >> 10 & 31, mantissa = half & 1023;
  float value;
  if (exponent == 31)
    value = mantissa ? std::nanf("") : HUGE_VALF;
  else if (exponent == 0)
    value = std::ldexp(static_cast<float>(mantissa), -24);
  else
    value = std::ldexp(static_cast<float>(mantissa + 1024), exponent - 25);
  return half & 0x8000 ? -value : value;
}

float from_bf16(std::uint16_t half) { return std::bit_cast<float>(std::uint32_t{half} << 16); }

std::vector<float> to_floats(TensorType type, const std::vector<std::byte>& bytes,
                             std::uint64_t elements) {
  std::vector<float> result(elements);
  const std::byte* from = bytes.data();
  if (type == TensorType::f32) {
    if (elements) std::memcpy(result.data(), from, bytes.size());
  } else if (type == TensorType::q8_0) {
    for (std::uint64_t i = 0; i < elements; ++i) {
      const std::byte* block = from + i / 32 * 34;
      result[i] = from_f16(half_at(block)) *
                  static_cast<float>(static_cast<std::int8_t>(block[2 + i % 32]));
    }
  } else {
    for (std::uint64_t i = 0; i < elements; ++i)
      result[i] = type == TensorType::f16 ? from_f16(half_at(from + i * 2))
                                          : from_bf16(half_at(from + i * 2));
  }
  return result;
}

TensorIndex index_of(const FileBytes& file) {
  char magic[4] = {};
  if (file.size() < sizeof(magic)) file.refuse("it is neither safetensors nor GGUF: too short.");
  file.read(0, std::as_writable_bytes(std::span(magic)));
  return std::memcmp(magic, "GGUF", 4) == 0 ? read_gguf_index(file) : read_safetensors_index(file);
}

}  // namespace

std::uint64_t Tensor::elements() const {
  std::uint64_t count = 1;
  for (const std::uint64_t size : shape) count *= size;
  return count;
}

std::optional<std::uint64_t> bytes_of(TensorType type, const std::vector<std::uint64_t>& shape) {
  const Layout layout = layout_of(type);
  std::uint64_t count = 1, bytes = 0;
  for (const std::uint64_t size : shape)
    if (__builtin_mul_overflow(count, size, &count)) return std::nullopt;
  // Rows are whole blocks.
  if (!shape.empty() && shape.back() % layout.block_elements != 0) return std::nullopt;
  if (count % layout.block_elements != 0 ||
      __builtin_mul_overflow(count / layout.block_elements, layout.block_bytes, &bytes))
    return std::nullopt;
  return bytes;
}

TensorFile::TensorFile(FileBytes file) : file_(std::move(file)), index_(index_of(file_)) {
  for (const auto& [name, tensor] : index_.tensors)
    if (tensor.offset > file_.size() || tensor.size_bytes > file_.size() - tensor.offset)
      file_.refuse(fmt::format("tensor '{}' ({} bytes at {}) is past its end; it has {} bytes.",
                               name, tensor.size_bytes, tensor.offset, file_.size()));
}

const Tensor& TensorFile::at(const std::string& name) const {
  const auto found = index_.tensors.find(name);
  if (found == index_.tensors.end())
    file_.refuse(
        fmt::format("it has no tensor '{}'; it has {} others.", name, index_.tensors.size()));
  return found->second;
}

std::vector<float> TensorFile::read(const std::string& name) const {
  const Tensor& tensor = at(name);
  std::vector<std::byte> bytes(tensor.size_bytes);
  file_.read(tensor.offset, bytes);
  return to_floats(tensor.type, bytes, tensor.elements());
}

}  // namespace forward_pass
