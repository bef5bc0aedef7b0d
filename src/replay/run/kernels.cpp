#include "replay/run/kernels.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "base/fail.hpp"
#include "document/trace/kernel_source.hpp"
#include "graph/commands/kernel_forms.hpp"

namespace reel::rerun {

namespace {

bool can_build(const KernelSource& source, const DeviceInfo& device) {
  return built_form(source, device.kernel_forms) != KernelForm::none;
}

std::string forms_recorded(const Trace& trace, const TraceKernel& kernel) {
  std::vector<std::string> forms;
  for (const TraceVariant& variant : kernel.variants)
    forms.push_back(variant.form == KernelForm::host
                        ? "a function of the program"
                        : std::string(to_string(variant.form)) +
                              (variant.blob && trace.has_blob(*variant.blob)
                                   ? ""
                                   : ", whose source is not in the document"));
  return forms.empty() ? "none" : fmt::format("{}", fmt::join(forms, ", "));
}

}  // namespace

KernelSource source_of(const Trace& trace, std::uint32_t index, const Replacement* replacement) {
  const TraceKernel& kernel = trace.kernels()[index];
  KernelSource source = document::kernel_source(trace, kernel);
  if (!replacement) return source;
  if (!is_text(replacement->form) && replacement->form != KernelForm::spirv)
    fail(Code::invalid_argument,
         "Kernel '{}' can't be replaced by {}; it can be by opencl_c, glsl and spirv.", kernel.name,
         to_string(replacement->form));
  source.opencl_c.clear();
  source.glsl.clear();
  source.spirv.clear();
  source.opencl_binary.clear();
  source.opencl_il.clear();
  source.opencl_parts.clear();
  source.opencl_builtin = false;
  source.host = {};
  if (replacement->form == KernelForm::spirv) {
    if (replacement->text.size() % sizeof(std::uint32_t) != 0)
      fail(Code::invalid_argument,
           "The SPIR-V in place of kernel '{}' has {} bytes, no whole words.", kernel.name,
           replacement->text.size());
    source.spirv.resize(replacement->text.size() / sizeof(std::uint32_t));
    std::memcpy(source.spirv.data(), replacement->text.data(), replacement->text.size());
    return source;
  }
  if (replacement->form == KernelForm::glsl) source.entry.clear();  // one shader has one main
  (replacement->form == KernelForm::glsl ? source.glsl : source.opencl_c) = replacement->text;
  return source;
}

std::vector<Kernel> build_kernels(const Trace& trace, const std::vector<std::uint32_t>& wanted,
                                  const std::vector<Device>& device_of,
                                  const std::map<std::uint32_t, Replacement>& replacements,
                                  Obstacles* obstacles) {
  std::vector<Kernel> kernels(trace.kernels().size());
  std::vector<std::string> missing;
  std::vector<std::uint32_t> without_form;
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
    missing.push_back(fmt::format("{} '{}' ({})", name_of(kernel.id), kernel.name,
                                  forms_recorded(trace, kernel)));
    without_form.push_back(k);
    functions |= device.backend == "host";
  }
  if (!missing.empty() && (!obstacles || missing.size() == wanted.size())) {
    const DeviceInfo& device = device_of[trace.kernels()[wanted.front()].device].info();
    fail(Code::unsupported, "{} of {} kernels have no form that {} takes ({}): {}.{}",
         missing.size(), wanted.size(), device.id, list_of_forms(device.kernel_forms),
         fmt::join(missing, ", "),
         functions ? " A document can't hold functions of a program: give those in C++ by "
                     "--host-kernels, or register them in the program that replays "
                     "(register_host_kernel())."
                   : "");
  }
  for (std::size_t i = 0; i < missing.size(); ++i) {
    const DeviceInfo& device = device_of[trace.kernels()[without_form[i]].device].info();
    obstacles->kernels.emplace(
        without_form[i],
        Obstacle{Code::unsupported,
                 fmt::format("Kernel {} has no form that {} takes ({}).", missing[i], device.id,
                             list_of_forms(device.kernel_forms))});
  }
  for (auto& [k, source] : sources) {
    try {
      kernels[k] = device_of[trace.kernels()[k].device].kernel(source);
    } catch (const Error& error) {
      if (!obstacles || replacements.contains(k)) throw;
      obstacles->kernels.emplace(k, Obstacle{error.code(), error.what()});
    }
  }
  return kernels;
}

}  // namespace reel::rerun
