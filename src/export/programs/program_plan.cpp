#include "export/programs/program_plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/fail.hpp"
#include "export/programs/program_contents.hpp"
#include "export/programs/program_names.hpp"
#include "reel/arguments.hpp"
#include "reel/command.hpp"

namespace reel::program {
namespace {

// "c1, c2, c3", and how many more there are.
std::string list(const std::vector<std::string>& words) {
  constexpr std::size_t most = 8;
  std::string text;
  for (std::size_t i = 0; i < words.size() && i < most; ++i) text += (i ? ", " : "") + words[i];
  if (words.size() > most) text += fmt::format(" and {} more", words.size() - most);
  return text;
}

struct Form {
  KernelForm form;
  std::string_view ending, backend;
};
constexpr std::array forms{Form{KernelForm::opencl_c, ".cl", "opencl"},
                           Form{KernelForm::glsl, ".comp", "vulkan"},
                           Form{KernelForm::spirv, ".spv", "vulkan"}};

bool has_form(const Trace& trace, const TraceKernel& kernel, KernelForm form) {
  const auto variant = std::ranges::find(kernel.variants, form, &TraceVariant::form);
  return variant != kernel.variants.end() && variant->blob && trace.has_blob(*variant->blob);
}

std::string forms_of(const Trace& trace, const TraceKernel& kernel) {
  std::vector<std::string> words;
  for (const TraceVariant& variant : kernel.variants)
    words.push_back(std::string(to_string(variant.form)) +
                    (variant.blob && !trace.has_blob(*variant.blob)
                         ? " (without its source, which is not in the document)"
                     : variant.form == KernelForm::host
                         ? " (a C++ function, which no document holds)"
                         : ""));
  return words.empty() ? "none" : list(words);
}

bool runs_on(const Trace& trace, const TraceKernel& kernel, std::string_view backend) {
  return std::ranges::any_of(forms, [&](const Form& form) {
    return form.backend == backend && has_form(trace, kernel, form.form);
  });
}

bool takes(std::string_view backend, KernelForm wanted) {
  return std::ranges::any_of(
      forms, [&](const Form& form) { return form.form == wanted && form.backend == backend; });
}

class Planner {
 public:
  Planner(const Trace& trace, ProgramLanguage language) : trace_(trace), language_(language) {}

  ProgramPlan run() {
    find_uses();
    ProgramPlan plan{trace_, the_device(), backends(), {}, {}, {}, {}, {}, {}};
    NameSet names;
    for (const std::uint32_t b : buffers_)
      plan.buffers[b] = names.take(identifier(trace_.buffers()[b].label, "buffer"));
    for (const std::uint32_t k : kernels_) plan.kernels[k] = kernel(trace_.kernels()[k], names);
    plan_contents(plan);
    plan.left_out = left_out(plan);
    return plan;
  }

 private:
  void find_uses() {
    if (trace_.commands().empty())
      fail(Code::unsupported, "The document '{}' has no commands to make a program of.",
           trace_.path());
    for (const TraceNote& note : trace_.notes())
      if (note.kind == "not_replayable")
        fail(Code::unsupported, "The document has a command that can't be run again: {}",
             note.text);
    for (std::uint32_t c = 0; c < trace_.commands().size(); ++c) {
      const TraceCommand& command = trace_.commands()[c];
      const TraceWork& work = trace_.work_of(command);
      if (work.kind == WorkKind::unknown)
        fail(Code::unsupported, "{} is of a kind that this version of reel doesn't know.",
             command_name(c));
      streams_.insert(command.stream);
      devices_.insert(trace_.streams()[command.stream].device);
      if (work.kind == WorkKind::host_call) host_calls_.push_back(command_name(c));
      if (work.kind == WorkKind::dispatch) kernels_.insert(work.kernel);
      if (work.kind == WorkKind::dispatch) check_grid(c, work);
      for (const TraceArgument& a : trace_.arguments(work)) check_argument(c, a);
    }
    for (const TraceContents& contents : trace_.contents()) buffers_.insert(contents.buffer);
    for (const std::uint32_t b : buffers_) devices_.insert(trace_.buffers()[b].device);
  }

  void check_argument(std::uint32_t command, const TraceArgument& a) {
    if (a.kind == ArgumentKind::buffer || a.kind == ArgumentKind::indirect) {
      buffers_.insert(a.buffer);
      if (a.view != no_index || trace_.buffers()[a.buffer].image)
        fail(Code::unsupported, "{} uses an image; programs are written with buffers alone.",
             command_name(command));
      if (trace_.buffers()[a.buffer].kind == BufferKind::svm &&
          language_ == ProgramLanguage::python)
        fail(Code::unsupported,
             "{} uses shared virtual memory; Python programs are written with buffers alone.",
             command_name(command));
    }
    if (a.kind == ArgumentKind::sampler || a.kind == ArgumentKind::opaque)
      fail(Code::unsupported, "{} has an argument ({}) that a program can't be written with.",
           command_name(command), to_string(a.kind));
    if (a.kind == ArgumentKind::null && language_ == ProgramLanguage::cpp)
      fail(Code::unsupported,
           "{} is given a pointer to nothing; a C++ program has none, a Python program has.",
           command_name(command));
    const std::uint64_t most =
        language_ == ProgramLanguage::python ? max_outside_value_bytes : max_value_bytes;
    if (a.kind == ArgumentKind::value && (a.size_bytes == 0 || a.size_bytes > most))
      fail(Code::unsupported, "{} has a value of {} bytes; an argument has 1 to {}.",
           command_name(command), a.size_bytes, most);
  }

  void check_grid(std::uint32_t command, const TraceWork& work) const {
    if (language_ == ProgramLanguage::python) return;
    if (work.offset != unset_dim || work.items != unset_dim || !work.has_own_groups())
      fail(
          Code::unsupported,
          "{} is launched with an offset, with groups that are not full or of the driver's choice; "
          "a C++ program launches whole groups, a Python program takes these.",
          command_name(command));
  }

  const TraceDevice& the_device() const {
    if (devices_.size() == 1) return trace_.devices()[*devices_.begin()];
    std::vector<std::string> words;
    for (const std::uint32_t d : devices_) words.push_back(trace_.devices()[d].selector);
    fail(Code::unsupported, "The commands ran on {} devices ({}), and a program uses one.",
         devices_.size(), list(words));
  }

  bool all_run_on(std::string_view backend) const {
    return std::ranges::all_of(
        kernels_, [&](std::uint32_t k) { return runs_on(trace_, trace_.kernels()[k], backend); });
  }

  std::vector<std::string> backends() const {
    if (language_ == ProgramLanguage::python) {
      for (const std::uint32_t k : kernels_)
        if (const TraceKernel& kernel = trace_.kernels()[k];
            !has_form(trace_, kernel, KernelForm::opencl_c))
          fail(Code::unsupported,
               "A Python program needs every kernel in OpenCL C; the forms of kernel '{}' are: {}.",
               kernel.name, forms_of(trace_, kernel));
      return {"opencl"};
    }
    std::vector<std::string> result;
    for (const char* backend : {"opencl", "vulkan"})
      if (all_run_on(backend)) result.emplace_back(backend);
    if (kernels_.empty()) result.emplace_back("host");
    if (result.empty()) refuse_kernels();
    const auto recorded = std::ranges::find(result, the_device().backend);
    if (recorded != result.end()) std::rotate(result.begin(), recorded, recorded + 1);
    return result;
  }

  [[noreturn]] void refuse_kernels() const {
    std::vector<std::string> words;
    for (const std::uint32_t k : kernels_) {
      const TraceKernel& kernel = trace_.kernels()[k];
      if (!runs_on(trace_, kernel, "opencl") && !runs_on(trace_, kernel, "vulkan"))
        fail(Code::unsupported,
             "A program needs the source of every kernel; the forms of kernel '{}' are: {}.",
             kernel.name, forms_of(trace_, kernel));
      words.push_back(fmt::format("'{}' has {}", kernel.name, forms_of(trace_, kernel)));
    }
    fail(Code::unsupported, "No device takes all of the kernels: {}.", list(words));
  }

  ProgramKernel kernel(const TraceKernel& kernel, NameSet& names) {
    const std::string stem = identifier(kernel.name, "kernel");
    const std::string file = kernel_files_.take(stem);
    ProgramKernel result{names.take(stem + "_kernel"), {}};
    for (const Form& form : forms)
      if (has_form(trace_, kernel, form.form) &&
          (language_ == ProgramLanguage::cpp || form.form == KernelForm::opencl_c))
        result.files.push_back({form.form, fmt::format("kernels/{}{}", file, form.ending)});
    return result;
  }

  std::vector<std::string> left_out(const ProgramPlan& plan) const {
    std::vector<std::string> sentences;
    if (!host_calls_.empty())
      sentences.push_back(
          fmt::format("Host calls are left out, since a document holds no C++ functions: {}.",
                      list(host_calls_)));
    std::vector<std::string> unchecked;
    for (const Data& check : plan.checks)
      if (check.path.empty()) unchecked.push_back(data_name(plan, *check.contents));
    if (!unchecked.empty())
      sentences.push_back(
          fmt::format("Results of which the document has only the hash are not checked: {}; "
                      "capture with contents all to compare them.",
                      list(unchecked)));
    std::map<KernelForm, std::vector<std::string>> other_forms;  // kernels by recorded form
    for (const std::uint32_t k : kernels_)
      if (const TraceKernel& kernel = trace_.kernels()[k];
          kernel.built_form != KernelForm::none && !takes(plan.backends[0], kernel.built_form))
        other_forms[kernel.built_form].push_back(fmt::format("'{}'", kernel.name));
    for (const auto& [form, names] : other_forms)
      sentences.push_back(
          fmt::format("Kernels that ran as {} on {}: {}; the program runs their form for {}, which "
                      "may round differently.",
                      to_string(form), plan.device.backend, list(names), plan.backends[0]));
    if (streams_.size() > 1)
      sentences.push_back(
          fmt::format("What {} streams did side by side is done one by one, in the order in which "
                      "it was given.",
                      streams_.size()));
    if (!trace_.is_complete())
      sentences.emplace_back("The document is not whole, so commands may be missing at its end.");
    return sentences;
  }

  const Trace& trace_;
  const ProgramLanguage language_;
  std::set<std::uint32_t> buffers_, kernels_, streams_, devices_;  // in use; indices
  std::vector<std::string> host_calls_;
  NameSet kernel_files_;
};

}  // namespace

ProgramPlan make_plan(const Trace& trace, ProgramLanguage language) {
  return Planner(trace, language).run();
}

bool is_whole(const Trace& trace, const TraceArgument& range) {
  return range.offset_bytes == 0 && range.size_bytes == trace.buffers()[range.buffer].size_bytes;
}

bool does_nothing(const Trace& trace, const TraceWork& work) {
  const auto arguments = trace.arguments(work);
  if (work.kind == WorkKind::dispatch) {
    const bool is_indirect = std::ranges::any_of(
        arguments, [](const TraceArgument& a) { return a.kind == ArgumentKind::indirect; });
    return !is_indirect && work.all_items().count() == 0;
  }
  const bool is_transfer = work.kind == WorkKind::copy || work.kind == WorkKind::fill ||
                           work.kind == WorkKind::write || work.kind == WorkKind::read;
  return is_transfer &&
         std::ranges::all_of(arguments, [](const TraceArgument& a) { return a.size_bytes == 0; });
}

std::uint32_t fill_pattern(const TraceWork& fill) {
  return fill.pattern_bytes == 4 ? fill.pattern
                                 : fill.pattern & ((1u << (8 * fill.pattern_bytes)) - 1);
}

TraceArgument range_of(const TraceContents& contents) {
  TraceArgument range;
  range.buffer = contents.buffer;
  range.offset_bytes = contents.offset_bytes;
  range.size_bytes = contents.size_bytes;
  return range;
}

std::string buffer_name(const ProgramPlan& plan, std::uint32_t buffer) {
  return plan.buffers.at(buffer);
}

std::string data_name(const ProgramPlan& plan, const TraceContents& contents) {
  const std::uint64_t begin = contents.offset_bytes, end = begin + contents.size_bytes;
  const bool whole = begin == 0 && end == plan.trace.buffers()[contents.buffer].size_bytes;
  return fmt::format("{}{} after {}", plan.buffers.at(contents.buffer),
                     whole ? "" : fmt::format("[{}..{})", begin, end),
                     contents.command == no_index ? "the start" : command_name(contents.command));
}

std::string parameter_word(const Parameter* parameter) {
  if (!parameter || parameter->name.size() > 40) return {};
  const bool is_word = std::ranges::all_of(parameter->name, [](char c) {
    return c == '_' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
  });
  return is_word ? parameter->name : "";
}

std::string command_comment(const ProgramPlan& plan, std::uint32_t command) {
  const TraceWork& work = plan.trace.work_of(plan.trace.commands()[command]);
  std::string text = fmt::format("{}: {}", command_name(command), to_string(work.kind));
  if (work.label) text += " " + short_string(plan.trace.text(work.label));
  if (work.scope) text += ", in scope " + short_string(plan.trace.text(work.scope));
  return text;
}

std::string command_title(const ProgramPlan& plan, std::uint32_t command) {
  const TraceWork& work = plan.trace.work_of(plan.trace.commands()[command]);
  return fmt::format("{} {}", command_name(command),
                     identifier(plan.trace.kernels()[work.kernel].name, "kernel"));
}

}  // namespace reel::program
