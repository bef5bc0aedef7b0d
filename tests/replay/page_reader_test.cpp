// Pages that are read ahead, from a document that the host device recorded.
#include "replay/page_reader.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <map>
#include <random>

#include "expect_error.hpp"
#include "recording/captured.hpp"
#include "reel/reel.hpp"

namespace reel::rerun {
namespace {

constexpr std::uint32_t buffers = 3;
constexpr std::size_t buffer_pages = 9;

void first_group(const HostGroup&, const std::uint32_t* a, std::uint32_t* b) { b[0] += a[0]; }

class PageReaderTest : public ::testing::Test {
 protected:
  void SetUp() override {
    register_host_kernel("first", host_kernel<&first_group>());
    const Device device = open_device("host");
    const Kernel kernel = device.kernel({.name = "first", .host = host_kernel<&first_group>()});
    const Stream stream = device.stream("program");
    std::mt19937 random(1);
    std::vector<Buffer> inputs;
    for (std::uint32_t i = 0; i < buffers; ++i) {
      inputs_.emplace_back(buffer_pages * page_bytes / sizeof(std::uint32_t));
      // Random, so that the bytes lie in the file as they are.
      for (std::uint32_t& word : inputs_.back()) word = static_cast<std::uint32_t>(random());
      inputs.push_back(device.buffer(buffer_pages * page_bytes, "x" + std::to_string(i)));
      inputs.back().write(inputs_.back());
    }
    start_capture(path());
    const Buffer sum = device.buffer(sizeof(std::uint32_t), "sum");
    for (const Buffer& input : inputs)
      stream.dispatch(kernel, {.groups = {1}, .group_size = {1}}, in(input), inout(sum));
    stream.synchronize();
    stop_capture();
  }

  std::string path() const { return folder_.path(); }

  static std::vector<std::uint32_t> inputs_of(const Trace& trace) {
    std::vector<std::uint32_t> list;
    for (std::uint32_t i = 0; i < trace.contents().size(); ++i)
      if (trace.contents()[i].role == ContentRole::input) list.push_back(i);
    return list;
  }

  // One byte in the middle of a page, as a bad disk would.
  void damage(std::uint32_t buffer, std::size_t page) const {
    std::fstream file(path(), std::ios::in | std::ios::out | std::ios::binary);
    const std::string all{std::istreambuf_iterator<char>(file), {}};
    const auto* begin = reinterpret_cast<const char*>(inputs_[buffer].data());
    const std::size_t at = all.find(std::string(begin + page * page_bytes, 64));
    ASSERT_NE(at, std::string::npos);
    file.clear();
    file.seekp(static_cast<std::streamoff>(at + page_bytes / 2));
    file.put(static_cast<char>(all[at + page_bytes / 2] ^ 1));
  }

  test::ScratchFolder folder_;
  std::vector<std::vector<std::uint32_t>> inputs_;  // by buffer
};

TEST_F(PageReaderTest, GivesEveryPageInOrder) {
  const Trace trace = Trace::load(path());
  PageReader reader(trace, inputs_of(trace));
  std::map<std::string, std::vector<std::byte>> found;  // by label
  while (const auto page = reader.next()) {
    const TraceContents& row = trace.contents()[page->contents];
    EXPECT_FALSE(page->bytes.empty());
    auto& bytes = found[trace.buffers()[row.buffer].label];
    EXPECT_EQ(bytes.size(), row.offset_bytes + page->number * page_bytes);
    bytes.insert(bytes.end(), page->bytes.begin(), page->bytes.end());
  }
  EXPECT_FALSE(reader.next());
  for (std::uint32_t i = 0; i < buffers; ++i)
    EXPECT_TRUE(
        std::ranges::equal(found["x" + std::to_string(i)], std::as_bytes(std::span(inputs_[i]))))
        << i;
}

TEST_F(PageReaderTest, CanBeLeftBeforeTheEnd) {
  const Trace trace = Trace::load(path());
  for (int pages = 0; pages < 3; ++pages) {
    PageReader reader(trace, inputs_of(trace));
    for (int i = 0; i < pages; ++i) EXPECT_TRUE(reader.next());
  }
}

TEST_F(PageReaderTest, GivesADamagedPageWithoutBytes) {
  damage(1, 4);
  const Trace trace = Trace::load(path());
  PageReader reader(trace, inputs_of(trace));
  std::size_t pages = 0, damaged = 0;
  while (const auto page = reader.next()) {
    ++pages;
    damaged += page->bytes.empty();
  }
  EXPECT_EQ(pages, buffers * buffer_pages);
  EXPECT_EQ(damaged, 1u);
}

TEST_F(PageReaderTest, AReplayNamesTheDamagedBytes) {
  damage(1, 4);
  const Trace trace = Trace::load(path());
  test::expect_error(Code::damaged_document, {"Bytes 4194304 to 5242880", "'x1'"},
                     [&] { replay(trace); });
}

TEST_F(PageReaderTest, AReplayRestoresAndChecksTheSame) {
  const ReplayReport report = replay(Trace::load(path()), {.repeat = 2});
  EXPECT_EQ(report.verdict(), Verdict::equal);
  EXPECT_EQ(report.restored_bytes, buffers * buffer_pages * page_bytes);
}

}  // namespace
}  // namespace reel::rerun
