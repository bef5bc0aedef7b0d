#include "cli/manual/candidates.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <set>

#include "cli/ids.hpp"
#include "cli/showing/terminal.hpp"
#include "reel/units.hpp"

namespace reel::cli {
namespace {

constexpr std::size_t most = 500;  // a list that nobody reads is no help

class Finder {
 public:
  explicit Finder(std::string begin) : begin_(std::move(begin)) {}

  // Words that a terminal would obey, or that have to be quoted twice over, are left out.
  void add(const std::string& word, const std::string& meaning = {}) {
    if (found_.list.size() >= most || word.empty() || !word.starts_with(begin_)) return;
    if (printable(word) != word || !seen_.insert(word).second) return;
    found_.list.push_back({word, printable(meaning)});
  }
  bool wants_more() const { return found_.list.size() < most; }
  void by(CompleteBy by) { found_.by = by; }
  Candidates take() { return std::move(found_); }

 private:
  std::string begin_;
  std::set<std::string> seen_;
  Candidates found_;
};

std::optional<Trace> trace_at(const std::string& path) {
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(path, ignored)) return std::nullopt;
  return Trace::load(path);
}

void add_commands_of(const Trace& trace, Finder& finder) {
  for (std::size_t c = 0; c < trace.commands().size() && finder.wants_more(); ++c)
    finder.add(command_name(c), title_of(trace, trace.work_of(trace.commands()[c])));
}

template <class Rows, class Name>
void add_named(const Rows& rows, const Name& name, const char* suffix, Finder& finder) {
  for (const auto& row : rows) finder.add(name_of(row.id) + suffix, name(row));
  for (const auto& row : rows)
    if (!name(row).empty()) finder.add(name(row) + suffix, name_of(row.id));
}

// By what stands for the value in the help.
void add_values(const std::string& value, bool is_positional, const std::string& document,
                Finder& finder) {
  const auto label = [](const auto& row) { return row.label; };
  const auto kernel_name = [](const TraceKernel& kernel) { return kernel.name; };
  if (value == "FILE") return finder.by(is_positional ? CompleteBy::documents : CompleteBy::files);
  if (value == "LIB.so") return finder.by(CompleteBy::files);
  if (value == "DIR") return finder.by(CompleteBy::folders);
  if (value == "PROGRAM") return finder.by(CompleteBy::programs);
  if (value == "DEVICE") {
    for (const char* device : {"host", "opencl", "vulkan"}) finder.add(device);
    return;
  }
  const std::optional<Trace> trace = document.empty() ? std::nullopt : trace_at(document);
  if (!trace) return;
  if (value.starts_with("c") && value.size() > 1 && std::isdigit(value[1]))
    add_commands_of(*trace, finder);
  else if (value.starts_with("b7"))
    add_named(trace->buffers(), label, value == "b7" ? "" : "=", finder);
  else if (value.starts_with("k4"))
    add_named(trace->kernels(), kernel_name, value == "k4" ? "" : "=", finder);
  else if (value == "s0")
    add_named(trace->streams(), label, "", finder);
  else if (value == "KERNEL")
    for (const TraceKernel& kernel : trace->kernels()) finder.add(kernel.name, name_of(kernel.id));
  else if (value == "SCOPE")
    for (const TraceWork& work : trace->works()) finder.add(trace->text(work.scope));
}

const OptionFacts* option_named(const VerbFacts& verb, const std::string& name) {
  for (const OptionFacts& option : verb.options)
    if (std::ranges::find(option.names, name) != option.names.end()) return &option;
  return nullptr;
}

const OptionFacts* argument_at(const VerbFacts& verb, std::size_t place) {
  const OptionFacts* last = nullptr;
  for (const OptionFacts& option : verb.options) {
    if (!option.is_positional) continue;
    last = &option;
    if (place-- == 0) return last;
  }
  return last && last->is_list ? last : nullptr;
}

}  // namespace

const char* to_string(CompleteBy by) noexcept {
  switch (by) {
    case CompleteBy::words:
      return "words";
    case CompleteBy::documents:
      return "documents";
    case CompleteBy::files:
      return "files";
    case CompleteBy::folders:
      return "folders";
    case CompleteBy::programs:
      return "programs";
  }
  return "words";
}

Candidates candidates_for(const std::vector<VerbFacts>& verbs,
                          const std::vector<std::string>& words) {
  if (words.empty()) return {};
  Finder finder(words.back());
  if (words.size() == 1) {
    for (const VerbFacts& verb : verbs) finder.add(verb.name, verb.help);
    for (const char* option : {"--help", "--version"}) finder.add(option);
    return finder.take();
  }
  const auto verb = std::ranges::find(verbs, words.front(), &VerbFacts::name);
  if (verb == verbs.end()) return {};
  const OptionFacts* waiting = nullptr;  // the option whose value comes next
  std::vector<std::string> arguments;
  std::set<const OptionFacts*> given;
  const bool runs_program = verb->name == "capture";
  for (std::size_t i = 1; i + 1 < words.size(); ++i) {
    if (waiting) {
      waiting = nullptr;
    } else if (const OptionFacts* option = option_named(*verb, words[i]);
               option && !option->is_positional) {
      given.insert(option);
      if (!option->value.empty()) waiting = option;
    } else if (runs_program || words[i].size() < 2 || words[i][0] != '-') {
      arguments.push_back(words[i]);
      if (runs_program) break;  // what follows are the program's own words
    }
  }
  if (runs_program && !arguments.empty()) {
    finder.by(arguments.front() == "--" && words[words.size() - 2] == "--" ? CompleteBy::programs
                                                                           : CompleteBy::files);
    return finder.take();
  }
  if (!waiting && words.back().starts_with("-")) {
    for (const OptionFacts& option : verb->options)
      if (!option.is_positional && (option.is_list || !given.contains(&option)))
        finder.add(option.names.back(), option.help);
    return finder.take();
  }
  const OptionFacts* wanted = waiting ? waiting : argument_at(*verb, arguments.size());
  if (!wanted) return {};
  if (verb->name == "help") {
    for (const VerbFacts& one : verbs) finder.add(one.name, one.help);
    finder.add("environment", "Variables that Reel reads");
  }
  for (const std::string& choice : wanted->choices) finder.add(choice);
  if (wanted->choices.empty())
    add_values(wanted->value, wanted->is_positional, arguments.empty() ? "" : arguments.front(),
               finder);
  return finder.take();
}

namespace {

// "--order=re" as two words: bash gives "--order", "=" and "re", other shells one. What stands
// before the value in the word that is typed goes in front of every candidate.
std::string split_values(std::vector<std::string>& words) {
  std::vector<std::string> list;
  std::string before;
  bool is_end_of_options = false;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string& word = words[i];
    const bool is_last = i + 1 == words.size();
    is_end_of_options |= word == "--";  // what follows is another program's
    const bool follows_option = !list.empty() && list.back().starts_with("--");
    if (is_end_of_options) {
      list.push_back(word);
    } else if (word == "=" && follows_option) {
      if (is_last) list.emplace_back();
    } else if (const std::size_t sign = word.find('=');
               word.starts_with("--") && sign != std::string::npos) {
      list.push_back(word.substr(0, sign));
      list.push_back(word.substr(sign + 1));
      if (is_last) before = word.substr(0, sign + 1);
    } else {
      list.push_back(word);
    }
  }
  words = std::move(list);
  return before;
}

}  // namespace

int print_candidates(const std::vector<VerbFacts>& verbs, std::vector<std::string> words) noexcept {
  try {
    const std::string before = split_values(words);
    Candidates found = candidates_for(verbs, words);
    for (Candidate& one : found.list) one.word.insert(0, before);
    std::string text = fmt::format("{}\n", to_string(found.by));
    for (const Candidate& one : found.list)
      text += one.meaning.empty() ? one.word + "\n" : one.word + "\t" + one.meaning + "\n";
    std::fputs(text.c_str(), stdout);
  } catch (...) {
    std::fputs("words\n", stdout);  // a damaged document has nothing to offer
  }
  return done;
}

}  // namespace reel::cli
