// command_line.hpp - how verbs say which options they take, and how the command line is read.
//
// A narrow front of CLI11, which only command_line.cpp includes: its header costs 7 s of compiling
// in every file that includes it. Verbs and options are handles; the command line owns what they
// name, and the variables given to them outlive it.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace reel::cli {

inline constexpr int done = 0, failed = 1, misused = 2, damaged = 3;

using Action = std::function<int()>;  // returns the exit code

// What an option is, for whoever tells users of it: help, man pages, completion.
struct OptionFacts {
  std::vector<std::string> names = {};  // "-o", "--output"; without dashes if known by its place
  std::string value = {};               // what stands for its value; empty: a flag
  std::string help = {}, default_text = {};
  std::vector<std::string> choices = {};
  bool is_positional = false, is_required = false, is_list = false;
};
struct VerbFacts {
  std::string name = {}, help = {}, footer = {};
  std::vector<OptionFacts> options = {};
};

class Option {
 public:
  explicit Option(CLI::Option* option) : option_(option) {}

  Option required() const;
  Option type_name(const std::string& name) const;     // in the help
  Option show_default() const;                         // in the help: the variable's value now
  Option show_default(const std::string& text) const;  // in the help
  Option excludes(Option other) const;
  Option needs(Option other) const;
  Option one_of(const std::vector<std::string>& values) const;
  Option between(std::uint64_t least, std::uint64_t most) const;
  Option positive() const;
  Option size() const;            // of memory: 8G, 32MiB
  Option one_value_each() const;  // of a list: one word for each time the option is given
  Option hidden() const;  // for our own build and tests: neither in the help nor in the facts

 private:
  CLI::Option* option_;
};

class Verb {
 public:
  Verb(CLI::App* verb, Action* chosen) : verb_(verb), chosen_(chosen) {}

  // Names as "-o,--output"; without dashes it is an argument known by its place.
  // Value: string, list of strings, unsigned number of 16, 32 or 64 bits, int.
  template <typename Value>
  Option add_option(const std::string& names, Value& value, const std::string& help);
  Option add_option(const std::string& names, const std::function<void(const std::string&)>& take,
                    const std::string& help);
  Option add_flag(const std::string& names, bool& value, const std::string& help);
  void footer(const std::string& text);
  void action(const Action& action);  // what is run where the user chose this verb

 private:
  CLI::App* verb_;
  Action* chosen_;
};

class CommandLine {
 public:
  CommandLine(const std::string& name, const std::string& version, const std::string& help,
              const std::string& footer);
  ~CommandLine();

  Verb add_verb(const std::string& name, const std::string& help);
  std::vector<std::string> verbs() const;
  std::string help() const;
  std::string help(const std::string& verb) const;
  VerbFacts program_facts() const;            // of the program itself
  std::vector<VerbFacts> verb_facts() const;  // in the order of the help

  // What the user asked for; printing the help is an action, too. Throws Misuse.
  Action parse(std::vector<std::string> arguments);

 private:
  std::unique_ptr<CLI::App> app_;
  Action chosen_;
};

}  // namespace reel::cli
