// source.cpp - `reel source`: what a kernel was built from, as it is.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <reel/error.hpp>
#include <reel/shader_text.hpp>

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
                        variant.blob ? ""
                        : variant.form == KernelForm::host
                            ? " (a C++ function of the program, of which a document holds only the "
                              "name)"
                            : " (its text is not in the document)");
  return list.empty() ? "none" : list;
}

const TraceVariant& chosen_variant(const TraceKernel& kernel, const std::string& form,
                                   const std::string& program) {
  const std::string wanted = form.empty() ? to_string(kernel.built_form) : form;
  const TraceVariant* any_text = nullptr;
  for (const TraceVariant& variant : kernel.variants) {
    if (to_string(variant.form) == wanted && variant.blob) return variant;
    if (variant.blob && !any_text) any_text = &variant;
  }
  throw Error(
      Code::invalid_argument,
      fmt::format(
          "Kernel {} '{}' has no text in the form '{}'; it was given: {}.{}", name_of(kernel.id),
          kernel.name, wanted, forms_of(kernel),
          any_text ? fmt::format(" Try --form {}.", to_string(any_text->form))
          : kernel.built_form == KernelForm::host
              ? fmt::format(" Its code is in the program that was recorded{}, where it was "
                            "registered or given as '{}'; `reel replay --host-kernels` loads a "
                            "library that has it.",
                            program.empty() ? "" : " ('" + program + "')", kernel.name)
              : ""));
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

std::vector<std::uint32_t> words_of(const std::string& bytes) {
  std::vector<std::uint32_t> words(bytes.size() / sizeof(std::uint32_t));
  std::memcpy(words.data(), bytes.data(), words.size() * sizeof(std::uint32_t));
  return words;
}

const TraceVariant* spirv_of(const TraceKernel& kernel) {
  for (const TraceVariant& variant : kernel.variants)
    if (variant.form == KernelForm::spirv && variant.blob) return &variant;
  return nullptr;
}

std::string joined(const std::vector<ShaderSource>& sources) {
  std::string text;
  for (const ShaderSource& source : sources)
    text += fmt::format("// {}{}\n{}{}", source.path.empty() ? "(no path)" : source.path,
                        source.language.empty() ? "" : " (" + source.language + ")", source.text,
                        source.text.ends_with('\n') ? "" : "\n");
  return text;
}

std::string made_glsl(const TraceKernel& kernel, const std::vector<std::uint32_t>& words) {
  return "// Made of the SPIR-V of this kernel by SPIRV-Cross.\n" +
         glsl_of_spirv(words, kernel.entry);
}

// Of a kernel that has only SPIR-V, what people can read: the form asked for, else the sources that
// its compiler left in it, else GLSL. Empty: show what the document has.
std::string readable(const Trace& trace, const TraceKernel& kernel, const std::string& form) {
  const TraceVariant* spirv = spirv_of(kernel);
  const bool has_form = std::ranges::any_of(kernel.variants, [&](const TraceVariant& variant) {
    return to_string(variant.form) == form && variant.blob;
  });
  if (!spirv || has_form) return {};
  const std::vector<std::uint32_t> words = words_of(text_of(trace, kernel, *spirv));
  if (form == "assembly") return spirv_assembly(words);
  if (form == "glsl") return made_glsl(kernel, words);
  const std::string sources = joined(sources_in_spirv(words));
  if (form == "debug") {
    if (sources.empty())
      throw Error(Code::invalid_argument,
                  fmt::format("The SPIR-V of {} '{}' has no sources in it; compile with -g.",
                              name_of(kernel.id), kernel.name));
    return sources;
  }
  if (!form.empty() || kernel.built_form != KernelForm::spirv || !is_shown()) return {};
  return sources.empty() ? made_glsl(kernel, words) : sources;
}

Json shader_json(const TraceKernel& kernel, const std::string& bytes) {
  const std::vector<std::uint32_t> words = words_of(bytes);
  Json json = {{"glsl", nullptr}, {"assembly", nullptr}, {"sources", Json::array()}};
  const auto try_to = [&](const char* name, auto&& make) {
    try {
      json[name] = make();
    } catch (const Error& error) {
      json[std::string(name) + "_error"] = error.what();
    }
  };
  try_to("glsl", [&] { return glsl_of_spirv(words, kernel.entry); });
  try_to("assembly", [&] { return spirv_assembly(words); });
  for (const ShaderSource& source : sources_in_spirv(words))
    json["sources"].push_back(
        {{"language", source.language}, {"path", source.path}, {"text", source.text}});
  return json;
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
      if (variant.form == KernelForm::spirv && variant.blob && trace.has_blob(*variant.blob))
        row.update(shader_json(kernel, text_of(trace, kernel, variant)));
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
  std::string text = readable(trace, kernel, options.form);
  const auto fact = trace.facts().find("program");
  const std::string program = fact == trace.facts().end() ? std::string() : fact->second;
  if (text.empty()) text = text_of(trace, kernel, chosen_variant(kernel, options.form, program));
  // Into a file goes what the program gave, byte for byte.
  if (is_shown())
    fmt::print("{}", printable_lines(text));
  else
    std::fwrite(text.data(), 1, text.size(), stdout);
  return done;
}

}  // namespace

void add_source(CommandLine& line) {
  auto [verb, options] = add_trace_verb(line, "source", "Source of a kernel, as recorded", run);
  verb.add_option("kernel", options.kernel, "Its id, or its name").required().type_name("k4");
  verb.add_option("--form", options.form,
                  "opencl_c, glsl or spirv; of SPIR-V also glsl made of it, assembly, debug (the "
                  "sources in it); default: the one that was built");
  verb.add_flag("--log", options.log, "Show the build log");
  verb.footer(
      "Examples:\n"
      "  reel source pass.reel k4\n"
      "  reel source pass.reel k4 --form spirv > k4.spv\n"
      "  reel source pass.reel k4 --form assembly\n"
      "  reel source pass.reel k4 --log");
}

}  // namespace reel::cli
