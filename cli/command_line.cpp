#include "cli/command_line.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <type_traits>

#include "cli/trace_input.hpp"

namespace reel::cli {

Option Option::required() const { return Option(option_->required()); }
Option Option::type_name(const std::string& name) const { return Option(option_->type_name(name)); }
Option Option::show_default() const { return Option(option_->capture_default_str()); }
Option Option::show_default(const std::string& text) const {
  return Option(option_->default_str(text));
}
Option Option::excludes(Option other) const { return Option(option_->excludes(other.option_)); }
Option Option::needs(Option other) const { return Option(option_->needs(other.option_)); }
Option Option::one_of(const std::vector<std::string>& values) const {
  return Option(option_->check(CLI::IsMember(values)));
}
Option Option::between(std::uint64_t least, std::uint64_t most) const {
  return Option(option_->check([least, most](const std::string& text) {
    std::uint64_t value = 0;
    if (CLI::detail::lexical_cast(text, value) && value >= least && value <= most)
      return std::string();
    return fmt::format("It takes a whole number from {} to {}, not '{}'.", least, most, text);
  }));
}
Option Option::positive() const {
  return Option(option_->check([](const std::string& text) {
    std::uint64_t value = 0;
    if (CLI::detail::lexical_cast(text, value) && value > 0) return std::string();
    return fmt::format("It takes a whole number above 0, not '{}'.", text);
  }));
}
Option Option::size() const {
  CLI::AsSizeValue size(false);
  size.description("");  // else the help has every unit behind the name
  return Option(option_->transform(size));
}
Option Option::one_value_each() const { return Option(option_->allow_extra_args(false)); }

Option Option::hidden() const { return Option(option_->group("")); }

template <typename Value>
Option Verb::add_option(const std::string& names, Value& value, const std::string& help) {
  CLI::Option* option = verb_->add_option(names, value, help);
  if constexpr (std::is_unsigned_v<Value>)  // CLI11 would take -1 for the largest number
    option->check([](const std::string& text) {
      return text.starts_with('-') ? fmt::format("It takes a whole number, not '{}'.", text)
                                   : std::string();
    });
  return Option(option);
}
template Option Verb::add_option(const std::string&, std::string&, const std::string&);
template Option Verb::add_option(const std::string&, std::vector<std::string>&, const std::string&);
template Option Verb::add_option(const std::string&, std::uint16_t&, const std::string&);
template Option Verb::add_option(const std::string&, std::uint32_t&, const std::string&);
template Option Verb::add_option(const std::string&, std::uint64_t&, const std::string&);
template Option Verb::add_option(const std::string&, int&, const std::string&);

Option Verb::add_option(const std::string& names,
                        const std::function<void(const std::string&)>& take,
                        const std::string& help) {
  return Option(verb_->add_option_function<std::string>(names, take, help));
}
Option Verb::add_flag(const std::string& names, bool& value, const std::string& help) {
  return Option(verb_->add_flag(names, value, help));
}
void Verb::footer(const std::string& text) { verb_->footer(text); }
void Verb::action(const Action& action) {
  verb_->callback([action, chosen = chosen_] { *chosen = action; });
}

CommandLine::CommandLine(const std::string& name, const std::string& version,
                         const std::string& help, const std::string& footer)
    : app_(std::make_unique<CLI::App>(help, name)) {
  app_->set_version_flag("--version", version);
  app_->require_subcommand(1);
  app_->footer(footer);
}
CommandLine::~CommandLine() = default;

Verb CommandLine::add_verb(const std::string& name, const std::string& help) {
  return {app_->add_subcommand(name, help), &chosen_};
}

std::vector<std::string> CommandLine::verbs() const {
  std::vector<std::string> names;
  for (const CLI::App* verb : app_->get_subcommands(nullptr)) names.push_back(verb->get_name());
  return names;
}

// Not App::help(), which gives that of the verb that was said: here that is `help`.
std::string CommandLine::help() const {
  return app_->get_formatter()->make_help(app_.get(), app_->get_name(), CLI::AppFormatMode::Normal);
}
std::string CommandLine::help(const std::string& verb) const {
  return app_->get_subcommand(verb)->help(app_->get_name());
}

namespace {

// CLI11 keeps the words that an option takes only in the name of its type: "TEXT:{csv,jsonl}".
std::vector<std::string> choices_in(const std::string& type) {
  const auto begin = type.find(":{"), end = type.rfind('}');
  if (begin == std::string::npos || end == std::string::npos) return {};
  return CLI::detail::split(type.substr(begin + 2, end - begin - 2), ',');
}

OptionFacts facts_of(const CLI::Option& option) {
  OptionFacts facts;
  facts.is_positional = option.get_positional();
  if (facts.is_positional) {
    facts.names = {option.get_name(true, false)};
  } else {
    for (const std::string& name : option.get_snames()) facts.names.push_back("-" + name);
    for (const std::string& name : option.get_lnames()) facts.names.push_back("--" + name);
  }
  facts.help = option.get_description();
  facts.default_text = option.get_default_str();
  facts.is_required = option.get_required();
  facts.is_list = option.get_items_expected_max() > 1;
  if (option.get_items_expected_max() == 0) return facts;
  const std::string type = option.get_type_name();
  facts.choices = choices_in(type);
  facts.value = facts.choices.empty() ? type : "CHOICE";
  return facts;
}

VerbFacts facts_of(const CLI::App& app) {
  VerbFacts facts{app.get_name(), app.get_description(), app.get_footer()};
  for (const CLI::Option* option : app.get_options({}))
    if (!option->get_group().empty()) facts.options.push_back(facts_of(*option));
  return facts;
}

}  // namespace

VerbFacts CommandLine::program_facts() const { return facts_of(*app_); }
std::vector<VerbFacts> CommandLine::verb_facts() const {
  std::vector<VerbFacts> all;
  for (const CLI::App* verb : app_->get_subcommands(nullptr)) all.push_back(facts_of(*verb));
  return all;
}

Action CommandLine::parse(std::vector<std::string> arguments) {
  try {
    std::reverse(arguments.begin(), arguments.end());  // as CLI11 takes them
    app_->parse(std::move(arguments));
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() != 0) throw Misuse(error.what());
    app_->exit(error);  // prints what --help or --version asked for
    return [] { return done; };
  }
  return chosen_;
}

}  // namespace reel::cli
