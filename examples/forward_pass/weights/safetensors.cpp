// safetensors.cpp - the index of a safetensors file: eight bytes of length, then JSON, then the
// tensors.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "weights/tensor_file.hpp"

namespace forward_pass {
namespace {

using nlohmann::json;

constexpr std::uint64_t largest_header = 100'000'000;  // the format's own limit

std::optional<TensorType> type_named(const std::string& name) {
  if (name == "F32") return TensorType::f32;
  if (name == "F16") return TensorType::f16;
  if (name == "BF16") return TensorType::bf16;
  return std::nullopt;
}

// Tensors of other types (positions, say) are no weights of ours; one that is asked for is then
// missing by name.
void add(TensorIndex& index, const FileBytes& file, const std::string& name, const json& entry,
         std::uint64_t data_begin) {
  const auto bad = [&](const char* what) {
    file.refuse(fmt::format("tensor '{}' has {}.", name, what));
  };
  if (!entry.is_object() || !entry.contains("dtype") || !entry["dtype"].is_string()) bad("no type");
  const auto type = type_named(entry["dtype"].get<std::string>());
  if (!type) return;
  const json shape = entry.value("shape", json()), offsets = entry.value("data_offsets", json());
  if (!shape.is_array() || !offsets.is_array() || offsets.size() != 2) bad("no shape or no place");
  Tensor tensor{*type, {}, 0, 0};
  for (const json& size : shape) {
    if (!size.is_number_unsigned()) bad("a shape that isn't whole numbers");
    tensor.shape.push_back(size.get<std::uint64_t>());
  }
  if (!offsets[0].is_number_unsigned() || !offsets[1].is_number_unsigned())
    bad("a place that isn't whole numbers");
  const auto begin = offsets[0].get<std::uint64_t>(), end = offsets[1].get<std::uint64_t>();
  const auto bytes = bytes_of(*type, tensor.shape);
  if (begin > end || !bytes || *bytes != end - begin) bad("a place that its shape doesn't fill");
  if (__builtin_add_overflow(begin, data_begin, &tensor.offset)) bad("a place past 2^64");
  tensor.size_bytes = *bytes;
  index.tensors.emplace(name, std::move(tensor));
}

}  // namespace

TensorIndex read_safetensors_index(const FileBytes& file) {
  std::uint64_t length = 0;
  if (file.size() < sizeof(length)) file.refuse("it is neither safetensors nor GGUF: too short.");
  file.read(0, std::as_writable_bytes(std::span(&length, 1)));
  if (length > largest_header || length > file.size() - sizeof(length))
    file.refuse("it is neither safetensors nor GGUF, or it is cut.");
  std::string text(length, '\0');
  file.read(sizeof(length), std::as_writable_bytes(std::span(text)));
  const json header = json::parse(text, nullptr, false);
  if (!header.is_object()) file.refuse("its header is not a JSON object.");
  TensorIndex index;
  for (const auto& [name, entry] : header.items())
    if (name != "__metadata__") add(index, file, name, entry, sizeof(length) + length);
  return index;
}

}  // namespace forward_pass
