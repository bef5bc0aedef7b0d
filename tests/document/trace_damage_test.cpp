// Documents that were cut short, or whose bytes were changed.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "check_trace.hpp"
#include "document/mcap_reader.hpp"
#include "expect_error.hpp"
#include "reel/trace.hpp"
#include "sample_document.hpp"

namespace reel::test {
namespace {

using document::DocumentWriter;
using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

// A document of a few kilobytes with rows in most tables, in chunks of a few commands each.
std::string write_small(const std::string& path, bool close = true) {
  DocumentWriter writer(path, {{"program", "small"}});
  writer.add(document::DeviceRow{0, "host", "host", "CPU", "cpu", "reel", "1", "", 1, 1, true, 1});
  writer.add(document::ClockRow{0, 1000, 1000, 5});
  writer.add(document::StreamRow{0, 0, "main"});
  writer.add(document::BufferRow{0, 0, 16, "x"});
  document::WorkRow work{};
  work.kind = WorkKind::write;
  work.label = writer.text("upload");
  const std::vector<document::ArgumentRow> target{{ArgumentKind::buffer, Access::write, 0, 0, 16}};
  work.arguments = target;
  const std::uint32_t upload = writer.add(work);
  for (std::uint32_t i = 0; i < 12; ++i) {
    writer.add(document::CommandRow{i, upload, 0, no_index, no_index, 1, 1000 + i, 1001 + i});
    const std::string data = "sixteen bytes " + std::to_string(10 + i);
    writer.add(document::ContentsRow{ContentRole::written, i, 0, 0, 16, true,
                                     pages_of(writer, bytes_of(data))});
    writer.add(document::StampRow{i, 1000 + i, 1001 + i, 1002 + i, 1003 + i});
    if (i % 4 == 3) writer.flush();
  }
  if (close) writer.close({{"commands", "12"}, {"complete", "yes"}});
  return path;
}

TEST(DamagedTrace, CutAtAnyByteItLoadsAPrefixOrIsRefused) {
  const TemporaryFolder folder;
  const Trace whole = Trace::load(write_small(folder / "whole.reel"));
  ASSERT_TRUE(whole.is_complete());
  // Shorter and shorter in place: a file written anew each time takes a minute.
  const std::size_t bytes = whole.file_bytes();
  std::filesystem::copy_file(folder / "whole.reel", folder / "cut.reel");
  std::size_t loaded = 0, least = whole.commands().size();
  for (std::size_t size = bytes - 1; size > 0; --size) {
    std::filesystem::resize_file(folder / "cut.reel", size);
    try {
      const Trace trace = Trace::load(folder / "cut.reel");
      ++loaded;
      EXPECT_FALSE(trace.is_complete()) << size;
      EXPECT_THAT(trace.problems(), Not(IsEmpty())) << size;
      check_trace(trace);
      ASSERT_LE(trace.commands().size(), least) << size;  // fewer bytes never give more
      least = trace.commands().size();
      for (std::size_t i = 0; i < trace.commands().size(); ++i)
        ASSERT_EQ(trace.commands()[i].call_begin_ns, whole.commands()[i].call_begin_ns);
    } catch (const Error& error) {
      // Only where not even the header is there.
      ASSERT_LT(size, 64u) << error.what();
      ASSERT_EQ(error.code(), Code::damaged_document);
    }
  }
  EXPECT_GT(loaded, bytes - 64);
  EXPECT_EQ(least, 0u);
}

TEST(DamagedTrace, NoChangedByteBreaksAPromise) {
  const TemporaryFolder folder;
  const std::string path = write_small(folder / "x.reel");
  const std::vector<std::byte> whole = read_bytes(path);
  std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
  const auto put = [&](std::size_t at, std::byte byte) {
    file.seekp(static_cast<std::streamoff>(at));
    file.put(static_cast<char>(byte));
    file.flush();
  };
  constexpr std::byte flips[] = {std::byte{0x01}, std::byte{0x80}, std::byte{0xff}};
  for (std::size_t at = 0; at < whole.size(); ++at) {
    put(at, whole[at] ^ flips[at % 3]);
    try {
      check_trace(Trace::load(path));
    } catch (const Error& error) {
      ASSERT_TRUE(error.code() == Code::damaged_document || error.code() == Code::unsupported)
          << at << ": " << error.what();
    }
    put(at, whole[at]);
  }
  EXPECT_TRUE(Trace::load(path).is_complete());
}

TEST(DamagedTrace, AChangedPageIsFoundWhenItIsRead) {
  const TemporaryFolder folder;
  const std::string path = write_sample(folder / "x.reel");
  std::vector<std::byte> bytes = read_bytes(path);
  // The small pages and the source stand before the large ones.
  const mcap::Index index = mcap::read_index(bytes);
  for (const mcap::AttachmentRef& blob : index.attachments)
    bytes[blob.data_offset + blob.data_bytes / 2] ^= std::byte{1};
  write_bytes(path, bytes);
  const Trace trace = Trace::load(path);
  EXPECT_EQ(trace.commands().size(), 11u);
  for (const TraceContents& contents : trace.contents()) EXPECT_FALSE(trace.bytes(contents));
  EXPECT_FALSE(trace.blob(trace.kernels()[0].variants[0].blob.value()));
  EXPECT_TRUE(trace.has_blob(trace.kernels()[0].variants[0].blob.value()));
}

TEST(DamagedTrace, ADamagedChunkCutsTheCommandsThere) {
  const TemporaryFolder folder;
  const std::string path = write_small(folder / "x.reel");
  std::vector<std::byte> bytes = read_bytes(path);
  const mcap::Index index = mcap::read_index(bytes);
  ASSERT_EQ(index.chunks.size(), 3u);
  bytes[index.chunks[1].data_offset + index.chunks[1].data_bytes / 2] ^= std::byte{1};
  write_bytes(path, bytes);
  const Trace trace = Trace::load(path);
  EXPECT_FALSE(trace.is_complete());
  EXPECT_EQ(trace.commands().size(), 4u);
  EXPECT_THAT(trace.problems(),
              Contains("4 rows of /commands are left out: a command before them is missing."));
  EXPECT_THAT(trace.problems(), Contains(HasSubstr("12 commands were recorded, 4 can be read.")));
  check_trace(trace);
}

TEST(DamagedTrace, AnUnclosedDocumentHasAllThatWasFlushed) {
  const TemporaryFolder folder;
  const Trace trace = Trace::load(write_small(folder / "x.reel", false));
  EXPECT_FALSE(trace.is_complete());
  EXPECT_EQ(trace.commands().size(), 12u);
  EXPECT_TRUE(trace.end_facts().empty());
  EXPECT_THAT(trace.problems(), testing::SizeIs(1));
}

}  // namespace
}  // namespace reel::test
