#include "export/programs/program_plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/fail.hpp"
#include "export/programs/program_names.hpp"
#include "reel/arguments.hpp"
#include "reel/command.hpp"
#include "replay/script/addresses.hpp"
#include "replay/script/completeness.hpp"

namespace reel::program {
namespace {

using rerun::Action;

constexpr std::size_t most_listed = 8;

// "c1, c2, c3", and how many more there are.
std::string list(const std::vector<std::string>& words) {
  std::string text;
  for (std::size_t i = 0; i < words.size() && i < most_listed; ++i)
    text += (i ? ", " : "") + words[i];
  if (words.size() > most_listed) text += fmt::format(" and {} more", words.size() - most_listed);
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
    words.push_back(
        std::string(to_string(variant.form)) +
        (variant.blob && !trace.has_blob(*variant.blob)
             ? " (without its source, which is not in the document)"
         : variant.form == KernelForm::host
             ? " (a C++ function of the program, of which a document holds only the name)"
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
  Planner(const Trace& trace, ProgramLanguage language)
      : trace_(trace),
        language_(language),
        kept_(rerun::kept_order(trace, rerun::find_unordered(trace))),
        obstacles_(rerun::recorded_obstacles(trace)) {}

  ProgramPlan run() {
    for (std::uint32_t b = 0; b < trace_.buffers().size(); ++b) check_buffer(b);
    for (std::uint32_t c = 0; c < trace_.commands().size(); ++c) check_command(c);
    write_script();
    const TraceDevice& device = the_device();
    ProgramPlan plan{trace_, device, backends(device), {}, {}, {}, {}, {}};
    NameSet names;
    for (const std::uint32_t b : buffers_)
      plan.buffers[b] = names.take(identifier(trace_.buffers()[b].label, "buffer"));
    for (const std::uint32_t k : script_.kernels)
      plan.kernels[k] = kernel(trace_.kernels()[k], names);
    plan.script = std::move(script_);
    name_files(plan);
    plan.left_out = left_out(plan);
    return plan;
  }

 private:
  template <class... A>
  static rerun::Obstacle because(fmt::format_string<A...> format, A&&... values) {
    return {Code::unsupported, fmt::format(format, std::forward<A>(values)...)};
  }

  void write_script() {
    script_ = rerun::make_script(trace_, 0, no_index, obstacles_, kept_);
    rerun::check_something_is_left(trace_, script_);
    if (script_.commands == 0)
      fail(Code::unsupported, "The document '{}' has no commands to make a program of.",
           trace_.path());
    buffers_ = {script_.buffers.begin(), script_.buffers.end()};
    for_each_run([&](std::uint32_t, const TraceWork& work) {  // also those without bytes
      for (const TraceArgument& a : trace_.arguments(work))
        if (a.buffer != no_index) buffers_.insert(a.buffer);
    });
  }

  template <class F>
  void for_each_run(F&& visit) const {
    for (const Action& action : script_.actions)
      if (action.kind == Action::Kind::run)
        visit(action.command, trace_.work_of(trace_.commands()[action.command]));
  }

  void check_buffer(std::uint32_t b) {
    const TraceBuffer& buffer = trace_.buffers()[b];
    if (buffer.image && language_ == ProgramLanguage::python)
      obstacles_.buffers.emplace(b, because("{} is an image; Python programs are written with "
                                            "buffers alone.",
                                            describe_buffer(trace_, b)));
    else if (buffer.kind == BufferKind::svm && language_ == ProgramLanguage::python)
      obstacles_.buffers.emplace(b, because("{} is shared virtual memory; Python programs are "
                                            "written with buffers alone.",
                                            describe_buffer(trace_, b)));
  }

  void check_command(std::uint32_t c) {
    const TraceWork& work = trace_.work_of(trace_.commands()[c]);
    const bool is_cpp = language_ == ProgramLanguage::cpp;
    const auto refuse = [&](rerun::Obstacle why) { obstacles_.commands.emplace(c, why); };
    constexpr std::uint64_t most = max_outside_value_bytes;
    if (rerun::follows_addresses(trace_, work))
      refuse(
          because("{} uses buffers by their addresses; programs are written with buffers that "
                  "are bound alone. reel replay runs it.",
                  command_name(c)));
    for (const TraceArgument& a : trace_.arguments(work)) {
      if (a.view != no_index)
        refuse(
            because("{} uses an image that is made on a buffer; programs are written with "
                    "others alone.",
                    command_name(c)));
      if (a.kind == ArgumentKind::sampler && !is_cpp)
        refuse(because("{} uses a sampler; Python programs are written with buffers alone.",
                       command_name(c)));
      if (a.kind == ArgumentKind::value && (a.size_bytes == 0 || a.size_bytes > most))
        refuse(because("{} has a value of {} bytes; an argument has 1 to {}.", command_name(c),
                       a.size_bytes, most));
    }
  }

  const TraceDevice& the_device() const {
    std::set<std::uint32_t> devices;
    for_each_run([&](std::uint32_t c, const TraceWork&) {
      devices.insert(trace_.streams()[trace_.commands()[c].stream].device);
    });
    for (const std::uint32_t b : buffers_) devices.insert(trace_.buffers()[b].device);
    if (devices.size() == 1) return trace_.devices()[*devices.begin()];
    std::vector<std::string> words;
    for (const std::uint32_t d : devices) words.push_back(trace_.devices()[d].selector);
    fail(Code::unsupported, "The commands ran on {} devices ({}), and a program uses one.",
         devices.size(), list(words));
  }

  // First the one that takes most kernels, of equals the recorded one: what it doesn't take is left
  // out. Then those that take all of the rest.
  std::vector<std::string> backends(const TraceDevice& device) {
    const auto taken = [&](const std::string& backend) {
      return std::ranges::count_if(script_.kernels, [&](std::uint32_t k) {
        return runs_on(trace_, trace_.kernels()[k], backend);
      });
    };
    std::vector<std::string> all{"opencl"};
    if (language_ == ProgramLanguage::cpp) all.emplace_back("vulkan");
    if (language_ == ProgramLanguage::cpp && script_.kernels.empty()) all.emplace_back("host");
    if (const auto recorded = std::ranges::find(all, device.backend); recorded != all.end())
      std::rotate(all.begin(), recorded, recorded + 1);
    std::ranges::stable_sort(all, std::greater(), taken);
    const std::vector<std::uint32_t> wanted = script_.kernels;
    for (const std::uint32_t k : wanted)
      if (const TraceKernel& kernel = trace_.kernels()[k]; !runs_on(trace_, kernel, all[0]))
        obstacles_.kernels.emplace(
            k, because("A program on {} needs kernels in {}; the forms of kernel '{}' are: {}.",
                       all[0], all[0] == "opencl" ? "OpenCL C" : "GLSL or SPIR-V", kernel.name,
                       forms_of(trace_, kernel)));
    if (!obstacles_.kernels.empty()) write_script();
    std::erase_if(all, [&](const std::string& backend) {
      return taken(backend) != std::ssize(script_.kernels);
    });
    return all;
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

  void name_files(ProgramPlan& plan) const {
    NameSet names;
    const auto name = [&](std::uint32_t i, const std::string& when) {
      const TraceContents& row = trace_.contents()[i];
      if (row.stored && row.size_bytes)
        plan.files[i] = fmt::format("data/{}.bin",
                                    names.take(fmt::format("{}_{}{}", plan.buffers.at(row.buffer),
                                                           row.offset_bytes, when)));
    };
    const auto after = [&](std::uint32_t i) {
      name(i, fmt::format("_after_{}", command_name(trace_.contents()[i].command)));
    };
    for (const std::uint32_t i : plan.script.at_start) name(i, "");
    for (const Action& action : plan.script.actions) {
      if (action.kind == Action::Kind::look) after(action.contents);
      if (action.kind != Action::Kind::put) continue;
      const bool is_input = trace_.contents()[action.contents].role == ContentRole::input;
      name(action.contents,
           fmt::format("_{}_{}", is_input ? "before" : "by", command_name(action.command)));
    }
    for (const std::uint32_t i : plan.script.at_end) after(i);
  }

  std::vector<std::string> left_out(const ProgramPlan& plan) const {
    const rerun::Script& script = plan.script;
    std::vector<std::string> sentences, lost, host_calls, unchecked;
    std::set<std::uint32_t> streams;
    for (const auto& [c, obstacle] : script.left_out) {
      if (lost.size() < most_listed)
        sentences.push_back(fmt::format("{} is left out: {}", command_name(c), obstacle.reason));
      lost.push_back(command_name(c));
    }
    if (lost.size() > most_listed)
      sentences.push_back(fmt::format("{} commands are left out: {}.", lost.size(), list(lost)));
    if (script.left_out_checks)
      sentences.push_back(fmt::format(
          fmt::runtime(script.left_out_checks == 1
                           ? "{} result ({} bytes) of a command that is left out is not checked."
                           : "{} results ({} bytes) of commands that are left out are not "
                             "checked."),
          script.left_out_checks, script.left_out_bytes));
    if (script.refused)
      sentences.push_back(script.refused == 1
                              ? std::string("A command that the driver had refused is left out.")
                              : fmt::format("{} commands that the driver had refused are left out.",
                                            script.refused));
    for (const Action& action : script.actions) {
      if (action.kind == Action::Kind::look) add_unchecked(plan, action.contents, unchecked);
      if (action.kind != Action::Kind::run) continue;
      const TraceCommand& command = trace_.commands()[action.command];
      streams.insert(command.stream);
      if (trace_.work_of(command).kind == WorkKind::host_call)
        host_calls.push_back(command_name(action.command));
    }
    for (const std::uint32_t i : script.at_end) add_unchecked(plan, i, unchecked);
    if (!host_calls.empty())
      sentences.push_back(
          fmt::format("Host calls are left out, since a document holds no C++ functions: {}.",
                      list(host_calls)));
    if (!unchecked.empty())
      sentences.push_back(
          fmt::format("Results of which the document has only the hash are not checked: {}; "
                      "capture with contents all to compare them.",
                      list(unchecked)));
    std::map<KernelForm, std::vector<std::string>> other_forms;  // kernels by recorded form
    for (const auto& [k, names] : plan.kernels)
      if (const TraceKernel& kernel = trace_.kernels()[k];
          kernel.built_form != KernelForm::none && !takes(plan.backends[0], kernel.built_form))
        other_forms[kernel.built_form].push_back(fmt::format("'{}'", kernel.name));
    for (const auto& [form, names] : other_forms)
      sentences.push_back(
          fmt::format("Kernels that ran as {} on {}: {}; the program runs their form for {}, which "
                      "may round differently.",
                      to_string(form), plan.device.backend, list(names), plan.backends[0]));
    if (streams.size() > 1)
      sentences.push_back(fmt::format(
          "What {} streams did side by side is done one by one, in the order in which it {}.",
          streams.size(), kept_.sequence.empty() ? "was given" : "ran"));
    std::ranges::move(rerun::missing_parts(trace_), std::back_inserter(sentences));
    return sentences;
  }

  static void add_unchecked(const ProgramPlan& plan, std::uint32_t contents,
                            std::vector<std::string>& unchecked) {
    if (plan.trace.contents()[contents].size_bytes && !plan.files.contains(contents))
      unchecked.push_back(data_name(plan, plan.trace.contents()[contents]));
  }

  const Trace& trace_;
  const ProgramLanguage language_;
  const rerun::KeptOrder kept_;
  rerun::Obstacles obstacles_;
  rerun::Script script_;
  std::set<std::uint32_t> buffers_;  // in use; indices
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
