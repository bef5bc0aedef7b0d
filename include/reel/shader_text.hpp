// shader_text.hpp - SPIR-V as text that people read.
//
// Pure functions of words that anybody may have made; any thread. Of words that are no valid module
// there is no GLSL, and as much of the rest as can be read.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace reel {

// What a compiler left in a module of the source that it was given.
struct ShaderSource {
  std::string language;  // "GLSL", "HLSL", "Slang", …; empty: not told
  std::string path, text;
};
// What compilers left of the source in a module; empty where they left nothing.
std::vector<ShaderSource> sources_in_spirv(std::span<const std::uint32_t> words);

// A shader that does what the module does, with its names as far as it has them. Throws
// build_failed that says why there is none.
std::string glsl_of_spirv(std::span<const std::uint32_t> words, const std::string& entry);

// An instruction a line, with names in place of numbers. Throws build_failed.
std::string spirv_assembly(std::span<const std::uint32_t> words);

}  // namespace reel
