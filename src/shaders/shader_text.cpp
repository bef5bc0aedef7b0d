#include "reel/shader_text.hpp"

#include <spirv-tools/libspirv.h>
#include <spirv_cross/spirv_cross_c.h>

#include <algorithm>
#include <memory>

#include "base/fail.hpp"

namespace reel {
namespace {

template <class T, void (*destroy)(T*)>
struct Destroys {
  void operator()(T* handle) const { destroy(handle); }
};
using Tools = std::unique_ptr<spv_context_t, Destroys<spv_context_t, spvContextDestroy>>;
using Options = std::unique_ptr<spv_validator_options_t,
                                Destroys<spv_validator_options_t, spvValidatorOptionsDestroy>>;
using Diagnostic =
    std::unique_ptr<spv_diagnostic_t, Destroys<spv_diagnostic_t, spvDiagnosticDestroy>>;
using Cross = std::unique_ptr<spvc_context_s, Destroys<spvc_context_s, spvc_context_destroy>>;

// SPIRV-Cross takes a module's word for everything, so it gets none that breaks the rules.
void validate(std::span<const std::uint32_t> words) {
  const Tools tools(spvContextCreate(SPV_ENV_VULKAN_1_3));
  const Options options(spvValidatorOptionsCreate());
  spvValidatorOptionsSetSkipBlockLayout(options.get(), true);
  spvValidatorOptionsSetAllowLocalSizeId(options.get(), true);
  spv_const_binary_t binary{words.data(), words.size()};
  spv_diagnostic said = nullptr;
  const spv_result_t result = spvValidateWithOptions(tools.get(), options.get(), &binary, &said);
  const Diagnostic diagnostic(said);
  if (result != SPV_SUCCESS)
    fail(Code::build_failed, "It is not valid SPIR-V: {}", said ? said->error : "no reason given");
}

}  // namespace

std::string glsl_of_spirv(std::span<const std::uint32_t> words, const std::string& entry) {
  validate(words);
  spvc_context raw = nullptr;
  if (spvc_context_create(&raw) != SPVC_SUCCESS)
    fail(Code::out_of_memory, "SPIRV-Cross can't be started.");
  const Cross context(raw);
  const auto check = [&](spvc_result result) {
    if (result != SPVC_SUCCESS)
      fail(Code::build_failed, "SPIRV-Cross makes no GLSL of it: {}",
           spvc_context_get_last_error_string(raw));
  };
  spvc_parsed_ir ir = nullptr;
  check(spvc_context_parse_spirv(raw, words.data(), words.size(), &ir));
  spvc_compiler compiler = nullptr;
  check(spvc_context_create_compiler(raw, SPVC_BACKEND_GLSL, ir, SPVC_CAPTURE_MODE_TAKE_OWNERSHIP,
                                     &compiler));
  // Asked for one that isn't there, SPIRV-Cross throws through its C interface.
  const std::string wanted = entry.empty() ? "main" : entry;
  const spvc_entry_point* points = nullptr;
  std::size_t count = 0;
  check(spvc_compiler_get_entry_points(compiler, &points, &count));
  if (std::none_of(points, points + count, [&](const spvc_entry_point& point) {
        return point.execution_model == SpvExecutionModelGLCompute && point.name == wanted;
      }))
    fail(Code::build_failed, "It has no compute entry point '{}'.", wanted);
  check(spvc_compiler_set_entry_point(compiler, wanted.c_str(), SpvExecutionModelGLCompute));
  spvc_compiler_options options = nullptr;
  check(spvc_compiler_create_compiler_options(compiler, &options));
  check(spvc_compiler_options_set_uint(options, SPVC_COMPILER_OPTION_GLSL_VERSION, 460));
  check(spvc_compiler_options_set_bool(options, SPVC_COMPILER_OPTION_GLSL_VULKAN_SEMANTICS,
                                       SPVC_TRUE));
  check(spvc_compiler_install_compiler_options(compiler, options));
  const char* text = nullptr;
  check(spvc_compiler_compile(compiler, &text));
  return text;
}

std::string spirv_assembly(std::span<const std::uint32_t> words) {
  const Tools tools(spvContextCreate(SPV_ENV_VULKAN_1_3));
  spv_text text = nullptr;
  spv_diagnostic said = nullptr;
  const spv_result_t result = spvBinaryToText(
      tools.get(), words.data(), words.size(),
      SPV_BINARY_TO_TEXT_OPTION_INDENT | SPV_BINARY_TO_TEXT_OPTION_FRIENDLY_NAMES, &text, &said);
  const Diagnostic diagnostic(said);
  const std::unique_ptr<spv_text_t, Destroys<spv_text_t, spvTextDestroy>> owned(text);
  if (result != SPV_SUCCESS)
    fail(Code::build_failed, "It is not SPIR-V: {}", said ? said->error : "no reason given");
  return {text->str, text->length};
}

}  // namespace reel
