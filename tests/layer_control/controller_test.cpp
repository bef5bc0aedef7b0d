// What begins and ends captures, with a session that only counts and a clock that stands still.
#include "layers/control/controller.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <filesystem>
#include <fstream>
#include <thread>

#include "counting_session.hpp"

namespace reel::layer {
namespace {

using test::CountingSession;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr std::uint64_t second = 1'000'000'000;
std::atomic<std::uint64_t> now_ns{0};
std::uint64_t clock_of_test() noexcept { return now_ns; }

class ControllerTest : public testing::Test {
 protected:
  ControllerTest() {
    session.reset();
    now_ns = 5 * second;
    std::filesystem::remove_all(folder);
    std::filesystem::create_directories(folder);
    settings.path = out;
  }
  ~ControllerTest() override { std::filesystem::remove_all(folder); }

  Controller& made(bool same_run = false) {
    return controller.emplace(settings, same_run, clock_of_test);
  }
  // A command, the way the hooks give one.
  void command() {
    if (session.attention) controller->before_command();
    if (session.is_open) ++session.recorded;
  }
  void commands(int count) {
    for (int i = 0; i < count; ++i) command();
  }
  static std::string name(const std::string& of) {
    return (std::filesystem::path(folder) / of).string();
  }
  static void touch(const std::string& path) { std::ofstream(path) << "x"; }

  inline static const std::string folder =
      testing::TempDir() + "/controller_" + std::to_string(getpid());
  inline static const std::string out = folder + "/out.reel";
  CountingSession& session = CountingSession::instance();
  Settings settings;
  std::optional<Controller> controller;
};

TEST_F(ControllerTest, TheWholeRunIsOneDocument) {
  made().first_call();
  EXPECT_THAT(session.begun, ElementsAre(out));
  EXPECT_FALSE(session.attention);
  commands(10);
  EXPECT_THAT(session.ended, IsEmpty());
  controller->process_ends();
  EXPECT_THAT(session.ended, ElementsAre(out));
  controller->process_ends();
  EXPECT_EQ(session.ended.size(), 1u);
}

TEST_F(ControllerTest, AnExistingDocumentIsLeftAlone) {
  touch(out);
  testing::internal::CaptureStderr();
  made().first_call();
  EXPECT_THAT(testing::internal::GetCapturedStderr(), HasSubstr("exists already"));
  EXPECT_THAT(session.begun, IsEmpty());
  EXPECT_FALSE(session.attention);
  EXPECT_FALSE(controller->is_armed());
}

TEST_F(ControllerTest, AnExistingDocumentIsReplacedWhenThatWasAllowed) {
  touch(out);
  settings.overwrite = true;
  made().first_call();
  EXPECT_THAT(session.begun, ElementsAre(out));
}

TEST_F(ControllerTest, AnotherProcessOfTheRunHasADocumentOfItsOwn) {
  touch(out);
  made(true).first_call();
  EXPECT_THAT(session.begun, ElementsAre(name("out." + std::to_string(getpid()) + ".reel")));
}

TEST_F(ControllerTest, FirstStopsAfterSoManyRecordedCommands) {
  settings.first = 3;
  made().first_call();
  EXPECT_TRUE(session.attention);
  commands(3);
  EXPECT_THAT(session.ended, IsEmpty());
  command();
  EXPECT_THAT(session.ended, ElementsAre(out));
  EXPECT_EQ(session.recorded.load(), 3u);
  EXPECT_FALSE(session.attention);
  EXPECT_FALSE(controller->is_armed());
}

TEST_F(ControllerTest, CommandsAreThoseOfTheWholeProcess) {
  settings.commands = CommandSpan{4, 6};
  made().first_call();
  commands(4);
  EXPECT_THAT(session.begun, IsEmpty());
  commands(3);
  EXPECT_EQ(session.recorded.load(), 3u);
  commands(5);
  EXPECT_EQ(session.recorded.load(), 3u);
  EXPECT_THAT(session.ended, ElementsAre(out));
}

TEST_F(ControllerTest, TimeBeginsAndEndsWithoutACommand) {
  settings.after_s = 1;
  settings.for_s = 2;
  made().first_call();
  EXPECT_EQ(controller->next_look_ns(), 6 * second);
  controller->look();
  EXPECT_THAT(session.begun, IsEmpty());
  now_ns = 6 * second;
  controller->look();
  EXPECT_THAT(session.begun, ElementsAre(out));
  EXPECT_EQ(controller->next_look_ns(), 8 * second);
  now_ns = 8 * second;
  controller->look();
  EXPECT_THAT(session.ended, ElementsAre(out));
  EXPECT_FALSE(controller->next_look_ns().has_value());
}

TEST_F(ControllerTest, LastKeepsTheFinalPartAndTheOneBeforeIt) {
  settings.last_s = 1;
  made().first_call();
  for (int part = 0; part < 3; ++part) {
    commands(2);
    now_ns += second;
    controller->look();
  }
  command();
  controller->process_ends();
  EXPECT_EQ(session.begun.size(), 4u);
  EXPECT_TRUE(std::filesystem::exists(out));
  EXPECT_TRUE(std::filesystem::exists(name("out.before.reel")));
  const auto files = std::distance(std::filesystem::directory_iterator(folder), {});
  EXPECT_EQ(files, 2);
}

TEST_F(ControllerTest, LastDropsAFinalPartWithNothingInIt) {
  settings.last_s = 1;
  made().first_call();
  commands(2);
  now_ns += second;
  controller->look();
  controller->process_ends();
  EXPECT_TRUE(std::filesystem::exists(out));
  EXPECT_FALSE(std::filesystem::exists(name("out.before.reel")));
}

TEST_F(ControllerTest, LastDoesNotTakeAnExistingNameForThePartBefore) {
  settings.last_s = 1;
  touch(name("out.before.reel"));
  testing::internal::CaptureStderr();
  made().first_call();
  EXPECT_THAT(testing::internal::GetCapturedStderr(), HasSubstr("exists already"));
  EXPECT_THAT(session.begun, IsEmpty());
}

TEST_F(ControllerTest, EachSecondTriggerEndsAndTheNextDocumentHasANumber) {
  settings.trigger = true;
  made().first_call();
  commands(3);
  EXPECT_THAT(session.begun, IsEmpty());
  Outcome outcome = controller->trigger();
  EXPECT_EQ(outcome.kind, Outcome::Kind::started);
  EXPECT_EQ(outcome.path, out);
  commands(2);
  outcome = controller->trigger();
  EXPECT_EQ(outcome.kind, Outcome::Kind::stopped);
  EXPECT_EQ(outcome.report.commands, 2u);
  EXPECT_EQ(controller->trigger().path, name("out-2.reel"));
  EXPECT_TRUE(controller->is_armed());
}

TEST_F(ControllerTest, ARequestedTriggerIsActedOnAtTheNextCommandOrLook) {
  settings.trigger = true;
  made().first_call();
  controller->request_trigger();
  session.attention = true;  // as the signal's handler does
  command();
  EXPECT_THAT(session.begun, ElementsAre(out));
  EXPECT_EQ(session.recorded.load(), 1u);
  controller->request_trigger();
  controller->look();
  EXPECT_THAT(session.ended, ElementsAre(out));
}

TEST_F(ControllerTest, ATriggerWithFirstCapturesOneWindow) {
  settings.trigger = true;
  settings.first = 2;
  made().first_call();
  for (const char* path : {"out.reel", "out-2.reel"}) {
    EXPECT_EQ(controller->trigger().path, name(path));
    commands(5);
    EXPECT_EQ(session.ended.back(), name(path));
    EXPECT_EQ(session.recorded.load(), 2u);
  }
}

TEST_F(ControllerTest, TheProgramStartsAndStopsByItself) {
  settings.path.clear();
  made().first_call();
  EXPECT_TRUE(controller->is_armed());
  EXPECT_THAT(controller->start("").why, HasSubstr("No path was set"));
  EXPECT_THAT(controller->stop().why, HasSubstr("No capture is under way"));
  EXPECT_TRUE(controller->start(out));
  EXPECT_THAT(controller->start(out).why, HasSubstr("is under way"));
  commands(4);
  EXPECT_EQ(controller->stop().report.commands, 4u);
  EXPECT_THAT(controller->start(out).why, HasSubstr("exists already"));
  controller->set_path(name("set_%n.reel"));
  EXPECT_EQ(controller->start("").path, name("set_1.reel"));
  EXPECT_TRUE(controller->stop());
  EXPECT_EQ(controller->trigger().path, name("set_2.reel"));
}

TEST_F(ControllerTest, TheProgramDoesNotStopWhatItDidNotStart) {
  made().first_call();
  EXPECT_THAT(controller->start(name("own.reel")).why, HasSubstr("is under way"));
  EXPECT_THAT(controller->stop().why, HasSubstr("not begun by start()"));
  EXPECT_THAT(session.ended, IsEmpty());
}

TEST_F(ControllerTest, WhatTheSessionRefusesIsSaidOnce) {
  session.refusal = "The disk is full.";
  settings.commands = CommandSpan{0, 9};
  testing::internal::CaptureStderr();
  made().first_call();
  commands(5);
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "[reel] capture: The disk is full.\n");
}

TEST_F(ControllerTest, OnlyKernelsOfTheChoiceAreSelected) {
  settings.kernel = "mul";
  made().first_call();
  EXPECT_TRUE(controller->selects("matmul"));
  EXPECT_FALSE(controller->selects("add"));
  EXPECT_FALSE(controller->selects("")) << "other commands";
}

TEST_F(ControllerTest, ThreadsGiveCommandsWhileOthersTrigger) {
  settings.trigger = true;
  settings.first = 50;
  made().first_call();
  std::atomic<bool> stop{false};
  std::vector<std::thread> threads;
  for (int i = 0; i < 3; ++i)
    threads.emplace_back([&] {
      while (!stop) command();
    });
  testing::internal::CaptureStderr();
  for (int i = 0; i < 100; ++i) {
    if (i % 2) {
      controller->request_trigger();
      session.attention = true;
      controller->look();
    } else {
      controller->trigger();
    }
    now_ns += second;
  }
  controller->process_ends();
  stop = true;
  for (std::thread& thread : threads) thread.join();
  testing::internal::GetCapturedStderr();
  EXPECT_FALSE(session.is_open);
  EXPECT_EQ(session.begun, session.ended);
  EXPECT_GT(session.begun.size(), 10u);
}

TEST_F(ControllerTest, AfterTheEndNothingBegins) {
  settings.trigger = true;
  made().first_call();
  controller->process_ends();
  EXPECT_THAT(controller->trigger().why, HasSubstr("ending"));
  EXPECT_THAT(controller->start(out).why, HasSubstr("ending"));
  controller->request_trigger();
  controller->look();
  EXPECT_THAT(session.begun, IsEmpty());
}

}  // namespace
}  // namespace reel::layer
