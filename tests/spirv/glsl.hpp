// glsl.hpp - compute shaders of tests as SPIR-V, plain or optimised.
#pragma once

#include <string>
#include <vector>

#include "backends/vulkan/kernels/shader.hpp"

namespace reel {

inline std::vector<std::uint32_t> compiled(const std::string& body, bool optimised = false) {
  KernelSource source{.name = "test"};
  source.glsl =
      "#version 460\n#extension GL_EXT_nonuniform_qualifier : enable\n"
      "#extension GL_EXT_samplerless_texture_functions : enable\n" +
      body;
  const vulkan::Shader shader = vulkan::make_shader(source);
  return optimised ? shader.words : shader.words_to_reflect;
}

}  // namespace reel
