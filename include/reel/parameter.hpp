// parameter.hpp - what a kernel takes, as reflection on its source tells.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "reel/elements.hpp"

namespace reel {

// How a command uses a range of a buffer.
enum class Access : std::uint8_t { read = 1, write = 2, read_write = 3 };

constexpr bool reads(Access access) noexcept { return static_cast<int>(access) & 1; }  // in, inout
// Access `out` or `inout`.
constexpr bool writes(Access access) noexcept { return static_cast<int>(access) & 2; }

// What a kernel takes, what a command gives it, and what a document says it was given. A Parameter
// is never indirect, null or a predicate, an Argument of a command never indirect, opaque or a
// predicate, and an argument in a document never an image: it is a buffer there, and the buffer
// says that it is one. The numbers are those of a document's arguments.
enum class ArgumentKind : std::uint8_t {
  buffer,  // a range of a buffer, or of shared virtual memory
  value,
  shared,    // memory of a group
  indirect,  // the range that a grid is read from
  sampler,   // as an argument a value: the three numbers of a SamplerShape
  null,      // a pointer to nothing, where a kernel takes a buffer or an image
  opaque,    // something that can't be given again: a queue, a pipe
  image,
  run_if,     // the word that has to be other than 0, or nothing runs
  run_unless  // the word that has to be 0, or nothing runs
};

// The words that a dispatch reads before it runs, or doesn't.
constexpr bool is_predicate(ArgumentKind kind) noexcept {
  return kind == ArgumentKind::run_if || kind == ArgumentKind::run_unless;
}
// Bytes that are named beside those that the kernel is given, and only read.
constexpr bool is_read_beside(ArgumentKind kind) noexcept {
  return kind == ArgumentKind::indirect || is_predicate(kind);
}

// What a kernel with a declared layout (KernelSource::declared_layout) has at a set and binding.
// The numbers are those of documents.
enum class DescriptorKind : std::uint8_t {
  none,  // a parameter by position
  storage_buffer,
  uniform_buffer,
  storage_image,
  sampled_image,
  sampler,
  combined_image_sampler,  // two parameters: the image, then the sampler
  storage_texel_buffer,
  uniform_texel_buffer,
  push_constants,  // the whole block, one value
  other            // an acceleration structure, an input attachment
};

// How many elements a kernel is given of an array of descriptors that has no size in its source.
struct DescriptorCount {
  std::uint32_t set = 0, binding = 0, count = 0;
  friend bool operator==(const DescriptorCount&, const DescriptorCount&) = default;
};

struct Parameter {
  std::string name;  // empty where the driver doesn't tell
  ArgumentKind kind = ArgumentKind::buffer;
  std::uint32_t size_bytes = 0;                       // of a value; 0 = unknown, any size is taken
  Access access = Access::read_write;                 // of a buffer
  std::optional<ElementType> element = std::nullopt;  // of a buffer or value, where it is plain
  // Where it is bound, of a kernel with a declared layout.
  DescriptorKind descriptor = DescriptorKind::none;
  std::uint32_t set = 0, binding = 0;
  std::uint32_t array_element = 0;  // within an array of descriptors

  // Of another kernel with a declared layout, is this the same place?
  bool is_at_place_of(const Parameter& other) const noexcept {
    return kind == other.kind && set == other.set && binding == other.binding &&
           array_element == other.array_element &&
           (descriptor == DescriptorKind::push_constants) ==
               (other.descriptor == DescriptorKind::push_constants);
  }
};

const char* to_string(Access access) noexcept;      // "in", "out", "inout"
const char* to_string(ArgumentKind kind) noexcept;  // "buffer", "value", "shared", …
// "storage buffer", "combined image sampler", …; "" of none.
const char* to_string(DescriptorKind kind) noexcept;

}  // namespace reel
