#include "document/mcap_fixtures.hpp"
#include "reel/error.hpp"

namespace reel::test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

TEST(Mcap, ComesBackAsItWasWritten) {
  const Bytes file = small_file();
  const mcap::Index index = mcap::read_index(file);
  EXPECT_TRUE(index.complete);
  EXPECT_FALSE(index.damage);
  EXPECT_EQ(index.header, (mcap::Header{"reel", "tests"}));
  EXPECT_THAT(index.schemas, ElementsAre(mcap::Schema{1, "reel.Rows", "flatbuffer",
                                                      owned_bytes("table Rows {}")}));
  EXPECT_THAT(index.channels,
              ElementsAre(mcap::Channel{1, 1, "commands", "flatbuffer", {{"version", "1"}}},
                          mcap::Channel{2, 0, "stamps", "", {}}));
  EXPECT_THAT(index.metadata,
              ElementsAre(mcap::Metadata{"device", {{"name", "host"}, {"driver", "reel 0.1"}}}));
  EXPECT_THAT(messages(file, index),
              ElementsAre("commands #0 @100: first", "commands #1 @110: second",
                          "stamps #0 @120: " + std::string(300, 's'), "commands #2 @130: third",
                          "stamps #1 @105: "));
  ASSERT_EQ(index.attachments.size(), 2);
  const auto& [kernel, page] = std::tie(index.attachments[0], index.attachments[1]);
  EXPECT_EQ(kernel.name, "kernel");
  EXPECT_EQ(kernel.media_type, "text/plain");
  EXPECT_EQ(kernel.log_time, 115);
  EXPECT_EQ(text_of(attachment_data(file, kernel)), "__kernel void add() {}");
  EXPECT_EQ(page.create_time, 1);
  EXPECT_THAT(attachment_data(file, page), IsEmpty());
  EXPECT_TRUE(attachment_is_whole(file, kernel));
  EXPECT_TRUE(attachment_is_whole(file, page));
}

TEST(Mcap, KnowsTheTimesAndSizesOfItsChunks) {
  const Bytes file = small_file();
  const auto chunks = mcap::read_index(file).chunks;
  ASSERT_EQ(chunks.size(), 3);
  EXPECT_EQ(chunks[0].message_start_time, 100);
  EXPECT_EQ(chunks[0].message_end_time, 110);
  EXPECT_EQ(chunks[1].message_start_time, 120);
  EXPECT_EQ(chunks[1].uncompressed_bytes, 2 * 31 + 300 + 5);
  EXPECT_LT(chunks[1].data_bytes, 300);
  EXPECT_EQ(chunks[2].message_end_time, 105);
}

TEST(Mcap, WithNothingInItIsComplete) {
  const Bytes file = written([](mcap::Writer& writer) { writer.close(); });
  const mcap::Index index = mcap::read_index(file);
  EXPECT_TRUE(index.complete);
  EXPECT_THAT(index.chunks, IsEmpty());
}

TEST(Mcap, StartsANewChunkWhenOneIsFull) {
  const Bytes file = written(
      [](mcap::Writer& writer) {
        const auto channel = writer.add_channel("numbers", "", 0);
        for (std::uint64_t i = 0; i < 100; ++i)
          writer.message(channel, i, owned_bytes("0123456789"));
        writer.message(channel, 100, Bytes(5'000));  // larger than a chunk: one by itself
        EXPECT_EQ(writer.pending_bytes(), 0);
        writer.close();
      },
      {.chunk_bytes = 410});
  const mcap::Index index = mcap::read_index(file);
  EXPECT_EQ(index.chunks.size(), 11);  // ten messages of 41 bytes each, and the large one
  EXPECT_EQ(messages(file, index).size(), 101);
}

TEST(Mcap, HoldsMegabytesInOneChunk) {
  std::string text;
  for (std::uint64_t i = 0; i < 500'000; ++i) text += std::to_string(i * 7919);
  const Bytes file = written([&](mcap::Writer& writer) {
    writer.message(writer.add_channel("c", "", 0), 1, owned_bytes(text));
    writer.close();
  });
  const auto found = messages(file);
  ASSERT_EQ(found.size(), 1);
  EXPECT_TRUE(found[0] == "c #0 @1: " + text);  // megabytes, which nobody wants to see printed
}

TEST(Mcap, IsReadableUpToTheLastWriteWhenTheWriterIsGone) {
  const Bytes file = written([](mcap::Writer& writer) {
    write_small(writer);
    writer.message(1, 200, owned_bytes("still in memory"));
  });
  const mcap::Index index = mcap::read_index(file);
  EXPECT_FALSE(index.complete);
  ASSERT_TRUE(index.damage);
  EXPECT_EQ(index.damage->offset, file.size());
  EXPECT_THAT(index.damage->reason, HasSubstr("never closed"));
  EXPECT_EQ(messages(file, index).size(), 5);
}

template <class Call>
std::string invalid(Call&& call) {
  try {
    call();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), Code::invalid_argument);
    return error.what();
  }
  ADD_FAILURE() << "no error";
  return {};
}

TEST(McapWriter, RefusesWhatNoReaderCouldUse) {
  written([](mcap::Writer& writer) {
    EXPECT_THAT(invalid([&] { writer.message(1, 0, {}); }), HasSubstr("There is no channel 1"));
    EXPECT_THAT(invalid([&] { writer.add_channel("c", "", 1); }), HasSubstr("names schema 1"));
    writer.add_channel("c", "", 0);
    EXPECT_THAT(invalid([&] { writer.message(0, 0, {}); }), HasSubstr("no channel 0"));
    writer.close();
    writer.close();
    EXPECT_THAT(invalid([&] { writer.message(1, 0, {}); }), HasSubstr("closed"));
    EXPECT_THAT(invalid([&] { writer.metadata({}); }), HasSubstr("closed"));
  });
}

TEST(McapWriter, WantsAnEmptyFile) {
  const Folder folder;
  OutputFile file(folder / "a");
  file.write(owned_bytes("x"));
  EXPECT_THAT(invalid([&] { mcap::Writer writer(file, {}); }), HasSubstr("has 1 bytes already"));
}

// A disk of every size there is: the file never ends within a record.
TEST(McapWriter, LeavesWholeRecordsOnADiskThatIsFull) {
  const std::size_t whole = small_file().size();
  for (std::uint64_t limit = 0; limit < whole; ++limit) {
    const Folder folder;
    OutputFile file(folder / "a", {.limit_bytes = limit});
    std::optional<mcap::Writer> writer;
    try {
      writer.emplace(file, mcap::Header{"reel", "tests"});
      write_small(*writer);
      writer->close();
      FAIL() << "wrote " << whole << " bytes to a disk of " << limit;
    } catch (const Error& error) {
      ASSERT_EQ(error.code(), Code::io_failed);
    }
    if (!writer) continue;                 // not even the header
    EXPECT_THROW(writer->close(), Error);  // every later call says it again
    EXPECT_THROW(writer->metadata({}), Error);
    const Bytes bytes = read_file(folder / "a");
    const mcap::Index index = mcap::read_index(bytes);
    EXPECT_FALSE(index.complete);
    EXPECT_EQ(index.damage->offset, bytes.size()) << index.damage->reason;
  }
}

}  // namespace
}  // namespace reel::test
