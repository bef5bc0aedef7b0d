// shader_sources.cpp - the sources that compilers leave in SPIR-V, in the two ways that there are.
#include <spirv/unified1/spirv.h>

#include <array>

#include "reel/error.hpp"
#include "reel/shader_text.hpp"
#include "spirv/module.hpp"

namespace reel {
namespace {

// Of NonSemantic.Shader.DebugInfo.100.
constexpr std::uint32_t debug_source = 35, debug_source_continued = 102;

const char* language_name(std::uint32_t language) {
  constexpr std::array names{"",     "ESSL",           "GLSL", "OpenCL C", "OpenCL C++",
                             "HLSL", "C++ for OpenCL", "SYCL", "HERO C",   "NZSL",
                             "WGSL", "Slang",          "Zig"};
  return language < names.size() ? names[language] : "";
}

class Reader {
 public:
  explicit Reader(const spirv::Module& module) : module_(module) {}

  std::vector<ShaderSource> run() {
    for (const spirv::Instruction& i : module_.instructions()) {
      if (i.opcode == SpvOpSource) read_source(i);
      if (i.opcode == SpvOpSourceContinued && !found_.empty())
        found_.back().text += spirv::text_at(i.operands, 0, nullptr);
      if (i.opcode == SpvOpExtInst) read_debug(i);
    }
    std::erase_if(found_, [](const ShaderSource& s) { return s.text.empty(); });
    return std::move(found_);
  }

 private:
  std::string string(std::uint32_t id) const {
    const spirv::Instruction& definition = module_.definition(id);
    return definition.opcode == SpvOpString ? spirv::text_at(definition.operands, 0, nullptr)
                                            : std::string();
  }

  void read_source(const spirv::Instruction& i) {
    ShaderSource& source = found_.emplace_back();
    source.language = language_name(i.operand(0));
    language_ = source.language;
    if (i.operands.size() > 2) source.path = string(i.operand(2));
    if (i.operands.size() > 3) source.text = spirv::text_at(i.operands, 3, nullptr);
  }

  void read_debug(const spirv::Instruction& i) {
    const spirv::Instruction& set = module_.definition(i.operand(0));
    if (set.opcode != SpvOpExtInstImport ||
        !spirv::text_at(set.operands, 0, nullptr).starts_with("NonSemantic.Shader.DebugInfo"))
      return;
    if (i.operand(1) == debug_source)
      found_.push_back({language_, string(i.operand(2)), string(i.operand(3))});
    if (i.operand(1) == debug_source_continued && !found_.empty())
      found_.back().text += string(i.operand(2));
  }

  const spirv::Module& module_;
  std::string language_;
  std::vector<ShaderSource> found_;
};

}  // namespace

std::vector<ShaderSource> sources_in_spirv(std::span<const std::uint32_t> words) {
  try {
    const spirv::Module module(words);
    return Reader(module).run();
  } catch (const Error&) {  // no module: no sources
    return {};
  }
}

}  // namespace reel
