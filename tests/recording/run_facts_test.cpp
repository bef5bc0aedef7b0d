#include "recording/opening/run_facts.hpp"

#include <gtest/gtest.h>
#include <stdlib.h>
#include <unistd.h>

#include <fstream>
#include <map>

#include "expect_error.hpp"
#include "recording/captured.hpp"
#include "recording/opening/git_commit.hpp"
#include "recording/opening/path_pattern.hpp"

namespace reel::test {
namespace {

using document::Facts;
namespace fs = std::filesystem;

// What a launcher would have set, or not: this test may itself run in a job of a CI.
class RunFacts : public testing::Test {
 protected:
  void SetUp() override {
    for (const char* name :
         {"RANK", "WORLD_SIZE", "LOCAL_RANK", "TORCHELASTIC_RUN_ID", "OMPI_COMM_WORLD_RANK",
          "PMI_RANK", "PMIX_RANK", "PMIX_NAMESPACE", "SLURM_STEP_ID", "SLURM_JOB_ID",
          "SLURM_PROCID", "SLURM_NODEID", "GITHUB_SHA", "CI_COMMIT_SHA", "REEL_CAPTURE_FACTS"})
      forget(name);
  }
  void TearDown() override {
    for (const auto& [name, value] : before_)
      value ? setenv(name.c_str(), value->c_str(), 1) : unsetenv(name.c_str());
  }
  void set(const char* name, const char* value) {
    remember(name);
    setenv(name, value, 1);
  }
  void forget(const char* name) {
    remember(name);
    unsetenv(name);
  }
  static std::string fact(const Facts& facts, const char* name) {
    const auto found = facts.find(name);
    return found == facts.end() ? "absent" : found->second;
  }

 private:
  void remember(const char* name) {
    const char* value = getenv(name);
    before_.try_emplace(name, value ? std::optional<std::string>(value) : std::nullopt);
  }
  std::map<std::string, std::optional<std::string>> before_;
};

TEST_F(RunFacts, OpenMpiTellsTheRank) {
  set("OMPI_COMM_WORLD_RANK", "3");
  set("OMPI_COMM_WORLD_SIZE", "8");
  set("OMPI_COMM_WORLD_LOCAL_RANK", "1");
  const Facts facts = capture::run_facts().facts;
  EXPECT_EQ(fact(facts, "rank"), "3");
  EXPECT_EQ(fact(facts, "ranks"), "8");
  EXPECT_EQ(fact(facts, "local_rank"), "1");
  EXPECT_NE(fact(facts, "host"), "absent");
  EXPECT_EQ(fact(facts, "boot_id").size(), 36u);
}

TEST_F(RunFacts, MpichTellsTheRank) {
  set("PMI_RANK", "0");
  set("PMI_SIZE", "2");
  set("MPI_LOCALRANKID", "0");
  const Facts facts = capture::run_facts().facts;
  EXPECT_EQ(fact(facts, "rank") + fact(facts, "ranks") + fact(facts, "local_rank"), "020");
}

TEST_F(RunFacts, OfMpichInAStepOfSlurmTheNumberOnTheNodeIsSlurms) {
  set("PMI_RANK", "5");
  set("PMI_SIZE", "8");
  set("SLURM_STEP_ID", "0");
  set("SLURM_PROCID", "5");
  set("SLURM_LOCALID", "1");
  EXPECT_EQ(fact(capture::run_facts().facts, "local_rank"), "1");
  // One process of srun for each node, which started the ranks itself: that number is its own.
  set("SLURM_PROCID", "2");
  EXPECT_EQ(fact(capture::run_facts().facts, "local_rank"), "absent");
}

TEST_F(RunFacts, OfSlurmOnlyAStepHasRanks) {
  set("SLURM_JOB_ID", "4711");
  set("SLURM_PROCID", "0");
  EXPECT_EQ(fact(capture::run_facts().facts, "rank"), "absent");
  EXPECT_EQ(fact(capture::run_facts().facts, "job"), "4711");
  set("SLURM_STEP_ID", "0");
  set("SLURM_PROCID", "5");
  set("SLURM_STEP_NUM_TASKS", "6");
  set("SLURM_NODEID", "2");
  const Facts facts = capture::run_facts().facts;
  EXPECT_EQ(fact(facts, "rank") + fact(facts, "ranks") + fact(facts, "node"), "562");
}

TEST_F(RunFacts, TorchrunInAStepOfSlurmIsWhoStartedTheProcess) {
  set("SLURM_STEP_ID", "0");
  set("SLURM_PROCID", "1");
  set("SLURM_JOB_ID", "4711");
  set("RANK", "13");
  set("WORLD_SIZE", "16");
  set("LOCAL_RANK", "5");
  set("TORCHELASTIC_RUN_ID", "none");
  const Facts facts = capture::run_facts().facts;
  EXPECT_EQ(fact(facts, "rank"), "13");
  EXPECT_EQ(fact(facts, "job"), "4711");
}

TEST_F(RunFacts, AWordThatIsNoRankIsNone) {
  set("RANK", "3");
  EXPECT_EQ(fact(capture::run_facts().facts, "rank"), "absent") << "RANK alone may be anybody's";
  set("WORLD_SIZE", "4");
  EXPECT_EQ(fact(capture::run_facts().facts, "rank"), "3");
  set("RANK", "../../etc");
  EXPECT_EQ(fact(capture::run_facts().facts, "rank"), "absent");
}

TEST_F(RunFacts, TheUsersWinAndThatIsNoted) {
  set("OMPI_COMM_WORLD_RANK", "3");
  set("REEL_CAPTURE_FACTS", "rank=7,branch=main,text=a\\,b=c\\\\");
  const capture::RunFacts run = capture::run_facts({{"branch", "topic"}});
  EXPECT_EQ(fact(run.facts, "rank"), "7");
  EXPECT_EQ(fact(run.facts, "branch"), "topic");
  EXPECT_EQ(fact(run.facts, "text"), "a,b=c\\");
  ASSERT_EQ(run.notes.size(), 2u);
  EXPECT_NE(run.notes[0].find("'rank' is '7'"), std::string::npos) << run.notes[0];
  EXPECT_EQ(capture::expand_path("%r", 1), "7");
}

TEST_F(RunFacts, WrongOnesAreNamed) {
  expect_error(Code::invalid_argument, {"'Rank'", "small letter"},
               [] { capture::parse_facts("a=1,Rank=3"); });
  expect_error(Code::invalid_argument, {"'nothing'", "name=value"},
               [] { capture::parse_facts("nothing"); });
  expect_error(Code::invalid_argument, {"'contents'", "the document itself"},
               [] { capture::parse_facts("contents=all"); });
  set("REEL_CAPTURE_FACTS", "9=3");
  const capture::RunFacts run = capture::run_facts();
  ASSERT_EQ(run.notes.size(), 1u);
  EXPECT_NE(run.notes[0].find("REEL_CAPTURE_FACTS is left out"), std::string::npos);
}

TEST_F(RunFacts, TextsAreReadAsTheyWereWritten) {
  const Facts facts{{"a", "x,y"}, {"b.c_1", ""}, {"d", "\\,=\\"}};
  EXPECT_EQ(capture::parse_facts(capture::facts_text(facts)), facts);
}

TEST_F(RunFacts, AreInTheDocument) {
  set("OMPI_COMM_WORLD_RANK", "2");
  set("OMPI_COMM_WORLD_SIZE", "4");
  set("GITHUB_SHA", "0123456789abcdef0123456789abcdef01234567");
  const ScratchFolder folder;
  const std::string path = folder.path("run-%r.reel");
  start_capture(path, {.facts = {{"branch", "main"}}});
  static_cast<void>(stop_capture());
  const Trace trace = Trace::load(folder.path("run-2.reel"));
  EXPECT_EQ(fact(trace.run_facts(), "rank"), "2");
  EXPECT_EQ(fact(trace.facts(), "ranks"), "4");
  EXPECT_EQ(fact(trace.facts(), "branch"), "main");
  EXPECT_EQ(fact(trace.facts(), "commit"), "0123456789abcdef0123456789abcdef01234567");
  EXPECT_EQ(fact(trace.facts(), "contents"), "inputs");
  EXPECT_EQ(fact(trace.run_facts(), "contents"), "absent");
  EXPECT_TRUE(trace.notes().empty());
  expect_error(Code::invalid_argument, {"'contents'"}, [&] {
    start_capture(folder.path("no.reel"), {.facts = {{"contents", "all"}}});
  });
}

TEST_F(RunFacts, ANameWithoutItsRankIsNoted) {
  const ScratchFolder folder;
  start_capture(folder.path("run-%r.reel"));
  const std::string path = stop_capture().path;
  EXPECT_EQ(path, folder.path("run-p" + std::to_string(getpid()) + ".reel"));
  const Trace trace = Trace::load(path);
  ASSERT_EQ(trace.notes().size(), 1u);
  EXPECT_NE(trace.notes()[0].text.find("rank of this process is not known"), std::string::npos);
}

// --- git ----------------------------------------------------------------------------------------

void write(const fs::path& path, const std::string& text) {
  fs::create_directories(path.parent_path());
  std::ofstream(path) << text;
}

constexpr const char* first = "1111111111111111111111111111111111111111";
constexpr const char* second = "2222222222222222222222222222222222222222";

TEST(GitCommit, OfALooseAPackedAndADetachedHead) {
  const ScratchFolder folder;
  const fs::path git = fs::path(folder.path("repo")) / ".git";
  fs::create_directories(fs::path(folder.path("repo")) / "deep/er");
  write(git / "HEAD", "ref: refs/heads/main\n");
  const auto commit = [&] { return capture::commit_of_checkout(folder.path("repo/deep/er")); };
  EXPECT_EQ(commit(), "") << "no commit yet";
  write(git / "packed-refs", std::string("# pack-refs with: peeled fully-peeled sorted \n") +
                                 second + " refs/heads/other/refs/heads/main\n" + first +
                                 " refs/heads/main\n^" + second + "\n");
  EXPECT_EQ(commit(), first);
  write(git / "refs/heads/main", std::string(second) + "\n");
  EXPECT_EQ(commit(), second);
  write(git / "HEAD", std::string(first) + "\n");
  EXPECT_EQ(commit(), first);
  write(git / "HEAD", "ref: refs/../../../secret\n");
  EXPECT_EQ(commit(), "");
}

TEST(GitCommit, OfAWorktree) {
  const ScratchFolder folder;
  const fs::path git = fs::path(folder.path("repo")) / ".git";
  write(git / "HEAD", "ref: refs/heads/main\n");
  write(git / "packed-refs", std::string(second) + " refs/heads/topic\n");
  write(git / "worktrees/tree/HEAD", "ref: refs/heads/topic\n");
  write(git / "worktrees/tree/commondir", "../..\n");
  write(fs::path(folder.path("tree")) / ".git",
        "gitdir: " + (git / "worktrees/tree").string() + "\n");
  EXPECT_EQ(capture::commit_of_checkout(folder.path("tree")), second);
}

// As git itself says; where there is no git, nothing can be asked.
TEST(GitCommit, IsWhatGitSays) {
  const ScratchFolder folder;
  const std::string in = "cd " + folder.path(".") + " && git -c init.defaultBranch=x init -q . && ";
  const std::string commit =
      "git -c user.name=a -c user.email=a@b -c commit.gpgsign=false commit -q --allow-empty -m x";
  ASSERT_EQ(system((in + commit + " && git rev-parse HEAD > told").c_str()), 0);
  const auto told = [&] {
    std::string text;
    std::getline(std::ifstream(folder.path("told")) >> std::ws, text);
    return text;
  };
  EXPECT_EQ(capture::commit_of_checkout(folder.path(".")), told());
  ASSERT_EQ(system((in + "git pack-refs --all && git worktree add -q tree -b y && cd tree && " +
                    commit + " && git rev-parse HEAD > ../told")
                       .c_str()),
            0);
  EXPECT_EQ(capture::commit_of_checkout(folder.path("tree")), told());
}

}  // namespace
}  // namespace reel::test
