// `reel insights --prove`, on documents of real programs, run as a user runs it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <thread>

#include "captured_documents.hpp"

namespace reel::test {
namespace {

using nlohmann::json;
using testing::AllOf;
using testing::AnyOf;
using testing::HasSubstr;
using testing::Not;

class ProveVerbs : public CapturedDocuments {
 protected:
  // The third pass of the demo, or some of them: before each command of the first that is recorded
  // its inputs are copied, so its gaps say little about the program.
  static std::string pass_on(const std::string& device, const std::string& passes = "3") {
    return decoder_on(device, "_" + passes, {}, {{"REEL_CAPTURE_PASS", passes}});
  }
  static Outcome insights(std::vector<std::string> words, const Environment& environment = {}) {
    words.insert(words.begin(), {REEL_PROGRAM, "insights"});
    return run_program(words, environment);
  }
};

TEST_F(ProveVerbs, ClaimsOfAPassAreMeasured) {
  for (const std::string device : {"host", "opencl", "vulkan"}) {
    const Outcome run = insights({pass_on(device, "3-8"), "--prove", "--json"});
    ASSERT_EQ(run.exit_code, 0) << run.err;
    const json answer = json::parse(run.out);
    int measured = 0;
    for (const json& finding : answer["findings"]) {
      const json& proof = finding["proof"];
      EXPECT_THAT(proof["verdict"], AnyOf("supported", "withdrawn", "inconclusive", "not_tried"));
      EXPECT_THAT(proof["sentence"].get<std::string>(), testing::EndsWith(".")) << finding["id"];
      if (proof["measured_ns"].is_null()) continue;
      ++measured;
      EXPECT_GE(proof["runs"], 6) << proof;
      EXPECT_GE(proof["noise_ns"], 0.0) << proof;
    }
    EXPECT_GE(measured, device == "opencl" ? 3 : 2) << device << ": " << run.out;
  }
}

TEST_F(ProveVerbs, TheAnswerStandsBesideTheClaim) {
  const Outcome plain = insights({pass_on("opencl")}),
                run = insights({pass_on("opencl"), "--prove"});
  ASSERT_EQ(run.exit_code, 0) << run.err;
  EXPECT_THAT(run.out, AllOf(HasSubstr("\n  not tried: It sums up other findings.\n"),
                             // Of a claim that it supports or withdraws, or after what was tried.
                             HasSubstr(" As a graph, the same commands take "),
                             HasSubstr("all results are the same."), HasSubstr(" tried: ")));
  EXPECT_THAT(plain.out, AllOf(Not(HasSubstr("tried")), HasSubstr("--prove")));
  // No finding of it says that a command is not needed.
  EXPECT_THAT(run.out, Not(HasSubstr("--without")));
}

TEST_F(ProveVerbs, LinesComeOneForEachFinding) {
  const Outcome run = insights({pass_on("host"), "--prove", "--json-lines"});
  ASSERT_EQ(run.exit_code, 0) << run.err;
  std::istringstream lines(run.out);
  std::size_t next = 0, trying = 0;
  for (std::string line; std::getline(lines, line);) {
    const json one = json::parse(line);
    trying += one.contains("trying");
    if (!one.contains("proof")) continue;
    EXPECT_EQ(one["finding"], next++);
    EXPECT_FALSE(one["id"].get<std::string>().empty());
  }
  EXPECT_GT(trying, 0u);
  const json all = json::parse(insights({pass_on("host"), "--json"}).out);
  EXPECT_EQ(next, all["findings"].size());
  EXPECT_FALSE(all["findings"][0].contains("proof"));
}

// Every experiment runs the kernel that crashes; each costs itself alone, and the report is there.
TEST_F(ProveVerbs, ADriverThatCrashesCostsExperimentsAndNotTheReport) {
  const std::vector<std::string> words{region_on_host(), "--prove", "--json", "--host-kernels",
                                       HOST_KERNELS_LIBRARY};
  const json fine = json::parse(insights(words).out);
  const Outcome run = insights(words, {{"REEL_TEST_CRASH", "1"}});
  ASSERT_EQ(run.exit_code, 0) << run.err;
  const json answer = json::parse(run.out);
  ASSERT_EQ(answer["findings"].size(), fine["findings"].size());
  int crashed = 0, fine_measured = 0;
  for (std::size_t i = 0; i < answer["findings"].size(); ++i) {
    const json& proof = answer["findings"][i]["proof"];
    EXPECT_EQ(proof["verdict"], "not_tried");
    fine_measured += fine["findings"][i]["proof"]["verdict"] != "not_tried";
    if (proof["experiment"] == "") continue;
    ++crashed;
    EXPECT_THAT(proof["sentence"].get<std::string>(),
                AllOf(HasSubstr("crashed (Segmentation fault)"), HasSubstr(" (add) in add")));
  }
  EXPECT_GT(crashed, 0);
  EXPECT_GT(fine_measured, 0);
}

TEST_F(ProveVerbs, WhatHangsIsLeftBehind) {
  const Outcome run = insights(
      {region_on_host(), "--prove", "--host-kernels", HOST_KERNELS_LIBRARY, "--time-limit", "1"},
      {{"REEL_TEST_HANG", "1"}});
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_THAT(run.out, HasSubstr("not tried: c0 (add) in add0 did not finish within 1 s"));
}

TEST_F(ProveVerbs, TakesNoMoreMemoryThanItsBound) {
  const Outcome run = insights(
      {region_on_host(), "--prove", "--host-kernels", HOST_KERNELS_LIBRARY, "--memory", "512M"},
      {{"REEL_TEST_EAT", "1"}});
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_THAT(run.out, HasSubstr("more than 512.0 MiB of memory"));
}

TEST_F(ProveVerbs, WhatCannotRunHereSaysWhy) {
  const Outcome run = insights({region_on_host(), "--prove"});  // without its function
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_THAT(run.out, AllOf(HasSubstr("not tried: "), HasSubstr("'add'")));
  const Outcome other = insights({pass_on("host"), "--prove", "--device", "metal"});
  EXPECT_EQ(other.exit_code, 0);
  EXPECT_THAT(other.out, HasSubstr("metal"));
}

TEST_F(ProveVerbs, TheTimeForAllOfItIsBounded) {
  const auto begin = std::chrono::steady_clock::now();
  const Outcome run = insights({region_on_host(), "--prove", "--prove-seconds", "1",
                                "--host-kernels", HOST_KERNELS_LIBRARY, "--time-limit", "1"},
                               {{"REEL_TEST_HANG", "1"}});
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_THAT(run.out, HasSubstr("--prove-seconds gives more"));
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(60));
}

TEST_F(ProveVerbs, AnInterruptLeavesWithWhatIsKnown) {
  const std::string out = *folder / "interrupted";
  const std::string document = region_on_host();
  const pid_t child = fork();
  if (child == 0) {
    setenv("REEL_TEST_HANG", "1", 1);
    if (!std::freopen(out.c_str(), "w", stdout)) _exit(126);
    execl(REEL_PROGRAM, "reel", "insights", document.c_str(), "--prove", "--host-kernels",
          HOST_KERNELS_LIBRARY, "--time-limit", "0", nullptr);
    _exit(127);
  }
  // Until it has a process of its own that works.
  const std::string children =
      "/proc/" + std::to_string(child) + "/task/" + std::to_string(child) + "/children";
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(60);
  std::string worker;
  while (worker.empty() && std::chrono::steady_clock::now() < deadline) {
    std::ifstream(children) >> worker;
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  std::this_thread::sleep_for(std::chrono::milliseconds(200));
  kill(child, SIGINT);
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  ASSERT_TRUE(WIFSIGNALED(status)) << status;
  EXPECT_EQ(WTERMSIG(status), SIGINT);
  std::ifstream in(out);
  const std::string text(std::istreambuf_iterator<char>(in), {});
  EXPECT_THAT(text, AllOf(HasSubstr("not tried: Interrupted"), HasSubstr("verdict")));
  EXPECT_FALSE(std::filesystem::exists("/proc/" + worker)) << "its process lives on";
}

TEST_F(ProveVerbs, MisuseIsTwo) {
  EXPECT_EQ(insights({region_on_host(), "--prove-seconds", "3"}).exit_code, 2);
  EXPECT_EQ(insights({region_on_host(), "--prove", "--prove-seconds", "0"}).exit_code, 2);
  EXPECT_EQ(insights({region_on_host(), "--json-lines"}).exit_code, 2);
  EXPECT_EQ(insights({region_on_host(), "--device", "host"}).exit_code, 2);
}

// A warning that was withdrawn is no reason to fail any more.
TEST_F(ProveVerbs, WithdrawnFindingsDontCountForFailOn) {
  const Outcome run = insights({pass_on("host"), "--prove", "--json", "--fail-on", "warning"});
  bool stands = false;
  const json answer = json::parse(run.out);
  for (const json& finding : answer["findings"])
    stands |= finding["severity"] != "info" && finding["proof"]["verdict"] != "withdrawn";
  EXPECT_EQ(run.exit_code, stands ? 1 : 0) << run.out;
}

TEST_F(ProveVerbs, ACommandIsLeftOutOfAReplay) {
  const auto replay = [&](std::vector<std::string> words) {
    words.insert(words.begin(), {REEL_PROGRAM, "replay", pass_on("host")});
    return run_program(words);
  };
  const Outcome run = replay({"--without", "c5"});
  EXPECT_EQ(run.exit_code, 1) << run.out;
  EXPECT_THAT(run.out, AllOf(HasSubstr("67 commands"), HasSubstr("left out, as asked for")));
  EXPECT_NE(replay({"--without", "c9999"}).exit_code, 0);
}

}  // namespace
}  // namespace reel::test
