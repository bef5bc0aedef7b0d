#include "cli/command_line.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>

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
  return Option(option_->check(CLI::Range(least, most)));
}
Option Option::positive() const { return Option(option_->check(CLI::PositiveNumber)); }
Option Option::size() const { return Option(option_->transform(CLI::AsSizeValue(false))); }
Option Option::one_value_each() const { return Option(option_->allow_extra_args(false)); }

template <typename Value>
Option Verb::add_option(const std::string& names, Value& value, const std::string& help) {
  return Option(verb_->add_option(names, value, help));
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

std::string CommandLine::help() const { return app_->help(); }

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
