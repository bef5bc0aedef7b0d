#include "document/mcap/mcap_recover.hpp"

#include "document/files/input_file.hpp"
#include "document/mcap_fixtures.hpp"
#include "reel/error.hpp"

namespace reel::test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

struct Recovered {
  mcap::RecoverReport report;
  Bytes file;
  mcap::Index index;
};

Recovered recovered(std::span<const std::byte> damaged) {
  const Folder folder;
  OutputFile out(folder / "recovered.reel");
  auto report = mcap::recover(damaged, out);
  Bytes file = read_file(folder / "recovered.reel");
  auto index = mcap::read_index(file);
  return {std::move(report), std::move(file), std::move(index)};
}

TEST(McapRecover, CopiesAWholeFile) {
  const Bytes file = small_file();
  const auto [report, copy, index] = recovered(file);
  EXPECT_TRUE(index.complete);
  EXPECT_EQ(copy.size(), file.size());
  EXPECT_EQ(messages(copy, index), messages(file));
  EXPECT_THAT(report.dropped, IsEmpty());
  EXPECT_EQ(report.chunks, 3);
  EXPECT_EQ(report.messages, 5);
  EXPECT_EQ(report.attachments, 2);
  EXPECT_EQ(report.metadata, 1);
  EXPECT_EQ(report.schemas, 1);
  EXPECT_EQ(report.channels, 2);
}

TEST(McapRecover, MakesAWholeFileOfEveryCut) {
  const Bytes file = small_file();
  for (std::size_t size = mcap::magic.size(); size < file.size(); ++size) {
    const auto cut = std::span(file).first(size);
    const auto [report, copy, index] = recovered(cut);
    ASSERT_TRUE(index.complete) << size << ": " << index.damage->reason;
    ASSERT_EQ(messages(copy, index), messages(cut)) << size;
    ASSERT_EQ(report.messages, messages(cut).size());
    ASSERT_LE(report.dropped.size(), 1) << size;
  }
}

TEST(McapRecover, DropsOneBrokenChunkAndKeepsTheOthers) {
  Bytes file = small_file();
  const auto chunk = mcap::read_index(file).chunks[1];
  file[chunk.data_offset + chunk.data_bytes / 2] ^= std::byte{1};
  const auto [report, copy, index] = recovered(file);
  EXPECT_TRUE(index.complete);
  EXPECT_THAT(messages(copy, index), ElementsAre("commands #0 @100: first",
                                                 "commands #1 @110: second", "stamps #1 @105: "));
  ASSERT_EQ(report.dropped.size(), 1);
  EXPECT_EQ(report.dropped[0].offset, chunk.offset);
  EXPECT_EQ(report.dropped_bytes, chunk.length);
}

TEST(McapRecover, FindsTheChunksBehindAPlaceThatCantBeRead) {
  Bytes file = small_file();
  const auto chunks = mcap::read_index(file).chunks;
  // From within the first chunk to within the records before the second, zeros: a lost disk block.
  const auto begin = file.begin() + static_cast<std::ptrdiff_t>(chunks[0].offset);
  std::fill(begin, begin + static_cast<std::ptrdiff_t>(chunks[0].length + 20), std::byte{0});
  EXPECT_THAT(messages(file), IsEmpty());

  const auto [report, copy, index] = recovered(file);
  EXPECT_TRUE(index.complete);
  // The channel "stamps" was lost with the block, but the summary has it too.
  EXPECT_THAT(messages(copy, index), ElementsAre("stamps #0 @120: " + std::string(300, 's'),
                                                 "commands #2 @130: third", "stamps #1 @105: "));
  ASSERT_EQ(report.dropped.size(), 1);
  EXPECT_EQ(report.dropped[0].offset, chunks[0].offset);
  EXPECT_THAT(report.dropped[0].reason, HasSubstr("type 0"));
  EXPECT_EQ(report.dropped_bytes, chunks[1].offset - chunks[0].offset);
}

TEST(McapRecover, DropsABrokenAttachment) {
  Bytes file = small_file();
  const auto attachment = mcap::read_index(file).attachments[0];
  file[attachment.data_offset] ^= std::byte{1};
  const auto [report, copy, index] = recovered(file);
  EXPECT_TRUE(index.complete);
  EXPECT_EQ(index.attachments.size(), 1);
  EXPECT_EQ(messages(copy, index).size(), 5);
  EXPECT_THAT(report.dropped.at(0).reason, HasSubstr("attachment's checksum"));
}

TEST(McapRecover, KeepsRecordsItDoesntKnow) {
  mcap::RecordBuffer out;
  out.bytes(mcap::magic);
  mcap::append_header(out, {"reel", "later"});
  out.record(static_cast<mcap::Opcode>(0x81), [&] { out.text("something new"); });
  const auto [report, copy, index] = recovered(out.view());
  EXPECT_EQ(report.other_records, 1);
  EXPECT_THAT(text_of(copy), HasSubstr("something new"));
  EXPECT_EQ(index.header.library, "later");
}

TEST(McapRecover, MakesAWholeFileOfAnythingThatBeginsLikeOne) {
  Bytes file = small_file();
  for (std::size_t at = mcap::magic.size(); at < file.size(); ++at) {
    const std::byte old = std::exchange(file[at], file[at] ^ std::byte{0x41});
    const auto [report, copy, index] = recovered(file);
    ASSERT_TRUE(index.complete) << at << ": " << index.damage->reason;
    ASSERT_EQ(report.messages, messages(copy, index).size());
    ASSERT_GE(report.messages, 2) << at;  // at most one chunk is lost
    file[at] = old;
  }
  EXPECT_THROW(recovered(owned_bytes("text")), Error);
}

TEST(McapRecover, MayReplaceTheFileItReads) {
  const Folder folder;
  const Bytes file = small_file();
  write_file(folder / "a.reel", std::span(file).first(file.size() - 40));
  const InputFile damaged(folder / "a.reel");
  OutputFile out(folder / "a.reel", {.overwrite = true});
  mcap::recover(damaged.bytes(), out);
  out.close();
  EXPECT_EQ(messages(read_file(folder / "a.reel")), messages(file));
}

}  // namespace
}  // namespace reel::test
