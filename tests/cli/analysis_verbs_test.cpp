// The verbs that say what a document means, run as a user runs them.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <sstream>

#include "document/document_writer.hpp"
#include "document/sample_document.hpp"
#include "verb_test.hpp"

namespace reel::test {
namespace {

using nlohmann::json;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

class AnalysisVerbs : public VerbTest {
 protected:
  static void SetUpTestSuite() {
    folder = new TemporaryFolder;
    sample = write_sample(*folder / "sample.reel");
    write_many(*folder / "few.reel", 100);
    write_many(*folder / "more.reel", 120);
    few = *folder / "few.reel";
    more = *folder / "more.reel";
  }
  static void TearDownTestSuite() { delete folder; }
  static inline TemporaryFolder* folder = nullptr;
  static inline std::string sample, few, more;
};

TEST_F(AnalysisVerbs, InsightsTellTheVerdictFirst) {
  const Outcome run = reel({"insights", few});
  EXPECT_EQ(run.exit_code, 0);
  EXPECT_EQ(run.err, "");
  EXPECT_TRUE(run.out.starts_with("verdict\n")) << run.out;
  EXPECT_THAT(run.out, HasSubstr("  reel view "));
  const json answer = reel_json({"insights", few});
  EXPECT_EQ(answer["findings"][0]["id"], "verdict");
  EXPECT_EQ(answer["complete"], true);
}

TEST_F(AnalysisVerbs, InsightsFailWhereAsked) {
  EXPECT_EQ(reel({"insights", few, "--fail-on", "info"}).exit_code, 1);
  EXPECT_EQ(reel({"insights", few, "--fail-on", "error"}).exit_code, 0);
  const Outcome wrong = reel({"insights", few, "--fail-on", "sometimes"});
  EXPECT_EQ(wrong.exit_code, 2);
  EXPECT_THAT(wrong.err, HasSubstr("sometimes"));
}

TEST_F(AnalysisVerbs, GapsAddUpToTheIdleTime) {
  const json answer = reel_json({"gaps", few});
  std::uint64_t sum = 0, causes = 0;
  for (const json& gap : answer["gaps"]) sum += gap["ns"].get<std::uint64_t>();
  for (const auto& [cause, ns] : answer["idle_ns"].items()) causes += ns.get<std::uint64_t>();
  EXPECT_EQ(sum, answer["devices"][0]["idle_ns"]);
  EXPECT_EQ(sum, causes);
  EXPECT_GT(sum, 0u);
  EXPECT_EQ(reel({"gaps", few, "--cause", "weather"}).exit_code, 2);
}

TEST_F(AnalysisVerbs, OutputOfAnyVerbThatCannotBeWrittenIsAnError) {
  for (const std::string words :
       {"info", "commands", "gaps", "kernels", "scopes", "calls", "memory", "insights", "buffers",
        "deps", "verify", "sql 'select 1'", "sql .schema", "diff", "source k4 --form opencl_c",
        "buffer b1"}) {
    const std::size_t verb = words.find(' ');
    const std::string second = words == "diff" ? " '" + sample + "'" : "";
    for (const char* format : {"", " --json"}) {
      const std::string line =
          fmt::format("'{}' {} '{}'{}{}{} >/dev/full", REEL_PROGRAM, words.substr(0, verb), sample,
                      second, verb == std::string::npos ? "" : words.substr(verb), format);
      const Outcome run = run_program({"/bin/sh", "-c", line});
      EXPECT_EQ(run.exit_code, 1) << line;
      // Long answers fail on the way and short ones at the end: the same words for both.
      EXPECT_THAT(run.err, HasSubstr("reel: The output could not be written: No space left"))
          << line;
    }
  }
}

TEST_F(AnalysisVerbs, WithoutStampsTimesAreNotKnownAndNotZero) {
  const std::string path = *folder / "unstamped.reel";
  document::DocumentWriter writer(path, {{"program", "unstamped"}});
  writer.add(document::DeviceRow{0, "host", "host", "CPU", "cpu", "reel", "1", "", 1, 2, false, 1});
  writer.add(document::StreamRow{0, 0, "main"});
  document::WorkRow work{};
  work.kind = WorkKind::barrier;
  work.scope = writer.text("step");
  for (std::uint32_t i = 0; i < 4; ++i)
    writer.add(document::CommandRow{i, writer.add(work), 0, no_index, no_index, 7, 1000 + 100 * i,
                                    1050 + 100 * i});
  writer.close({{"commands", "4"}, {"complete", "yes"}});
  EXPECT_THAT(reel({"gaps", path}).out, HasSubstr("can't be told: no timings were recorded"));
  EXPECT_THAT(reel({"info", path}).out, HasSubstr("no times of commands were recorded"));
  EXPECT_THAT(reel({"insights", path}).out, HasSubstr("No timestamps were recorded"));
  for (const char* verb : {"info", "gaps", "scopes"}) {
    const json answer = reel_json({verb, path});
    EXPECT_TRUE(answer[std::string(verb) == "scopes" ? "run_ns" : "busy_ns"].is_null()) << verb;
  }
  for (const char* verb : {"commands", "scopes"})
    EXPECT_THAT(reel({verb, path}).out, Not(HasSubstr("0 ns"))) << verb;
}

TEST_F(AnalysisVerbs, DepsShowOnlyWhatIsAskedFor) {
  const json all = reel_json({"deps", sample});
  EXPECT_FALSE(all["dependencies"].empty());
  const json data = reel_json({"deps", sample, "--kind", "data"});
  for (const json& row : data["dependencies"]) EXPECT_EQ(row["kind"], "data");
  EXPECT_EQ(reel({"deps", sample, "--of", "x9"}).exit_code, 1);
  EXPECT_EQ(reel({"deps", sample, "--of", "c999"}).exit_code, 1);
}

TEST_F(AnalysisVerbs, MemoryKnowsEveryBuffer) {
  const json answer = reel_json({"memory", sample});
  EXPECT_EQ(answer["buffers"].size(), 3u);
  EXPECT_GE(answer["peak_bytes"], answer["needed_at_peak_bytes"]);
  // What is allocated is not in use for that alone.
  EXPECT_THAT(reel({"memory", sample}).out,
              AllOf(HasSubstr("At most "), HasSubstr(" was allocated"),
                    HasSubstr(" was needed then"), Not(HasSubstr("in use"))));
}

TEST_F(AnalysisVerbs, RanksAreComparedByFileAndByFolder) {
  const TemporaryFolder ranks;
  for (const char* name : {"run-0.reel", "run-2.reel", "run-10.reel"})
    std::filesystem::copy_file(few, ranks / name);
  std::ofstream(ranks / "notes.txt") << "no document";
  const json answer = reel_json({"ranks", ranks / ""});
  ASSERT_EQ(answer["ranks"].size(), 3u);
  EXPECT_EQ(answer["ranks"][2]["rank"], 10);
  EXPECT_TRUE(answer["numbered_by_name"]);
  EXPECT_TRUE(answer["straggler"].is_null());
  EXPECT_EQ(answer["differences"].size(), 0u);
  const Outcome text = reel({"ranks", ranks / "run-0.reel", ranks / "run-2.reel", "--steps"});
  EXPECT_EQ(text.exit_code, 0) << text.err;
  EXPECT_THAT(text.out, AllOf(HasSubstr("OWN WORK"), HasSubstr("numbered by their names"),
                              HasSubstr("no common clock"), HasSubstr("ARRIVED")));
  // One that can't be read is named, and the others are answered.
  std::ofstream(ranks / "run-3.reel") << "no document";
  const Outcome broken = reel({"ranks", ranks / ""});
  EXPECT_EQ(broken.exit_code, 0);
  EXPECT_THAT(broken.err, HasSubstr("run-3.reel is left out: "));
  EXPECT_EQ(reel({"ranks", few}).exit_code, 1);
  EXPECT_EQ(reel({"ranks"}).exit_code, 2);
  const TemporaryFolder empty;
  EXPECT_THAT(reel({"ranks", empty / ""}).err, HasSubstr("has no .reel file"));
}

// On a terminal of 40 columns: no line of prose is longer, and no word is lost.
TEST_F(AnalysisVerbs, SentencesAreBrokenBetweenWordsOnANarrowTerminal) {
  const std::string on_terminal =
      "import fcntl, os, pty, struct, subprocess, sys, termios\n"
      "main, other = pty.openpty()\n"
      "fcntl.ioctl(other, termios.TIOCSWINSZ, struct.pack('HHHH', 24, int(sys.argv[1]), 0, 0))\n"
      "env = dict(os.environ, NO_COLOR='1')\n"
      "run = subprocess.Popen(sys.argv[2:], stdout=other, stderr=subprocess.DEVNULL, env=env)\n"
      "os.close(other)\n"
      "text = b''\n"
      "while True:\n"
      "    try:\n"
      "        part = os.read(main, 65536)\n"
      "    except OSError:\n"
      "        break\n"
      "    if not part: break\n"
      "    text += part\n"
      "run.wait()\n"
      "sys.stdout.buffer.write(text.replace(b'\\r', b''))\n";
  const auto shown = [&](const char* columns) {
    return run_program(
               {"/usr/bin/python3", "-c", on_terminal, columns, REEL_PROGRAM, "insights", more})
        .out;
  };
  const std::string narrow = shown("40"), wide = shown("10000");
  ASSERT_THAT(wide, HasSubstr("verdict"));
  const auto words = [](const std::string& text) {
    std::istringstream in(text);
    return std::vector<std::string>{std::istream_iterator<std::string>(in), {}};
  };
  EXPECT_EQ(words(narrow), words(wide));
  std::istringstream lines(narrow);
  std::size_t wrapped = 0;
  for (std::string line; std::getline(lines, line);) {
    // A command stays in one piece, to be copied, and what it shows stands below it.
    const bool is_command = line.starts_with("  reel ");
    EXPECT_TRUE(!is_command || line.find("  ", 2) == std::string::npos) << line;
    if (!line.starts_with("  ") || is_command) continue;
    ++wrapped;
    const auto characters = std::ranges::count_if(line, [](char c) { return (c & 0xC0) != 0x80; });
    EXPECT_TRUE(characters <= 40 || line.find(' ', 2) == std::string::npos) << line;
  }
  EXPECT_GT(wrapped, 3u);
}

TEST_F(AnalysisVerbs, DiffSumsToTheTotal) {
  const json answer = reel_json({"diff", few, more});
  std::int64_t sum = answer["idle_delta_ns"].get<std::int64_t>();
  sum += answer["rest_ns"].get<std::int64_t>();
  for (const json& row : answer["rows"]) sum += row["delta_ns"].get<std::int64_t>();
  EXPECT_EQ(sum, answer["total_delta_ns"].get<std::int64_t>());
}

TEST_F(AnalysisVerbs, DiffFailsWhereAsked) {
  EXPECT_EQ(reel({"diff", few, few, "--fail-if", "total>+5%"}).exit_code, 0);
  const Outcome run =
      reel({"diff", few, sample, "--fail-if", "peak>+1KiB", "--fail-if", "commands<-10"});
  EXPECT_EQ(run.exit_code, 1);
  EXPECT_THAT(run.err, AllOf(HasSubstr("peak>+1KiB is true"), HasSubstr("commands<-10 is true")));
  for (const char* wrong : {"total", "speed>+5%", "total>much", "total>+5parsec", ""}) {
    const Outcome refused = reel({"diff", few, few, "--fail-if", wrong});
    EXPECT_EQ(refused.exit_code, 2) << wrong;
    EXPECT_THAT(refused.err, HasSubstr("total, busy, idle")) << wrong;
  }
}

// One pass each: the numbers alone say that it is slower, and nobody knows the noise.
TEST_F(AnalysisVerbs, DiffFailsByNumbersAloneOnlyIfStrict) {
  const std::string condition = "busy>+0%";
  const Outcome run = reel({"diff", few, more, "--fail-if", condition});
  EXPECT_EQ(run.exit_code, 0);
  EXPECT_THAT(run.err, AllOf(HasSubstr("busy>+0% is true, but not significant"),
                             HasSubstr("9 or more passes of each"), HasSubstr("--strict")));
  const Outcome strict = reel({"diff", few, more, "--fail-if", condition, "--strict"});
  EXPECT_EQ(strict.exit_code, 1);
  EXPECT_THAT(strict.err, HasSubstr("busy>+0% is true."));
}

// What XML's own readers of another library make of it, and the exit code, must agree.
TEST_F(AnalysisVerbs, DiffWritesItsLimitsAndKernelsAsTests) {
  const std::string file = *folder / "performance.xml";
  const auto cases = [&] {
    const Outcome parsed = run_program(
        {"/usr/bin/python3", "-c",
         "import sys, json, xml.etree.ElementTree as t\n"
         "suite = t.parse(sys.argv[1]).find('testsuite')\n"
         "cases = [[c.get('classname'), c.get('name'), c[0].tag if len(c) else '',\n"
         "          (c[0].get('message') or c[0].text) if len(c) else ''] for c in suite]\n"
         "assert int(suite.get('tests')) == len(cases)\n"
         "assert int(suite.get('failures')) == sum(c[2] == 'failure' for c in cases)\n"
         "print(json.dumps(cases))",
         file});
    EXPECT_EQ(parsed.exit_code, 0) << parsed.err;
    return json::parse(parsed.out);
  };
  const std::size_t kernels = reel_json({"diff", few, more})["kernels"].size();
  ASSERT_GT(kernels, 0u);
  const Outcome kept = reel({"diff", few, few, "--fail-if", "total>+5%", "--junit", file});
  EXPECT_EQ(kept.exit_code, 0);
  for (const json& one : cases()) EXPECT_NE(one[2], "failure") << one;

  const Outcome broken = reel({"diff", few, more, "--strict", "--fail-if", "busy>+0%", "--fail-if",
                               "commands<-1000", "--junit", file});
  EXPECT_EQ(broken.exit_code, 1);
  const json found = cases();
  ASSERT_EQ(found.size(), 2 + kernels);
  EXPECT_EQ(found[0][1], "busy>+0%");
  EXPECT_EQ(found[0][2], "failure");
  EXPECT_THAT(found[0][3].get<std::string>(), HasSubstr("busy>+0% is true."));
  EXPECT_EQ(found[1], json({"limits", "commands<-1000", "", ""}));
  for (std::size_t i = 2; i < found.size(); ++i) EXPECT_EQ(found[i][0], "kernels");

  // True by its number, and nobody can tell: no failure, and the reason stands beside it.
  reel({"diff", few, more, "--fail-if", "busy>+0%", "--junit", file});
  EXPECT_EQ(cases()[0][2], "system-out");
  EXPECT_THAT(cases()[0][3].get<std::string>(), HasSubstr("not significant"));
  // Nothing in common.
  reel({"diff", few, sample, "--fail-if", "total>+5%", "--junit", file});
  EXPECT_EQ(cases()[0][2], "skipped");

  const Outcome unwritable = reel({"diff", few, few, "--junit", "/nonexistent/results.xml"});
  EXPECT_EQ(unwritable.exit_code, 1);
  EXPECT_THAT(unwritable.err, HasSubstr("'/nonexistent/results.xml' can't be written"));
}

TEST_F(AnalysisVerbs, DiffInMarkdownIsATable) {
  EXPECT_EQ(reel({"diff", few, more, "--markdown"}).out, reel({"diff", few, more, "--md"}).out);
  const Outcome run = reel({"diff", few, more, "--md"});
  EXPECT_EQ(run.exit_code, 0);
  EXPECT_THAT(run.out,
              AllOf(HasSubstr("## "), HasSubstr("| what | before |"), HasSubstr("| total |")));
}

TEST_F(AnalysisVerbs, DiffOfDocumentsWithNothingInCommonIsOneSentence) {
  const Outcome run = reel({"diff", few, sample});
  EXPECT_EQ(run.exit_code, 0);
  EXPECT_THAT(run.out, AllOf(HasSubstr("nothing in common"), Not(HasSubstr("BEFORE")),
                             Not(HasSubstr("total"))));
  EXPECT_THAT(reel({"diff", few, sample, "--md"}).out, Not(HasSubstr("| what |")));
  EXPECT_TRUE(reel_json({"diff", few, sample})["rows"].empty());
  const Outcome gate = reel({"diff", few, sample, "--fail-if", "total>+5%"});
  EXPECT_EQ(gate.exit_code, 0);
  EXPECT_THAT(gate.err, HasSubstr("total>+5% can't be checked"));
  EXPECT_EQ(reel({"diff", few, sample, "--fail-if", "total>+5%", "--strict"}).exit_code, 1);
}

TEST_F(AnalysisVerbs, SayWhatIsWrongWithAFile) {
  const std::string text = *folder / "text.reel";
  std::ofstream(text) << "hello";
  for (const char* verb : {"insights", "gaps", "deps", "memory"}) {
    EXPECT_EQ(reel({verb, text}).exit_code, 3) << verb;
    EXPECT_EQ(reel({verb, *folder / "none.reel"}).exit_code, 1) << verb;
  }
  EXPECT_EQ(reel({"diff", few, text}).exit_code, 3);
  EXPECT_EQ(reel({"diff", few}).exit_code, 2);
}

}  // namespace
}  // namespace reel::test
