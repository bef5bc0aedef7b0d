// Files that were made to hurt: lengths that lie, bombs, records where they don't belong.
#include <zstd.h>

#include "base/bytes/crc32.hpp"
#include "document/mcap/record_buffer.hpp"
#include "document/mcap_fixtures.hpp"
#include "reel/error.hpp"

namespace reel::test {
namespace {

using mcap::Opcode;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr std::uint64_t max_u64 = ~std::uint64_t{0};
constexpr std::uint32_t max_u32 = ~std::uint32_t{0};

// Magic, header, and what `put(RecordBuffer&)` puts.
template <class Put>
Bytes file_with(Put&& put) {
  mcap::RecordBuffer out;
  out.bytes(mcap::magic);
  mcap::append_header(out, {"reel", "hostile"});
  put(out);
  return {out.view().begin(), out.view().end()};
}

std::string damage_of(const Bytes& file) {
  const auto damage = mcap::read_index(file).damage;
  return damage ? damage->reason : "";
}

// A file of one chunk: its compressed bytes, and what it says of them.
struct HostileChunk {
  Bytes data;
  std::uint64_t uncompressed_bytes = 0;
  std::uint32_t crc = 0;
  std::string compression = "zstd";

  Bytes file() const {
    return file_with([&](mcap::RecordBuffer& out) {
      out.record(Opcode::chunk, [&] {
        mcap::append_chunk_fields(out, {.compressed_bytes = data.size(),
                                        .uncompressed_bytes = uncompressed_bytes,
                                        .crc = crc,
                                        .compression = compression});
        out.bytes(data);
      });
    });
  }
  // What reading it says; and it gives no message.
  std::string damage(mcap::ChunkReader& reader) const {
    const Bytes bytes = file();
    const auto chunks = mcap::read_index(bytes).chunks;
    EXPECT_EQ(chunks.size(), 1);
    const auto found = for_each_message(bytes, chunks.at(0), reader,
                                        [](const auto&) { ADD_FAILURE() << "a message"; });
    return found ? found->reason : "";
  }
  std::string damage() const {
    mcap::ChunkReader reader;
    return damage(reader);
  }
};

Bytes zstd(std::span<const std::byte> bytes) {
  Bytes out(ZSTD_compressBound(bytes.size()));
  out.resize(ZSTD_compress(out.data(), out.size(), bytes.data(), bytes.size(), 1));
  return out;
}

HostileChunk chunk_of(std::span<const std::byte> records) {
  return {.data = zstd(records), .uncompressed_bytes = records.size(), .crc = crc32(records)};
}

TEST(McapHostile, WhatIsNoMcapFileIsRefused) {
  for (const char* text : {"", "x", "\x89MCAP1\r\n", "%PDF-1.4 and so on", "\x89MCAP0\n\n\n\n\n"}) {
    try {
      mcap::read_index(owned_bytes(text));
      ADD_FAILURE() << text;
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), Code::damaged_document);
      EXPECT_THAT(error.what(), HasSubstr("This is not an MCAP file"));
    }
  }
}

TEST(McapHostile, WithoutAHeaderNothingIsRead) {
  Bytes file(mcap::magic.begin(), mcap::magic.end());
  EXPECT_THAT(damage_of(file), HasSubstr("never closed"));
  mcap::RecordBuffer out;
  out.bytes(mcap::magic);
  mcap::append_channel(out, {.id = 1, .topic = "t", .message_encoding = "", .metadata = {}});
  file.assign(out.view().begin(), out.view().end());
  EXPECT_THAT(damage_of(file), HasSubstr("a header (type 1) is wanted"));
  EXPECT_THAT(mcap::read_index(file).channels, IsEmpty());
}

TEST(McapHostile, UnknownRecordsArePassedOver) {
  const Bytes file = file_with([](mcap::RecordBuffer& out) {
    for (const int opcode : {0x10, 0x7f, 0x80, 0xff})
      out.record(static_cast<Opcode>(opcode), [&] { out.text("something new"); });
    mcap::append_channel(out, {.id = 7, .topic = "t", .message_encoding = "", .metadata = {}});
    mcap::DataChecks checks;
    checks.add(out.view());
    mcap::Summary().append_end(out, out.size(), checks);
  });
  const mcap::Index index = mcap::read_index(file);
  EXPECT_TRUE(index.complete);
  EXPECT_EQ(index.channels.at(0).id, 7);
}

TEST(McapHostile, FieldsAddedByANewerMcapArePassedOver) {
  const Bytes file = file_with([](mcap::RecordBuffer& out) {
    out.record(Opcode::metadata, [&] {
      out.text("name");
      out.map({{"key", "value"}});
      out.u64(42);
    });
  });
  EXPECT_THAT(mcap::read_index(file).metadata,
              ElementsAre(mcap::Metadata{"name", {{"key", "value"}}}));
}

TEST(McapHostile, ALengthThatLiesStopsTheReading) {
  for (const std::uint64_t length :
       {max_u64, max_u64 - 8, std::uint64_t{1} << 63, std::uint64_t{5}}) {
    const Bytes file = file_with([&](mcap::RecordBuffer& out) {
      out.u8(static_cast<std::uint8_t>(Opcode::chunk));
      out.u64(length);
      out.u32(0);
    });
    EXPECT_THAT(damage_of(file), HasSubstr(std::to_string(length) + " bytes, but only 4 follow"));
  }
}

TEST(McapHostile, ALengthInsideARecordThatLiesStopsTheReading) {
  const auto record = [](Opcode opcode, auto&& body) {
    return damage_of(
        file_with([&](mcap::RecordBuffer& out) { out.record(opcode, [&] { body(out); }); }));
  };
  using Out = mcap::RecordBuffer&;
  for (const std::uint32_t lie : {max_u32, 100U, 1U << 31}) {
    EXPECT_THAT(record(Opcode::schema, [&](Out out) { out.u16(1), out.u32(lie); }),
                HasSubstr("schema"));
    EXPECT_THAT(
        record(Opcode::schema, [&](Out out) { out.u16(1), out.u32(0), out.u32(0), out.u32(lie); }),
        HasSubstr("schema"));
    EXPECT_THAT(record(Opcode::channel, [&](Out out) { out.u32(1), out.u64(0), out.u32(lie); }),
                HasSubstr("channel"));
    EXPECT_THAT(record(Opcode::metadata,
                       [&](Out out) { out.text("m"), out.u32(8), out.u32(0), out.u32(lie); }),
                HasSubstr("metadata"));
    EXPECT_THAT(record(Opcode::metadata, [&](Out out) { out.text("m"), out.u32(4), out.u32(lie); }),
                HasSubstr("metadata"));
    EXPECT_THAT(
        record(Opcode::chunk,
               [&](Out out) { out.u64(0), out.u64(0), out.u64(0), out.u32(0), out.u32(lie); }),
        HasSubstr("chunk"));
  }
  for (const std::uint64_t lie : {max_u64, std::uint64_t{3}, max_u64 - 3}) {
    EXPECT_THAT(record(Opcode::attachment,
                       [&](Out out) { out.u64(0), out.u64(0), out.u64(0), out.u64(lie); }),
                HasSubstr("attachment"));
    EXPECT_THAT(record(Opcode::chunk,
                       [&](Out out) {
                         out.u64(0), out.u64(0), out.u64(0), out.u32(0), out.u32(0), out.u64(lie);
                       }),
                HasSubstr("chunk"));
  }
  // An attachment without room for its checksum, and records of nothing.
  EXPECT_THAT(
      record(Opcode::attachment, [](Out out) { out.u64(0), out.u64(0), out.u64(0), out.u64(0); }),
      HasSubstr("attachment"));
  for (const auto opcode :
       {Opcode::schema, Opcode::channel, Opcode::chunk, Opcode::attachment, Opcode::metadata})
    EXPECT_THAT(record(opcode, [](Out) {}), HasSubstr("shorter"));
}

TEST(McapHostile, AnIdMayComeAgainButNotOtherwise) {
  const auto define = [](mcap::RecordBuffer& out, const char* topic) {
    mcap::append_channel(out, {.id = 3, .topic = topic, .message_encoding = "", .metadata = {}});
  };
  const Bytes same =
      file_with([&](mcap::RecordBuffer& out) { define(out, "a"), define(out, "a"); });
  EXPECT_EQ(mcap::read_index(same).channels.size(), 1);
  EXPECT_THAT(damage_of(same), HasSubstr("never closed"));
  const Bytes other =
      file_with([&](mcap::RecordBuffer& out) { define(out, "a"), define(out, "b"); });
  EXPECT_EQ(mcap::read_index(other).channels.at(0).topic, "a");
  EXPECT_THAT(damage_of(other), HasSubstr("channel 3 is defined twice, and differently"));
}

TEST(McapHostile, AFooterWhereNoneBelongsDoesntCompleteTheFile) {
  const auto footer = [](mcap::RecordBuffer& out, std::uint64_t summary) {
    out.record(Opcode::footer, [&] { out.u64(summary), out.u64(0), out.u32(0); });
    out.bytes(mcap::magic);
  };
  const auto data_end = [](mcap::RecordBuffer& out) {
    out.record(Opcode::data_end, [&] { out.u32(0); });
  };
  using Out = mcap::RecordBuffer&;
  EXPECT_EQ(damage_of(file_with([&](Out out) { data_end(out), footer(out, 0); })),
            "");  // no summary
  EXPECT_THAT(damage_of(file_with([&](Out out) { footer(out, 0); })),
              HasSubstr("before the end of the data"));
  EXPECT_THAT(damage_of(file_with([&](Out out) { data_end(out), footer(out, max_u64); })),
              HasSubstr("says that the summary is at"));
  EXPECT_THAT(damage_of(file_with([&](Out out) { data_end(out), footer(out, 0), out.u8(0); })),
              HasSubstr("Behind the footer, 9 bytes"));
  EXPECT_THAT(damage_of(file_with([&](Out out) {
                data_end(out);
                out.record(Opcode::footer, [&] { out.u64(0); });
              })),
              HasSubstr("The footer has 8 bytes"));
}

TEST(McapHostile, AChunkThatLiesAboutItsSizeIsNotRead) {
  HostileChunk chunk = chunk_of(Bytes(1000));
  for (const std::uint64_t lie :
       {std::uint64_t{0}, std::uint64_t{999}, std::uint64_t{1001}, mcap::max_chunk_bytes}) {
    chunk.uncompressed_bytes = lie;
    EXPECT_THAT(chunk.damage(), HasSubstr("says otherwise"));
  }
  for (const std::uint64_t lie : {max_u64, mcap::max_chunk_bytes + 1}) {
    chunk.uncompressed_bytes = lie;
    EXPECT_THAT(chunk.damage(), HasSubstr("1073741824 are allowed"));
  }
}

TEST(McapHostile, ABombIsRefusedBeforeAnyMemoryIsTaken) {
  const HostileChunk bomb = chunk_of(Bytes(std::size_t{64} << 20));
  EXPECT_LT(bomb.data.size(), 10'000);  // 64 MB of zeros
  mcap::ChunkReader reader(std::uint64_t{1} << 20);
  EXPECT_THAT(bomb.damage(reader), HasSubstr("1048576 are allowed"));
}

TEST(McapHostile, AChunkOfSeveralFramesOrWithATailIsNotRead) {
  const Bytes records(100);
  HostileChunk chunk = chunk_of(records);
  const Bytes again = zstd(records);
  chunk.data.insert(chunk.data.end(), again.begin(), again.end());
  EXPECT_THAT(chunk.damage(), HasSubstr("can't be uncompressed"));
  chunk.data = zstd(records);
  chunk.data.push_back(std::byte{0});
  EXPECT_THAT(chunk.damage(), HasSubstr("can't be uncompressed"));
  chunk.data.resize(chunk.data.size() - 2);
  EXPECT_THAT(chunk.damage(), HasSubstr("can't be uncompressed"));
  chunk.data.clear();
  EXPECT_THAT(chunk.damage(), HasSubstr("says otherwise"));
}

TEST(McapHostile, AWrongChecksumIsFound) {
  HostileChunk chunk = chunk_of(Bytes(1000));
  ++chunk.crc;
  EXPECT_THAT(chunk.damage(), HasSubstr("checksum doesn't fit"));
}

TEST(McapHostile, AnUnknownCompressionIsNamed) {
  HostileChunk chunk = chunk_of(Bytes(10));
  chunk.compression = "lz4";
  EXPECT_THAT(chunk.damage(), HasSubstr("compressed with 'lz4'"));
}

TEST(McapHostile, AnUncompressedChunkIsReadInPlace) {
  mcap::RecordBuffer records;
  records.record(Opcode::message,
                 [&] { records.u16(1), records.u32(5), records.u64(6), records.u64(7); });
  HostileChunk chunk{.data = {records.view().begin(), records.view().end()},
                     .uncompressed_bytes = records.size(),
                     .crc = crc32(records.view()),
                     .compression = ""};
  EXPECT_THAT(messages(chunk.file()), ElementsAre("channel 1 #5 @6: "));
  ++chunk.uncompressed_bytes;
  EXPECT_THAT(chunk.damage(), HasSubstr("but has 31"));
}

TEST(McapHostile, RecordsInAChunkAreCheckedAlthoughItsChecksumFits) {
  mcap::RecordBuffer records;
  records.record(Opcode::message, [&] { records.u32(0); });
  EXPECT_THAT(chunk_of(records.view()).damage(), HasSubstr("has 4 bytes; 22 are the least"));
  records.clear();
  records.u8(5), records.u64(max_u64);
  EXPECT_THAT(chunk_of(records.view()).damage(), HasSubstr("at its byte 0"));
  records.clear();
  records.record(static_cast<Opcode>(0x90), [] {});
  records.u8(0), records.u64(0);
  EXPECT_THAT(chunk_of(records.view()).damage(), HasSubstr("at its byte 9: A record has type 0"));
}

TEST(McapHostile, AReaderServesTheNextChunkAfterABrokenOne) {
  mcap::RecordBuffer records;
  records.record(Opcode::message, [&] { records.bytes(Bytes(22)); });
  const Bytes file = chunk_of(records.view()).file();
  const auto chunk = mcap::read_index(file).chunks.at(0);
  mcap::ChunkReader reader;
  HostileChunk broken = chunk_of(Bytes(500));
  broken.crc = 1;
  EXPECT_THAT(broken.damage(reader), HasSubstr("checksum"));
  EXPECT_FALSE(reader.next());
  int count = 0;
  EXPECT_FALSE(for_each_message(file, chunk, reader, [&](const auto&) { ++count; }));
  EXPECT_EQ(count, 1);
}

}  // namespace
}  // namespace reel::test
