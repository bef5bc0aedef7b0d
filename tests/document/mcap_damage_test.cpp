// Every cut and every changed bit of a small file.
#include <set>

#include "base/bytes/crc32.hpp"
#include "document/mcap/mcap_verify.hpp"
#include "document/mcap_fixtures.hpp"
#include "reel/error.hpp"

namespace reel::test {
namespace {

using testing::IsSubsetOf;

bool is_prefix(const std::vector<std::string>& some, const std::vector<std::string>& all) {
  return some.size() <= all.size() && std::equal(some.begin(), some.end(), all.begin());
}

TEST(McapDamage, ACutAnywhereLeavesWhatIsBeforeIt) {
  const Bytes file = small_file();
  const mcap::Index whole = mcap::read_index(file);
  const auto all = messages(file, whole);
  std::size_t most = 0;
  for (std::size_t size = 0; size < file.size(); ++size) {
    const auto cut = std::span(file).first(size);
    if (size < mcap::magic.size()) {
      EXPECT_THROW(mcap::read_index(cut), Error);
      continue;
    }
    const mcap::Index index = mcap::read_index(cut);
    ASSERT_FALSE(index.complete) << size;
    ASSERT_TRUE(index.damage) << size;
    ASSERT_LE(index.damage->offset, size);
    ASSERT_FALSE(index.damage->reason.empty());
    const auto some = messages(cut, index);
    ASSERT_TRUE(is_prefix(some, all)) << size;
    ASSERT_GE(some.size(), most) << "a longer file has fewer messages, at " << size;
    most = some.size();
    for (const auto& chunk : whole.chunks)  // every chunk that is whole is there
      ASSERT_EQ(chunk.offset + chunk.length <= size,
                std::ranges::count(index.chunks, chunk.offset, &mcap::ChunkRef::offset) == 1);
    for (const auto& attachment : index.attachments)
      ASSERT_TRUE(attachment_is_whole(cut, attachment));
  }
  EXPECT_EQ(most, all.size());
}

// The beginnings of chunks have no checksum, so a chunk may be lost and channels renamed; but a
// message that is given is one that was written.
TEST(McapDamage, AChangedBitNeverChangesAMessage) {
  Bytes file = small_file();
  const mcap::Index whole = mcap::read_index(file);
  const auto text = [](const mcap::MessageView& m) {
    return std::tuple(m.channel, m.sequence, m.log_time, m.publish_time, text_of(m.data));
  };
  mcap::ChunkReader reader;
  std::set<decltype(text({}))> all;
  for (const auto& chunk : whole.chunks)
    for_each_message(file, chunk, reader, [&](const auto& message) { all.insert(text(message)); });
  ASSERT_EQ(all.size(), 5);

  for (std::size_t at = mcap::magic.size(); at < file.size(); ++at)
    for (int bit = 0; bit < 8; ++bit) {
      file[at] ^= std::byte{1} << bit;
      const mcap::Index index = mcap::read_index(file);
      ASSERT_EQ(index.complete, !index.damage);
      std::size_t found = 0;
      bool told = !index.complete;
      for (const auto& chunk : index.chunks)
        told |= for_each_message(file, chunk, reader, [&](const auto& message) {
                  ++found;
                  EXPECT_TRUE(all.contains(text(message))) << at << "." << bit;
                }).has_value();
      // Fewer messages only where something says so, or where a chunk's type became another's.
      const bool in_type = std::ranges::count(whole.chunks, at, &mcap::ChunkRef::offset) == 1;
      EXPECT_TRUE(found == all.size() || told || in_type) << at << "." << bit;
      file[at] ^= std::byte{1} << bit;
    }
}

// Of a file that was closed, the checksums leave no byte out.
TEST(McapDamage, EveryChangedBitIsFound) {
  Bytes file = small_file();
  const mcap::Index whole = mcap::read_index(file);
  ASSERT_TRUE(whole.complete);
  ASSERT_TRUE(whole.is_covered);
  const auto is_in_data = [&](std::size_t at) {
    return std::ranges::any_of(whole.attachments, [&](const mcap::AttachmentRef& one) {
      return at >= one.data_offset && at < one.data_offset + one.data_bytes;
    });
  };
  for (std::size_t at = 0; at < file.size(); ++at)
    for (int bit = 0; bit < 8; ++bit) {
      file[at] ^= std::byte{1} << bit;
      if (at < mcap::magic.size())
        EXPECT_THROW(mcap::read_index(file), Error) << at;
      else if (!is_in_data(at))
        EXPECT_FALSE(mcap::read_index(file).complete) << at << "." << bit;
      else
        EXPECT_FALSE(std::ranges::all_of(
            whole.attachments, [&](const auto& one) { return attachment_is_whole(file, one); }))
            << at << "." << bit;
      file[at] ^= std::byte{1} << bit;
    }
}

TEST(McapDamage, WhatIsPutInTakenOutOrTwiceThereIsFound) {
  const Bytes file = small_file();
  const mcap::Index whole = mcap::read_index(file);
  std::vector<std::pair<std::size_t, std::size_t>> records;  // where, how long
  for (mcap::RecordScanner scanner(file, mcap::magic.size()); const auto record = scanner.next();)
    records.emplace_back(record->offset, record->length);
  ASSERT_GT(records.size(), 10u);
  for (const auto& [offset, length] : records) {
    const auto begin = file.begin() + static_cast<std::ptrdiff_t>(offset);
    const auto end = begin + static_cast<std::ptrdiff_t>(length);
    Bytes without(file.begin(), begin);
    without.insert(without.end(), end, file.end());
    EXPECT_FALSE(mcap::read_index(without).complete) << offset;
    Bytes twice(file.begin(), end);
    twice.insert(twice.end(), begin, file.end());
    EXPECT_FALSE(mcap::read_index(twice).complete) << offset;
  }
  Bytes longer = file;
  longer.push_back(std::byte{0});
  EXPECT_FALSE(mcap::read_index(longer).complete);
}

TEST(McapDamage, ASummaryThatTellsSomethingElseIsFoundThoughItsChecksumFits) {
  const Bytes file = small_file();
  EXPECT_FALSE(mcap::check_summary(file));
  std::size_t summary = 0;
  const std::size_t footer = file.size() - mcap::magic.size() - mcap::footer_bytes;
  std::memcpy(&summary, file.data() + footer, sizeof(summary));
  // Every byte between the summary's beginning and the footer, with a checksum made anew.
  for (std::size_t at = summary; at < footer - mcap::record_prefix_bytes; ++at) {
    Bytes changed = file;
    changed[at] ^= std::byte{1};
    const auto covered = std::span(changed).subspan(
        summary, footer + mcap::footer_bytes - mcap::checksum_bytes - summary);
    const std::uint32_t crc = crc32(covered);
    std::memcpy(changed.data() + footer + mcap::footer_bytes - sizeof(crc), &crc, sizeof(crc));
    EXPECT_TRUE(!mcap::read_index(changed).complete || mcap::check_summary(changed)) << at;
  }
}

TEST(McapDamage, AChangedBitOfAnAttachmentIsFound) {
  Bytes file = small_file();
  const auto attachment = mcap::read_index(file).attachments[0];
  const std::uint64_t end = attachment.offset + attachment.length;
  for (std::uint64_t at = attachment.data_offset; at < end; ++at) {
    file[at] ^= std::byte{4};
    EXPECT_FALSE(attachment_is_whole(file, attachment)) << at;
    file[at] ^= std::byte{4};
  }
  EXPECT_TRUE(attachment_is_whole(file, attachment));
}

TEST(McapDamage, AChangedBitOfTheSummaryIsFound) {
  Bytes file = small_file();
  // The summary ends with the footer's checksum and the magic.
  const std::size_t footer = file.size() - mcap::magic.size() - mcap::footer_bytes;
  std::size_t summary = 0;
  std::memcpy(&summary, file.data() + footer, sizeof(summary));
  ASSERT_LT(summary, footer);
  for (std::size_t at = summary; at < file.size(); ++at) {
    file[at] ^= std::byte{1};
    const mcap::Index index = mcap::read_index(file);
    EXPECT_FALSE(index.complete) << at;
    EXPECT_EQ(messages(file, index).size(), 5) << at;
    file[at] ^= std::byte{1};
  }
}

}  // namespace
}  // namespace reel::test
