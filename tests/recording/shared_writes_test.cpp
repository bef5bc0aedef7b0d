// Which bytes are the host's again, where commands that write them end in any order.
#include "recording/calls/shared_writes.hpp"

#include <gtest/gtest.h>

#include <array>
#include <random>
#include <set>

#include "recording/toy_api.hpp"

namespace reel::test {
namespace {

using capture::Point;
using capture::SharedWrites;

constexpr std::uint64_t size_bytes = 64;

// What is under way, byte by byte.
struct Model {
  std::array<std::set<std::uint32_t>, size_bytes> under_way;
  std::array<std::uint32_t, size_bytes> last_done{};  // 0: nothing since it was the host's
};

TEST(SharedWritesOfRandomRanges, AreDoneByteForByteWithTheirLastWriter) {
  for (std::uint32_t seed = 0; seed < 500; ++seed) {
    std::minstd_rand random(seed + 1);
    const auto below = [&](std::uint64_t end) { return random() % end; };
    ToyApi api({"toy"});
    const auto buffer = api.buffer(size_bytes, "shared");
    SharedWrites writes;
    Model model;
    std::set<std::uint32_t> given, done;
    std::set<std::pair<std::uint64_t, std::uint64_t>> ranges;
    for (std::uint32_t command = 1; command < 60; ++command) {
      const std::uint64_t first = below(size_bytes), end = first + 1 + below(size_bytes - first);
      // What writes the same range again counts as the one that was given before it: not here.
      if (!ranges.emplace(first, end).second) continue;
      writes.begin(*buffer, first, end, Point{0, command});
      writes.given(command, command, {}, false);
      for (std::uint64_t i = first; i < end; ++i) model.under_way[i].insert(command);
      given.insert(command);
      if (below(3)) continue;
      // Some of them end, not in the order in which they were given.
      std::set<std::uint32_t> ended;
      for (const std::uint32_t one : given)
        if (below(2)) ended.insert(one);
      for (const std::uint32_t one : ended) given.erase(one);
      for (auto& bytes = model.under_way; auto& byte : bytes)
        for (const std::uint32_t one : ended)
          if (byte.erase(one)) {
            auto& last = model.last_done[static_cast<std::size_t>(&byte - bytes.data())];
            last = std::max(last, one);
          }
      done.insert(ended.begin(), ended.end());
      std::array<std::uint32_t, size_bytes> told{};
      for (const SharedWrites::Done& one :
           writes.take_done([&](const Point& point) { return done.contains(point.command); }))
        for (std::uint64_t i = one.first; i < one.end; ++i)
          told[i] = std::max(told[i], one.command);
      for (std::uint64_t i = 0; i < size_bytes; ++i) {
        const bool is_free = model.last_done[i] && model.under_way[i].empty();
        ASSERT_EQ(told[i] != 0, is_free) << "byte " << i << ", seed " << seed;
        if (!is_free) continue;
        // A check of it stands behind its last writer, and behind nothing that did not run.
        ASSERT_GE(told[i], model.last_done[i]) << "byte " << i << ", seed " << seed;
        ASSERT_TRUE(done.contains(told[i])) << "byte " << i << ", seed " << seed;
        model.last_done[i] = 0;
      }
    }
  }
}

}  // namespace
}  // namespace reel::test
