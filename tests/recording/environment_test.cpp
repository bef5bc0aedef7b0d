#include "capture/environment.hpp"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <map>
#include <thread>

#include "expect_error.hpp"
#include "recording/captured.hpp"
#include "recording/opening/path_pattern.hpp"
#include "reel/executor.hpp"

namespace reel::test {
namespace {

using capture::PassRange;

TEST(CaptureEnvironment, ReadsPassesSizesAndContents) {
  EXPECT_EQ(capture::parse_passes("3"), (PassRange{3, 3}));
  EXPECT_EQ(capture::parse_passes("2-4"), (PassRange{2, 4}));
  EXPECT_EQ(capture::parse_passes("*")->first, 1u);
  for (const char* wrong : {"", "0", "4-2", "x", "3x", "-3", "2-", "99999999999"})
    EXPECT_FALSE(capture::parse_passes(wrong)) << wrong;
  EXPECT_EQ(capture::parse_bytes("512"), 512u);
  EXPECT_EQ(capture::parse_bytes("64k"), 64'000u);
  EXPECT_EQ(capture::parse_bytes("2GB"), 2'000'000'000u);
  EXPECT_EQ(capture::parse_bytes("2GiB"), 2ull << 30);
  for (const char* wrong : {"", "M", "5X", "5MM", "1.5G", "-1", "99999999999999T", "5i"})
    EXPECT_FALSE(capture::parse_bytes(wrong)) << wrong;
  EXPECT_EQ(capture::parse_contents("hashes"), Contents::hashes);
  EXPECT_FALSE(capture::parse_contents("some"));
}

TEST(CaptureEnvironment, PathsTakeNumbers) {
  EXPECT_EQ(capture::expand_path("a_%n_%%.reel", 3), "a_3_%.reel");
  EXPECT_EQ(capture::expand_path("%p", 1), std::to_string(getpid()));
  setenv("OMPI_COMM_WORLD_RANK", "5", 1);
  EXPECT_EQ(capture::expand_path("%r", 1), "5");
  unsetenv("OMPI_COMM_WORLD_RANK");
  // No rank: a name that no other process has, in place of one that every process would take.
  EXPECT_EQ(capture::expand_path("%r", 1), "p" + std::to_string(getpid()));
  EXPECT_EQ(capture::expand_path("%r-%j", 1, {{"rank", "7"}, {"job", "a/b"}}), "7-a_b");
  expect_error(Code::invalid_argument, {"'x%'"}, [] { capture::expand_path("x%", 1); });
  EXPECT_TRUE(capture::has_number("a%n"));
  EXPECT_FALSE(capture::has_number("a%%n"));
}

// Passes of a GraphExecutor under an environment of the test's own.
class PassCapture : public testing::Test {
 protected:
  void SetUp() override { detail::reset_environment_capture_for_test(); }
  void TearDown() override {
    for (const auto& [name, value] : set_) unsetenv(name.c_str());
    detail::reset_environment_capture_for_test();
  }
  void set(const std::string& name, const std::string& value) {
    setenv(name.c_str(), value.c_str(), 1);
    set_[name] = value;
  }
  void allow(const std::string& path) {
    set("REEL_CAPTURE", path);
    set("REEL_CAPTURE_ENABLED", "1");
  }
  // `fills` fills in each of `count` passes, one more than in the one before; what was said.
  std::string passes(int count, bool recorded = false) {
    testing::internal::CaptureStderr();
    for (int i = 1; i <= count; ++i) {
      auto pass = recorded ? executor_.begin_recorded() : executor_.begin();
      const auto scope = pass.scope("pass" + std::to_string(i));
      for (int k = 0; k < i; ++k) pass.fill(x_, static_cast<std::uint8_t>(k));
      pass.finish();
    }
    return testing::internal::GetCapturedStderr();
  }
  std::size_t commands(const std::string& path) { return Trace::load(path).commands().size(); }

  const ScratchFolder folder_;
  const Device device_ = open_device("host");
  const GraphExecutor executor_{device_};
  const Buffer x_ = device_.buffer(64, "x");

 private:
  std::map<std::string, std::string> set_;
};

TEST_F(PassCapture, NothingHappensWithoutAPath) {
  EXPECT_EQ(passes(1), "");
  set("REEL_CAPTURE", "");
  detail::reset_environment_capture_for_test();
  EXPECT_EQ(passes(1), "");
  EXPECT_FALSE(Capture::from_env(device_));
}

TEST_F(PassCapture, TheGateMustBeOpenedAndTheMessageSaysSo) {
  set("REEL_CAPTURE", folder_.path());
  const std::string said = passes(3);
  EXPECT_NE(said.find("REEL_CAPTURE_ENABLED is not 1"), std::string::npos) << said;
  EXPECT_EQ(std::count(said.begin(), said.end(), '\n'), 1) << "once: " << said;
  EXPECT_FALSE(std::filesystem::exists(folder_.path()));
}

TEST_F(PassCapture, TheFirstPassAndOnlyIt) {
  for (const bool recorded : {false, true}) {
    detail::reset_environment_capture_for_test();
    const std::string path = folder_.path(recorded ? "recorded.reel" : "direct.reel");
    allow(path);
    const std::string said = passes(3, recorded);
    EXPECT_NE(said.find("starting, document " + path), std::string::npos) << said;
    EXPECT_NE(said.find("stopped, "), std::string::npos) << said;
    const Trace trace = Trace::load(path);
    EXPECT_TRUE(trace.is_complete());
    EXPECT_EQ(trace.commands().size(), recorded ? 2u : 1u) << "with the launch where recorded";
    ASSERT_EQ(trace.regions().size(), 1u);
    EXPECT_EQ(trace.regions()[0].number, 1u);
  }
}

TEST_F(PassCapture, OneThatEndsAsynchronouslyIsToldOfOnce) {
  allow(folder_.path());
  testing::internal::CaptureStderr();
  auto capture = Capture::from_env(device_);
  ASSERT_TRUE(capture);
  capture->begin();
  device_.stream().fill(x_, std::uint8_t{1});
  const EndingCapture ending = capture->end_async();
  EXPECT_TRUE(ending.is_finished());
  EXPECT_EQ(ending.report().commands, 1u);
  EXPECT_EQ(capture->end().commands, 1u);
  const std::string said = testing::internal::GetCapturedStderr();
  const std::size_t stopped = said.find("stopped, 1 command");
  EXPECT_NE(stopped, std::string::npos) << said;
  EXPECT_EQ(said.find("stopped, ", stopped + 1), std::string::npos) << said;
}

TEST_F(PassCapture, TheNthPass) {
  allow(folder_.path());
  set("REEL_CAPTURE_PASS", "3");
  passes(5);
  EXPECT_EQ(commands(folder_.path()), 3u);
}

TEST_F(PassCapture, ARangeOfPassesInOneDocument) {
  allow(folder_.path());
  set("REEL_CAPTURE_PASS", "2-4");
  passes(6);
  const Trace trace = Trace::load(folder_.path());
  EXPECT_EQ(trace.commands().size(), 2u + 3 + 4);
  EXPECT_EQ(trace.regions().size(), 3u);
}

TEST_F(PassCapture, ARangeOfPassesEachInItsOwnDocument) {
  allow(folder_.path("pass_%n.reel"));
  set("REEL_CAPTURE_PASS", "2-4");
  passes(6);
  std::vector<std::size_t> sizes;
  for (const auto& entry :
       std::filesystem::directory_iterator(std::filesystem::path(folder_.path()).parent_path()))
    sizes.push_back(commands(entry.path()));
  std::sort(sizes.begin(), sizes.end());
  EXPECT_EQ(sizes, (std::vector<std::size_t>{2, 3, 4}));
}

TEST_F(PassCapture, AScopeInWhateverPassItComes) {
  allow(folder_.path());
  set("REEL_CAPTURE_SCOPE", "pass3");
  passes(4);
  detail::reset_environment_capture_for_test();  // the program ends
  EXPECT_EQ(commands(folder_.path()), 3u);
}

TEST_F(PassCapture, AnExistingDocumentIsLeftAlone) {
  allow(folder_.path());
  passes(1);
  const auto before = std::filesystem::last_write_time(folder_.path());
  detail::reset_environment_capture_for_test();
  const std::string said = passes(1);
  EXPECT_NE(said.find("exists already"), std::string::npos) << said;
  EXPECT_EQ(std::filesystem::last_write_time(folder_.path()), before);
  detail::reset_environment_capture_for_test();
  set("REEL_CAPTURE_OVERWRITE", "1");
  EXPECT_NE(passes(1).find("stopped"), std::string::npos);
}

TEST_F(PassCapture, WrongValuesAreNamedAndNothingIsCaptured) {
  allow(folder_.path());
  const std::map<std::string, std::string> wrong{{"REEL_CAPTURE_PASS", "third"},
                                                 {"REEL_CAPTURE_CONTENTS", "everything"},
                                                 {"REEL_CAPTURE_LIMIT", "much"}};
  for (const auto& [name, value] : wrong) {
    detail::reset_environment_capture_for_test();
    set(name, value);
    const std::string said = passes(1);
    EXPECT_NE(said.find(name + "='" + value + "'"), std::string::npos) << said;
    unsetenv(name.c_str());
  }
  EXPECT_FALSE(std::filesystem::exists(folder_.path()));
}

TEST_F(PassCapture, APassWithoutCommandsSaysSoLoudly) {
  allow(folder_.path());
  testing::internal::CaptureStderr();
  executor_.begin().finish();
  const std::string said = testing::internal::GetCapturedStderr();
  EXPECT_NE(said.find("NO commands"), std::string::npos) << said;
}

TEST_F(PassCapture, AnUnwritablePlaceIsToldWithItsCauseAndThePassRuns) {
  allow(folder_.path("missing/x.reel"));
  const std::string said = passes(1);
  EXPECT_NE(said.find("No such file or directory"), std::string::npos) << said;
}

TEST_F(PassCapture, APassThatIsAbandonedClosesItsDocument) {
  allow(folder_.path());
  testing::internal::CaptureStderr();
  {
    auto pass = executor_.begin();
    pass.fill(x_, std::uint8_t{1});
  }
  testing::internal::GetCapturedStderr();
  EXPECT_TRUE(Trace::load(folder_.path()).is_complete());
  EXPECT_FALSE(is_capturing());
}

TEST_F(PassCapture, OnlyOneOfManyThreadsGetsIt) {
  allow(folder_.path());
  std::atomic<int> got{0};
  testing::internal::CaptureStderr();
  std::vector<std::thread> threads;
  for (int i = 0; i < 8; ++i)
    threads.emplace_back([&] {
      if (const auto capture = Capture::from_env(device_)) ++got;
    });
  for (auto& thread : threads) thread.join();
  const std::string said = testing::internal::GetCapturedStderr();
  EXPECT_EQ(got, 1);
  EXPECT_FALSE(std::filesystem::exists(folder_.path())) << "opened, never begun: " << said;
}

}  // namespace
}  // namespace reel::test
