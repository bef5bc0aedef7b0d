// gguf.cpp - the index of a GGUF file, version 2 or 3: metadata by key, tensors by name, then their
// bytes.
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <concepts>

#include "weights/tensor_file.hpp"

namespace forward_pass {
namespace {

// The types of metadata, by their numbers in the file.
enum class Kind : std::uint32_t {
  u8,
  i8,
  u16,
  i16,
  u32,
  i32,
  f32,
  boolean,
  string,
  array,
  u64,
  i64,
  f64
};

class Reader {
 public:
  explicit Reader(const FileBytes& file) : file_(file) {}

  template <class T>
  T take() {
    T value;
    file_.read(place_, std::as_writable_bytes(std::span(&value, 1)));
    place_ += sizeof(T);
    return value;
  }
  std::string text() {
    const auto length = take<std::uint64_t>();
    if (length > file_.size() - std::min(place_, file_.size()))
      file_.refuse(fmt::format("a text of {} bytes at {} is past its end.", length, place_));
    std::string result(length, '\0');
    file_.read(place_, std::as_writable_bytes(std::span(result)));
    place_ += length;
    return result;
  }
  // A count of things that take at least so many bytes each: one that can't fit is refused before
  // memory is taken.
  std::uint64_t count(std::uint64_t least_bytes, const char* what) {
    const auto value = take<std::uint64_t>();
    if (value > (file_.size() - std::min(place_, file_.size())) / least_bytes)
      file_.refuse(
          fmt::format("it says {} {}, more than fit in its {} bytes.", value, what, file_.size()));
    return value;
  }
  std::uint64_t place() const noexcept { return place_; }

 private:
  const FileBytes& file_;
  std::uint64_t place_ = 4;  // behind the magic
};

std::uint64_t bytes_of_kind(Kind kind) {
  switch (kind) {
    case Kind::u8:
    case Kind::i8:
    case Kind::boolean:
      return 1;
    case Kind::u16:
    case Kind::i16:
      return 2;
    case Kind::u32:
    case Kind::i32:
    case Kind::f32:
      return 4;
    case Kind::string:
    case Kind::u64:
    case Kind::i64:
    case Kind::f64:
      return 8;  // a text has at least its length
    case Kind::array:
      return 12;
  }
  return 0;
}

Metadata scalar(Reader& reader, Kind kind) {
  const auto whole = [](std::integral auto value) { return static_cast<std::uint64_t>(value); };
  switch (kind) {
    case Kind::u8:
    case Kind::boolean:
      return whole(reader.take<std::uint8_t>());
    case Kind::i8:
      return whole(reader.take<std::int8_t>());
    case Kind::u16:
      return whole(reader.take<std::uint16_t>());
    case Kind::i16:
      return whole(reader.take<std::int16_t>());
    case Kind::u32:
      return whole(reader.take<std::uint32_t>());
    case Kind::i32:
      return whole(reader.take<std::int32_t>());
    case Kind::u64:
    case Kind::i64:
      return reader.take<std::uint64_t>();
    case Kind::f32:
      return double{reader.take<float>()};
    case Kind::f64:
      return reader.take<double>();
    default:
      return reader.text();
  }
}

Kind take_kind(Reader& reader, const FileBytes& file) {
  const auto number = reader.take<std::uint32_t>();
  if (number > static_cast<std::uint32_t>(Kind::f64))
    file.refuse(fmt::format("it has metadata of an unknown type {}.", number));
  return Kind{number};
}

// The value of a key; nothing for arrays of numbers, which nobody here asks for.
std::optional<Metadata> value(Reader& reader, const FileBytes& file, int depth = 0) {
  if (depth > 4) file.refuse("it has arrays within arrays within arrays.");
  const Kind kind = take_kind(reader, file);
  if (kind != Kind::array) return scalar(reader, kind);
  const Kind element = take_kind(reader, file);
  const std::uint64_t length = reader.count(bytes_of_kind(element), "elements of an array");
  std::vector<std::string> texts;
  for (std::uint64_t i = 0; i < length; ++i) {
    if (element == Kind::array)
      file.refuse("it has arrays within arrays.");
    else if (element == Kind::string)
      texts.push_back(reader.text());
    else
      scalar(reader, element);
  }
  if (element != Kind::string) return std::nullopt;
  return texts;
}

// By the numbers of ggml.
TensorType type_numbered(const FileBytes& file, const std::string& name, std::uint32_t number) {
  switch (number) {
    case 0:
      return TensorType::f32;
    case 1:
      return TensorType::f16;
    case 8:
      return TensorType::q8_0;
    case 30:
      return TensorType::bf16;
    default:
      file.refuse(
          fmt::format("tensor '{}' has ggml's type {}; F32, F16, BF16 and Q8_0 can be read. "
                      "Convert the file to one of these.",
                      name, number));
  }
}

}  // namespace

TensorIndex read_gguf_index(const FileBytes& file) {
  Reader reader(file);
  const auto version = reader.take<std::uint32_t>();
  if (version != 2 && version != 3)
    file.refuse(fmt::format("it is GGUF of version {}; 2 and 3 can be read.", version));
  const std::uint64_t tensors = reader.count(24, "tensors"), keys = reader.count(13, "keys");
  TensorIndex index;
  index.is_gguf = true;
  for (std::uint64_t i = 0; i < keys; ++i) {
    std::string key = reader.text();
    if (auto found = value(reader, file))
      index.metadata.insert_or_assign(std::move(key), std::move(*found));
  }
  for (std::uint64_t i = 0; i < tensors; ++i) {
    const std::string name = reader.text();
    const auto dimensions = reader.take<std::uint32_t>();
    if (dimensions > 4)
      file.refuse(fmt::format("tensor '{}' has {} dimensions.", name, dimensions));
    Tensor tensor;
    for (std::uint32_t d = 0; d < dimensions; ++d)
      tensor.shape.push_back(reader.take<std::uint64_t>());
    std::reverse(tensor.shape.begin(), tensor.shape.end());  // in the file the fastest comes first
    tensor.type = type_numbered(file, name, reader.take<std::uint32_t>());
    tensor.offset = reader.take<std::uint64_t>();
    const auto bytes = bytes_of(tensor.type, tensor.shape);
    if (!bytes) file.refuse(fmt::format("tensor '{}' has a shape that can't be.", name));
    tensor.size_bytes = *bytes;
    if (!index.tensors.emplace(name, std::move(tensor)).second)
      file.refuse(fmt::format("it has two tensors '{}'.", name));
  }
  std::uint64_t alignment = 32;
  if (const auto found = index.metadata.find("general.alignment"); found != index.metadata.end())
    if (const auto* given = std::get_if<std::uint64_t>(&found->second)) alignment = *given;
  if (!std::has_single_bit(alignment) || alignment > 1 << 20)
    file.refuse(
        fmt::format("its alignment is {}; it must be a power of two up to 2^20.", alignment));
  const std::uint64_t begin = (reader.place() + alignment - 1) & ~(alignment - 1);
  for (auto& [name, tensor] : index.tensors)
    if (__builtin_add_overflow(tensor.offset, begin, &tensor.offset))
      file.refuse(fmt::format("tensor '{}' lies past 2^64.", name));
  return index;
}

}  // namespace forward_pass
