#include "backends/vulkan/kernels/shader.hpp"

#include <fmt/format.h>
#include <shaderc/shaderc.h>
#include <spirv-tools/libspirv.h>

#include <algorithm>
#include <cstring>
#include <memory>

#include "backends/vulkan/device/api.hpp"
#include "base/fail.hpp"

namespace reel::vulkan {
namespace {

template <class T, void (*release)(T*)>
struct Releases {
  void operator()(T* handle) const { release(handle); }
};
using Options = std::unique_ptr<shaderc_compile_options,
                                Releases<shaderc_compile_options, shaderc_compile_options_release>>;
using Result = std::unique_ptr<shaderc_compilation_result,
                               Releases<shaderc_compilation_result, shaderc_result_release>>;

std::vector<std::uint32_t> compile(const KernelSource& source, shaderc_optimization_level level,
                                   std::string& log) {
  // One for the process: with the last one go the tables of built-in functions, and making them
  // anew takes longer than compiling. Threads may share it.
  static const shaderc_compiler_t compiler = shaderc_compiler_initialize();
  const Options options(shaderc_compile_options_initialize());
  if (!compiler || !options) fail(Code::build_failed, "shaderc can't be initialised.");
  shaderc_compile_options_set_target_env(options.get(), shaderc_target_env_vulkan,
                                         shaderc_env_version_vulkan_1_1);
  shaderc_compile_options_set_optimization_level(options.get(), level);
  // glslang's idea of a device allows 64 items in z; the real one's limits are checked with the
  // group size that reflection finds.
  for (const shaderc_limit limit :
       {shaderc_limit_max_compute_work_group_size_x, shaderc_limit_max_compute_work_group_size_y,
        shaderc_limit_max_compute_work_group_size_z})
    shaderc_compile_options_set_limit(options.get(), limit, 1 << 20);
  for (const Define& define : source.defines)
    shaderc_compile_options_add_macro_definition(options.get(), define.name.data(),
                                                 define.name.size(), define.value.data(),
                                                 define.value.size());
  const Result result(shaderc_compile_into_spv(compiler, source.glsl.data(), source.glsl.size(),
                                               shaderc_compute_shader, source.name.c_str(), "main",
                                               options.get()));
  if (!result) fail(Code::build_failed, "Kernel '{}': shaderc gave no answer.", source.name);
  const char* messages = shaderc_result_get_error_message(result.get());
  log = messages ? messages : "";
  if (shaderc_result_get_compilation_status(result.get()) != shaderc_compilation_status_success)
    fail(Code::build_failed, "Kernel '{}' doesn't build from GLSL ({} errors):\n{}", source.name,
         shaderc_result_get_num_errors(result.get()), log);
  const char* bytes = shaderc_result_get_bytes(result.get());
  std::vector<std::uint32_t> words(shaderc_result_get_length(result.get()) / 4);
  std::memcpy(words.data(), bytes, words.size() * 4);
  return words;
}

// A driver may do anything with SPIR-V that breaks the rules, crash included; so it never gets it.
void validate(const std::vector<std::uint32_t>& words, const std::string& name,
              std::uint32_t api_version) {
  const std::uint32_t minor = std::max(1u, VK_API_VERSION_MINOR(api_version));
  const spv_target_env rules = minor >= 3   ? SPV_ENV_VULKAN_1_3
                               : minor == 2 ? SPV_ENV_VULKAN_1_2
                                            : SPV_ENV_VULKAN_1_1;
  constexpr std::uint32_t magic = 0x07230203;
  if (words.size() < 5 || words[0] != magic)
    fail(Code::build_failed,
         "Kernel '{}': not SPIR-V: {} words, the first {:#010x}; at least 5 words are needed, the "
         "first {:#010x}.",
         name, words.size(), words.empty() ? 0 : words[0], magic);
  const auto destroy_context = [](spv_context context) { spvContextDestroy(context); };
  const std::unique_ptr<spv_context_t, decltype(destroy_context)> context(spvContextCreate(rules),
                                                                          destroy_context);
  spv_const_binary_t binary{words.data(), words.size()};
  spv_diagnostic diagnostic = nullptr;
  const auto destroy_options = [](spv_validator_options o) { spvValidatorOptionsDestroy(o); };
  const std::unique_ptr<spv_validator_options_t, decltype(destroy_options)> options(
      spvValidatorOptionsCreate(), destroy_options);
  // Blocks may be laid out as a device with these features allows; the driver
  // is asked for them.
  spvValidatorOptionsSetScalarBlockLayout(options.get(), true);
  spvValidatorOptionsSetUniformBufferStandardLayout(options.get(), true);
  spvValidatorOptionsSetAllowLocalSizeId(options.get(), true);
  const spv_result_t result =
      spvValidateWithOptions(context.get(), options.get(), &binary, &diagnostic);
  std::string why;
  if (diagnostic)
    why = fmt::format("{} (at word {})", diagnostic->error, diagnostic->position.index);
  spvDiagnosticDestroy(diagnostic);
  if (result != SPV_SUCCESS)
    fail(Code::build_failed, "Kernel '{}' has invalid SPIR-V for Vulkan 1.{}: {}", name, minor,
         why);
}

}  // namespace

Shader make_shader(const KernelSource& source, std::uint32_t api_version) {
  Shader shader;
  if (!source.glsl.empty()) {
    // Without it glslang takes the source for version 110, can't parse its own built-in functions,
    // and prints all of them.
    if (source.glsl.find("#version") == std::string::npos)
      fail(Code::build_failed,
           "Kernel '{}' doesn't build from GLSL:\n{}:1: error: no #version line; Vulkan takes "
           "#version 450 and later.",
           source.name, source.name);
    shader.entry = "main";
    std::string log_again;
    // Twice: optimising drops buffers that are declared and not used, and with them the order
    // that arguments go by.
    shader.words_to_reflect = compile(source, shaderc_optimization_level_zero, shader.log);
    shader.words = compile(source, shaderc_optimization_level_performance, log_again);
    return shader;
  }
  validate(source.spirv, source.name, api_version);
  shader.entry = source.entry.empty() ? "main" : source.entry;
  shader.words = shader.words_to_reflect = source.spirv;
  return shader;
}

}  // namespace reel::vulkan
