// A part of a document as a document of its own: it replays, and needs nothing else.
#include <filesystem>

#include "replay/filled_test.hpp"
#include "replay/tampered.hpp"

namespace reel::test {
namespace {

class Extracted : public FilledReplayTest {
 protected:
  void SetUp() override {
    FilledReplayTest::SetUp();
    if (IsSkipped() || HasFatalFailure()) return;
    const Stream stream = device().stream("main");
    trace = captured([&] {
      const auto scope = stream.scope("layer");
      mix(stream, x, y, z, 5, "first");
      mad(stream, z, 3, 1, "second");
      mix(stream, z, x, w, 2, "third");
      mad(stream, z, 7, 9, "fourth");
      stream.write(y, ramp(5));
      mix(stream, y, w, z, 1, "sixth");
      stream.synchronize();
    });
  }

  std::optional<Trace> trace;
  ScratchFolder folder;
};

TEST_P(Extracted, OneCommandHasExactlyWhatItNeeds) {
  const ExtractReport report = extract(*trace, device(), {2}, folder.path("one.reel"));
  EXPECT_EQ(report.commands, 1u);
  EXPECT_EQ(report.replay.verdict(), Verdict::equal);
  const Trace one = Trace::load(report.path);
  ASSERT_EQ(one.commands().size(), 1u);
  EXPECT_EQ(one.text(one.works()[0].label), "third");
  EXPECT_EQ(one.text(one.works()[0].scope), "layer");
  EXPECT_EQ(one.kernels().size(), 1u);
  EXPECT_EQ(one.buffers().size(), 3u);
  EXPECT_EQ(one.facts().at("extracted").substr(0, 5), "c2 of");
  // z as c1 left it, which the document itself does not hold.
  const auto inputs = contents_of(one, ContentRole::input);
  ASSERT_FALSE(inputs.empty());
  for (const ReplayOrder order : every_order) {
    const ReplayReport again = replayed(one, {.order = order});
    EXPECT_EQ(again.verdict(), Verdict::equal) << told(again);
    EXPECT_EQ(again.checked_bytes, 4u * word_count);
  }
}

TEST_P(Extracted, PartsWithGapsAndWrites) {
  const ExtractReport report = extract(*trace, device(), {1, 4, 5}, folder.path("some.reel"));
  const Trace some = Trace::load(report.path);
  ASSERT_EQ(some.commands().size(), 3u);
  EXPECT_EQ(some.works()[some.commands()[1].work].kind, WorkKind::write);
  const ReplayReport again = replayed(some);
  EXPECT_EQ(again.verdict(), Verdict::equal) << told(again);
}

TEST_P(Extracted, OnAnotherDeviceGivesTheSameDocument) {
  if (is("host")) return;
  const ExtractReport report = extract(*trace, open_device("host"), {2}, folder.path("host.reel"));
  EXPECT_EQ(replayed(Trace::load(report.path)).verdict(), Verdict::equal);
}

TEST_P(Extracted, RefusesWhatWouldNotBeTheRecordedBytes) {
  const Trace changed = tampered(*trace, folder.path("changed.reel"),
                                 {.page = [&](const TraceContents& row, auto& bytes) {
                                   if (trace->buffers()[row.buffer].label == "x")
                                     bytes[0] ^= std::byte{1};
                                 }});
  const std::string path = folder.path("bad.reel");
  expect_error(Code::invalid_argument, {"c2 can't be extracted", "other results"},
               [&] { extract(changed, device(), {2}, path); });
  EXPECT_FALSE(std::filesystem::exists(path));
  expect_error(Code::invalid_argument, {"no command"},
               [&] { extract(*trace, device(), {}, path); });
  expect_error(Code::invalid_argument, {"no c99"}, [&] { extract(*trace, device(), {99}, path); });
  extract(*trace, device(), {2}, path);
  expect_error(Code::io_failed, {"exists"}, [&] { extract(*trace, device(), {2}, path); });
  EXPECT_EQ(replayed(Trace::load(path)).verdict(), Verdict::equal);  // still the first
}

INSTANTIATE_TEST_SUITE_P(Each, Extracted, every_device(), device_name);

}  // namespace
}  // namespace reel::test
