// kernel_form.hpp - the forms in which a kernel's source is given.
//
// Documents, JSON and the command line have their names; form_of() and to_string() are the one
// place where names and forms meet. A new form is a line here, a member of KernelSource, and what
// its backend builds from it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace reel {

enum class KernelForm : std::uint8_t {  // what a kernel is written in
  none,                                 // not known, or one that only a newer version knows
  opencl_c,
  glsl,
  spirv,
  opencl_binary,
  opencl_il,
  opencl_parts,
  opencl_builtin,
  host,
};

namespace detail {
inline constexpr std::array<const char*, 9> kernel_form_names{
    "",          "opencl_c",     "glsl",           "spirv", "opencl_binary",
    "opencl_il", "opencl_parts", "opencl_builtin", "host"};
}  // namespace detail

constexpr const char* to_string(KernelForm form) noexcept {
  return detail::kernel_form_names[static_cast<std::size_t>(form)];
}

constexpr KernelForm form_of(std::string_view name) noexcept {  // by name
  for (std::size_t i = 0; i < detail::kernel_form_names.size(); ++i)
    if (name == detail::kernel_form_names[i]) return static_cast<KernelForm>(i);
  return KernelForm::none;
}

// Text that people read, in place of bytes.
constexpr bool is_text(KernelForm form) noexcept {
  return form == KernelForm::opencl_c || form == KernelForm::glsl;
}

// Shaders tell the order of their buffers and the order of their values, not how the two are mixed.
constexpr bool is_shader(KernelForm form) noexcept {
  return form == KernelForm::glsl || form == KernelForm::spirv;
}

// "opencl_c, glsl"
template <class Forms>
std::string list_of_forms(const Forms& forms, std::string_view between = ", ") {
  std::string text;
  for (const KernelForm form : forms) {
    if (!text.empty()) text += between;
    text += to_string(form);
  }
  return text;
}

}  // namespace reel
