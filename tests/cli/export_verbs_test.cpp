// `reel export` and `reel sql`, run as a user runs them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <thread>

#include "document/sample_document.hpp"
#include "run_program.hpp"

namespace reel::test {
namespace {

using nlohmann::json;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;

const std::string program = REEL_PROGRAM;

class ExportVerbs : public testing::Test {
 protected:
  static Outcome reel(std::vector<std::string> words) {
    words.insert(words.begin(), program);
    return run_program(words);
  }
  // With `input` as standard input.
  Outcome sql(const std::string& input, const std::string& options = "") {
    std::ofstream(folder / "input.sql") << input;
    return run_program({"/bin/sh", "-c",
                        "exec '" + program + "' sql '" + sample + "' " + options + " < '" +
                            folder / "input.sql" + "'"});
  }
  TemporaryFolder folder;
  const std::string sample = write_sample(folder / "sample.reel");
};

std::string text_in(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

TEST_F(ExportVerbs, ExportWritesEveryFormatAndSaysWhatItWrote) {
  for (const std::string to :
       {"perfetto", "chrome", "sqlite", "dot", "csv", "jsonl", "pprof", "parquet", "arrow"}) {
    const std::string path = folder / ("out." + to);
    const Outcome run = reel({"export", sample, "--to", to, "-o", path});
    EXPECT_EQ(run.exit_code, 0) << to << run.err;
    EXPECT_THAT(run.out, StartsWith(path + ": ")) << to;
    EXPECT_TRUE(std::filesystem::exists(path)) << to;
    EXPECT_EQ(reel({"export", sample, "--to", to, "-o", path}).exit_code, 1) << to;
    const Outcome again = reel({"export", sample, "--to", to, "-o", path, "--overwrite", "--json"});
    EXPECT_EQ(again.exit_code, 0) << again.err;
    const json told = json::parse(again.out);
    EXPECT_EQ(told["schema_version"], 1);
    EXPECT_EQ(told["written"], path);
    EXPECT_GT(told["bytes"], 0);
  }
}

TEST_F(ExportVerbs, ExportWritesThePage) {
  const std::string path = folder / "out.html";
  const Outcome run = reel({"export", sample, "--to", "html", "-o", path});
  if (run.err.find("without the page") != std::string::npos) GTEST_SKIP() << run.err;
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_THAT(run.out, StartsWith(path + ": "));
  EXPECT_EQ(reel({"export", sample, "--to", "html", "-o", path}).exit_code, 1);
  EXPECT_EQ(reel({"export", sample, "--to", "html", "-o", path, "--overwrite"}).exit_code, 0);
}

TEST_F(ExportVerbs, ExportNamesTheFileAfterTheDocument) {
  const Outcome run =
      run_program({"/bin/sh", "-c",
                   "cd '" + folder / "" + "' && '" + program + "' export sample.reel --to dot"});
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_THAT(text_in(folder / "sample.dot"), StartsWith("digraph"));
}

TEST_F(ExportVerbs, ExportToADashPrintsAndWarningsGoToStderr) {
  const Outcome run = reel({"export", sample, "--to", "dot", "--most", "2", "-o", "-"});
  EXPECT_EQ(run.exit_code, 0);
  EXPECT_THAT(run.out, StartsWith("digraph reel {"));
  EXPECT_THAT(run.err, HasSubstr("The first 2 of 11 commands are drawn"));
}

TEST_F(ExportVerbs, ExportRefusesWhatMakesNoSense) {
  EXPECT_EQ(reel({"export", sample}).exit_code, 2);
  EXPECT_EQ(reel({"export", sample, "--to", "word"}).exit_code, 2);
  EXPECT_EQ(reel({"export", sample, "--to", "dot", "--hta"}).exit_code, 2);
  EXPECT_EQ(reel({"export", sample, "--to", "sqlite", "-o", "-"}).exit_code, 2);
  EXPECT_EQ(reel({"export", sample, "--to", "parquet", "-o", "-"}).exit_code, 2);
  EXPECT_EQ(reel({"export", sample, "--to", "dot", "--table", "commands"}).exit_code, 2);
  EXPECT_EQ(reel({"export", folder / "nothing.reel", "--to", "dot"}).exit_code, 1);
  write_bytes(folder / "no.reel", bytes_of("no document"));
  EXPECT_EQ(reel({"export", folder / "no.reel", "--to", "dot"}).exit_code, 3);
  EXPECT_EQ(reel({"export", sample, "--to", "dot", "-o", folder / "nowhere/x"}).exit_code, 1);
}

TEST_F(ExportVerbs, ExportWritesOneTableToADash) {
  const Outcome run = reel({"export", sample, "--to", "parquet", "--table", "commands", "-o", "-"});
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_THAT(run.out, StartsWith("PAR1"));
  EXPECT_THAT(run.out, testing::EndsWith("PAR1"));
}

TEST_F(ExportVerbs, SqlPrintsATableOrJson) {
  const std::string question = "select name, runs, total_ns from kernel_usage";
  const Outcome run = reel({"sql", sample, question});
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_EQ(run.out, "name   runs  total_ns\nadd       3     24000\nscale     1      5000\n");
  const json told = json::parse(reel({"sql", sample, question, "--json"}).out);
  EXPECT_EQ(told["schema_version"], 1);
  EXPECT_EQ(told["columns"], json({"name", "runs", "total_ns"}));
  EXPECT_EQ(told["rows"], json({{"add", 3, 24000}, {"scale", 1, 5000}}));
  EXPECT_EQ(reel({"sql", sample, "select null as x"}).out, "x\n-\n");
}

TEST_F(ExportVerbs, SqlThatIsWrongIsMisuse) {
  for (const char* statement :
       {"selec", "select x from commands", "create table x(a)", "attach 'x.db' as x", ".nothing"}) {
    const Outcome run = reel({"sql", sample, statement});
    EXPECT_EQ(run.exit_code, 2) << statement;
    EXPECT_THAT(run.err, StartsWith("reel: ")) << statement;
    EXPECT_EQ(run.out, "");
  }
}

TEST_F(ExportVerbs, SqlReadsStatementsFromStandardInput) {
  const Outcome run = sql("select 1 as a;\n\nselect\n 2 as b;\n.schema orders\nselect 3 as c");
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_EQ(run.out,
            "a\n1\nb\n2\nCREATE TABLE orders(\n  command INTEGER,  -- that waits\n"
            "  after INTEGER,  -- the command that is done before\n"
            "  kind TEXT,  -- `event`, `semaphore`, `host` (which had seen it done)\n"
            "  stages INTEGER  -- of a semaphore: those that wait (`VkPipelineStageFlags2`); 0: "
            "all\n);\nc\n3\n");
  const Outcome wrong = sql("select 1 as a;\nselec;\nselect 2 as b;\n");
  EXPECT_EQ(wrong.exit_code, 2);
  EXPECT_EQ(wrong.out, "a\n1\n");
  EXPECT_THAT(sql(".tables\n.help\n.quit\nselec;\n").out,
              AllOf(HasSubstr("kernel_usage  (view)\n"), HasSubstr(".schema [name]")));
  EXPECT_EQ(sql("").exit_code, 0);
}

// Whether the process is `reel` by now, and has a handler for SIGINT, as the kernel tells it.
bool catches_interrupts(pid_t process) {
  const std::string about = "/proc/" + std::to_string(process);
  std::error_code ignored;  // it is this test until it has become `reel`
  if (!std::filesystem::equivalent(about + "/exe", program, ignored)) return false;
  std::ifstream status(about + "/status");
  for (std::string line; std::getline(status, line);)
    if (line.starts_with("SigCgt:"))
      return (std::stoull(line.substr(7), nullptr, 16) & (1u << (SIGINT - 1))) != 0;
  return false;
}

TEST_F(ExportVerbs, SqlEndsAQueryWhenInterrupted) {
  const std::string endless =
      "with recursive n(i) as (select 1 union all select i + 1 from n) select count(*) from n";
  const std::string err = folder / "err";
  const pid_t child = fork();
  if (child == 0) {
    if (!std::freopen(err.c_str(), "w", stderr)) _exit(126);
    execl(program.c_str(), "reel", "sql", sample.c_str(), endless.c_str(), nullptr);
    _exit(127);
  }
  int status = 0;
  // A signal that finds no handler yet would end it.
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(60);
  while (!catches_interrupts(child) && std::chrono::steady_clock::now() < deadline)
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  kill(child, SIGINT);
  ASSERT_EQ(waitpid(child, &status, 0), child);
  ASSERT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 1);
  EXPECT_EQ(text_in(err), "reel: The query was interrupted.\n");
}

TEST_F(ExportVerbs, SqlAnswersOnATerminal) {
  if (!has_pseudo_terminals()) GTEST_SKIP() << "there are no pseudo terminals here";
  const Outcome run = run_on_terminal(
      {"/bin/sh", "-c",
       "printf 'select 41 + 1 as x;\\n.quit\\n' | '" + program + "' sql '" + sample + "'"});
  EXPECT_EQ(run.exit_code, 0);
  EXPECT_THAT(run.out, HasSubstr("42"));
}

}  // namespace
}  // namespace reel::test
