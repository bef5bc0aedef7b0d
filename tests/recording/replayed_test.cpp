#include "recording/replayed.hpp"

#include <random>

#include "any_device.hpp"
#include "kernels.hpp"
#include "recording/captured.hpp"
#include "recording_test.hpp"
#include "reel/executor.hpp"

namespace reel::test {
namespace {

using ReplayedCapture = AnyDevice;

HostKernel host_kernel_of(const std::string& name) {
  for (const KernelSource& source :
       {step_source(), increment_source(), scale_source(), add_source()})
    if (source.name == name) return source.host;
  return {};
}

// Everything at once, at random: two streams ordered by events, sub-ranges, writes, fills, copies,
// reads, launches, and buffers that come and go.
TEST_P(ReplayedCapture, GivesEveryByteAgain) {
  const std::uint64_t part = std::max<std::uint64_t>(256, info().binding_alignment_bytes);
  const Kernel step = build(step_source()), increment = build(increment_source());
  for (std::uint32_t seed = 1; seed <= 6; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    std::mt19937 random(seed);
    const auto pick = [&](std::uint32_t n) { return static_cast<std::uint32_t>(random() % n); };
    const auto bytes = [&](std::size_t n) {
      std::vector<std::uint32_t> values(n / 4);
      for (auto& value : values) value = static_cast<std::uint32_t>(random());
      return values;
    };
    std::vector<Buffer> buffers;
    for (int i = 0; i < 4; ++i)
      buffers.push_back(device().buffer_of(bytes(8 * part), "b" + std::to_string(i)));
    const std::array streams{device().stream("a"), device().stream("b")};
    const auto range = [&](std::uint32_t buffer) {
      return buffers[buffer].range(pick(8) * part, 256);
    };
    const auto work = [&](int count) {
      for (int i = 0; i < count; ++i) {
        const std::uint32_t which = pick(2);
        const Stream& stream = streams[which];
        // In order over both streams: whatever came before is done first.
        const Event event = device().event();
        streams[1 - which].record(event);
        stream.wait(event);
        const std::uint32_t from = pick(4), to = (from + 1 + pick(3)) % 4;
        switch (pick(8)) {
          case 0:
            stream.write(range(to), bytes(256));
            break;
          case 1:
            stream.fill(range(to), static_cast<std::uint32_t>(random()));
            break;
          case 2:
            stream.copy(range(to), range(from));
            break;
          case 3:
            stream.read_now<std::uint32_t>(range(from));
            break;
          case 4:
            stream.dispatch(increment, over(64), inout(range(to)), 60u);
            break;
          case 5: {
            Graph graph;
            graph.add_dispatch(step, over(64), in(range(from)), out(range(to)), 64u);
            graph.add_dispatch(increment, over(64), inout(range(to)), 64u);
            graph.instantiate(device()).launch(stream);
            break;
          }
          case 6:
            stream.synchronize();
            streams[1 - which].synchronize();
            buffers[to] = device().buffer_of(bytes(8 * part), "fresh");
            break;
          default:
            stream.dispatch(step, over(64), in(range(from)), out(range(to)), 50u);
        }
      }
    };
    work(10);  // before: none of this may be needed
    const Trace trace = captured([&] { work(60); });
    const Replayed replayed = replay(trace, device(), host_kernel_of);
    EXPECT_EQ(replayed.difference, "");
    EXPECT_EQ(replayed.commands, trace.commands().size());
    EXPECT_GT(replayed.checks, 0u);
  }
}

// The other way round: a document whose input is changed must not replay.
TEST_P(ReplayedCapture, NoticesAKernelThatDoesSomethingElse) {
  const Stream stream = device().stream();
  const Buffer x = device().buffer_of(words(5), "x");
  const Kernel increment = build(increment_source());
  const Trace trace =
      captured([&] { stream.dispatch(increment, over(word_count), inout(x), word_count - 1); });
  EXPECT_EQ(replay(trace, device(), host_kernel_of).difference, "");
  const Trace other = captured([&] {
    stream.write(x, words(5));
    stream.dispatch(increment, over(word_count), inout(x), word_count);
  });
  // Same buffer and range; one element more was written.
  EXPECT_NE(trace.pages(*contents_of(trace, ContentRole::check).front())[0],
            other.pages(*contents_of(other, ContentRole::check).front())[0]);
}

INSTANTIATE_TEST_SUITE_P(Each, ReplayedCapture, every_device(), device_name);

}  // namespace
}  // namespace reel::test
