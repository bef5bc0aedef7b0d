#include "backends/opencl/kernels/program.hpp"

#include <cstring>
#include <nlohmann/json.hpp>
#include <vector>

#include "base/bytes/base64.hpp"
#include "base/fail.hpp"

namespace reel::opencl {
namespace {

using Json = nlohmann::json;

std::string build_log(cl_program program, cl_device_id device) {
  std::size_t size = 0;
  if (api().get_program_build_info(program, device, CL_PROGRAM_BUILD_LOG, 0, nullptr, &size) !=
      CL_SUCCESS)
    return {};
  std::string log(size + 1, '\0');
  api().get_program_build_info(program, device, CL_PROGRAM_BUILD_LOG, size, log.data(), nullptr);
  log.resize(std::strlen(log.c_str()));
  while (!log.empty() && (log.back() == '\n' || log.back() == ' ')) log.pop_back();
  return log;
}

// Defines as lines and not as -D: options are split at spaces, values may have some. The compiler
// counts the lines of the source as its author does.
std::string text_of(const KernelSource& source) {
  std::string text;
  for (const Define& define : source.defines)
    text += fmt::format("#define {} {}\n", define.name, define.value);
  if (!text.empty()) text += "#line 1\n";
  return text + source.opencl_c;
}

class Builder {
 public:
  Builder(const DeviceContext& context, const KernelSource& source, std::string& log)
      : context_(context), source_(source), log_(log) {}

  ProgramHandle build() {
    const std::string options = "-cl-kernel-arg-info " + source_.options;
    if (!source_.opencl_c.empty()) return built(from_text(text_of(source_)), options);
    if (!source_.opencl_parts.empty()) return linked();
    if (!source_.opencl_il.empty()) return built(from_il(), options);
    if (!source_.opencl_binary.empty())
      return built(from_binary(source_.opencl_binary), source_.options);
    return built_in();
  }

 private:
  [[noreturn]] void refuse(cl_int status, std::string_view what, const std::string& options) {
    fail(Code::build_failed,
         "Kernel '{}' doesn't build on {} ('{}'): {} ({}) to {} with options '{}'.\n{}",
         source_.name, context_.info().id, context_.info().name, status_name(status), status, what,
         options, log_.empty() ? "The driver gives no log." : log_);
  }

  ProgramHandle from_text(const std::string& text) {
    const char* begin = text.data();
    const std::size_t size = text.size();
    cl_int status = CL_SUCCESS;
    ProgramHandle program(
        api().create_program_with_source(context_.get(), 1, &begin, &size, &status));
    if (status != CL_SUCCESS)
      fail_status(status, "clCreateProgramWithSource", fmt::format("kernel '{}'", source_.name));
    return program;
  }

  ProgramHandle from_binary(const std::vector<std::byte>& bytes) {
    const auto* begin = reinterpret_cast<const unsigned char*>(bytes.data());
    const std::size_t size = bytes.size();
    const cl_device_id device = context_.device();
    cl_int status = CL_SUCCESS, taken = CL_SUCCESS;
    ProgramHandle program(api().create_program_with_binary(context_.get(), 1, &device, &size,
                                                           &begin, &taken, &status));
    if (status == CL_SUCCESS) status = taken;
    if (status != CL_SUCCESS)
      fail(Code::build_failed,
           "The recorded binary of kernel '{}' ({} bytes) is refused by {} ('{}', driver {}): {} "
           "({}). A binary is for the driver that made it.",
           source_.name, size, context_.info().id, context_.info().name,
           context_.info().driver_version, status_name(status), status);
    return program;
  }

  ProgramHandle from_il() {
    cl_int status = CL_SUCCESS;
    ProgramHandle program(api().create_program_with_il(context_.get(), source_.opencl_il.data(),
                                                       source_.opencl_il.size(), &status));
    if (status != CL_SUCCESS)
      fail(Code::build_failed,
           "The SPIR-V of kernel '{}' ({} bytes) is refused by {} ('{}'): {} ({}).", source_.name,
           source_.opencl_il.size(), context_.info().id, context_.info().name, status_name(status),
           status);
    return program;
  }

  ProgramHandle built_in() {
    const cl_device_id device = context_.device();
    const std::string& name = source_.entry.empty() ? source_.name : source_.entry;
    cl_int status = CL_SUCCESS;
    ProgramHandle program(api().create_program_with_built_in_kernels(context_.get(), 1, &device,
                                                                     name.c_str(), &status));
    if (status != CL_SUCCESS)
      fail(Code::build_failed, "{} ('{}') has no built-in kernel '{}': {} ({}).",
           context_.info().id, context_.info().name, name, status_name(status), status);
    return program;
  }

  ProgramHandle built(ProgramHandle program, const std::string& options) {
    const cl_device_id device = context_.device();
    const cl_int status =
        api().build_program(program.get(), 1, &device, options.c_str(), nullptr, nullptr);
    log_ = build_log(program.get(), device);
    if (status != CL_SUCCESS) refuse(status, "clBuildProgram", options);
    return program;
  }

  // {"link_options", "parts": [{"source" or "binary_base64", "options", "headers"}]}
  ProgramHandle linked() {
    try {
      const Json all = Json::parse(source_.opencl_parts);
      std::vector<ProgramHandle> parts;
      for (const Json& part : all.at("parts")) parts.push_back(compiled(part));
      return link(parts, all.value("link_options", std::string()));
    } catch (const Json::exception& error) {
      fail(Code::damaged_document, "The parts of kernel '{}' can't be read: {}.", source_.name,
           error.what());
    }
  }

  ProgramHandle compiled(const Json& part) {
    if (part.contains("binary_base64")) {
      const auto bytes = bytes_of_base64(part.at("binary_base64").get<std::string>());
      if (!bytes)
        fail(Code::damaged_document, "A binary among the parts of kernel '{}' is not valid base64.",
             source_.name);
      return from_binary(*bytes);  // compiled already, or a library
    }
    ProgramHandle program = from_text(part.at("source").get<std::string>());
    std::vector<ProgramHandle> headers;
    std::vector<std::string> names;
    if (part.contains("headers"))
      for (const Json& header : part.at("headers")) {
        headers.push_back(from_text(header.at("source").get<std::string>()));
        names.push_back(header.at("name").get<std::string>());
      }
    std::vector<cl_program> header_programs;
    std::vector<const char*> header_names;
    for (std::size_t i = 0; i < headers.size(); ++i) {
      header_programs.push_back(headers[i].get());
      header_names.push_back(names[i].c_str());
    }
    const std::string options = "-cl-kernel-arg-info " + part.value("options", std::string());
    const cl_device_id device = context_.device();
    const cl_int status = api().compile_program(
        program.get(), 1, &device, options.c_str(), static_cast<cl_uint>(headers.size()),
        headers.empty() ? nullptr : header_programs.data(),
        headers.empty() ? nullptr : header_names.data(), nullptr, nullptr);
    log_ = build_log(program.get(), device);
    if (status != CL_SUCCESS) refuse(status, "clCompileProgram", options);
    return program;
  }

  ProgramHandle link(const std::vector<ProgramHandle>& parts, const std::string& options) {
    std::vector<cl_program> programs;
    programs.reserve(parts.size());
    for (const ProgramHandle& part : parts) programs.push_back(part.get());
    const cl_device_id device = context_.device();
    cl_int status = CL_SUCCESS;
    ProgramHandle program(api().link_program(context_.get(), 1, &device, options.c_str(),
                                             static_cast<cl_uint>(programs.size()), programs.data(),
                                             nullptr, nullptr, &status));
    if (program) log_ = build_log(program.get(), device);
    if (status != CL_SUCCESS) refuse(status, "clLinkProgram", options);
    return program;
  }

  const DeviceContext& context_;
  const KernelSource& source_;
  std::string& log_;
};

}  // namespace

ProgramHandle build_program(const DeviceContext& context, const KernelSource& source,
                            std::string& log) {
  return Builder(context, source, log).build();
}

}  // namespace reel::opencl
