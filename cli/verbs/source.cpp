// source.cpp - `reel source`: what a kernel was built from, as it is.
#include <fmt/format.h>

#include <cstdio>
#include <memory>
#include <reel/error.hpp>

#include "cli/showing/terminal.hpp"
#include "cli/trace_input.hpp"
#include "cli/verbs.hpp"

namespace reel::cli {
namespace {

struct Options : TraceOptions {
  std::string kernel, form;
  bool log = false;
};

std::string forms_of(const TraceKernel& kernel) {
  std::string list;
  for (const TraceVariant& variant : kernel.variants)
    list += fmt::format("{}{}{}", list.empty() ? "" : ", ", to_string(variant.form),
                        variant.blob ? "" : " (a C++ function)");
  return list.empty() ? "none" : list;
}

const TraceVariant& chosen_variant(const TraceKernel& kernel, const std::string& form) {
  const std::string wanted = form.empty() ? to_string(kernel.built_form) : form;
  const TraceVariant* any_text = nullptr;
  for (const TraceVariant& variant : kernel.variants) {
    if (to_string(variant.form) == wanted && variant.blob) return variant;
    if (variant.blob && !any_text) any_text = &variant;
  }
  throw Error(
      Code::invalid_argument,
      fmt::format("Kernel {} '{}' has no text in the form '{}'; it was given: {}.{}",
                  name_of(kernel.id), kernel.name, wanted, forms_of(kernel),
                  any_text ? fmt::format(" Try --form {}.", to_string(any_text->form)) : ""));
}

std::string text_of(const Trace& trace, const TraceKernel& kernel, const TraceVariant& variant) {
  const auto bytes = trace.blob(*variant.blob);
  if (!bytes)
    throw Error(trace.has_blob(*variant.blob) ? Code::damaged_document : Code::invalid_argument,
                fmt::format("The source of {} '{}' is {}.", name_of(kernel.id), kernel.name,
                            trace.has_blob(*variant.blob)
                                ? "damaged; reel verify says more"
                                : "not in the document: it was stripped, or lost"));
  return {reinterpret_cast<const char*>(bytes->data()), bytes->size()};
}

int run(const Options& options) {
  const Trace trace = open_trace(options);
  const TraceKernel& kernel = trace.kernels()[parse_kernel(trace, options.kernel)];
  if (options.json) {
    Json json = json_of(trace);
    json["kernel"] = name_of(kernel.id);
    json["name"] = kernel.name;
    json["entry"] = kernel.entry;
    json["built_form"] = to_string(kernel.built_form);
    json["options"] = kernel.options;
    json["defines"] = Json::object();
    for (const auto& [name, value] : kernel.defines) json["defines"][name] = value;
    json["build_log"] = kernel.build_log;
    json["forms"] = Json::array();
    for (const TraceVariant& variant : kernel.variants) {
      if (!options.form.empty() && to_string(variant.form) != options.form) continue;
      Json row = {{"form", to_string(variant.form)}};
      // SPIR-V is no text.
      row["text"] =
          variant.blob && variant.form != KernelForm::spirv && trace.has_blob(*variant.blob)
              ? Json(text_of(trace, kernel, variant))
              : Json();
      json["forms"].push_back(row);
    }
    print_json(json);
    return done;
  }
  if (options.log) {
    fmt::print("{}{}", printable_lines(kernel.build_log),
               kernel.build_log.empty() || kernel.build_log.ends_with('\n') ? "" : "\n");
    return done;
  }
  const std::string text = text_of(trace, kernel, chosen_variant(kernel, options.form));
  // Into a file goes what the program gave, byte for byte.
  if (is_shown())
    fmt::print("{}", printable_lines(text));
  else
    std::fwrite(text.data(), 1, text.size(), stdout);
  return done;
}

}  // namespace

void add_source(CommandLine& line) {
  auto options = std::make_shared<Options>();
  Verb verb = line.add_verb("source", "Source of a kernel, as recorded");
  add_trace_options(verb, *options);
  verb.add_option("kernel", options->kernel, "Its id").required().type_name("k4");
  verb.add_option("--form", options->form,
                  "opencl_c, glsl or spirv; default: the one that was built");
  verb.add_flag("--log", options->log, "Show the build log");
  verb.footer(
      "Examples:\n"
      "  reel source pass.reel k4\n"
      "  reel source pass.reel k4 --form spirv > k4.spv\n"
      "  reel source pass.reel k4 --log");
  verb.action([options] { return run(*options); });
}

}  // namespace reel::cli
