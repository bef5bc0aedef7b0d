// Rules of copies and memory. Each rule twice: a document that has the problem, and one that only
// looks like it.
#include <algorithm>
#include <map>

#include "analysis/found.hpp"
#include "reel/device.hpp"
#include "reel/graph.hpp"

namespace reel {
namespace {

using test::MadeBuffer;

using testing::ElementsAre;
using testing::HasSubstr;

void add_writes(MadeDocument& made, const std::vector<float>& first,
                const std::vector<float>& second) {
  const auto x = made.buffer();
  made.contents(ContentRole::written,
                made.add({.kind = WorkKind::write, .run = {1, 5}, .writes = {{x}}}), x, first);
  made.add({.kind = WorkKind::read, .run = {5, 6}, .reads = {{x}}});
  made.contents(ContentRole::written,
                made.add({.kind = WorkKind::write, .run = {6, 10}, .writes = {{x}}}), x, second);
  made.add({.kind = WorkKind::read, .run = {10, 11}, .reads = {{x}}});
}
TEST(CopyRedundant, IsFoundWhereTheBytesWereThere) {
  MadeDocument made;
  add_writes(made, ones, ones);
  const auto finding = find(made, "copy.redundant");
  ASSERT_TRUE(finding);
  EXPECT_THAT(finding->evidence.commands, ElementsAre(2));
  EXPECT_EQ(finding->saving_ns, 4000u);
}
TEST(CopyRedundant, IsNotFoundWhereBytesDiffer) {
  MadeDocument made;
  add_writes(made, ones, twos);
  EXPECT_FALSE(find(made, "copy.redundant"));
}
TEST(CopyRedundant, IsNotFoundWhereAKernelWroteBetween) {
  MadeDocument made;
  const auto x = made.buffer(), k = made.kernel("k");
  made.contents(ContentRole::written,
                made.add({.kind = WorkKind::write, .run = {1, 5}, .writes = {{x}}}), x, ones);
  made.add({.kernel = k, .run = {5, 6}, .reads = {{x}}, .writes = {{x}}});
  made.contents(ContentRole::written,
                made.add({.kind = WorkKind::write, .run = {6, 9}, .writes = {{x}}}), x, ones);
  EXPECT_FALSE(find(made, "copy.redundant"));
}

void add_round_trip(MadeDocument& made, const std::vector<float>& back) {
  const auto x = made.buffer(), y = made.buffer(), k = made.kernel("k");
  const auto run = made.add({.kernel = k, .run = {1, 5}, .writes = {{x}}});
  made.contents(ContentRole::check, run, x, ones);
  made.add({.kind = WorkKind::read, .run = {5, 8}, .reads = {{x}}});
  made.contents(ContentRole::written,
                made.add({.kind = WorkKind::write, .run = {9, 13}, .writes = {{y}}}), y, back);
}
TEST(CopyRoundtrip, IsFoundForBytesThatComeBack) {
  MadeDocument made;
  add_round_trip(made, ones);
  const auto finding = find(made, "copy.roundtrip");
  ASSERT_TRUE(finding);
  EXPECT_EQ(finding->saving_ns, 7000u);
}
// As captures have it: what was read is known from the read.
TEST(CopyRoundtrip, IsFoundWhereTheReadItselfTellsTheBytes) {
  MadeDocument made;
  const auto x = made.buffer(), y = made.buffer(), k = made.kernel("k");
  made.add({.kernel = k, .run = {1, 5}, .writes = {{x}}});
  const auto read = made.add({.kind = WorkKind::read, .run = {5, 8}, .reads = {{x}}});
  made.contents(ContentRole::check, read, x, ones);
  made.contents(ContentRole::written,
                made.add({.kind = WorkKind::write, .run = {9, 13}, .writes = {{y}}}), y, ones);
  const auto finding = find(made, "copy.roundtrip");
  ASSERT_TRUE(finding);
  EXPECT_EQ(finding->saving_ns, 7000u);
  EXPECT_THAT(finding->title, testing::HasSubstr("4.0 KiB went to the host and came back"));
}
TEST(CopyRoundtrip, BackIntoTheSamePlaceIsRedundant) {
  MadeDocument made;
  const auto x = made.buffer(), k = made.kernel("k");
  made.add({.kernel = k, .run = {1, 5}, .writes = {{x}}});
  const auto read = made.add({.kind = WorkKind::read, .run = {5, 8}, .reads = {{x}}});
  made.contents(ContentRole::check, read, x, ones);
  made.contents(ContentRole::written,
                made.add({.kind = WorkKind::write, .run = {9, 13}, .writes = {{x}}}), x, ones);
  const auto finding = find(made, "copy.redundant");
  ASSERT_TRUE(finding);
  EXPECT_EQ(finding->saving_ns, 4000u);
  EXPECT_THAT(finding->title,
              testing::HasSubstr("What they brought had been read from the device."));
}
TEST(CopyRoundtrip, IsNotFoundWhereTheHostChangedThem) {
  MadeDocument made;
  add_round_trip(made, twos);
  EXPECT_FALSE(find(made, "copy.roundtrip"));
}

void add_uploads(MadeDocument& made, float second) {
  const std::vector<float> large(32768, 3.0f), other(32768, second);
  const auto x = made.buffer({.size = 131072}), y = made.buffer({.size = 131072});
  made.contents(ContentRole::written,
                made.add({.kind = WorkKind::write, .run = {1, 5}, .writes = {{x}}}), x, large);
  made.contents(ContentRole::written,
                made.add({.kind = WorkKind::write, .run = {5, 9}, .writes = {{y}}}), y, other);
}
TEST(UploadDup, IsFoundForTheSameBytesTwice) {
  MadeDocument made;
  add_uploads(made, 3);
  EXPECT_TRUE(find(made, "upload.dup"));
}
TEST(UploadDup, IsNotFoundForOtherBytes) {
  MadeDocument made;
  add_uploads(made, 4);
  EXPECT_FALSE(find(made, "upload.dup"));
}

TEST(CopyUnused, IsFoundForAWriteOverwrittenUnread) {
  MadeDocument made;
  const auto x = made.buffer();
  made.add({.kind = WorkKind::write, .run = {1, 5}, .writes = {{x}}});
  made.add({.kind = WorkKind::write, .run = {5, 9}, .writes = {{x}}});
  made.add({.kind = WorkKind::read, .run = {9, 10}, .reads = {{x}}});
  const auto finding = find(made, "copy.unused");
  ASSERT_TRUE(finding);
  EXPECT_THAT(finding->evidence.commands, ElementsAre(0));
}
TEST(CopyUnused, IsNotFoundWhereHalfOfItIsRead) {
  MadeDocument made;
  const auto x = made.buffer();
  made.add({.kind = WorkKind::write, .run = {1, 5}, .writes = {{x}}});
  made.add({.kind = WorkKind::read, .run = {5, 6}, .reads = {{x, 0, 16}}});
  made.add({.kind = WorkKind::write, .run = {6, 9}, .writes = {{x}}});
  EXPECT_FALSE(find(made, "copy.unused"));
}
TEST(CopyUnused, IsNotFoundForTheLastWriteWhichMayBeReadLater) {
  MadeDocument made;
  made.add({.kind = WorkKind::write, .run = {1, 5}, .writes = {{made.buffer()}}});
  EXPECT_FALSE(find(made, "copy.unused"));
}

// Nothing says that it is never read, but nothing that was recorded reads it.
TEST(CopyUnused, IsPossibleForAWriteThatNothingRecordedReads) {
  for (const bool is_read : {false, true}) {
    MadeDocument made;
    const auto x = made.buffer(), y = made.buffer(), k = made.kernel("k");
    made.add({.kind = WorkKind::write, .run = {1, 5}, .writes = {{x}}});
    made.add({.kernel = k, .run = {5, 50}, .writes = {{y}}});
    if (is_read) made.add({.kernel = k, .run = {50, 60}, .reads = {{x}}});
    const auto finding = find(made, "copy.unused");
    ASSERT_EQ(finding.has_value(), !is_read);
    if (is_read) continue;
    EXPECT_EQ(finding->confidence, analysis::Confidence::possible);
    EXPECT_THAT(finding->title, testing::HasSubstr("that nothing in this recording reads"));
    EXPECT_THAT(finding->evidence.commands, ElementsAre(0));
  }
}

// An upload that nobody reads, and that brings back what was read: left out, it is saved once.
TEST(CopyUnused, CountsATransferThatAnotherFindingNamesTooOnce) {
  MadeDocument made;
  const auto x = made.buffer(), y = made.buffer(), k = made.kernel("k");
  const auto run = made.add({.kernel = k, .run = {1, 5}, .writes = {{x}}});
  made.contents(ContentRole::check, run, x, ones);
  made.add({.kind = WorkKind::read, .run = {5, 8}, .reads = {{x}}});
  made.contents(ContentRole::written,
                made.add({.kind = WorkKind::write, .run = {9, 13}, .writes = {{y}}}), y, ones);
  made.contents(ContentRole::written,
                made.add({.kind = WorkKind::write, .run = {13, 15}, .writes = {{y}}}), y, twos);
  made.add({.kind = WorkKind::read, .run = {15, 16}, .reads = {{y}}});
  std::map<std::string, std::uint64_t> savings;
  for (const analysis::Finding& finding : findings_of(made))
    if (finding.id.starts_with("copy.")) savings[finding.id] += finding.saving_ns.value_or(0);
  EXPECT_EQ(savings["copy.unused"], 4000u);
  EXPECT_EQ(savings["copy.roundtrip"], 3000u) << "the read alone";
}

// What saves next to nothing doesn't stand beside what saves half.
TEST(SmallFindings, ComeLastAndWarnOfNothing) {
  for (const double kernel_us : {4.0, 4000.0}) {
    MadeDocument made;
    const auto x = made.buffer(), y = made.buffer(), k = made.kernel("k");
    made.add({.kind = WorkKind::write, .run = {1, 5}, .writes = {{x}}});
    made.add({.kind = WorkKind::write, .run = {5, 9}, .writes = {{x}}});
    made.add({.kernel = k, .run = {9, 9 + kernel_us}, .reads = {{x}}, .writes = {{y}}});
    const auto findings = findings_of(made);
    const auto unused = std::ranges::find(findings, "copy.unused", &analysis::Finding::id);
    ASSERT_NE(unused, findings.end());
    const bool is_small = kernel_us > 1000;
    EXPECT_EQ(unused->is_small, is_small);
    EXPECT_EQ(unused->severity, is_small ? analysis::Severity::info : analysis::Severity::warning);
    EXPECT_EQ(findings.back().id == "copy.unused", is_small);
  }
}

TEST(FillDead, IsFoundForAFillOverwrittenWhole) {
  MadeDocument made;
  const auto x = made.buffer(), k = made.kernel("k");
  made.add({.kind = WorkKind::fill, .run = {1, 5}, .writes = {{x}}});
  made.add({.kernel = k, .run = {5, 9}, .writes = {{x}}});
  EXPECT_TRUE(find(made, "fill.dead"));
}
TEST(FillDead, IsNotFoundWhereTheKernelAddsToIt) {
  MadeDocument made;
  const auto x = made.buffer(), k = made.kernel("k");
  made.add({.kind = WorkKind::fill, .run = {1, 5}, .writes = {{x}}});
  made.add({.kernel = k, .run = {5, 9}, .reads = {{x}}, .writes = {{x}}});
  EXPECT_FALSE(find(made, "fill.dead"));
}

// Its fills are those of two branches, of which one runs; as nodes of one graph, the first is dead.
TEST(FillDead, IsNotFoundInPartsOfASavedGraph) {
  const Device device = open_device("host");
  const Buffer x = device.buffer(64, "x"), y = device.buffer(64, "y"), word = device.buffer(4);
  Graph five, six, decides, flat;
  five.add_fill(x, 5u);
  six.add_fill(x, 6u);
  decides.add_if(word, five, six);
  decides.add_copy(y, x);
  flat.add_fill(x, 5u);
  flat.add_fill(x, 6u);
  flat.add_copy(y, x);
  const auto is_found = [](const Graph& graph) {
    const std::string path = testing::TempDir() + "fill_dead.reel";
    graph.save(path, {.overwrite = true});
    const Trace trace = Trace::load(path);
    return std::ranges::any_of(find_insights(trace, analyze(trace)),
                               [](const auto& finding) { return finding.id == "fill.dead"; });
  };
  EXPECT_FALSE(is_found(decides));
  EXPECT_TRUE(is_found(flat));
}

void add_small(MadeDocument& made, std::uint64_t step) {
  const auto x = made.buffer({.size = 1 << 20});
  for (std::uint64_t i = 0; i < 20; ++i) {
    const double t = 1 + 2 * static_cast<double>(i);
    made.add({.kind = WorkKind::write, .run = {t, t + 1}, .writes = {{x, i * step, 256}}});
  }
}
TEST(CopySmall, IsFoundForPiecesSideBySide) {
  MadeDocument made;
  add_small(made, 256);
  EXPECT_TRUE(find(made, "copy.small"));
}
TEST(CopySmall, IsNotFoundForPiecesApart) {
  MadeDocument made;
  add_small(made, 8192);
  EXPECT_FALSE(find(made, "copy.small"));
}

TEST(MemPeak, NamesTheLargestBuffer) {
  MadeDocument made;
  made.buffer({.size = 100});
  made.buffer({.size = 1 << 20, .label = "kv"});
  made.add({.kernel = made.kernel("k"), .run = {1, 2}});
  const auto finding = find(made, "mem.peak");
  ASSERT_TRUE(finding);
  EXPECT_THAT(finding->title, HasSubstr("'kv'"));
}
TEST(MemPeak, IsNotFoundWithoutBuffers) {
  MadeDocument made;
  made.add({.kernel = made.kernel("k"), .run = {1, 2}});
  EXPECT_FALSE(find(made, "mem.peak"));
}

void add_lives(MadeDocument& made, bool overlap) {
  const auto k = made.kernel("k");
  const auto first = made.buffer({.size = 1000, .allocated = 1, .freed = overlap ? 50.0 : 19.0});
  const auto second = made.buffer({.size = 1000, .allocated = 20, .freed = 60});
  made.add({.kernel = k, .run = {5, 15}, .call = test::Span{0.5, 0.6}, .writes = {{first}}});
  made.add({.kernel = k, .run = {20, 40}, .call = test::Span{0.6, 0.7}, .writes = {{second}}});
}
TEST(MemDead, IsFoundForABufferKeptTooLong) {
  MadeDocument made;
  add_lives(made, true);
  const auto finding = find(made, "mem.dead");
  ASSERT_TRUE(finding);
  EXPECT_EQ(finding->saving_bytes, 1000u);
}
// What lives on may be used again; what was there before may have been used then.
TEST(MemDead, IsNotFoundForBuffersWhoseUseTheDocumentDoesNotShow) {
  MadeDocument made;
  const auto k = made.kernel("k");
  const auto weights = made.buffer({.size = 1000}), other = made.buffer({.size = 1000});
  const auto passing = made.buffer({.size = 10, .allocated = 20, .freed = 30});
  made.add({.kernel = k, .run = {5, 15}, .call = test::Span{0.5, 0.6}, .reads = {{weights}}});
  made.add({.kernel = k, .run = {20, 25}, .call = test::Span{0.6, 0.7}, .changes = {{passing}}});
  made.add({.kernel = k, .run = {40, 45}, .call = test::Span{0.7, 0.8}, .reads = {{other}}});
  const Trace trace = made.trace();
  const analysis::Report report = analyze(trace);
  for (const analysis::Finding& finding : find_insights(trace, report))
    EXPECT_NE(finding.id, "mem.dead") << finding.title;
  EXPECT_EQ(report.memory.needed_at_peak_bytes, 2010u);
}
TEST(MemDead, IsNotFoundWhereItWasFreedInTime) {
  MadeDocument made;
  add_lives(made, false);
  EXPECT_FALSE(find(made, "mem.dead"));
}

TEST(MemNever, IsFoundForBuffersNobodyTouched) {
  MadeDocument made;
  made.buffer({.size = 777, .allocated = 1, .freed = 5});
  made.add({.kernel = made.kernel("k"), .run = {3, 9}});
  const auto finding = find(made, "mem.never");
  ASSERT_TRUE(finding);
  EXPECT_EQ(finding->saving_bytes, 777u);
}
// A program reads and writes mapped memory without a call.
void add_use_of(MadeDocument& made, std::uint32_t memory_flags) {
  const MadeBuffer kind{.allocated = 1,
                        .freed = 90,
                        .undefined = true,
                        .memory = {.allocation = 0, .flags = memory_flags}};
  const auto from = made.buffer(kind), to = made.buffer(kind), k = made.kernel("k");
  made.add({.kernel = k, .run = {10, 20}, .reads = {{from}}, .writes = {{to}}});
  made.add({.kind = WorkKind::fill, .run = {20, 30}, .writes = {{to}}});
}
TEST(HostVisible, MemoryIsNotSaidToBeUnreadOrUnwritten) {
  for (const char* id : {"mem.never", "fill.dead", "read.uninit"}) {
    MadeDocument seen, unseen;
    add_use_of(seen, 2 | 4);
    add_use_of(unseen, 1);
    EXPECT_FALSE(find(seen, id)) << id;
    EXPECT_TRUE(find(unseen, id)) << id;
  }
}
TEST(MemNever, IsNotFoundForBuffersThatLiveOn) {
  MadeDocument made;
  made.buffer({.size = 777, .allocated = 1});
  made.add({.kernel = made.kernel("k"), .run = {3, 9}});
  EXPECT_FALSE(find(made, "mem.never"));
}

void add_passes(MadeDocument& made, bool freed) {
  const auto k = made.kernel("k");
  for (int p = 0; p < 5; ++p) {
    const double t = 100.0 * p;
    const auto x = made.buffer(
        {.size = 1000, .allocated = t + 5, .freed = freed ? std::optional(t + 90) : std::nullopt});
    made.add({.kernel = k,
              .run = {t + 10, t + 80},
              .call = test::Span{t + 6, t + 7},
              .reads = {{x}},
              .writes = {{x}}});
    made.pass({t + 4, t + 95});
  }
}
TEST(MemLeak, IsFoundWhereEachPassKeepsMore) {
  MadeDocument made;
  add_passes(made, false);
  const auto finding = find(made, "mem.leak");
  ASSERT_TRUE(finding);
  EXPECT_EQ(finding->saving_bytes, 4000u);
}
TEST(MemLeak, IsNotFoundWhereEachPassFrees) {
  MadeDocument made;
  add_passes(made, true);
  EXPECT_FALSE(find(made, "mem.leak"));
}

void add_churn(MadeDocument& made, std::uint64_t growth) {
  for (std::uint64_t i = 0; i < 12; ++i)
    made.buffer({.size = 4096 + i * growth,
                 .allocated = 1.0 + static_cast<double>(i),
                 .freed = 1.5 + static_cast<double>(i)});
  made.call("Device::buffer()", {1, 4});
  made.add({.kernel = made.kernel("k"), .run = {1, 20}});
}
TEST(MemChurn, IsFoundForTheSameSizeAgainAndAgain) {
  MadeDocument made;
  add_churn(made, 0);
  const auto finding = find(made, "mem.churn");
  ASSERT_TRUE(finding);
  EXPECT_EQ(finding->saving_ns, 3000u);
}
TEST(MemChurn, IsNotFoundForOtherSizes) {
  MadeDocument made;
  add_churn(made, 64);
  EXPECT_FALSE(find(made, "mem.churn"));
}
TEST(MemChurn, IsFoundForOneInEachPass) {
  for (const int passes : {4, 12}) {
    MadeDocument made;
    const auto k = made.kernel("k");
    double t = 10;
    for (int pass = 0; pass < passes; ++pass, t += 20) {
      made.call("Device::buffer()", {t, t + 2});
      const auto b = made.buffer({.allocated = t + 1, .freed = t + 15});
      made.add({.kernel = k, .run = {t + 5, t + 10}, .writes = {{b}}});
      made.pass({t - 1, t + 16});
    }
    made.call("Device::buffer()", {t, t + 1000});  // of something else, once
    const auto finding = find(made, "mem.churn");
    ASSERT_EQ(finding.has_value(), passes == 12) << "four may be chance";
    if (finding) {
      EXPECT_EQ(finding->saving_ns, 24'000u);
    }
  }
}

}  // namespace
}  // namespace reel
