// What functions of the program may call while the library runs them: host calls and host kernels.
#include <array>
#include <functional>
#include <stdexcept>
#include <utility>

#include "any_device.hpp"
#include "bytes.hpp"
#include "expect_error.hpp"
#include "gate.hpp"
#include "kernels.hpp"
#include "reel/executor.hpp"
#include "reel/graph.hpp"
#include "reel/graph_exec.hpp"

namespace reel::test {
namespace {

// The sentence that a host call of this stream was refused with; empty where nothing was thrown.
std::string refused_in_host_call(const Stream& stream, const std::function<void()>& call) {
  std::string said;
  stream.host_call(
      [&] {
        try {
          call();
        } catch (const Error& error) {
          said = error.what();
          EXPECT_EQ(error.code(), Code::unsupported) << said;
        }
      },
      "in here");
  stream.synchronize();
  return said;
}

}  // namespace

TEST_P(AnyDevice, AHostCallThatWouldWaitForItsDeviceIsRefusedAtTheCall) {
  const Stream stream = device().stream("decode"), other = device().stream("other");
  const Buffer x = device().buffer(256, "x");
  const Event event = device().event("e"), outside = device().event("recorded");
  other.record(outside);
  const GraphExecutor executor(device());
  GraphSession session = executor.begin();
  session.fill(x, std::uint8_t{1});
  const PendingPass pending = executor.begin().commit();
  Words target(64);
  const auto bytes = std::as_writable_bytes(std::span(target));
  Graph graph;
  graph.add_fill(x, std::uint8_t{2});
  const GraphExec exec = graph.instantiate(device());
  std::optional<TimedLaunch> timed;
  if (info().can_stamp_time) timed = exec.launch_timed(other);

  const std::vector<std::pair<const char*, std::function<void()>>> calls = {
      {"synchronize()", [&] { stream.synchronize(); }},
      {"synchronize()", [&] { other.synchronize(); }},
      {"Device::synchronize()", [&] { device().synchronize(); }},
      {"read_now()", [&] { stream.read_now(x, bytes); }},
      {"Buffer::read()", [&] { x.read_bytes(bytes); }},
      {"Buffer::write()", [&] { x.write_bytes(bytes); }},
      {"Event::synchronize()", [&] { outside.synchronize(); }},
      {"GraphSession::finish()", [&] { session.finish(); }},
      {"PendingPass::wait()", [&] { pending.wait(); }},
  };
  for (const auto& [name, call] : calls) {
    const std::string said = refused_in_host_call(stream, call);
    EXPECT_NE(said.find(name), std::string::npos) << said;
    EXPECT_NE(said.find("host call 'in here' of " + info().id), std::string::npos) << said;
  }
  if (timed) {
    EXPECT_NE(refused_in_host_call(stream, [&] { timed->wait(); }).find("TimedLaunch::wait()"),
              std::string::npos);
  }
  // Nothing was given away or broken by the calls that were refused.
  session.finish();
  pending.wait();
  x.write(counting(64));
  EXPECT_EQ(x.read<std::uint32_t>(), counting(64));
}

TEST_P(AnyDevice, TheHostCallOfAGraphIsHeldToTheSame) {
  const Stream stream = device().stream("decode");
  Graph graph;
  graph.add_host_call([&] { device().synchronize(); }, {.label = "in a graph"});
  const GraphExec exec = graph.instantiate(device());
  exec.launch(stream);
  expect_error(Code::host_call_failed, {"in a graph", "Device::synchronize()"},
               [&] { stream.synchronize(); });
  stream.synchronize();
}

TEST_P(AnyDevice, AHostCallMayDoWhateverDoesntWait) {
  const Stream stream = device().stream("decode"), other = device().stream("other");
  const Kernel increment = build(increment_source());
  const Buffer x = device().buffer(256, "x");
  const Event event = device().event("e");
  std::string said;
  stream.host_call([&] {
    try {
      const Buffer y = device().buffer(256, "made in here");
      stream.fill(x, 7u);
      stream.dispatch(increment, over(64), inout(x), 64u);
      stream.record(event);
      other.wait(event);
      other.copy(y, x);
      other.flush();
      static_cast<void>(other.done());
      static_cast<void>(event.done());
      Graph graph;
      graph.add_dispatch(increment, over(64), inout(x), 64u);
      graph.instantiate(device()).launch(stream);
      stream.host_call([&] { static_cast<void>(device().stream("short")); });
    } catch (const Error& error) {
      said = error.what();
    }
  });
  device().synchronize();
  device().synchronize();  // the first may have looked before the host call gave its work
  stream.synchronize();
  EXPECT_EQ(said, "");
  EXPECT_EQ(x.read<std::uint32_t>(), Words(64, 9));
}

TEST_P(AnyDevice, AHostCallMayWaitForAnotherDevice) {
  const Device other = another_device();
  if (!other) GTEST_SKIP() << "there is one device only";
  const Stream stream = device().stream("decode");
  const Buffer theirs = other.buffer(256, "theirs");
  EXPECT_EQ(refused_in_host_call(stream,
                                 [&] {
                                   theirs.write(counting(64));
                                   other.synchronize();
                                 }),
            "");
  EXPECT_EQ(theirs.read<std::uint32_t>(), counting(64));
}

TEST_P(AnyDevice, ManyBytesWrittenInAHostCallDontWaitForIt) {
  const Stream stream = device().stream("decode");
  const Buffer x = device().buffer(8u << 20, "x");
  const Words data(x.size_bytes() / 4, 5);
  EXPECT_EQ(refused_in_host_call(stream,
                                 [&] {
                                   for (int i = 0; i < 12; ++i) stream.write(x, data);
                                 }),
            "");
  EXPECT_EQ(x.read<std::uint32_t>(), data);
}

// --- host kernels
// ---------------------------------------------------------------------------------

namespace {

std::function<void()> called_in_kernel;

void calling(const HostGroup& group, std::uint32_t* x) {
  if (group.id.x == 0) called_in_kernel();
  x[group.id.x] = 1;
}
void throwing(const HostGroup&, std::uint32_t* x) {
  if (x[0] == 0) throw std::runtime_error("the kernel has no luck");
  throw 7;
}

struct Large {
  std::array<std::uint32_t, 48> words;  // more bytes than an argument holds itself
};
void store_large(const HostGroup&, std::uint32_t* x, Large value) {
  std::copy(value.words.begin(), value.words.end(), x);
}

class HostKernels : public AnyDevice {};
INSTANTIATE_TEST_SUITE_P(Each, HostKernels, testing::Values("host"),
                         [](const auto& parameter) { return std::string(parameter.param); });

}  // namespace

TEST_P(HostKernels, MayNotUseStreamsOfTheirDevice) {
  const Kernel kernel = device().kernel({.name = "calling", .host = host_kernel<&calling>()});
  const Stream stream = device().stream("decode"), other = device().stream("other");
  const Event event = device().event("e");
  const Buffer x = device().buffer(4096, "x");
  const std::vector<std::function<void()>> calls = {[&] { stream.fill(x, 1u); },
                                                    [&] { stream.synchronize(); },
                                                    [&] { device().synchronize(); },
                                                    [&] { other.fill(x, 1u); },
                                                    [&] { x.read<std::uint32_t>(); },
                                                    [&] { stream.record(event); },
                                                    [&] { static_cast<void>(stream.done()); },
                                                    [&] { stream.flush(); }};
  for (const std::uint32_t groups : {1u, 1000u})  // on the caller, and over the pool
    for (const bool in_line : {false, true})
      for (const auto& call : calls) {
        called_in_kernel = call;
        if (in_line) stream.host_call([] {});
        stream.dispatch(kernel, {.groups = {groups}, .group_size = {1}}, out(x));
        expect_error(Code::host_call_failed, {"calling", "host kernel"},
                     [&] { stream.synchronize(); });
        Graph graph;
        graph.add_dispatch(kernel, {.groups = {groups}, .group_size = {1}}, out(x));
        if (in_line) stream.host_call([] {});
        graph.instantiate(device()).launch(stream);
        expect_error(Code::host_call_failed, {"calling", "host kernel"},
                     [&] { stream.synchronize(); });
      }
}

TEST_P(HostKernels, TellWhatTheyThrowAsAnError) {
  const Kernel kernel = device().kernel({.name = "throwing", .host = host_kernel<&throwing>()});
  const Stream stream = device().stream("decode");
  const Buffer x = device().buffer(4096, "x");
  for (const std::uint32_t groups : {1u, 1000u})
    for (const bool in_line : {false, true}) {
      const Launch launch{.groups = {groups}, .group_size = {1}};
      const auto hold = [&] {
        if (in_line) stream.host_call([] {});
      };
      stream.fill(x, 0u);
      hold();
      stream.dispatch(kernel, launch, inout(x));
      expect_error(Code::host_call_failed, {"'throwing'", "the kernel has no luck"},
                   [&] { stream.synchronize(); });
      Graph graph;
      graph.add_dispatch(kernel, launch, inout(x));
      hold();
      graph.instantiate(device()).launch(stream);
      expect_error(Code::host_call_failed, {"'throwing'", "the kernel has no luck"},
                   [&] { stream.synchronize(); });
      stream.fill(x, 1u);
      hold();
      stream.dispatch(kernel, launch, inout(x));
      expect_error(Code::host_call_failed, {"'throwing'", "not a std::exception"},
                   [&] { stream.synchronize(); });
    }
}

TEST_P(HostKernels, KeepLargeValuesUntilTheyRun) {
  const Kernel kernel = device().kernel({.name = "store", .host = host_kernel<&store_large>()});
  const Stream stream = device().stream("decode");
  const Buffer x = device().buffer(sizeof(Large), "x");
  Gate gate(stream);
  {
    auto value = std::make_unique<Large>();
    for (std::uint32_t i = 0; i < 48; ++i) value->words[i] = i;
    stream.dispatch(kernel, {.groups = {1}, .group_size = {1}}, out(x),
                    Argument::of_bytes(std::as_bytes(std::span(value.get(), 1))));
    value->words.fill(99);
  }
  gate.open();
  stream.synchronize();
  EXPECT_EQ(x.read<std::uint32_t>(), counting(48));
}

TEST_P(HostKernels, RefuseMoreGroupsThanTheDeviceHasInABuffer) {
  const Kernel increment = build(increment_source());
  const Stream stream = device().stream("decode");
  const Buffer x = device().buffer(256, "x"), groups = device().buffer(12, "groups");
  groups.write(Words{0x80000000u, 1, 1});
  stream.dispatch_indirect(increment, groups, {.group_size = {64}}, inout(x), 64u);
  expect_error(Code::invalid_argument, {"2147483648 x 1 x 1", "'groups'", "2147483647"},
               [&] { stream.synchronize(); });
  groups.write(Words{0, 1, 1});
  stream.dispatch_indirect(increment, groups, {.group_size = {64}}, inout(x), 64u);
  stream.synchronize();
  EXPECT_EQ(x.read<std::uint32_t>(), Words(64));
}

}  // namespace reel::test
