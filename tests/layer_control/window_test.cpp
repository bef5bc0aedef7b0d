// Which part of a run is captured.
#include "layers/control/window.hpp"

#include <gtest/gtest.h>

#include "layers/control/name_pattern.hpp"

namespace reel::layer {
namespace {

constexpr std::uint64_t second = 1'000'000'000;

Settings to_document() {
  Settings settings;
  settings.path = "x.reel";
  return settings;
}

TEST(Window, WithoutAPathNothingBegins) {
  Window window{Settings{}};
  window.first_call(0);
  EXPECT_EQ(window.look({100 * second, 5, 0}), Wish::nothing);
  EXPECT_TRUE(window.is_over());
  EXPECT_FALSE(window.wants_commands());
  EXPECT_FALSE(window.needs_time());
}

TEST(Window, TheWholeRunBeginsAtTheFirstCallAndNeverEnds) {
  Window window{to_document()};
  EXPECT_EQ(window.look({0, std::nullopt, 0}), Wish::nothing) << "no OpenCL call yet";
  window.first_call(7);
  EXPECT_EQ(window.look({7, std::nullopt, 0}), Wish::begin);
  window.began(7);
  EXPECT_EQ(window.look({1000 * second, 1'000'000, 1'000'000}), Wish::nothing);
  EXPECT_FALSE(window.wants_commands());
  EXPECT_FALSE(window.next_look_ns(8).has_value());
  EXPECT_FALSE(window.needs_time());
}

TEST(Window, FirstEndsBeforeTheCommandThatWouldBeOneTooMany) {
  Settings settings = to_document();
  settings.first = 3;
  Window window{settings};
  window.first_call(0);
  window.began(0);
  EXPECT_TRUE(window.wants_commands());
  EXPECT_EQ(window.look({1, 2, 2}), Wish::nothing);
  EXPECT_EQ(window.look({1, 3, 3}), Wish::end);
  window.ended();
  EXPECT_TRUE(window.is_over());
  EXPECT_FALSE(window.wants_commands());
  EXPECT_EQ(window.look({1, 4, 0}), Wish::nothing);
}

TEST(Window, SubmissionsAreCountedByThemselves) {
  Settings settings = to_document();
  settings.submits = CommandSpan{2, 3};
  Window window{settings};
  window.first_call(0);
  EXPECT_TRUE(window.wants_commands());
  EXPECT_EQ(window.look({1, 50, 0, 1}), Wish::nothing);
  EXPECT_EQ(window.look({1, 60, 0}), Wish::nothing) << "a command that is no submission";
  EXPECT_EQ(window.look({1, 60, 0, 2}), Wish::begin);
  window.began(1);
  EXPECT_EQ(window.look({2, 70, 9, 3}), Wish::nothing);
  EXPECT_EQ(window.look({3, 80, 20, 4}), Wish::end);
  window.ended();
  EXPECT_TRUE(window.is_over());
}

TEST(Window, FirstEndsSoonWhenNoFurtherCommandComes) {
  Settings settings = to_document();
  settings.first = 3;
  Window window{settings};
  window.first_call(0);
  window.began(0);
  ASSERT_TRUE(window.next_look_ns(5 * second).has_value());
  EXPECT_LE(*window.next_look_ns(5 * second), 5 * second + second / 10);
  EXPECT_EQ(window.look({5 * second, std::nullopt, 3}), Wish::end);
}

TEST(Window, CommandsAreCountedFromZeroAndTheLastBelongsToThem) {
  Settings settings = to_document();
  settings.commands = CommandSpan{5, 7};
  Window window{settings};
  window.first_call(0);
  EXPECT_TRUE(window.wants_commands());
  EXPECT_EQ(window.first_command(), 5u);
  EXPECT_EQ(window.look({0, std::nullopt, 0}), Wish::nothing);
  EXPECT_EQ(window.look({0, 4, 0}), Wish::nothing);
  EXPECT_EQ(window.look({0, 5, 0}), Wish::begin);
  window.began(0);
  EXPECT_EQ(window.first_command(), 0u);
  EXPECT_EQ(window.look({0, 7, 2}), Wish::nothing);
  EXPECT_EQ(window.look({0, 8, 2}), Wish::end) << "even where some of them were not recorded";
  window.ended();
  EXPECT_FALSE(window.wants_commands());
}

TEST(Window, CommandsThatAreAllThereEndWithoutAFurtherOne) {
  Settings settings = to_document();
  settings.commands = CommandSpan{5, 7};
  Window window{settings};
  window.first_call(0);
  window.began(0);
  EXPECT_EQ(window.look({1, std::nullopt, 2}), Wish::nothing);
  EXPECT_EQ(window.look({1, std::nullopt, 3}), Wish::end);
}

TEST(Window, CommandsThatWerePassedAreOver) {
  Settings settings = to_document();
  settings.commands = CommandSpan{5, 7};
  Window window{settings};
  window.first_call(0);
  EXPECT_EQ(window.look({0, 9, 0}), Wish::nothing);
  EXPECT_TRUE(window.is_over());
}

TEST(Window, AfterCountsFromTheFirstCall) {
  Settings settings = to_document();
  settings.after_s = 2;
  Window window{settings};
  EXPECT_FALSE(window.next_look_ns(0).has_value());
  window.first_call(10 * second);
  EXPECT_EQ(window.look({10 * second, std::nullopt, 0}), Wish::nothing);
  EXPECT_EQ(window.next_look_ns(10 * second), 12 * second);
  EXPECT_EQ(window.look({12 * second - 1, 3, 0}), Wish::nothing);
  EXPECT_EQ(window.look({12 * second, std::nullopt, 0}), Wish::begin);
}

TEST(Window, ForCountsFromTheBeginning) {
  Settings settings = to_document();
  settings.after_s = 2;
  settings.for_s = 0.5;
  Window window{settings};
  window.first_call(0);
  window.began(3 * second);
  EXPECT_EQ(window.next_look_ns(3 * second), 3 * second + second / 2);
  EXPECT_EQ(window.look({3 * second + second / 2 - 1, std::nullopt, 9}), Wish::nothing);
  EXPECT_EQ(window.look({3 * second + second / 2, std::nullopt, 9}), Wish::end);
  window.ended();
  EXPECT_EQ(window.look({9 * second, std::nullopt, 0}), Wish::nothing) << "once";
}

TEST(Window, LastRenewsAPartInWhichSomethingWasDone) {
  Settings settings = to_document();
  settings.last_s = 1;
  Window window{settings};
  window.first_call(0);
  window.began(0);
  EXPECT_TRUE(window.wants_commands()) << "they wait while a part is renewed";
  EXPECT_EQ(window.look({second - 1, 4, 4}), Wish::nothing);
  EXPECT_EQ(window.look({second, std::nullopt, 0}), Wish::nothing) << "idle: it goes on";
  EXPECT_EQ(window.look({second, 5, 4}), Wish::renew);
  window.began(second);
  EXPECT_EQ(window.look({2 * second - 1, 6, 1}), Wish::nothing);
}

TEST(Window, ATriggerBeginsAndEndsAgainAndAgain) {
  Settings settings = to_document();
  settings.trigger = true;
  Window window{settings};
  window.first_call(0);
  EXPECT_EQ(window.look({second, 1, 0}), Wish::nothing);
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(window.trigger(), Wish::begin);
    window.began(second);
    EXPECT_EQ(window.trigger(), Wish::end);
    window.ended();
    EXPECT_FALSE(window.is_over());
  }
}

TEST(Window, ATriggerWithFirstCapturesOneWindowEach) {
  Settings settings = to_document();
  settings.trigger = true;
  settings.first = 2;
  Window window{settings};
  window.first_call(0);
  for (int i = 0; i < 2; ++i) {
    EXPECT_FALSE(window.wants_commands());
    window.began(second);
    EXPECT_EQ(window.look({second, 1, 1}), Wish::nothing);
    EXPECT_EQ(window.look({second, 2, 2}), Wish::end);
    window.ended();
  }
}

TEST(Window, WhatTheProgramStartedItselfHasNoOtherEnd) {
  Settings settings = to_document();
  settings.first = 2;
  settings.after_s = 5;
  Window window{settings};
  window.first_call(0);
  window.began(second, true);
  EXPECT_EQ(window.look({9 * second, 100, 100}), Wish::nothing);
  EXPECT_FALSE(window.wants_commands());
  window.ended();
  EXPECT_EQ(window.look({10 * second, std::nullopt, 0}), Wish::begin) << "its own is still to come";
}

TEST(Window, WhatCannotBeginIsNotTriedAtEveryCommand) {
  Settings settings = to_document();
  settings.commands = CommandSpan{0, 9};
  Window window{settings};
  window.first_call(0);
  EXPECT_EQ(window.look({0, 0, 0}), Wish::begin);
  window.failed_to_begin();
  EXPECT_EQ(window.look({0, 1, 0}), Wish::nothing);
}

TEST(Window, KernelsAreNamedByAPartOfTheNameOrByAPattern) {
  EXPECT_TRUE(name_matches("mul", "matmul_f32"));
  EXPECT_FALSE(name_matches("add", "matmul_f32"));
  EXPECT_TRUE(name_matches("mat*", "matmul_f32"));
  EXPECT_FALSE(name_matches("mul*", "matmul_f32"));
  EXPECT_TRUE(name_matches("matmul_f??", "matmul_f32"));
}

}  // namespace
}  // namespace reel::layer
