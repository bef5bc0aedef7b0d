// The child of a fork(): what the parent made answers with an Error and goes without a hang; what
// the child opens itself works, or says why not.
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <optional>
#include <string>

#include "any_device.hpp"
#include "bytes.hpp"
#include "kernels.hpp"
#include "reel/error.hpp"
#include "reel/executor.hpp"
#include "reel/graph.hpp"
#include "reel/graph_exec.hpp"

namespace reel::test {
namespace {

// Mesa's exit handler joins threads that the child of a fork() doesn't have, and crashes there with
// or without us: where it is loaded, a child can't end by exit().
bool is_mesa_here() {
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);)
    if (line.find("libvulkan_") != std::string::npos) return true;
  return false;
}

// Runs in a child, which then ends as programs do: by exit(). Its exit code; -1: a signal ended it.
int in_child(const std::function<bool()>& work) {
  std::fflush(nullptr);
  const pid_t child = fork();
  if (child == 0) {
    alarm(30);  // a hang is a failure
    bool good = false;
    try {
      good = work();
    } catch (const std::exception& error) {
      std::fprintf(stderr, "in the child: %s\n", error.what());
    }
    std::fflush(nullptr);
    if (is_mesa_here()) std::_Exit(good ? 0 : 1);
    std::exit(good ? 0 : 1);
  }
  int status = 0;
  waitpid(child, &status, 0);
  if (WIFSIGNALED(status)) std::fprintf(stderr, "the child got signal %d\n", WTERMSIG(status));
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

bool is_refused(const char* what, Code code, const std::function<void()>& call) {
  try {
    call();
  } catch (const Error& error) {
    if (error.code() == code &&
        std::string(error.what()).find("before fork()") != std::string::npos)
      return true;
    std::fprintf(stderr, "%s: %s\n", what, error.what());
    return false;
  }
  std::fprintf(stderr, "%s: nothing was thrown\n", what);
  return false;
}

bool host_works_anew() {
  const Device host = open_device("host");
  const Kernel increment = host.kernel(increment_source());
  const Buffer x = host.buffer(1 << 20, "x");
  const Stream stream = host.stream("s");
  std::uint32_t called = 0;
  stream.dispatch(increment, over(1 << 18), inout(x), 1u << 18);
  stream.host_call([&] { ++called; });
  stream.synchronize();
  return x.read<std::uint32_t>() == Words(1 << 18, 1) && called == 1;
}

// Everything that a program may hold, in use.
struct Held {
  explicit Held(const Device& from, const Kernel& increment)
      : device(from),
        kernel(increment),
        stream(from.stream("s")),
        x(from.buffer(256, "x")),
        y(from.buffer(256, "y")),
        event(from.event("e")),
        executor(from),
        session(executor.begin()) {
    x.write(counting(64));
    stream.dispatch(kernel, over(64), inout(x), 64u);
    stream.host_call([] {});
    stream.record(event);
    Graph graph;
    graph.add_dispatch(kernel, over(64), inout(x), 64u);
    exec.emplace(graph.instantiate(device));
    exec->launch(stream);
    if (device.info().can_stamp_time) timed = exec->launch_timed(stream);
    session.fill(y, std::uint8_t{1});
    stream.synchronize();
  }

  Device device;
  Kernel kernel;
  Stream stream;
  Buffer x, y;
  Event event;
  GraphExecutor executor;
  GraphSession session;
  std::optional<GraphExec> exec;
  std::optional<TimedLaunch> timed;
};

}  // namespace

TEST_P(AnyDevice, InAChildWhatTheParentMadeIsRefusedAndLetGo) {
  std::optional<Held> held(std::in_place, device(), build(increment_source()));
  EXPECT_EQ(in_child([&] {
              Words target(64);
              bool good = true;
              const auto refused = [&](const char* what, const std::function<void()>& call) {
                good &= is_refused(what, Code::unsupported, call);
              };
              refused("buffer()", [&] { held->device.buffer(4); });
              refused("kernel()", [&] { held->device.kernel(increment_source()); });
              refused("fill()", [&] { held->stream.fill(held->x, 1u); });
              refused("synchronize()", [&] { held->stream.synchronize(); });
              refused("Device::synchronize()", [&] { held->device.synchronize(); });
              refused("read()", [&] { held->x.read<std::uint32_t>(); });
              refused("write()", [&] { held->x.write(target); });
              refused("event", [&] { held->event.synchronize(); });
              refused("record()", [&] { held->stream.record(held->event); });
              refused("launch()", [&] { held->exec->launch(held->stream); });
              refused("clone()", [&] { held->exec->clone(); });
              refused("session", [&] { held->session.fill(held->y, std::uint8_t{1}); });
              if (held->timed) refused("TimedLaunch", [&] { held->timed->wait(); });
              held.reset();
              return good && host_works_anew();
            }),
            0);
  held->session.finish();
  EXPECT_EQ(held->y.read<std::uint32_t>(), Words(64, 0x01010101));
}

TEST_P(AnyDevice, AChildThatJustEndsDoes) {
  static std::optional<Held> held;  // goes with the statics of the child
  held.emplace(device(), build(increment_source()));
  EXPECT_EQ(in_child([] { return true; }), 0);
  held.reset();
}

TEST_P(AnyDevice, OpeningADriverAgainInAChildSaysThatItDoesntSurvive) {
  if (is("host")) GTEST_SKIP() << "the host has no driver";
  const std::string backend = info().backend;  // the child may not ask the parent's device
  EXPECT_EQ(in_child([&] {
              bool listed = false;
              for (const DeviceInfo& found : devices())
                listed |= found.backend == backend &&
                          found.unavailable.find("before fork()") != std::string::npos;
              return listed && is_refused("open_device()", Code::no_device,
                                          [&] { open_device(std::string(GetParam())); });
            }),
            0);
}

}  // namespace reel::test
