#include "replay/kernels.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "base/fail.hpp"
#include "graph/kernel_forms.hpp"

namespace reel::rerun {

namespace {

std::string text_of(const std::vector<std::byte>& bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

void set_form(KernelSource& source, const std::string& form, const std::vector<std::byte>& bytes) {
  if (form == "opencl_c") source.opencl_c = text_of(bytes);
  if (form == "glsl") source.glsl = text_of(bytes);
  if (form == "spirv") {
    source.spirv.resize(bytes.size() / sizeof(std::uint32_t));
    std::memcpy(source.spirv.data(), bytes.data(), source.spirv.size() * sizeof(std::uint32_t));
  }
}

bool can_build(const KernelSource& source, const DeviceInfo& device) {
  const std::vector<std::string> given = forms_given(source);
  return std::any_of(given.begin(), given.end(), [&](const std::string& form) {
    return std::find(device.kernel_forms.begin(), device.kernel_forms.end(), form) !=
           device.kernel_forms.end();
  });
}

std::string forms_recorded(const TraceKernel& kernel) {
  std::vector<std::string> forms;
  for (const TraceVariant& variant : kernel.variants)
    forms.push_back(variant.form == "host" ? "a C++ function" : variant.form);
  return forms.empty() ? "none" : fmt::format("{}", fmt::join(forms, ", "));
}

}  // namespace

KernelSource source_of(const Trace& trace, std::uint32_t index, const Replacement* replacement) {
  const TraceKernel& kernel = trace.kernels()[index];
  KernelSource source{.name = kernel.name};
  source.entry = kernel.entry;
  for (const auto& [name, value] : kernel.defines) source.defines.push_back({name, value});
  for (const auto& [id, value] : kernel.constants) source.constants.push_back({id, value});
  source.options = kernel.options;
  source.group_size = kernel.group_size;
  if (replacement) {
    if (replacement->form != "opencl_c" && replacement->form != "glsl")
      fail(Code::invalid_argument, "Kernel '{}' can't be replaced by {}; opencl_c and glsl can be.",
           kernel.name, replacement->form);
    (replacement->form == "glsl" ? source.glsl : source.opencl_c) = replacement->text;
    return source;
  }
  for (const TraceVariant& variant : kernel.variants) {
    if (variant.form == "host") source.host = find_host_kernel(kernel.name);
    if (!variant.blob) continue;
    const auto bytes = trace.blob(*variant.blob);
    if (!bytes)
      fail(Code::damaged_document, "The {} source of kernel {} '{}' is missing or damaged.",
           variant.form, name_of(kernel.id), kernel.name);
    set_form(source, variant.form, *bytes);
  }
  return source;
}

std::vector<Kernel> build_kernels(const Trace& trace, const std::vector<std::uint32_t>& wanted,
                                  const std::vector<Device>& device_of,
                                  const std::map<std::uint32_t, Replacement>& replacements) {
  std::vector<Kernel> kernels(trace.kernels().size());
  std::vector<std::string> missing;
  std::vector<std::pair<std::uint32_t, KernelSource>> sources;
  bool functions = false;
  for (const std::uint32_t k : wanted) {
    const TraceKernel& kernel = trace.kernels()[k];
    const auto replacement = replacements.find(k);
    KernelSource source =
        source_of(trace, k, replacement == replacements.end() ? nullptr : &replacement->second);
    const DeviceInfo& device = device_of[kernel.device].info();
    if (can_build(source, device)) {
      sources.emplace_back(k, std::move(source));
      continue;
    }
    missing.push_back(
        fmt::format("{} '{}' ({})", name_of(kernel.id), kernel.name, forms_recorded(kernel)));
    functions |= device.backend == "host";
  }
  if (!missing.empty()) {
    const DeviceInfo& device = device_of[trace.kernels()[wanted.front()].device].info();
    fail(Code::unsupported, "{} of {} kernels have no form that {} takes ({}): {}.{}",
         missing.size(), wanted.size(), device.id, fmt::join(device.kernel_forms, ", "),
         fmt::join(missing, ", "),
         functions ? " A document can't hold C++ functions: give them by --host-kernels, or "
                     "register_host_kernel() in a program."
                   : "");
  }
  for (auto& [k, source] : sources)
    kernels[k] = device_of[trace.kernels()[k].device].kernel(source);
  return kernels;
}

}  // namespace reel::rerun
