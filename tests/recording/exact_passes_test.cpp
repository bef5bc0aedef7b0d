// A capture holds exactly the passes that were asked for, and what can't be captured is said.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>

#include <latch>
#include <map>
#include <random>
#include <thread>

#include "capture/pass.hpp"
#include "expect_error.hpp"
#include "recording/captured.hpp"
#include "reel/executor.hpp"
#include "reel/replay.hpp"

namespace reel::test {
namespace {

using ::testing::AnyOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using Labels = std::vector<std::string>;

// "host", unless REEL_TEST_DEVICE names another.
std::string device_of_test() {
  const char* const name = std::getenv("REEL_TEST_DEVICE");
  return name ? name : "host";
}

class ExactPasses : public testing::Test {
 protected:
  void SetUp() override { detail::reset_environment_capture_for_test(); }
  void TearDown() override {
    for (const char* name : {"REEL_CAPTURE", "REEL_CAPTURE_ENABLED", "REEL_CAPTURE_PASS",
                             "REEL_CAPTURE_SCOPE", "REEL_CAPTURE_CONTENTS"})
      unsetenv(name);
    detail::reset_environment_capture_for_test();
  }
  void ask(const std::string& path, const char* passes = "") {
    detail::reset_environment_capture_for_test();
    setenv("REEL_CAPTURE", path.c_str(), 1);
    setenv("REEL_CAPTURE_ENABLED", "1", 1);
    setenv("REEL_CAPTURE_PASS", passes, 1);
  }
  template <class F>
  static std::string said(F&& work) {
    testing::internal::CaptureStderr();
    work();
    return testing::internal::GetCapturedStderr();
  }
  // Of the commands that do something; a complete document, or the test fails.
  static Labels labels(const std::string& path) {
    const Trace trace = Trace::load(path);
    EXPECT_TRUE(trace.is_complete());
    EXPECT_EQ(trace.problems(), Labels{});
    Labels labels;
    for (const TraceCommand& command : trace.commands())
      if (trace.work_of(command).kind != WorkKind::launch)
        labels.push_back(trace.text(trace.work_of(command).label));
    return labels;
  }
  void pass(const GraphExecutor& executor, bool recorded, const std::string& label) const {
    auto session = recorded ? executor.begin_recorded() : executor.begin();
    session.fill(x_, std::uint8_t{1}, label);
    session.finish();
  }

  const ScratchFolder folder_;
  const Device device_ = open_device(device_of_test());
  const GraphExecutor executor_{device_}, other_{device_};
  const Buffer x_ = device_.buffer(64, "x"), y_ = device_.buffer(64, "y");
};

TEST_F(ExactPasses, AnOuterPassHoldsThoseWithinItAndEndsLast) {
  for (const bool inner_recorded : {false, true})
    for (const GraphExecutor* inner : {&executor_, &other_}) {
      const std::string path = folder_.path("outer" + std::to_string(inner_recorded) +
                                            std::to_string(inner == &other_) + ".reel");
      const auto nested = [&] {
        auto outer = executor_.begin();
        outer.fill(x_, 1, "before");
        pass(*inner, inner_recorded, "inner");
        outer.fill(x_, 2, "after");
        outer.finish();
        pass(executor_, false, "next");
      };
      ask(path);
      said(nested);
      EXPECT_THAT(labels(path), ElementsAre("before", "inner", "after"));
      ask(path + "2", "2");
      said(nested);
      EXPECT_THAT(labels(path + "2"), ElementsAre("inner"));
    }
}

TEST_F(ExactPasses, PassesOfOtherThreadsNeitherEndItNorAreInIt) {
  for (const GraphExecutor* others : {&executor_, &other_}) {
    const std::string path = folder_.path(others == &other_ ? "other.reel" : "same.reel");
    ask(path);
    said([&] {
      auto session = executor_.begin();
      session.fill(x_, std::uint8_t{1}, "first");
      std::thread([&] {
        pass(*others, false, "direct of another");
        pass(*others, true, "recorded of another");
      }).join();
      session.fill(x_, std::uint8_t{2}, "last");
      session.finish();
    });
    EXPECT_THAT(labels(path), ElementsAre("first", "last"));
  }
}

TEST_F(ExactPasses, APassThatIsCommittedIsInItAlone) {
  const auto commit_four = [&](bool recorded) {
    std::vector<PendingPass> pending;
    for (int i = 1; i <= 4; ++i) {
      auto session = recorded ? executor_.begin_recorded() : executor_.begin();
      session.fill(x_, static_cast<std::uint8_t>(i), "pass" + std::to_string(i));
      pending.push_back(session.commit());
      executor_.stream().fill(x_, std::uint8_t{9}, "between");
    }
    for (const PendingPass& one : pending) one.wait();
  };
  for (const bool recorded : {false, true})
    for (const char* number : {"1", "3"}) {
      const std::string path = folder_.path(std::string(number) + (recorded ? "r" : "d"));
      ask(path, number);
      said([&] { commit_four(recorded); });
      EXPECT_FALSE(is_capturing());
      EXPECT_THAT(labels(path), ElementsAre(std::string("pass") + number));
      const Trace trace = Trace::load(path);
      EXPECT_EQ(contents_of(trace, ContentRole::check).size(), 1u) << "read before the next pass";
      EXPECT_EQ(reel::replay(trace, device_).different_checks, 0u);
    }
  ask(folder_.path("each_%n.reel"), "*");
  said([&] { commit_four(false); });
  detail::reset_environment_capture_for_test();
  std::vector<Labels> documents;
  for (const auto& file :
       std::filesystem::directory_iterator(std::filesystem::path(folder_.path()).parent_path()))
    if (file.path().filename().string().starts_with("each_"))
      documents.push_back(labels(file.path()));
  std::sort(documents.begin(), documents.end());
  EXPECT_THAT(documents, ElementsAre(ElementsAre("pass1"), ElementsAre("pass2"),
                                     ElementsAre("pass3"), ElementsAre("pass4")));
}

TEST_F(ExactPasses, ALaunchOfAGraphIsAPass) {
  ask(folder_.path(), "3");
  said([&] {
    auto session = executor_.begin_recorded();  // never finished: it made the graph
    session.fill(x_, std::uint8_t{1}, "one");
    session.fill(y_, std::uint8_t{1}, "two");
    const GraphExec exec = session.graph().instantiate(device_, {.name = "decode"});
    for (int i = 1; i <= 5; ++i) {
      exec.launch(executor_.stream());
      executor_.stream().synchronize();
      EXPECT_EQ(std::filesystem::exists(folder_.path()), i >= 3);
      EXPECT_FALSE(is_capturing()) << "its work is done";
    }
  });
  const Trace trace = Trace::load(folder_.path());
  EXPECT_THAT(labels(folder_.path()), ElementsAre("one", "two"));
  EXPECT_EQ(trace.text(trace.work_of(trace.commands()[0]).label), "decode");
}

TEST_F(ExactPasses, NamesOfExecutorsAndPassesAreInTheDocument) {
  const GraphExecutor model(device_, {.name = "model"});
  const Trace trace = captured([&] {
    model.begin({.name = "prefill"}).finish();
    auto recorded = model.begin_recorded({.name = "decode"});
    recorded.fill(x_, std::uint8_t{1});
    recorded.finish();
    auto unnamed = model.begin();
    unnamed.fill(x_, 1);
    unnamed.finish();
  });
  Labels names;
  for (const TraceRegion& region : trace.regions()) names.push_back(trace.text(region.name));
  EXPECT_THAT(names, ElementsAre("prefill", "decode", "model"));
  ASSERT_EQ(trace.streams().size(), 1u);
  EXPECT_EQ(trace.streams()[0].label, "model");
  EXPECT_EQ(trace.text(trace.work_of(trace.commands()[0]).label), "decode");
}

TEST_F(ExactPasses, WhatWasAskedForAndNeverHappenedIsOneLine) {
  const auto lines = [](const std::string& text) {
    return std::count(text.begin(), text.end(), '\n');
  };
  ask(folder_.path(), "999");
  std::string text = said([&] {
    pass(executor_, false, "a");
    pass(executor_, true, "b");
    capture::end_passes();
  });
  EXPECT_THAT(text, HasSubstr("pass 999 was asked for, but the program ended after 2 passes"));
  EXPECT_EQ(lines(text), 1) << text;

  ask(folder_.path(), "3");
  Graph graph;
  graph.add_fill(x_, std::uint8_t{1});
  GraphExec exec = graph.instantiate(device_);
  text = said([&] {
    for (int i = 0; i < 2; ++i) exec.launch(executor_.stream());
    executor_.stream().synchronize();
    capture::end_passes();
  });
  EXPECT_THAT(text, HasSubstr("pass 3 was asked for, but the program ended after 2 passes"));
  EXPECT_EQ(lines(text), 1) << text;

  ask(folder_.path());
  text = said([] { capture::end_passes(); });
  EXPECT_THAT(text, HasSubstr("ended without a pass"));
  EXPECT_EQ(lines(text), 1) << text;

  ask(folder_.path());
  start_capture(folder_.path("api.reel"));
  text = said([&] {
    pass(executor_, false, "a");
    pass(executor_, false, "b");
    capture::end_passes();
  });
  stop_capture();
  EXPECT_THAT(text, HasSubstr("pass 1 is not captured: another capture"));
  EXPECT_EQ(lines(text), 1) << text;
  EXPECT_FALSE(std::filesystem::exists(folder_.path()));

  ask(folder_.path());
  setenv("REEL_CAPTURE_SCOPE", "nowhere", 1);
  text = said([&] {
    pass(executor_, false, "a");
    capture::end_passes();
  });
  EXPECT_THAT(text, HasSubstr("NO command's scope matched 'nowhere'"));
}

TEST_F(ExactPasses, FromEnvWaitsForTheVariableAndGivesWayToAnotherCapture) {
  EXPECT_FALSE(Capture::from_env(device_)) << "it is not set";
  setenv("REEL_CAPTURE", folder_.path().c_str(), 1);
  setenv("REEL_CAPTURE_ENABLED", "1", 1);
  said([&] { EXPECT_TRUE(Capture::from_env(device_)) << "now it is"; });

  ask(folder_.path("second.reel"));
  start_capture(folder_.path("api.reel"));
  EXPECT_THAT(said([&] { EXPECT_FALSE(Capture::from_env(device_)); }),
              HasSubstr("another capture"));
  stop_capture();

  ask(folder_.path("third.reel"));
  const std::string text = said([&] {
    auto capture = Capture::from_env(device_);
    ASSERT_TRUE(capture);
    start_capture(folder_.path("api2.reel"));
    EXPECT_NO_THROW(capture->begin());
    EXPECT_FALSE(capture->is_begun());
    stop_capture();
  });
  EXPECT_THAT(text, HasSubstr("is under way"));
}

TEST_F(ExactPasses, ACaptureThatIsMisusedAnswersWithAnError) {
  Capture one(folder_.path("one.reel"));
  one.end();
  expect_error(Code::invalid_argument, {"has ended"}, [&] { one.begin(); });
  Capture two(folder_.path("two.reel")), three(folder_.path("three.reel"));
  two.begin();
  two.begin();
  expect_error(Code::invalid_argument, {"is under way"}, [&] { three.begin(); });
  two = std::move(three);  // ends the one it was
  EXPECT_FALSE(is_capturing());
  EXPECT_TRUE(std::filesystem::exists(folder_.path("two.reel")));
  two.begin();  // refused before, and not any more
  EXPECT_TRUE(is_capturing());
  expect_error(Code::invalid_argument, {"moved from"}, [&] { three.begin(); });
  expect_error(Code::invalid_argument, {"moved from"}, [&] { three.end(); });
  EXPECT_FALSE(three.is_begun());
  EXPECT_EQ(three.path(), "");
  two.end();
  two.end();
  expect_error(Code::invalid_argument, {"has ended"}, [&] { two.begin(); });
}

// What is recorded, checked and left out is cut at one moment, whatever the threads do.
TEST_F(ExactPasses, StartedAndStoppedAtAnyMomentItReplaysEqual) {
  std::atomic<bool> go_on{true};
  std::vector<std::thread> workers;
  for (int t = 0; t < 3; ++t)
    workers.emplace_back([&, t] {
      const Stream stream = device_.stream();
      const Buffer a = device_.buffer(4096), b = device_.buffer(4096);
      for (std::uint32_t i = 0; go_on; ++i) {
        stream.fill(a, i);
        stream.copy(b, a);
        stream.fill(a.range(0, 2048), i + 7);
        if (i % 16 == static_cast<std::uint32_t>(t)) stream.synchronize();
      }
    });
  for (int i = 0; i < 8; ++i) {
    const std::string path = folder_.path(std::to_string(i) + ".reel");
    start_capture(path);
    std::this_thread::sleep_for(std::chrono::milliseconds(i % 5));
    const CaptureReport report = stop_capture();
    const Trace trace = Trace::load(path);
    EXPECT_EQ(trace.commands().size(), report.commands);
    const ReplayReport replayed = reel::replay(trace, device_);
    EXPECT_EQ(replayed.different_checks, 0u) << path;
    EXPECT_THAT(replayed.races, IsEmpty());
  }
  go_on = false;
  for (auto& worker : workers) worker.join();
}

TEST_F(ExactPasses, AStreamThatOnlyWaitsPassesItsOrderOn) {
  for (const bool by_host : {false, true}) {
    const Stream first = device_.stream(), middle = device_.stream(), last = device_.stream();
    const Event e = device_.event(), f = device_.event();
    const Trace trace = captured([&] {
      first.fill(x_, std::uint8_t{1});
      first.record(e);
      middle.wait(e);
      if (by_host) {
        middle.synchronize();
      } else {
        middle.record(f);
        last.wait(f);
      }
      last.fill(x_, std::uint8_t{2});
    });
    EXPECT_THAT(find_races(trace), IsEmpty()) << by_host;
    ASSERT_EQ(trace.orders().size(), 1u);
  }
}

TEST_F(ExactPasses, ABufferFarOverTheLimitBecomesHashes) {
  const Buffer large = device_.buffer(32 << 20, "large"), copy = device_.buffer(32 << 20, "copy");
  std::vector<std::uint32_t> noise(large.size_bytes() / 4);
  std::mt19937 random(1);
  for (std::uint32_t& word : noise) word = random();
  large.write(noise);
  const Stream stream = device_.stream();
  const Trace trace = captured([&] { stream.copy(copy, large); }, {.limit_bytes = 4'000'000});
  EXPECT_LE(trace.file_bytes(), 5'000'000u);
  ASSERT_EQ(trace.notes().size(), 1u);
  EXPECT_EQ(trace.notes()[0].kind, "limit");
  EXPECT_EQ(bytes_in(contents_of(trace, ContentRole::input)), large.size_bytes());
}

TEST_F(ExactPasses, ADirectSessionSaysWhyItHasNoTime) {
  auto session = executor_.begin();
  session.fill(x_, std::uint8_t{1});
  const PassReport report = session.finish({.timing = true});
  EXPECT_FALSE(report.gpu_ns);
  EXPECT_THAT(report.gpu_ns_missing, HasSubstr("SessionOptions::timing"));
}

TEST_F(ExactPasses, BarriersAreCountedAlikeInBothModes) {
  for (std::uint32_t seed = 1; seed <= 150; ++seed) {
    PassReport reports[2];
    std::size_t counts[2];
    for (const bool recorded : {false, true}) {
      std::mt19937 random(seed);
      auto session = recorded ? executor_.begin_recorded() : executor_.begin();
      for (int i = 0; i < 25; ++i) {
        const Buffer& target = random() % 2 ? x_ : y_;
        const BufferRange range = target.range(random() % 4 * 16, 16);
        switch (random() % 4) {
          case 0:
            session.barrier();
            break;
          case 1: {
            const BufferRange ranges[] = {range};
            session.barrier_between({}, ranges);
            break;
          }
          default:
            session.fill(range, std::uint8_t{1});
        }
      }
      counts[recorded] = session.barrier_count();
      reports[recorded] = session.finish();
    }
    EXPECT_EQ(counts[0], counts[1]) << seed;
    EXPECT_EQ(reports[0].barriers, counts[0]) << seed;
    EXPECT_EQ(reports[1].barriers, counts[1]) << seed;
    EXPECT_EQ(reports[0].group_sizes, reports[1].group_sizes) << seed;
  }
}

// Any calls in any order: nothing is thrown but what is documented, and a document that was asked
// for by pass holds that pass's commands and no others.
TEST_F(ExactPasses, RandomPrograms) {
  for (std::uint32_t seed = 1; seed <= 40; ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937 random(seed);
    const std::uint32_t wanted = 1 + random() % 6;
    const std::string path = folder_.path("random" + std::to_string(seed));
    ask(path, std::to_string(wanted).c_str());
    std::uint32_t passes = 0;  // as they begin
    std::map<std::uint32_t, Labels> expected;
    bool api_runs = false, was_in_the_way = false;
    std::vector<PendingPass> pending;
    const GraphExec exec = [&] {
      Graph graph;
      graph.add_fill(x_, std::uint8_t{1}, {.label = "launched"});
      return graph.instantiate(device_);
    }();
    const auto begins = [&] {
      ++passes;
      if (passes == wanted && api_runs) was_in_the_way = true;
      return passes;
    };
    const std::string text = said([&] {
      for (int step = 0; step < 14; ++step) {
        const std::string label = "step" + std::to_string(step);
        switch (random() % 7) {
          case 0: {
            pass(executor_, false, label);
            expected[begins()] = {label};
            break;
          }
          case 1: {
            expected[begins()] = {label};
            auto session = random() % 2 ? executor_.begin() : executor_.begin_recorded();
            session.fill(y_, std::uint8_t{2}, label);
            pending.push_back(session.commit());
            break;
          }
          case 2: {
            exec.launch(other_.stream());
            expected[begins()] = {"launched"};
            break;
          }
          case 3: {  // nested, and beside another thread
            const std::uint32_t outer = begins();
            auto session = executor_.begin();
            session.fill(x_, std::uint8_t{3}, label);
            std::thread([&] { pass(other_, random() % 2, "elsewhere"); }).join();
            expected[begins()] = {"elsewhere"};
            pass(executor_, random() % 2, "inner");
            expected[begins()] = {"inner"};
            session.fill(x_, std::uint8_t{4}, label);
            expected[outer] = {label, "inner", label};
            session.finish();
            break;
          }
          case 4: {
            try {
              start_capture(folder_.path("api" + std::to_string(seed * 100 + step)));
              api_runs = true;
            } catch (const Error& error) {
              EXPECT_EQ(error.code(), Code::invalid_argument) << error.what();
            }
            break;
          }
          case 5:
            if (api_runs) stop_capture();
            api_runs = false;
            break;
          default: {
            Capture capture(folder_.path("own" + std::to_string(seed * 100 + step)));
            try {
              capture.begin();
              executor_.stream().fill(x_, std::uint8_t{5}, "own");
            } catch (const Error& error) {
              EXPECT_EQ(error.code(), Code::invalid_argument) << error.what();
            }
            Capture moved(std::move(capture));
            if (random() % 2) moved.end();
          }
        }
      }
      for (const PendingPass& one : pending) one.wait();
      if (api_runs) stop_capture();
      capture::end_passes();
    });
    EXPECT_FALSE(is_capturing());
    if (passes < wanted || was_in_the_way) {
      EXPECT_THAT(text, AnyOf(HasSubstr("was asked for"), HasSubstr("is not captured"),
                              HasSubstr("without a pass")))
          << passes << " of " << wanted;
      EXPECT_FALSE(std::filesystem::exists(path));
    } else {
      EXPECT_EQ(labels(path), expected[wanted]) << text;
    }
  }
}

}  // namespace
}  // namespace reel::test
