#include "reel/program.hpp"

#include <algorithm>

#include "base/fail.hpp"
#include "export/programs/program_folder.hpp"
#include "export/programs/program_plan.hpp"
#include "export/programs/program_text.hpp"

namespace reel {
namespace {

using namespace program;

void write_kernels(const ProgramPlan& plan, ProgramFolder& folder) {
  for (const auto& [index, kernel] : plan.kernels) {
    const TraceKernel& recorded = plan.trace.kernels()[index];
    for (const KernelFile& file : kernel.files) {
      const auto variant = std::ranges::find(recorded.variants, file.form, &TraceVariant::form);
      const auto bytes = plan.trace.blob(variant->blob.value());
      if (!bytes)
        fail(Code::unsupported, "The {} of kernel '{}' is damaged in the document.",
             to_string(file.form), recorded.name);
      folder.write(file.path, *bytes);
    }
  }
}

void write_data(const ProgramPlan& plan, ProgramFolder& folder) {
  for (const auto& [index, path] : plan.files) {
    const TraceContents& contents = plan.trace.contents()[index];
    const auto bytes = plan.trace.bytes(contents);
    if (!bytes)
      fail(Code::unsupported,
           "Bytes of buffer '{}' (offset {}, {} bytes) are damaged in the document.",
           plan.trace.buffers()[contents.buffer].label, contents.offset_bytes, contents.size_bytes);
    folder.write(path, *bytes);
  }
}

}  // namespace

ProgramReport write_program(const Trace& trace, ProgramLanguage language,
                            const std::string& folder) {
  const ProgramPlan plan = make_plan(trace, language);
  ProgramFolder files(folder);
  for (const TextFile& file :
       language == ProgramLanguage::cpp ? cpp_files(plan) : python_files(plan))
    files.write(file.name, file.text);
  write_kernels(plan, files);
  write_data(plan, files);
  return {files.keep(), plan.left_out};
}

}  // namespace reel
