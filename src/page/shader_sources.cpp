#include "page/shader_sources.hpp"

#include <fmt/format.h>

#include <cstring>

#include "reel/error.hpp"
#include "reel/shader_text.hpp"

namespace reel::page {
namespace {

std::optional<std::vector<std::uint32_t>> words_of(const Trace& trace, const TraceKernel& kernel) {
  for (const TraceVariant& variant : kernel.variants) {
    if (variant.form != KernelForm::spirv || !variant.blob) continue;
    const auto bytes = trace.blob(*variant.blob);
    if (!bytes) return std::nullopt;
    std::vector<std::uint32_t> words(bytes->size() / sizeof(std::uint32_t));
    std::memcpy(words.data(), bytes->data(), words.size() * sizeof(std::uint32_t));
    return words;
  }
  return std::nullopt;
}

bool has_glsl(const TraceKernel& kernel) {
  for (const TraceVariant& variant : kernel.variants)
    if (variant.form == KernelForm::glsl) return true;
  return false;
}

}  // namespace

std::vector<std::string> shader_source_names(const Trace& trace, const TraceKernel& kernel) {
  std::vector<std::string> names;
  const auto words = words_of(trace, kernel);
  if (!words) return names;
  for (const ShaderSource& source : sources_in_spirv(*words))
    names.push_back(source.path.empty() ? "source in spirv" : source.path);
  if (!has_glsl(kernel)) names.emplace_back("glsl, made of spirv");
  return names;
}

std::optional<std::string> shader_source(const Trace& trace, const TraceKernel& kernel,
                                         std::size_t number) {
  const auto words = words_of(trace, kernel);
  if (!words) return std::nullopt;
  const std::vector<ShaderSource> sources = sources_in_spirv(*words);
  if (number < sources.size()) return sources[number].text;
  if (number > sources.size() || has_glsl(kernel)) return std::nullopt;
  try {
    return glsl_of_spirv(*words, kernel.entry);
  } catch (const Error& error) {
    return fmt::format("// There is no GLSL of this kernel. {}\n", error.what());
  }
}

}  // namespace reel::page
