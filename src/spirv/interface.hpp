// interface.hpp - what one compute entry point of a SPIR-V module takes and needs.
//
// A plain value. Pure functions; any thread.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "reel/dim3.hpp"
#include "reel/kernel.hpp"
#include "reel/parameter.hpp"
#include "spirv/addresses.hpp"

namespace reel::spirv {

// What the source says of an image; the image that is bound has the rest.
struct ImageKind {
  std::uint32_t dimension = 0;  // SpvDim
  bool is_array = false, is_multisampled = false, is_depth = false;
  std::uint32_t format = 0;  // SpvImageFormat; 0: any
  friend bool operator==(const ImageKind&, const ImageKind&) = default;
};

struct Descriptor {
  std::uint32_t set = 0, binding = 0;
  std::uint32_t count = 1;  // of an array, all its dimensions together; 0: no size
  bool is_array = false;
  DescriptorKind kind = DescriptorKind::storage_buffer;
  bool is_used = false;  // by code that the entry point reaches
  Access access = Access::read;
  std::string name = {};  // of the variable, else its block, else "set.binding"
  std::optional<ElementType> element = std::nullopt;
  ImageKind image = {};
};

struct Value {
  std::string name;
  std::uint32_t offset_bytes = 0, size_bytes = 0;
  std::optional<ElementType> element = std::nullopt;
};

struct Constant {
  std::uint32_t id = 0, size_bytes = 4;  // constant_id
  std::uint64_t value = 0;               // in the source
  std::string name = {};
};

struct Interface {
  std::vector<Descriptor> descriptors;  // ascending by set and binding, each once
  std::vector<Value> values;            // of the push constants, by offset
  std::uint32_t value_bytes = 0;        // from byte 0 of the push constants to the end of the last
  bool values_are_used = false;         // by code that the entry point reaches
  std::vector<Constant> constants;      // ascending by id
  Dim3 group_size{1, 1, 1};             // with the constants given
  std::array<std::optional<std::uint32_t>, 3> group_size_constants;  // constant_id, where it is one
  std::vector<std::uint32_t> capabilities;                           // SpvCapability
  std::vector<std::string> extensions;
  std::uint32_t version = 0;           // 0x00010500
  bool uses_device_addresses = false;  // PhysicalStorageBufferAddresses
  Addresses addresses;                 // then: where they lie

  bool has_capability(std::uint32_t capability) const noexcept;
};

// Throws build_failed that says what is broken or missing, without the kernel's name.
Interface interface_of(std::span<const std::uint32_t> words, std::string_view entry,
                       std::span<const SpecConstant> constants = {});

}  // namespace reel::spirv
