#include "export/programs/program_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "export/programs/program_names.hpp"

namespace reel::program {

std::string origin(const ProgramPlan& plan) {
  const std::size_t count = plan.trace.commands().size();
  const auto extracted = plan.trace.facts().find("extracted");
  const std::string what = extracted != plan.trace.facts().end()
                               ? extracted->second
                               : std::filesystem::path(plan.trace.path()).filename().string();
  return fmt::format("{} command{} ({}), recorded on {} ({})", count, count == 1 ? "" : "s",
                     cpp_string(what), cpp_string(plan.device.selector),
                     cpp_string(plan.device.name));
}

std::string wrapped(const std::string& head, const std::vector<std::string>& parts,
                    const std::string& tail) {
  constexpr std::size_t columns = 100;
  std::string text, line = head;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const std::string part = parts[i] + (i + 1 < parts.size() ? "," : tail);
    if (i > 0 && line.size() + 1 + part.size() > columns) {
      text += line + '\n';
      line = std::string(head.size(), ' ');
    } else if (i > 0) {
      line += ' ';
    }
    line += part;
  }
  return text + line + '\n';
}

std::string argument_lines(const std::vector<ArgumentText>& arguments, std::size_t indent,
                           std::string_view comment_sign, std::string_view last_end) {
  const std::string margin(indent, ' ');
  std::vector<std::string> codes;
  std::size_t widest = 0;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    std::string code = margin;
    for (const char c : arguments[i].code) {
      code += c;
      if (c == '\n') code += margin;
    }
    code += i + 1 < arguments.size() ? "," : last_end;
    if (code.find('\n') == std::string::npos) widest = std::max(widest, code.size());
    codes.push_back(std::move(code));
  }
  std::string text;
  for (std::size_t i = 0; i < arguments.size(); ++i)
    text += arguments[i].comment.empty() ? codes[i] + '\n'
                                         : fmt::format("{:<{}}  {} {}\n", codes[i], widest,
                                                       comment_sign, arguments[i].comment);
  return text;
}

bool has_checks(const ProgramPlan& plan) {
  const auto is_compared = [&](std::uint32_t contents) { return plan.files.contains(contents); };
  return std::ranges::any_of(plan.script.at_end, is_compared) ||
         std::ranges::any_of(plan.script.actions, [&](const rerun::Action& action) {
           return action.kind == rerun::Action::Kind::look && is_compared(action.contents);
         });
}

std::string readme(const ProgramPlan& plan, const ReadmeWords& words) {
  std::string text =
      fmt::format(R"(# A program of recorded work

    {}

{}

```
{}
```

{} {}

It puts inputs in place, runs the commands in their order and compares the results byte by byte with the recorded
ones. Exit code 0: all that is compared is equal; 1: something differs; 2: trouble, which it names.

| folder | holds |
|---|---|
| `kernels/` | the source of the kernels, as recorded |
| `data/` | `<buffer>_<offset>.bin` inputs; `…_by_c3.bin` what the host wrote by c3; `…_after_c3.bin` what must be there after c3 |
)",
                  origin(plan), words.needs, words.commands, words.device, words.times);
  if (plan.left_out.empty()) return text;
  text += "\n## Not as recorded\n\n";
  for (const std::string& sentence : plan.left_out) {
    // Labels within are others' words: as code, and on one line.
    const std::string escaped = cpp_string(sentence);
    std::string plain = escaped.substr(1, escaped.size() - 2);
    std::ranges::replace(plain, '`', '\'');
    text += fmt::format("    {}\n", plain);
  }
  return text;
}

}  // namespace reel::program
