// Random programs whose large buffers have pages in common, on one stream or two, changed by the
// host between commands: each input in the document is what the buffer held, and replays verify.
#include <algorithm>
#include <cstring>
#include <map>
#include <random>

#include "any_device.hpp"
#include "base/bytes/hash128.hpp"
#include "recording/captured.hpp"
#include "recording_test.hpp"
#include "reel/replay.hpp"

namespace reel::test {
namespace {

using Bytes = std::vector<std::byte>;

class RandomPages : public AnyDevice {
 protected:
  struct Source {
    Buffer buffer;
    Bytes now;
    std::map<std::uint32_t, Bytes> at;  // what it held from a command on
  };

  std::mt19937 random;
  std::vector<Bytes> kinds;  // of pages
  std::vector<Source> sources;
  std::vector<Stream> streams;
  std::uint32_t commands = 0;
  std::size_t inputs = 0;  // that were looked at

  std::size_t number(std::size_t below) { return random() % below; }

  Bytes content(std::size_t size) {
    Bytes bytes(size);
    for (std::size_t at = 0; at < size; at += page_bytes)
      std::memcpy(&bytes[at], kinds[number(kinds.size())].data(),
                  std::min<std::size_t>(page_bytes, size - at));
    return bytes;
  }

  void make(std::uint32_t seed) {
    random.seed(seed);
    kinds.assign(5, Bytes(page_bytes));  // the first one is zeros
    for (std::size_t i = 1; i < kinds.size(); ++i)
      for (std::byte& byte : kinds[i]) byte = static_cast<std::byte>(random());
    sources.clear();
    streams.clear();
    for (std::size_t i = 0; i < 1 + number(2); ++i) streams.push_back(device().stream());
    for (std::size_t i = 0; i < 2 + number(3); ++i) {
      const std::size_t tail = number(2) ? 4 * number(page_bytes / 4) : 0;
      Bytes bytes = content(std::max<std::size_t>(number(5) * page_bytes + tail, 4));
      sources.push_back({device().buffer_of(bytes, "b" + std::to_string(i)), bytes, {{0, bytes}}});
    }
  }

  void copy(Source& source) {
    const std::size_t words = source.now.size() / 4;
    const std::size_t first = number(2) ? 0 : number(words), count = words - first;
    const std::size_t size = 4 * (number(2) ? count : 1 + number(count));
    // Each stream has a buffer of its own to write to.
    const std::size_t which = number(streams.size());
    streams[which].copy(targets(which).range(0, size), source.buffer.range(4 * first, size));
    ++commands;
  }

  std::map<std::size_t, Buffer> targets_;
  Buffer& targets(std::size_t stream) {
    auto [it, is_new] = targets_.try_emplace(stream);
    if (is_new) it->second = device().buffer(6 * page_bytes, "target " + std::to_string(stream));
    return it->second;
  }

  // As the program's own work, which the document then has as a command.
  void change(Source& source) {
    source.now = content(source.now.size());
    source.buffer.write(source.now);
    source.at[++commands] = source.now;
  }

  void run() {
    for (std::size_t step = 0; step < 12; ++step) {
      Source& source = sources[number(sources.size())];
      if (number(5) == 0)
        change(source);
      else
        copy(source);
    }
    for (const Stream& stream : streams) stream.synchronize();
  }

  const Bytes& held(const Source& source, std::uint32_t command) const {
    return std::prev(source.at.upper_bound(command))->second;
  }

  void check(const Trace& trace, bool stored) {
    for (const TraceContents* contents : contents_of(trace, ContentRole::input)) {
      const std::string label(trace.buffers()[contents->buffer].label);
      const auto source = std::ranges::find(
          sources, label, [](const Source& one) { return std::string(one.buffer.label()); });
      if (source == sources.end()) continue;  // a target that was not written whole
      ++inputs;
      EXPECT_EQ(contents->stored, stored);
      const auto expected = std::span(held(*source, contents->command))
                                .subspan(contents->offset_bytes, contents->size_bytes);
      std::size_t at = 0;
      for (const BlobId& page : trace.pages(*contents)) {
        const Hash128 hash =
            hash128(expected.subspan(at, std::min<std::size_t>(page_bytes, expected.size() - at)));
        EXPECT_EQ(page, (BlobId{hash.low, hash.high}));
        at += page_bytes;
      }
      if (!stored) continue;
      const auto bytes = trace.bytes(*contents);
      ASSERT_TRUE(bytes);
      EXPECT_TRUE(std::ranges::equal(*bytes, expected)) << label << " at c" << contents->command;
    }
  }
};

TEST_P(RandomPages, AreInTheDocumentAsTheCommandsFoundThem) {
  constexpr std::uint32_t seeds = 12;
  for (std::uint32_t seed = 0; seed < seeds; ++seed) {
    SCOPED_TRACE(seed);
    const bool keeps = seed % 4 != 3;
    commands = 0;
    targets_.clear();
    make(seed);
    const Trace trace =
        captured([&] { run(); }, {.contents = keeps ? Contents::inputs : Contents::hashes});
    check(trace, keeps);
    if (keeps) {
      EXPECT_EQ(replay(trace, device()).verdict(), Verdict::equal);
    }
  }
  EXPECT_GT(inputs, seeds);
}

INSTANTIATE_TEST_SUITE_P(Each, RandomPages, every_device(), device_name);

}  // namespace
}  // namespace reel::test
