// shader.hpp - from a kernel's source to SPIR-V, and what that SPIR-V takes.
//
// Pure functions of their arguments; any thread.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "reel/kernel.hpp"
#include "spirv/interface.hpp"

namespace reel::vulkan {

struct Shader {
  std::vector<std::uint32_t> words;
  std::vector<std::uint32_t> words_to_reflect;  // with the buffers that the code never touches
  std::string entry;
  std::string log;  // warnings
};

// GLSL through shaderc, or the SPIR-V given, checked by the rules of this
// version of Vulkan. Throws build_failed with the log.
Shader make_shader(const KernelSource& source,
                   std::uint32_t api_version = 0);  // 0: 1.1
// Throws build_failed for what a kernel can't be given: without a declared
// layout that is all but storage buffers of set 0.
spirv::Interface reflect(const Shader& shader, const KernelSource& source);

}  // namespace reel::vulkan
