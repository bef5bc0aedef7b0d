// help.cpp - `reel help`: the help of a verb, the variables, and the pages that are installed.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <memory>
#include <reel/error.hpp>

#include "cli/manual/completion_script.hpp"
#include "cli/manual/environment_table.hpp"
#include "cli/manual/man_page.hpp"
#include "cli/nearest.hpp"
#include "cli/showing/terminal.hpp"
#include "cli/trace_input.hpp"
#include "cli/verbs.hpp"

namespace reel::cli {
namespace {

namespace fs = std::filesystem;

struct Options {
  std::string verb, pages;
  bool json = false;
};

constexpr const char* environment = "environment";

void print_variables() {
  fmt::print("{}\n", environment_rules());
  for (const VariableFacts& variable : environment_table())
    fmt::print("\n{}\n  {}\n{}", bold(variable.name), variable.meaning,
               variable.default_text.empty()
                   ? ""
                   : "  " + dim("Default: " + variable.default_text) + "\n");
}

Json json_of(const VerbFacts& verb) {
  Json options = Json::array();
  for (const OptionFacts& option : verb.options)
    options.push_back(
        {{"names", option.names},
         {"value", option.value.empty() ? Json() : Json(option.value)},
         {"choices", option.choices},
         {"default", option.default_text.empty() ? Json() : Json(option.default_text)},
         {"is_positional", option.is_positional},
         {"is_required", option.is_required},
         {"help", option.help}});
  return {{"name", verb.name}, {"help", verb.help}, {"options", options}};
}

void write_file(const fs::path& path, std::string_view text) {
  fs::create_directories(path.parent_path());
  std::ofstream file(path, std::ios::binary);
  file << text;
  file.close();
  if (!file) throw Error(Code::io_failed, fmt::format("'{}' can't be written.", path.string()));
}

// As they lie below share/ of an installed tree.
void write_pages(const CommandLine& line, const fs::path& share) {
  const std::vector<VerbFacts> verbs = line.verb_facts();
  const fs::path man = share / "man";
  write_file(man / "man1" / "reel.1", program_man_page(line.program_facts(), verbs));
  for (const VerbFacts& verb : verbs)
    write_file(man / "man1" / ("reel-" + verb.name + ".1"), verb_man_page(verb));
  write_file(man / "man7" / "reel-environment.7", environment_man_page());
  write_file(share / "bash-completion" / "completions" / "reel", completion_script("bash"));
  write_file(share / "zsh" / "vendor-completions" / "_reel", completion_script("zsh"));
  write_file(share / "fish" / "vendor_completions.d" / "reel.fish", completion_script("fish"));
}

int run(const CommandLine& line, const Options& options) {
  if (!options.pages.empty()) {
    write_pages(line, options.pages);
    return done;
  }
  if (options.json) {
    Json json{{"schema_version", 1}, {"verbs", Json::array()}, {"variables", Json::array()}};
    for (const VerbFacts& verb : line.verb_facts())
      if (options.verb.empty() || options.verb == verb.name) json["verbs"].push_back(json_of(verb));
    for (const VariableFacts& variable : environment_table())
      json["variables"].push_back({{"name", variable.name},
                                   {"meaning", variable.meaning},
                                   {"default", variable.default_text}});
    print_json(json);
    return done;
  }
  if (options.verb.empty()) {
    fmt::print("{}", line.help());
  } else if (options.verb == environment) {
    print_variables();
  } else {
    std::vector<std::string> topics = line.verbs();
    topics.emplace_back(environment);
    if (std::ranges::find(topics, options.verb) == topics.end()) {
      const auto near = nearest(options.verb, topics);
      throw Misuse(
          near
              ? fmt::format("There is no verb '{}'; did you mean '{}'?", options.verb, *near)
              : fmt::format("There is no verb '{}'; `reel help` lists all of them.", options.verb));
    }
    fmt::print("{}", line.help(options.verb));
  }
  return done;
}

}  // namespace

void add_help(CommandLine& line) {
  auto options = std::make_shared<Options>();
  Verb verb = line.add_verb("help", "Help of a verb, or of the environment variables");
  verb.add_option("verb", options->verb, "The verb, or: environment").type_name("VERB");
  verb.add_flag("--json", options->json, "Print JSON: every verb, option and variable");
  verb.add_option("--pages", options->pages, "Write man pages and completion scripts below DIR")
      .type_name("DIR")
      .hidden();
  verb.footer(
      "It needs no manual viewer; where there is one, `man reel-replay` shows the same.\n\n"
      "Examples:\n"
      "  reel help replay\n"
      "  reel help environment");
  verb.action([options, &line] { return run(line, *options); });
}

}  // namespace reel::cli
