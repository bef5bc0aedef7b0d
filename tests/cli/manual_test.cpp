// Help, man pages, completion, and tables on narrow terminals: what users meet before any result.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <random>
#include <sstream>

#include "document/document_writer.hpp"
#include "document/sample_document.hpp"
#include "verb_test.hpp"

namespace reel::test {
namespace {

using nlohmann::json;
using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

const std::string program = REEL_PROGRAM;
const std::string pages = REEL_PAGES;

std::string file_text(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  EXPECT_TRUE(file) << path;
  return {std::istreambuf_iterator<char>(file), {}};
}

std::string path_of(const TemporaryFolder& folder) {
  return std::filesystem::path(folder / "x").parent_path().string();
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  for (std::size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size())
    text.replace(at, from.size(), to);
  return text;
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

class Manual : public VerbTest {
 protected:
  static void SetUpTestSuite() {
    folder = new TemporaryFolder;
    sample = write_sample(*folder / "sample.reel");
  }
  static void TearDownTestSuite() { delete folder; }

  // What `reel complete` offers, without meanings.
  static std::vector<std::string> offered(std::vector<std::string> words) {
    words.insert(words.begin(), "complete");
    const Outcome run = reel(std::move(words));
    EXPECT_EQ(run.exit_code, 0);
    EXPECT_EQ(run.err, "");
    std::vector<std::string> list;
    for (const std::string& line : lines_of(run.out))
      list.push_back(line.substr(0, line.find('\t')));
    return list;
  }

  static inline TemporaryFolder* folder = nullptr;
  static inline std::string sample;
};

TEST_F(Manual, HelpAndManPagesNameEveryOptionOfEveryVerb) {
  const json table = reel_json({"help"});
  EXPECT_EQ(reel({"help"}).out, reel({"--help"}).out);
  ASSERT_GT(table["verbs"].size(), 25u);
  const std::string whole = replaced(file_text(pages + "/man/man1/reel.1"), "\\-", "-");
  for (const json& verb : table["verbs"]) {
    const std::string name = verb["name"];
    const Outcome help = reel({name, "--help"});
    EXPECT_EQ(help.exit_code, 0) << name;
    EXPECT_EQ(reel({"help", name}).out, help.out) << name;
    EXPECT_THAT(whole, HasSubstr("reel-" + name + " (1)"));
    const std::string page =
        replaced(file_text(pages + "/man/man1/reel-" + name + ".1"), "\\-", "-");
    EXPECT_THAT(page, HasSubstr(verb["help"].get<std::string>())) << name;
    for (const json& option : verb["options"])
      for (const std::string one : option["names"]) {
        EXPECT_THAT(help.out, HasSubstr(one)) << name;
        EXPECT_THAT(page, HasSubstr(option["is_positional"] ? "\\fI" + one : "\\fB" + one)) << name;
      }
  }
  std::size_t count = 0;
  for (const auto& entry : std::filesystem::directory_iterator(pages + "/man/man1"))
    count += entry.is_regular_file();
  EXPECT_EQ(count, table["verbs"].size() + 1)
      << "a page for each verb, and no page of a verb that is gone";
}

TEST_F(Manual, ManPagesAreRoffWithoutWarnings) {
  for (const auto& entry : std::filesystem::recursive_directory_iterator(pages + "/man")) {
    if (!entry.is_regular_file()) continue;
    const Outcome run = run_program(
        {"/usr/bin/groff", "-man", "-Kutf8", "-Tutf8", "-ww", "-rLL=78n", entry.path().string()});
    EXPECT_EQ(run.exit_code, 0) << entry.path();
    EXPECT_EQ(run.err, "") << entry.path();
    EXPECT_THAT(run.out, HasSubstr(" - ")) << entry.path();
  }
}

TEST_F(Manual, VariablesAreThoseOfTheDocument) {
  const std::string document = file_text(REEL_ENVIRONMENT_DOCUMENT);
  const json variables = reel_json({"help"})["variables"];
  const std::string page = file_text(pages + "/man/man7/reel-environment.7");
  const std::string help = reel({"help", "environment"}).out;
  std::size_t rows = 0;
  for (const std::string& line : lines_of(document.substr(0, document.find("For tests"))))
    rows += line.starts_with("| `");
  ASSERT_EQ(variables.size(), rows);
  for (const json& variable : variables) {
    const std::string name = variable["name"], meaning = variable["meaning"];
    EXPECT_THAT(document, HasSubstr("| `" + name + "` |"));
    EXPECT_THAT(page, HasSubstr("\\fB" + name + "\\fR"));
    EXPECT_THAT(help, AllOf(HasSubstr("\n" + name + "\n"), HasSubstr(meaning)));
    EXPECT_THAT(meaning, Not(testing::AnyOf(HasSubstr("`"), HasSubstr("](")))) << name;
  }
}

TEST_F(Manual, HelpOfWhatIsNoVerbGuesses) {
  const Outcome run = reel({"help", "replya"});
  EXPECT_EQ(run.exit_code, 2);
  EXPECT_THAT(run.err, HasSubstr("There is no verb 'replya'; did you mean 'replay'?"));
  // A guess that shares two letters is none.
  EXPECT_EQ(reel({"help", "nope"}).err,
            "reel: There is no verb 'nope'; `reel help` lists all of them.\nSee reel help.\n");
}

TEST_F(Manual, AWrongCommandLineNamesTheHelpOfItsVerb) {
  EXPECT_THAT(reel({"commands", sample, "--jsno"}).err, HasSubstr("See reel help commands.\n"));
  EXPECT_THAT(reel({"trigger", "abc"}).err,
              HasSubstr("It takes a whole number above 0, not 'abc'."));
  EXPECT_THAT(reel({"replay", sample, "--repeat", "0"}).err,
              HasSubstr("It takes a whole number from 1 to 1000000, not '0'."));
  EXPECT_THAT(reel({"commands", sample, "--limit", "-1"}).err,
              HasSubstr("--limit: It takes a whole number, not '-1'."));
}

TEST_F(Manual, AloneItShowsWhatToDoNextWithTheNewestDocumentHere) {
  const TemporaryFolder empty;
  const auto alone_in = [&](const std::string& where) {
    return run_program({"/bin/sh", "-c", "cd \"$1\" && exec \"$0\"", program, where});
  };
  EXPECT_THAT(alone_in(path_of(empty)).out,
              AllOf(HasSubstr("reel capture -- ./program"), HasSubstr("reel devices")));
  std::filesystem::copy_file(sample, empty / "old.reel");
  std::filesystem::copy_file(sample, empty / "a b.reel");
  std::filesystem::last_write_time(
      empty / "old.reel",
      std::filesystem::last_write_time(empty / "a b.reel") - std::chrono::hours(1));
  const Outcome run = alone_in(path_of(empty));
  EXPECT_EQ(run.exit_code, 0);
  EXPECT_EQ(run.err, "");
  EXPECT_THAT(run.out, AllOf(HasSubstr("reel info 'a b.reel' "), Not(HasSubstr("old.reel"))));
}

TEST_F(Manual, CompletionKnowsVerbsOptionsAndChoices) {
  EXPECT_THAT(offered({"re"}), ElementsAre("words", "replay", "recover"));
  EXPECT_THAT(offered({"replay", sample, "--o"}), ElementsAre("words", "--order"));
  EXPECT_THAT(offered({"replay", sample, "--order", ""}),
              ElementsAre("words", "recorded", "sequential", "relaxed"));
  EXPECT_THAT(offered({"replay", sample, "--order", "relaxed", "--or"}), ElementsAre("words"));
  // The value in the same word; of bash's three words, and with the option before others.
  EXPECT_THAT(offered({"replay", sample, "--order=re"}),
              ElementsAre("words", "--order=recorded", "--order=relaxed"));
  EXPECT_THAT(offered({"replay", sample, "--order", "="}),
              ElementsAre("words", "recorded", "sequential", "relaxed"));
  EXPECT_THAT(offered({"replay", sample, "--order", "=", "s"}), ElementsAre("words", "sequential"));
  EXPECT_THAT(offered({"replay", sample, "--order=relaxed", "--or"}), ElementsAre("words"));
  EXPECT_THAT(offered({"completion", "z"}), ElementsAre("words", "zsh"));
  EXPECT_THAT(offered({"help", "env"}), ElementsAre("words", "environment"));
  EXPECT_THAT(offered({"info", ""}), ElementsAre("documents"));
  EXPECT_THAT(offered({"buffer", sample, "b1", "--npy", ""}), ElementsAre("files"));
  EXPECT_THAT(offered({"trend", ""}), ElementsAre("folders"));
  EXPECT_THAT(offered({"capture", "--first", "3", "--", ""}), ElementsAre("programs"));
  EXPECT_THAT(offered({"capture", "--", "./program", "--js"}), ElementsAre("files"));
}

TEST_F(Manual, CompletionKnowsIdsAndNamesOfTheDocumentOnTheLine) {
  EXPECT_THAT(offered({"source", sample, ""}), ElementsAre("words", "k4", "k7", "add", "scale"));
  EXPECT_THAT(offered({"source", sample, "sc"}), ElementsAre("words", "scale"));
  EXPECT_THAT(offered({"buffer", sample, "b"}), ElementsAre("words", "b1", "b2", "b5", "big"));
  EXPECT_THAT(offered({"buffer", sample, "b1", "--at", "c1"}), ElementsAre("words", "c1", "c10"));
  EXPECT_THAT(offered({"commands", sample, "--stream", "s"}),
              ElementsAre("words", "s0", "s3", "side"));
  EXPECT_THAT(offered({"commands", sample, "--kernel", "a"}), ElementsAre("words", "add"));
  EXPECT_THAT(offered({"replay", sample, "--what-if", "ad"}), ElementsAre("words", "add="));
  EXPECT_THAT(offered({"commands", sample, "--scope", ""}).size(), testing::Ge(2u));
}

TEST_F(Manual, CompletionIsSilentWhateverStandsOnTheLine) {
  const std::string cut = *folder / "cut.reel";
  std::filesystem::copy_file(sample, cut);
  std::filesystem::resize_file(cut, 100);
  const std::string text = *folder / "text.reel";
  write_bytes(text, bytes_of("no document"));
  const std::string pipe = *folder / "pipe.reel";
  ASSERT_EQ(run_program({"/usr/bin/mkfifo", pipe}).exit_code, 0);  // reading it would never end
  for (const std::string& document :
       {cut, text, pipe, *folder / "missing.reel", std::string("/"), std::string()})
    EXPECT_THAT(offered({"source", document, ""}), ElementsAre("words")) << document;
  EXPECT_THAT(offered({}), ElementsAre("words"));
  EXPECT_THAT(offered({"nonsense", "x", ""}), ElementsAre("words"));
  EXPECT_THAT(offered({"--", "-", "--", ""}), ElementsAre("words"));
}

TEST_F(Manual, CompletionAnswersRandomLines) {
  const std::vector<std::string> words{"replay",   "source",   "buffer", "capture", "help",
                                       sample,     "--device", "--",     "-",       "",
                                       "--kernel", "k",        "c1",     "=",       "--what-if",
                                       "\033[2J",  "\xff",     "'",      "$(x)",    "--order"};
  std::mt19937 random(19);
  for (int i = 0; i < 60; ++i) {
    std::vector<std::string> line;
    for (std::size_t n = random() % 7; line.size() < n;)
      line.push_back(words[random() % words.size()]);
    SCOPED_TRACE(fmt::format("{}", fmt::join(line, " | ")));
    const std::string begin = line.empty() ? "" : line.back();
    const std::vector<std::string> found = offered(line);
    ASSERT_FALSE(found.empty());
    EXPECT_THAT(found[0], testing::AnyOf("words", "documents", "files", "folders", "programs"));
    for (std::size_t f = 1; f < found.size(); ++f) EXPECT_THAT(found[f], StartsWith(begin));
  }
}

// A document with one kernel of this name.
std::string document_with_kernel(const std::string& path, const std::string& name) {
  document::DocumentWriter writer(path, {});
  writer.add(document::DeviceRow{0, "host", "host", "", "", "", "", "", 1, 1, true, 1});
  document::KernelRow kernel{};
  kernel.name = kernel.entry = name;
  writer.add(kernel);
  writer.close({});
  return path;
}

TEST_F(Manual, BashCompletesAndRunsNothingOfWhatKernelsAreNamed) {
  const std::string path =
      document_with_kernel(*folder / "evil.reel", "a$(touch " + path_of(*folder) + "/pwned) b");
  const auto bash = [&](const std::vector<std::string>& words) {
    std::vector<std::string> command{
        "/bin/bash", "-c",
        "reel() { " + program +
            " \"$@\"; }; source \"$0\"; COMP_WORDS=(\"$@\"); COMP_CWORD=$(($# - 1)); _reel; "
            "printf '%s\\n' \"${COMPREPLY[@]}\"",
        pages + "/bash-completion/completions/reel", "reel"};
    command.insert(command.end(), words.begin(), words.end());
    const Outcome run = run_program(command);
    EXPECT_EQ(run.err, "");
    return lines_of(run.out);
  };
  EXPECT_THAT(bash({"source", sample, "sc"}), ElementsAre("scale"));
  EXPECT_THAT(bash({"re"}), ElementsAre("replay", "recover"));
  EXPECT_THAT(bash({"replay", sample, "--order", "="}),
              ElementsAre("recorded", "sequential", "relaxed"));
  EXPECT_THAT(bash({"info", *folder / "samp"}), ElementsAre(sample));
  EXPECT_THAT(bash({"source", path, "a"}),
              ElementsAre("a\\$\\(touch\\ " + path_of(*folder) + "/pwned\\)\\ b"));
  EXPECT_FALSE(std::filesystem::exists(*folder / "pwned"));
}

TEST_F(Manual, ZshLoadsItsScriptAndOffersTheSame) {
  const auto zsh = [&](const std::string& line) {
    // compadd works within a completion only: here it tells what it was given.
    return run_program({"/usr/bin/zsh", "-f", "-c",
                        "compdef() { :; }; compadd() { print -l -- $words_found; }; reel() { " +
                            program + " \"$@\"; }; source \"$1\"; words=(" + line +
                            "); CURRENT=${#words}; _reel",
                        "zsh", pages + "/zsh/vendor-completions/_reel"});
  };
  const Outcome kernels = zsh("reel source " + sample + " sc");
  EXPECT_EQ(kernels.err, "");
  EXPECT_EQ(kernels.out, "scale\n");
  EXPECT_EQ(zsh("reel completion ''").out, "bash\nzsh\nfish\n");
}

TEST_F(Manual, FishOffersTheSameWithMeanings) {
  const TemporaryFolder home;
  const auto fish = [&](const std::string& line) {
    return run_program(
        {"/usr/bin/fish", "--no-config", "-c",
         "function reel; " + program + " $argv; end; source " + pages +
             "/fish/vendor_completions.d/reel.fish; complete -C " + "'" + line + "'"},
        {{"HOME", path_of(home)},
         {"XDG_CONFIG_HOME", path_of(home)},
         {"XDG_DATA_HOME", path_of(home)}});
  };
  EXPECT_THAT(lines_of(fish("reel source " + sample + " sc").out), ElementsAre("scale\tk7"));
  EXPECT_THAT(lines_of(fish("reel repl").out), ElementsAre(StartsWith("replay\t")));
}

TEST_F(Manual, TablesFitTheTerminal) {
  if (!has_pseudo_terminals()) GTEST_SKIP() << "There are no pseudo-terminals here (/dev/pts).";
  const std::vector<std::vector<std::string>> verbs{{"commands"}, {"kernels"}, {"buffers"},
                                                    {"scopes"},   {"calls"},   {"gaps"},
                                                    {"memory"},   {"deps"}};
  for (const std::uint16_t columns : {80, 40, 12})
    for (std::vector<std::string> words : verbs) {
      words.insert(words.begin(), program);
      words.push_back(sample);
      const Outcome run = run_on_terminal(words, {{"TERM", "dumb"}}, columns);
      EXPECT_EQ(run.exit_code, 0) << words[1];
      // What to do next follows the table, and holds a path.
      const std::string table = run.out.substr(0, run.out.find("\r\n\r\n"));
      EXPECT_THAT(table, Not(testing::IsEmpty()));
      if (columns < 40) continue;  // sentences are longer; it must only not hang or crash
      for (const std::string& line : lines_of(table)) {
        const auto width = std::count_if(line.begin(), line.end(), [](char c) {
          return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U && c != '\r';
        });
        if (line.find(". ") == std::string::npos) {
          EXPECT_LE(width, columns) << words[1] << ": " << line;
        }
      }
    }
}

TEST_F(Manual, IdsAreNeverCutAndFilesGetWholeTables) {
  if (!has_pseudo_terminals()) GTEST_SKIP() << "There are no pseudo-terminals here (/dev/pts).";
  const Outcome narrow = run_on_terminal({program, "commands", sample}, {{"TERM", "dumb"}}, 40);
  for (const char* id : {"\nc0 ", "\nc10 "}) EXPECT_THAT(narrow.out, HasSubstr(id));
  for (const std::string& line : lines_of(reel({"commands", sample}).out))
    EXPECT_THAT(line, Not(StartsWith("    ")));
}

TEST_F(Manual, ABrokenLocaleOrNoHomeChangesNothing) {
  const std::string usual = reel({"kernels", sample}).out;
  for (const Environment& odd : {Environment{{"LC_ALL", "xx_YY.nonsense"}, {"LANG", ""}},
                                 Environment{{"HOME", "/dev/null"}}, Environment{{"HOME", ""}},
                                 Environment{{"TERM", "no-such-terminal"}, {"COLUMNS", "zero"}}}) {
    const Outcome run = run_program({program, "kernels", sample}, odd);
    EXPECT_EQ(run.exit_code, 0);
    EXPECT_EQ(run.out, usual);
    EXPECT_EQ(run.err, "");
  }
}

}  // namespace
}  // namespace reel::test
