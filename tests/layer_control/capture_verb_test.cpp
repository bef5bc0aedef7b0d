// `reel capture` and `reel trigger`, run as a user runs them, with a layer that records nothing.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <pty.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <thread>

#include "cli/run_program.hpp"
#include "document/document_writer.hpp"
#include "document/sample_document.hpp"
#include "layers/control/abstract_address.hpp"

namespace reel::test {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
using testing::UnorderedElementsAre;

const std::string reel_program = REEL_PROGRAM;
const std::string steps = STEPS_PROGRAM;

std::string text_of(const fs::path& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

// A program that goes on while the test does.
class Running {
 public:
  Running(const std::vector<std::string>& command, const Environment& environment,
          const fs::path& folder, const std::string& input = {})
      : out_(folder.parent_path() / "running.out"), err_(folder.parent_path() / "running.err") {
    std::ofstream(folder.parent_path() / "running.in") << input;
    pid_ = fork();
    if (pid_ != 0) return;
    if (chdir(folder.c_str()) != 0) _exit(98);
    for (const auto& [name, value] : environment) setenv(name.c_str(), value.c_str(), 1);
    const bool opened = freopen((folder.parent_path() / "running.in").c_str(), "r", stdin) &&
                        freopen(out_.c_str(), "w", stdout) && freopen(err_.c_str(), "w", stderr);
    if (!opened) _exit(97);
    std::vector<char*> words;
    for (const std::string& word : command) words.push_back(const_cast<char*>(word.c_str()));
    words.push_back(nullptr);
    execv(words[0], words.data());
    _exit(96);
  }
  ~Running() {
    if (pid_ > 0) {
      kill(pid_, SIGTERM);  // which reaches what it runs
      waitpid(pid_, nullptr, 0);
    }
  }
  Running(const Running&) = delete;
  Running& operator=(const Running&) = delete;

  pid_t pid() const { return pid_; }
  std::string err() const { return text_of(err_); }
  std::string out() const { return text_of(out_); }
  bool wait_for(const fs::path& file, const std::string& text) const {
    for (int i = 0; i < 1000; ++i) {
      if (text_of(file).find(text) != std::string::npos) return true;
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    return false;
  }
  bool says(const std::string& text) const { return wait_for(err_, text); }
  bool prints(const std::string& text) const { return wait_for(out_, text); }
  Outcome end() {
    int status = 0;
    waitpid(pid_, &status, 0);
    pid_ = -1;
    return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, out(), err()};
  }

 private:
  fs::path out_, err_;
  pid_t pid_ = -1;
};

class CaptureVerb : public testing::Test {
 protected:
  CaptureVerb()
      : root_(fs::path(testing::TempDir()) / ("capture_verb_" + std::to_string(getpid()))) {
    fs::remove_all(root_);
    fs::create_directories(folder());
    write_sample((root_ / "closed.reel").string());
    write_sample((root_ / "open.reel").string(), false);
    environment_ = {{"REEL_LAYER", FAKE_LAYER},
                    {"REEL_TEST_DOCUMENTS", root_.string()},
                    {"REEL_LOG", ""},
                    {"OPENCL_LAYERS", ""}};
  }
  ~CaptureVerb() override { fs::remove_all(root_); }

  fs::path folder() const { return root_ / "here"; }
  std::vector<std::string> files() const {
    std::vector<std::string> names;
    for (const auto& entry : fs::directory_iterator(folder()))
      names.push_back(entry.path().filename().string());
    return names;
  }
  // `reel capture …` in the folder.
  std::unique_ptr<Running> start(std::vector<std::string> words, const std::string& input = {}) {
    words.insert(words.begin(), {reel_program, "capture"});
    return std::make_unique<Running>(words, environment_, folder(), input);
  }
  Outcome capture(std::vector<std::string> words, const std::string& input = {}) {
    return start(std::move(words), input)->end();
  }
  Outcome trigger(pid_t process, std::vector<std::string> more = {}) {
    more.insert(more.begin(), {reel_program, "trigger", std::to_string(process)});
    return run_program(more);
  }

  fs::path root_;
  Environment environment_;
};

TEST_F(CaptureVerb, AWholeRunIsOneDocumentNamedAfterTheProgram) {
  const Outcome run = capture({"--", steps, "calls", "7", "print", "hello"});
  EXPECT_EQ(run.exit_code, 0);
  EXPECT_EQ(run.out, "hello\n") << "the standard output is the program's";
  EXPECT_THAT(run.err, AllOf(HasSubstr("steps.reel: "), HasSubstr("reel info steps.reel"),
                             HasSubstr("reel replay steps.reel"), Not(HasSubstr("[reel]"))));
  EXPECT_THAT(files(), UnorderedElementsAre("steps.reel"));
}

TEST_F(CaptureVerb, ANameThatIsTakenGetsANumber) {
  capture({"--", steps, "calls", "1"});
  EXPECT_THAT(capture({"--", steps, "calls", "1"}).err, HasSubstr("steps-2.reel: "));
  EXPECT_THAT(files(), UnorderedElementsAre("steps.reel", "steps-2.reel"));
}

TEST_F(CaptureVerb, WithoutTheDashesTheFirstWordIsTheProgram) {
  const Outcome run = capture({"-o", "x.reel", steps, "calls", "1", "exit", "4"});
  EXPECT_EQ(run.exit_code, 4);
  EXPECT_THAT(files(), UnorderedElementsAre("x.reel"));
}

TEST_F(CaptureVerb, AProgramsOwnOptionsAreItsOwn) {
  EXPECT_EQ(capture({"--", "/bin/sh", "-c", "echo \"$0 $1\"", "--", "--first"}).out,
            "-- --first\n");
  EXPECT_EQ(capture({"/bin/echo", "--quiet", "--", "x"}).out, "--quiet -- x\n");
}

TEST_F(CaptureVerb, ExitCodesAreThoseOfTheProgram) {
  EXPECT_EQ(capture({"-q", "--", steps, "calls", "1", "exit", "3"}).exit_code, 3);
  EXPECT_EQ(capture({"-q", "--", steps, "exit", "3"}).exit_code, 3) << "nothing recorded";
  EXPECT_EQ(capture({"-q", "--", "/bin/sh", "-c", "kill -SEGV $$"}).exit_code, 139);
  EXPECT_EQ(capture({"-q", "--", steps, "raise", "15"}).exit_code, 143);
}

TEST_F(CaptureVerb, WhatCannotBeStartedHasTheCodesOfShells) {
  const Outcome missing = capture({"--", "no-such-program-anywhere"});
  EXPECT_EQ(missing.exit_code, 127);
  EXPECT_EQ(missing.err, "reel: There is no program 'no-such-program-anywhere' in PATH.\n");
  EXPECT_EQ(capture({"--", "./nothing"}).exit_code, 127);
  std::ofstream(folder() / "data") << "x";
  const Outcome data = capture({"--", "./data"});
  EXPECT_EQ(data.exit_code, 126);
  EXPECT_EQ(data.err, "reel: './data' can't be started: Permission denied.\n");
  EXPECT_EQ(capture({"--", "/"}).exit_code, 126);
  EXPECT_THAT(files(), UnorderedElementsAre("data"));
}

TEST_F(CaptureVerb, StandardInputPassesThrough) {
  EXPECT_EQ(capture({"--", steps, "calls", "1", "copy"}, "one\ntwo\n").out, "one\ntwo\n");
}

TEST_F(CaptureVerb, AnExistingOutputIsAnErrorBeforeTheProgramStarts) {
  std::ofstream(folder() / "x.reel") << "old";
  const Outcome run = capture({"-o", "x.reel", "--", steps, "print", "ran"});
  EXPECT_EQ(run.exit_code, 1);
  EXPECT_EQ(run.out, "");
  EXPECT_EQ(run.err, "reel: 'x.reel' exists already; --overwrite replaces it.\n");
}

TEST_F(CaptureVerb, OverwritingReplacesAnOldDocumentByANewOneOnly) {
  std::ofstream(folder() / "x.reel") << "old";
  capture({"-o", "x.reel", "--overwrite", "--", steps});
  EXPECT_EQ(text_of(folder() / "x.reel"), "old") << "nothing was recorded";
  capture({"-o", "x.reel", "--overwrite", "--", steps, "calls", "1"});
  EXPECT_EQ(text_of(folder() / "x.reel"), text_of(root_ / "closed.reel"));
  EXPECT_THAT(files(), UnorderedElementsAre("x.reel"));
}

TEST_F(CaptureVerb, OverwritingTouchesNoFileButTheNamedOne) {
  std::ofstream(folder() / "x.reel") << "old";
  for (const char* name : {"x.reel.replaced", "x.reel.part", "x.part.reel", "x.reel.recovering"})
    std::ofstream(folder() / name) << "mine";
  capture({"-o", "x.reel", "--overwrite", "--", steps, "calls", "1"});
  for (const char* name : {"x.reel.replaced", "x.reel.part", "x.part.reel", "x.reel.recovering"})
    EXPECT_EQ(text_of(folder() / name), "mine");
  EXPECT_EQ(text_of(folder() / "x.reel"), text_of(root_ / "closed.reel"));
  EXPECT_EQ(files().size(), 5u);
}

TEST_F(CaptureVerb, WhatAKilledProgramLeftReplacesTheOldDocumentToo) {
  std::ofstream(folder() / "x.reel") << "old";
  const Outcome run =
      capture({"-o", "x.reel", "--overwrite", "--", steps, "calls", "3", "raise", "9"});
  EXPECT_EQ(run.exit_code, 137);
  EXPECT_THAT(run.err, HasSubstr("x.reel: "));
  EXPECT_THAT(files(), UnorderedElementsAre("x.reel"));
  EXPECT_NE(text_of(folder() / "x.reel"), "old");
}

TEST_F(CaptureVerb, APlaceThatCannotBeWrittenIsToldBeforeTheProgramStarts) {
  const Outcome run = capture({"-o", "nowhere/x.reel", "--", steps, "print", "ran"});
  EXPECT_EQ(run.exit_code, 1);
  EXPECT_EQ(run.out, "");
  EXPECT_THAT(run.err, HasSubstr("There is no folder"));
  EXPECT_THAT(capture({"-o", "x%y.reel", "--", steps}).err, HasSubstr("'%'"));
}

TEST_F(CaptureVerb, OptionsThatMakeNoSenseAreMisuse) {
  const Outcome first = capture({"--first", "none", "--", steps, "print", "ran"});
  EXPECT_EQ(first.exit_code, 2);
  EXPECT_THAT(first.err, HasSubstr("--first 'none' is no number of commands"));
  EXPECT_THAT(capture({"--last", "1", "--first", "2", "--", steps}).err,
              HasSubstr("--last and --first can't be had together"));
  EXPECT_EQ(capture({}).exit_code, 2);
}

TEST_F(CaptureVerb, FactsThatAreNoneAreMisuse) {
  const Outcome name =
      capture({"--fact", "branch=a,b", "--fact", "Branch=main", "--", steps, "print", "ran"});
  EXPECT_EQ(name.exit_code, 2);
  EXPECT_THAT(name.err, HasSubstr("'Branch'"));
  const Outcome own = capture({"--fact", "contents=all", "--", steps, "print", "ran"});
  EXPECT_EQ(own.exit_code, 2);
  EXPECT_THAT(own.err, HasSubstr("the document itself"));
  EXPECT_THAT(capture({"--fact", "main", "--", steps, "print", "ran"}).err,
              HasSubstr("name=value"));
  const Outcome clocks = capture({"--clocks", "localhost:1", "--", steps, "print", "ran"});
  EXPECT_EQ(clocks.exit_code, 2);
  EXPECT_THAT(clocks.err, HasSubstr("has no rank"));
  const Outcome place =
      capture({"--clocks", "nowhere", "--fact", "rank=1", "--", steps, "print", "ran"});
  EXPECT_THAT(place.err, HasSubstr("is not a host and a port"));
}

TEST_F(CaptureVerb, AKilledProgramsDocumentIsClosedAndThatIsSaid) {
  const Outcome run = capture({"--", steps, "calls", "3", "raise", "9"});
  EXPECT_EQ(run.exit_code, 137);
  EXPECT_THAT(run.err, AllOf(HasSubstr("was ended by Killed"),
                             HasSubstr("steps.reel: the program ended without closing it")));
  EXPECT_THAT(files(), UnorderedElementsAre("steps.reel"));
  EXPECT_EQ(run_program({reel_program, "verify", (folder() / "steps.reel").string()}).exit_code, 0);
  EXPECT_THAT(capture({"-o", "q.reel", "--", steps, "calls", "3", "quick", "2"}).err,
              HasSubstr("q.reel: the program ended without closing it"));
}

TEST_F(CaptureVerb, SaysWhyNothingWasRecorded) {
  EXPECT_THAT(capture({"--", steps}).err, AllOf(HasSubstr("nothing was recorded"),
                                                HasSubstr("made no call of OpenCL or Vulkan")));
  const Outcome fixed = capture({"--", STATIC_PROGRAM});
  EXPECT_EQ(fixed.exit_code, 5);
  EXPECT_THAT(fixed.err, HasSubstr("is linked statically"));
  EXPECT_THAT(capture({"--commands", "50-60", "--", steps, "calls", "7"}).err,
              HasSubstr("Commands 50-60 were to be captured, and the program gave 7 commands."));
  EXPECT_THAT(capture({"--after", "30", "--", steps, "calls", "7"}).err,
              HasSubstr("ended before --after 30 had passed"));
  EXPECT_THAT(capture({"--trigger", "--", steps, "calls", "7"}).err,
              HasSubstr("Nobody pulled the trigger"));
  EXPECT_THAT(files(), testing::IsEmpty());
}

TEST_F(CaptureVerb, QuietSaysOnlyWhatWentWrong) {
  EXPECT_EQ(capture({"-q", "--", steps, "calls", "1"}).err, "");
  EXPECT_THAT(capture({"-q", "--", steps}).err, HasSubstr("nothing was recorded"));
}

TEST_F(CaptureVerb, JsonGoesToAFile) {
  const Outcome run = capture({"--json", "run.json", "--", steps, "calls", "2", "exit", "3"});
  EXPECT_EQ(run.out, "");
  const auto json = nlohmann::json::parse(text_of(folder() / "run.json"));
  EXPECT_EQ(json["schema_version"], 1);
  EXPECT_EQ(json["exit_code"], 3);
  EXPECT_EQ(json["layer_loaded"], true);
  EXPECT_EQ(json["documents"].size(), 1u);
  EXPECT_EQ(json["documents"][0]["path"], (folder() / "steps.reel").string());
  EXPECT_GT(json["documents"][0]["kernels"], 0);
}

TEST_F(CaptureVerb, EachProcessHasADocumentAndAllAreListed) {
  const Outcome run = capture(
      {"--", "/bin/sh", "-c", steps + " calls 1; " + steps + " calls 2 fork calls 1; exit 6"});
  EXPECT_EQ(run.exit_code, 6);
  EXPECT_THAT(run.err, AllOf(HasSubstr("sh.reel: "), HasSubstr("process ")));
  EXPECT_EQ(files().size(), 3u);
  for (const std::string& file : files()) EXPECT_THAT(run.err, HasSubstr(file));
}

TEST_F(CaptureVerb, AProcessThatRecordedNothingLeavesTheNameToAnother) {
  document::DocumentWriter((root_ / "first.reel").string(), {{"program", "launcher"}})
      .close({{"commands", "0"}, {"complete", "yes"}});
  const Outcome run =
      capture({"-o", "run.reel", "--", "/bin/sh", "-c", steps + " calls 1; " + steps + " calls 2"});
  EXPECT_EQ(run.exit_code, 0);
  EXPECT_EQ(text_of(folder() / "run.reel"), text_of(root_ / "closed.reel"));
  EXPECT_THAT(files(),
              UnorderedElementsAre("run.reel", testing::MatchesRegex("run\\.[0-9]+\\.reel")));
  EXPECT_THAT(run.err,
              AllOf(HasSubstr("NO command was enqueued"), HasSubstr("reel info run.reel")));
}

TEST_F(CaptureVerb, TimeEndsACaptureWhileTheProgramIsIdle) {
  const Outcome run =
      capture({"--for", "50ms", "--", steps, "calls", "3", "sleep", "2000", "raise", "9"});
  EXPECT_EQ(run.exit_code, 137);
  EXPECT_THAT(run.err, Not(HasSubstr("without closing it")));
  EXPECT_EQ(text_of(folder() / "steps.reel"), text_of(root_ / "closed.reel"));
}

TEST_F(CaptureVerb, LastKeepsTwoParts) {
  const Outcome run = capture({"--last", "50ms", "--", steps, "calls", "1", "sleep", "200", "calls",
                               "1", "sleep", "200", "calls", "1"});
  EXPECT_THAT(files(), UnorderedElementsAre("steps.reel", "steps.before.reel"));
  EXPECT_THAT(run.err, AllOf(HasSubstr("steps.reel: "), HasSubstr("steps.before.reel: ")));
}

TEST_F(CaptureVerb, SignalsSentToReelReachTheProgram) {
  const auto running = start({"--", steps, "calls", "1", "print", "ready", "sleep", "60000"});
  ASSERT_TRUE(running->prints("ready"));
  kill(running->pid(), SIGTERM);
  EXPECT_EQ(running->end().exit_code, 143);
}

// On a terminal: Ctrl-C when the program is ready. All that is said.
std::string interrupted(const std::vector<std::string>& command, const Environment& environment,
                        const fs::path& folder, int& status) {
  int terminal = -1;
  const pid_t child = forkpty(&terminal, nullptr, nullptr, nullptr);
  if (child == 0) {
    if (chdir(folder.c_str()) != 0) _exit(98);
    for (const auto& [name, value] : environment) setenv(name.c_str(), value.c_str(), 1);
    std::vector<char*> words;
    for (const std::string& word : command) words.push_back(const_cast<char*>(word.c_str()));
    words.push_back(nullptr);
    execv(words[0], words.data());
    _exit(96);
  }
  std::string said;
  bool pressed = false;
  char part[1024];
  for (ssize_t count = 0; (count = read(terminal, part, sizeof part)) > 0;) {
    said.append(part, static_cast<std::size_t>(count));
    if (!pressed && said.find("ready") != std::string::npos)
      pressed = write(terminal, "\x03", 1) == 1;
  }
  close(terminal);
  waitpid(child, &status, 0);
  return said;
}

TEST_F(CaptureVerb, CtrlCReachesTheProgramOnceAndReelWaitsForIt) {
  if (!has_pseudo_terminals()) GTEST_SKIP() << "no pseudo-terminals here";
  int status = 0;
  const std::string handled =
      interrupted({reel_program, "capture", "--", steps, "handler", std::to_string(SIGINT), "calls",
                   "1", "print", "ready", "sleep", "2000", "print", "went on"},
                  environment_, folder(), status);
  EXPECT_EQ(WEXITSTATUS(status), 0);
  EXPECT_THAT(handled,
              AllOf(HasSubstr("signal"), HasSubstr("went on"), HasSubstr("reel info steps.reel")));
  EXPECT_EQ(handled.find("signal"), handled.rfind("signal")) << "once";
  const std::string killed = interrupted(
      {reel_program, "capture", "--", steps, "calls", "1", "print", "ready", "sleep", "60000"},
      environment_, folder(), status);
  EXPECT_EQ(WEXITSTATUS(status), 130);
  EXPECT_THAT(killed, HasSubstr("steps was ended by Interrupt"));
}

TEST_F(CaptureVerb, TriggersBeginAndEndAndBeginTheNextDocument) {
  const auto running = start({"--trigger", "--", steps, "calls", "1", "sleep", "60000"});
  ASSERT_TRUE(running->says("waits for `reel trigger")) << running->err();
  const Outcome first = trigger(running->pid());
  EXPECT_EQ(first.exit_code, 0) << first.err;
  EXPECT_THAT(first.out, AllOf(HasSubstr("capturing to"), HasSubstr("steps.reel")));
  EXPECT_THAT(trigger(running->pid()).out, AllOf(HasSubstr("stopped"), HasSubstr("steps.reel")));
  const auto json = nlohmann::json::parse(trigger(running->pid(), {"--json"}).out);
  EXPECT_EQ(json["processes"][0]["happened"], "started");
  EXPECT_EQ(json["processes"][0]["document"], (folder() / "steps-2.reel").string());
  kill(running->pid(), SIGUSR2);
  EXPECT_TRUE(running->says("in steps-2.reel")) << running->err();
  kill(running->pid(), SIGTERM);
  running->end();
}

TEST_F(CaptureVerb, ATriggerLeavesAProgramsOwnHandlerAlone) {
  const auto running = start({"--trigger", "--", steps, "handler", std::to_string(SIGUSR2), "calls",
                              "1", "sleep", "60000"});
  ASSERT_TRUE(running->says("waits for"));
  kill(running->pid(), SIGUSR2);
  EXPECT_TRUE(running->prints("signal\n"));
  EXPECT_THAT(files(), testing::IsEmpty());
  EXPECT_THAT(trigger(running->pid()).out, HasSubstr("capturing to"));
  EXPECT_THAT(files(), UnorderedElementsAre("steps.reel"));
}

TEST_F(CaptureVerb, ASignalThatComesBeforeTheFirstCallDoesNoHarm) {
  const auto running = start({"--trigger", "--", steps, "print", "ready", "sleep", "60000"});
  ASSERT_TRUE(running->prints("ready"));
  const Outcome early = trigger(running->pid());
  EXPECT_EQ(early.exit_code, 1);
  EXPECT_THAT(early.err, HasSubstr("has made no call of OpenCL or Vulkan yet"));
  kill(running->pid(), SIGUSR2);
  std::this_thread::sleep_for(std::chrono::milliseconds(100));
  kill(running->pid(), SIGTERM);
  EXPECT_EQ(running->end().exit_code, 128 + SIGTERM);
}

TEST_F(CaptureVerb, ATriggerSaysWhyThereIsNobodyToTrigger) {
  const Outcome own = trigger(getpid());
  EXPECT_EQ(own.exit_code, 1);
  EXPECT_THAT(own.err, HasSubstr("was not started by `reel capture --trigger -- program`"));
  const pid_t gone = fork();
  if (gone == 0) _exit(0);
  waitpid(gone, nullptr, 0);
  EXPECT_EQ(trigger(gone).err, "reel: There is no process " + std::to_string(gone) + ".\n");
  EXPECT_EQ(run_program({reel_program, "trigger", "me"}).exit_code, 2);
  const auto running = start({"--", steps, "calls", "1", "print", "ready", "sleep", "60000"});
  ASSERT_TRUE(running->prints("ready"));
  EXPECT_THAT(trigger(running->pid()).err, HasSubstr("captured without triggers"));
}

// Of somebody who started many programs, whoever is captured is not meant.
TEST_F(CaptureVerb, ATriggerOfAShellTriggersNothingAndNamesWhatItCould) {
  const Running other({"/bin/sleep", "60"}, {}, folder());
  const auto running = start({"--trigger", "--", steps, "calls", "1", "sleep", "60000"});
  ASSERT_TRUE(running->says("waits for `reel trigger")) << running->err();
  const Outcome of_all = trigger(getpid());
  EXPECT_EQ(of_all.exit_code, 1);
  EXPECT_THAT(of_all.err, AllOf(HasSubstr("these can be triggered: "), HasSubstr(" (steps)")));
  EXPECT_THAT(files(), testing::IsEmpty());
  // One that only passes it on stands for it.
  const Running passing({"/usr/bin/timeout", "60", reel_program, "capture", "--trigger", "--",
                         steps, "calls", "1", "print", "ready", "sleep", "60000"},
                        environment_, folder());
  ASSERT_TRUE(passing.prints("ready")) << passing.err();
  EXPECT_THAT(trigger(passing.pid()).out, HasSubstr("capturing to"));
}

TEST_F(CaptureVerb, ASocketOfSomebodyElseUnderAProgramsNameIsNotBelieved) {
  const Running program({"/bin/sleep", "60"}, {}, folder());
  const layer::AbstractAddress address("reel-" + std::to_string(program.pid()));
  const int listening = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  ASSERT_EQ(bind(listening, address.get(), address.size()), 0);
  ASSERT_EQ(listen(listening, 4), 0);
  const Outcome asked = trigger(program.pid());  // nobody ever answers: it must not wait
  close(listening);
  EXPECT_EQ(asked.exit_code, 1);
  EXPECT_THAT(asked.err, HasSubstr("The socket for its triggers belongs to process " +
                                   std::to_string(getpid())));
}

TEST_F(CaptureVerb, AProgramStartsAndStopsByItself) {
  const std::string path = (folder() / "own.reel").string();
  const Outcome absent = run_program({steps, "calls", "1", "start", path, "stop"});
  EXPECT_EQ(absent.out, "start 1\nstop 1\n") << "Reel is not there, so nothing is done";
  const Outcome there =
      run_program({steps, "calls", "1", "start", path, "start", path, "stop", "stop"},
                  {{"OPENCL_LAYERS", FAKE_LAYER}, {"REEL_TEST_DOCUMENTS", root_.string()}});
  EXPECT_EQ(there.out, "start 0\nstart -1\nstop 0\nstop -1\n");
  EXPECT_EQ(there.err, "");
  EXPECT_THAT(files(), UnorderedElementsAre("own.reel"));
}

TEST_F(CaptureVerb, TheEnvironmentAloneWorksToo) {
  const std::string path = (folder() / "own.reel").string();
  Environment environment = {{"OPENCL_LAYERS", FAKE_LAYER},
                             {"REEL_TEST_DOCUMENTS", root_.string()},
                             {"REEL_LAYER_CAPTURE", path}};
  const Outcome closed = run_program({steps, "calls", "1"}, environment);
  EXPECT_THAT(closed.err, HasSubstr("REEL_CAPTURE_ENABLED is not 1"));
  environment.emplace_back("REEL_CAPTURE_ENABLED", "1");
  const Outcome open = run_program({steps, "calls", "1"}, environment);
  EXPECT_THAT(open.err, AllOf(HasSubstr("[reel] capture: starting, document " + path),
                              HasSubstr("[reel] capture: stopped, 1 commands in " + path)));
}

TEST_F(CaptureVerb, AWindowThatNeverOpenedIsOneLineWithoutTheVerbToo) {
  const std::string path = (folder() / "own.reel").string();
  const auto said = [&](const char* name, const char* value) {
    return run_program({steps, "calls", "7"}, {{"OPENCL_LAYERS", FAKE_LAYER},
                                               {"REEL_TEST_DOCUMENTS", root_.string()},
                                               {"REEL_LAYER_CAPTURE", path},
                                               {"REEL_CAPTURE_ENABLED", "1"},
                                               {name, value}})
        .err;
  };
  const std::string begin = "[reel] REEL_LAYER_CAPTURE=" + path + ": ";
  const std::string end = "; there is no document.\n";
  EXPECT_EQ(said("REEL_CAPTURE_COMMANDS", "50-60"),
            begin + "commands 50 to 60 were asked for, and the program gave 7" + end);
  EXPECT_EQ(said("REEL_CAPTURE_AFTER", "30"),
            begin + "the program ended before REEL_CAPTURE_AFTER=30 had passed" + end);
  EXPECT_EQ(said("REEL_CAPTURE_TRIGGER", "1"), begin + "it was never triggered" + end);
}

}  // namespace
}  // namespace reel::test
