// Documents that were cut short, or whose bytes were changed.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <set>

#include "check_trace.hpp"
#include "document/mcap/mcap_reader.hpp"
#include "document/mcap/mcap_writer.hpp"
#include "expect_error.hpp"
#include "reel/document.hpp"
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
  const std::vector<TraceArgument> target{{ArgumentKind::buffer, Access::write, 0, 0, 16}};
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

TEST(DamagedTrace, EveryChangedByteIsFoundAndBreaksNoPromise) {
  const TemporaryFolder folder;
  const std::string path = write_small(folder / "x.reel");
  const std::vector<std::byte> whole = read_bytes(path);
  std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
  const auto put = [&](std::size_t at, std::byte byte) {
    file.seekp(static_cast<std::streamoff>(at));
    file.put(static_cast<char>(byte));
    file.flush();
  };
  const mcap::Index index = mcap::read_index(whole);
  const auto is_in_blob = [&](std::size_t at) {
    return std::ranges::any_of(index.attachments, [&](const mcap::AttachmentRef& one) {
      return at >= one.data_offset && at < one.data_offset + one.data_bytes;
    });
  };
  for (std::size_t at = 0; at < whole.size(); ++at) {
    // One bit; in every ninth byte all of them.
    put(at, whole[at] ^ (at % 9 == 8 ? std::byte{0xff} : std::byte{1} << (at % 9)));
    try {
      const Trace trace = Trace::load(path);
      check_trace(trace);
      EXPECT_EQ(trace.is_complete(), is_in_blob(at)) << at;
    } catch (const Error& error) {
      ASSERT_TRUE(error.code() == Code::damaged_document || error.code() == Code::unsupported)
          << at << ": " << error.what();
    }
    put(at, whole[at]);
  }
  EXPECT_TRUE(Trace::load(path).is_complete());
}

TEST(DamagedTrace, AChangedBitOfAnyBlobIsFoundByVerifying) {
  const TemporaryFolder folder;
  const std::string path = write_small(folder / "x.reel");
  const std::vector<std::byte> whole = read_bytes(path);
  ASSERT_TRUE(verify_document(path).is_good());
  for (const mcap::AttachmentRef& blob : mcap::read_index(whole).attachments)
    for (std::size_t at = blob.data_offset; at < blob.data_offset + blob.data_bytes; ++at) {
      std::vector<std::byte> changed = whole;
      changed[at] ^= std::byte{1} << (at % 8);
      write_bytes(path, changed);
      EXPECT_FALSE(verify_document(path).is_good()) << at;
    }
}

TEST(DamagedTrace, ABlobThatComesTwiceIsFound) {
  const TemporaryFolder folder;
  const std::string path = folder / "x.reel";
  {
    OutputFile file(path);
    mcap::Writer writer(file, {"reel", "tests"});
    writer.metadata({"reel", {{"format", "1"}}});
    const auto name = document::blob_name(hash128(bytes_of("one")));
    writer.attachment({1, 0, name, "application/octet-stream", bytes_of("one")});
    writer.attachment({2, 0, name, "application/octet-stream", bytes_of("two")});
    writer.metadata({"reel.end", {{"commands", "0"}}});
    writer.close();
    file.close();
  }
  EXPECT_THAT(verify_document(path).problems,
              testing::UnorderedElementsAre(HasSubstr("doesn't hold the bytes that its name says"),
                                            HasSubstr("comes a second time")));
}

TEST(DamagedTrace, RecoveredFromAnyCutOrChangeItVerifiesOrThereIsNothing) {
  const TemporaryFolder folder;
  const std::string path = write_small(folder / "x.reel"), copy = folder / "copy.reel";
  const std::vector<std::byte> whole = read_bytes(path);
  std::set<std::size_t> places;  // the beginning and end of each record, and some between
  for (mcap::RecordScanner scanner(whole, 8); const auto record = scanner.next();)
    for (const std::size_t at : {record->offset, record->offset + 11}) places.insert(at);
  for (std::size_t at = 0; at < whole.size(); at += 997) places.insert(at);
  std::size_t recovered = 0;
  const auto check = [&](std::span<const std::byte> bytes, std::size_t at) {
    write_bytes(path, bytes);
    try {
      const RecoverReport report = recover_document(path, copy);
      EXPECT_FALSE(report.was_whole) << at;
      const VerifyReport verified = verify_document(copy);
      EXPECT_TRUE(verified.is_good()) << at << ": " << testing::PrintToString(verified.problems);
      ++recovered;
      std::filesystem::remove(copy);
    } catch (const Error& error) {
      EXPECT_TRUE(error.code() == Code::damaged_document || error.code() == Code::unsupported ||
                  bytes.empty())
          << at << ": " << error.what();
      EXPECT_FALSE(std::filesystem::exists(copy)) << at;
    }
  };
  for (const std::size_t at : places) {
    if (at >= whole.size()) continue;
    check(std::span(whole).first(at), at);
    std::vector<std::byte> changed = whole;
    changed[at] ^= std::byte{1};
    check(changed, at);
  }
  EXPECT_GT(recovered, places.size());
}

TEST(DamagedTrace, ContentsOfCommandsThatWereLostAreNoDamageOnceItIsRecovered) {
  const TemporaryFolder folder;
  const std::string path = folder / "x.reel", copy = folder / "copy.reel";
  {
    DocumentWriter writer(path, {{"program", "killed"}});
    writer.add(
        document::DeviceRow{0, "host", "host", "CPU", "cpu", "reel", "1", "", 1, 1, true, 1});
    writer.add(document::StreamRow{0, 0, "main"});
    writer.add(document::BufferRow{0, 0, 16, "x"});
    const std::vector<Hash128> pages = pages_of(writer, bytes_of("sixteen bytes 10"));
    writer.add(document::ContentsRow{ContentRole::input, 7, 0, 0, 16, true, pages});
    writer.add(document::OrderRow{7, 0, 6});
    writer.add(document::StampRow{7, 1, 2, 3, 4});
    writer.flush();  // and killed before its commands were
  }
  EXPECT_FALSE(verify_document(path).is_good());
  EXPECT_FALSE(recover_document(path, copy).was_whole);
  const VerifyReport report = verify_document(copy);
  EXPECT_TRUE(report.is_good()) << testing::PrintToString(report.problems);
  EXPECT_THAT(report.remarks, Contains(HasSubstr("/contents is left out")));
  EXPECT_THAT(report.remarks, Contains(HasSubstr("cut short")));
  EXPECT_TRUE(recover_document(copy, folder / "again.reel").was_whole);
}

TEST(DamagedTrace, ACopyIsAsPrivateAsWhatItIsCopiedFrom) {
  const TemporaryFolder folder;
  const std::string path = write_small(folder / "x.reel", false);
  const auto mode = [](const std::string& name) {
    return static_cast<unsigned>(std::filesystem::status(name).permissions());
  };
  EXPECT_EQ(mode(path), 0600u);
  recover_document(path, folder / "private.reel");
  EXPECT_EQ(mode(folder / "private.reel"), 0600u);
  strip_document(folder / "private.reel", folder / "stripped.reel");
  EXPECT_EQ(mode(folder / "stripped.reel"), 0600u);
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
