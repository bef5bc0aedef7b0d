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

}  // namespace
}  // namespace reel::test
