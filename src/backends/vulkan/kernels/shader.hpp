// shader.hpp - from a kernel's source to SPIR-V, and what that SPIR-V takes.
//
// Pure functions of their arguments; any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "reel/kernel.hpp"

namespace reel::vulkan {

struct Shader {
  std::vector<std::uint32_t> words;
  std::vector<std::uint32_t> words_to_reflect;  // with the buffers that the code never touches
  std::string entry;
  std::string log;  // warnings
};

struct ShaderBuffer {
  std::string name;
  std::uint32_t binding = 0;
  Access access = Access::read_write;
  std::optional<ElementType> element = std::nullopt;  // where all of it is of one plain type
};
struct ShaderValue {
  std::string name;
  std::uint32_t offset_bytes = 0, size_bytes = 0;
  std::optional<ElementType> element = std::nullopt;
};
struct ShaderConstant {
  std::uint32_t id = 0, size_bytes = 4;
};

struct ShaderInterface {
  std::vector<ShaderBuffer> buffers;  // by binding
  std::vector<ShaderValue> values;    // by offset
  std::uint32_t value_bytes = 0;      // of the whole block
  std::vector<ShaderConstant> constants;
  Dim3 group_size;                             // with default constants
  std::uint32_t group_size_constants[3] = {};  // constant_id + 1 per dimension; 0: none
  std::vector<std::uint32_t> capabilities;     // SpvCapability
};

// GLSL through shaderc, or the SPIR-V given, checked. Throws build_failed with the log.
Shader make_shader(const KernelSource& source);
// Throws build_failed or unsupported for what a kernel can't be given: images, uniform buffers, …
ShaderInterface reflect(const Shader& shader, const std::string& kernel_name);

}  // namespace reel::vulkan
