// weight_files.hpp - small safetensors and GGUF files of a decoder, as their writers would make
// them.
#pragma once

#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <map>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <vector>

namespace forward_pass::test {

struct Given {
  std::vector<std::uint64_t> shape;  // the last index runs fastest
  std::vector<float> values;
};
using Tensors = std::map<std::string, Given>;

inline void append(std::vector<std::byte>& bytes, const auto& value) {
  const auto more = std::as_bytes(std::span(&value, 1));
  bytes.insert(bytes.end(), more.begin(), more.end());
}
inline void append_text(std::vector<std::byte>& bytes, std::string_view text) {
  append(bytes, std::uint64_t{text.size()});
  const auto more = std::as_bytes(std::span(text));
  bytes.insert(bytes.end(), more.begin(), more.end());
}

// Exact for values that a half can hold.
inline std::uint16_t half_of(float value) {
  if (value == 0) return 0;
  int exponent = 0;
  const float fraction = std::frexp(std::abs(value), &exponent);  // 0.5 <= fraction < 1
  const auto sign = static_cast<std::uint16_t>(value < 0 ? 0x8000 : 0);
  if (exponent < -13)
    return static_cast<std::uint16_t>(sign | std::lround(std::ldexp(fraction, exponent + 24)));
  const auto mantissa = static_cast<std::uint16_t>(std::lround(std::ldexp(fraction, 11)) - 1024);
  return static_cast<std::uint16_t>(sign | (exponent + 14) << 10 | mantissa);
}

enum class Stored { f32, f16, bf16, q8_0 };

inline std::vector<std::byte> stored(const Given& given, Stored as) {
  std::vector<std::byte> bytes;
  for (std::size_t i = 0; i < given.values.size(); ++i) {
    const float value = given.values[i];
    if (as == Stored::f32) append(bytes, value);
    if (as == Stored::f16) append(bytes, half_of(value));
    if (as == Stored::bf16)
      append(bytes, static_cast<std::uint16_t>(std::bit_cast<std::uint32_t>(value) >> 16));
    if (as == Stored::q8_0) {
      if (i % 32 == 0) append(bytes, half_of(0.0078125f));  // 2^-7
      append(bytes, static_cast<std::int8_t>(std::lround(value * 128)));
    }
  }
  return bytes;
}

inline std::vector<std::byte> safetensors(const Tensors& tensors, Stored as) {
  const char* names[] = {"F32", "F16", "BF16"};
  nlohmann::json header{{"__metadata__", {{"format", "pt"}}}};
  std::vector<std::byte> data;
  for (const auto& [name, given] : tensors) {
    const auto bytes = stored(given, as);
    header[name] = {{"dtype", names[static_cast<int>(as)]},
                    {"shape", given.shape},
                    {"data_offsets", {data.size(), data.size() + bytes.size()}}};
    data.insert(data.end(), bytes.begin(), bytes.end());
  }
  std::vector<std::byte> file;
  append_text(file, header.dump());
  file.insert(file.end(), data.begin(), data.end());
  return file;
}

struct GgufFacts {
  std::string architecture = "llama";
  std::uint32_t heads = 4;
  float epsilon = 1e-5f;
  std::vector<std::string> tokens = {};
};

inline std::vector<std::byte> gguf(const Tensors& tensors, Stored as, const GgufFacts& facts) {
  constexpr std::uint32_t types[] = {0, 1, 30, 8};
  constexpr std::uint64_t alignment = 32;
  std::vector<std::byte> file, data;
  append(file, std::array{'G', 'G', 'U', 'F'});
  append(file, std::uint32_t{3});
  append(file, std::uint64_t{tensors.size()});
  append(file, std::uint64_t{facts.tokens.empty() ? 3u : 4u});
  append_text(file, "general.architecture");
  append(file, std::uint32_t{8});
  append_text(file, facts.architecture);
  append_text(file, "llama.attention.head_count");
  append(file, std::uint32_t{4});
  append(file, facts.heads);
  append_text(file, "llama.attention.layer_norm_rms_epsilon");
  append(file, std::uint32_t{6});
  append(file, facts.epsilon);
  if (!facts.tokens.empty()) {
    append_text(file, "tokenizer.ggml.tokens");
    append(file, std::uint32_t{9});
    append(file, std::uint32_t{8});
    append(file, std::uint64_t{facts.tokens.size()});
    for (const std::string& token : facts.tokens) append_text(file, token);
  }
  for (const auto& [name, given] : tensors) {
    append_text(file, name);
    append(file, static_cast<std::uint32_t>(given.shape.size()));
    for (auto size = given.shape.rbegin(); size != given.shape.rend(); ++size) append(file, *size);
    append(file, types[static_cast<int>(given.shape.size() == 1 ? Stored::f32 : as)]);
    append(file, std::uint64_t{data.size()});
    const auto bytes = stored(given, given.shape.size() == 1 ? Stored::f32 : as);
    data.insert(data.end(), bytes.begin(), bytes.end());
    data.resize((data.size() + alignment - 1) / alignment * alignment);
  }
  file.resize((file.size() + alignment - 1) / alignment * alignment);
  file.insert(file.end(), data.begin(), data.end());
  return file;
}

}  // namespace forward_pass::test
