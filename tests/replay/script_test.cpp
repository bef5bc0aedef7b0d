// What a replay does in which order, before any device is opened.
#include "replay/script/script.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "document/sample_document.hpp"
#include "replay/foreign_document.hpp"

namespace reel::test {
namespace {

// Two fills of the same bytes; the one given last ran first. It was checked at that moment.
rerun::Script script_of(CheckMoment moment) {
  const TemporaryFolder folder;
  ForeignDocument document(folder / "fills.reel", devices().front());
  const std::uint32_t x = document.buffer(16, Bytes(16));
  document.work(WorkKind::fill, {out(x, 0, 16)}, 1, 1);
  const std::uint32_t last = document.work(WorkKind::fill, {out(x, 0, 16)}, 2, 1);
  document.contents(ContentRole::check, last, x, 0, Bytes(16, std::byte{2}), false, moment);
  rerun::KeptOrder kept;
  kept.sequence = {1, 0};
  return rerun::make_script(document.load(), 0, last, {}, kept);
}

std::vector<rerun::Action::Kind> kinds_of(const rerun::Script& script) {
  std::vector<rerun::Action::Kind> kinds;
  for (const rerun::Action& action : script.actions) kinds.push_back(action.kind);
  return kinds;
}

using Kinds = std::vector<rerun::Action::Kind>;
using enum rerun::Action::Kind;

TEST(Script, LooksAtWhatACommandLeftBeforeTheNextThatRan) {
  const rerun::Script script = script_of(CheckMoment::command);
  EXPECT_EQ(kinds_of(script), (Kinds{run, look, run}));
  EXPECT_TRUE(script.at_end.empty());
}

TEST(Script, LooksAtWhatAllLeftWhenAllHaveRun) {
  const rerun::Script script = script_of(CheckMoment::end);
  EXPECT_EQ(kinds_of(script), (Kinds{run, run}));
  EXPECT_EQ(script.at_end.size(), 1u);
}

TEST(Script, TakesACheckOfTheLastCommandForOneOfTheEndWhereNobodySaysWhich) {
  EXPECT_EQ(kinds_of(script_of(CheckMoment::unknown)), (Kinds{run, run}));
}

// A fill whose result work that nobody replays then has, and a check of what is there.
rerun::Script script_with_opaque(Access access) {
  const TemporaryFolder folder;
  ForeignDocument document(folder / "shown.reel", devices().front());
  const std::uint32_t x = document.buffer(16, Bytes(16));
  document.work(WorkKind::fill, {out(x, 0, 16)}, 1, 1);
  const std::uint32_t shown =
      document.work(WorkKind::opaque, {access == Access::read ? in(x, 0, 16) : out(x, 0, 16)});
  document.contents(ContentRole::check, shown, x, 0, Bytes(16, std::byte{1}));
  const Trace trace = document.load();
  return rerun::make_script(trace, 0, shown, rerun::recorded_obstacles(trace), {});
}

TEST(Script, PassesOverWorkThatOnlyLooks) {
  const rerun::Script script = script_with_opaque(Access::read);
  EXPECT_TRUE(script.left_out.empty());
  EXPECT_EQ(kinds_of(script), Kinds{run});
  EXPECT_EQ(script.at_end.size(), 1u);
}

TEST(Script, LeavesOutWorkThatWritesWhatNobodyCanReplay) {
  const rerun::Script script = script_with_opaque(Access::write);
  EXPECT_EQ(script.left_out.size(), 1u);
  EXPECT_TRUE(script.at_end.empty());
}

}  // namespace
}  // namespace reel::test
