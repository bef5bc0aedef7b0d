#include "cli/manual/man_page.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <sstream>

#include "cli/manual/environment_table.hpp"

namespace reel::cli {
namespace {

// Text as roff takes it: a dash that can be copied, no escapes, no requests at a line's begin.
std::string escaped(std::string_view text) {
  std::string result;
  bool begins_line = true;
  for (const char c : text) {
    if (begins_line && (c == '.' || c == '\'')) result += "\\&";
    if (c == '\\')
      result += "\\e";
    else if (c == '-')
      result += "\\-";
    else
      result += c;
    begins_line = c == '\n';
  }
  return result;
}
std::string bold_roff(std::string_view text) { return "\\fB" + escaped(text) + "\\fR"; }
std::string italic_roff(std::string_view text) { return "\\fI" + escaped(text) + "\\fR"; }

std::string upper(std::string text) {
  std::ranges::transform(text, text.begin(), [](unsigned char c) { return std::toupper(c); });
  return text;
}

std::string head(const std::string& name, int section, const std::string& what) {
  return fmt::format(
      ".\\\" Made by reel from its options; changes made here are lost.\n"
      ".TH {} {} \"\" \"reel {}\" \"Reel\"\n.SH NAME\n{} \\- {}\n",
      upper(escaped(name)), section, REEL_VERSION, escaped(name), escaped(what));
}

std::string sentence(const std::string& text) {
  return text.empty() || text.ends_with('.') || text.ends_with(';') ? text : text + ".";
}

std::string option_text(const OptionFacts& option) {
  std::string names;
  for (const std::string& name : option.names)
    names +=
        (names.empty() ? "" : ", ") + (option.is_positional ? italic_roff(name) : bold_roff(name));
  if (!option.value.empty() && !option.is_positional && option.choices.empty())
    names += " " + italic_roff(option.value);
  std::string help = sentence(option.help);
  if (!option.choices.empty()) help += fmt::format(" One of: {}.", fmt::join(option.choices, ", "));
  if (!option.default_text.empty()) help += fmt::format(" Default: {}.", option.default_text);
  return fmt::format(".TP\n{}\n{}\n", names, escaped(help));
}

// Paragraphs of a footer; its examples are a section of their own, and stay as they are set.
std::string footer_text(const std::string& footer) {
  std::string text, examples;
  std::istringstream lines(footer);
  bool in_examples = false;
  for (std::string line; std::getline(lines, line);) {
    if (line == "Examples:" || line == "Example:")
      in_examples = true;
    else if (in_examples && !line.empty() && !line.starts_with(' '))
      in_examples = false;
    if (in_examples) {
      if (line.starts_with(' ')) examples += escaped(line) + "\n";
    } else {
      text += line.empty() ? ".PP\n" : escaped(line) + "\n";
    }
  }
  while (text.ends_with(".PP\n")) text.erase(text.size() - 4);
  if (text.starts_with(".PP\n")) text.erase(0, 4);
  std::string result;
  if (!text.empty()) result += ".SH NOTES\n" + text;
  if (!examples.empty()) result += ".SH EXAMPLES\n.nf\n" + examples + ".fi\n";
  return result;
}

}  // namespace

std::string verb_man_page(const VerbFacts& verb) {
  std::string text = head("reel-" + verb.name, 1, verb.help);
  text +=
      fmt::format(".SH SYNOPSIS\n{} [{}]", bold_roff("reel " + verb.name), italic_roff("OPTIONS"));
  std::string arguments, options;
  for (const OptionFacts& option : verb.options) {
    (option.is_positional ? arguments : options) += option_text(option);
    if (!option.is_positional) continue;
    const std::string word = italic_roff(option.names.front()) + (option.is_list ? "..." : "");
    text += option.is_required ? " " + word : " [" + word + "]";
  }
  text += "\n.SH DESCRIPTION\n" + escaped(sentence(verb.help)) + "\n";
  if (!arguments.empty()) text += ".SH ARGUMENTS\n" + arguments;
  if (!options.empty()) text += ".SH OPTIONS\n" + options;
  return text + footer_text(verb.footer) +
         ".SH SEE ALSO\n.BR reel (1),\n.BR reel\\-environment (7)\n";
}

std::string program_man_page(const VerbFacts& program, const std::vector<VerbFacts>& verbs) {
  std::string text = head("reel", 1, program.help);
  text +=
      fmt::format(".SH SYNOPSIS\n{} {} [{}]\n.SH DESCRIPTION\n{}\n.SH VERBS\n", bold_roff("reel"),
                  italic_roff("VERB"), italic_roff("OPTIONS"), escaped(program.help));
  for (const VerbFacts& verb : verbs)
    text += fmt::format(".TP\n.BR reel\\-{} (1)\n{}\n", escaped(verb.name),
                        escaped(sentence(verb.help)));
  text += ".SH OPTIONS\n";
  for (const OptionFacts& option : program.options) text += option_text(option);
  return text + footer_text(program.footer) + ".SH SEE ALSO\n.BR reel\\-environment (7)\n";
}

std::string environment_man_page() {
  std::string text = head("reel-environment", 7, "environment variables of Reel");
  text += ".SH DESCRIPTION\n" + escaped(environment_rules()) + "\n.SH VARIABLES\n";
  for (const VariableFacts& variable : environment_table())
    text += fmt::format(
        ".TP\n{}\n{}\n", bold_roff(variable.name),
        escaped(sentence(variable.meaning) +
                (variable.default_text.empty() ? "" : " Default: " + variable.default_text + ".")));
  return text + ".SH SEE ALSO\n.BR reel (1)\n";
}

}  // namespace reel::cli
