#include "truth_programs.hpp"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <stdexcept>
#include <thread>

#include "reel/reel.hpp"

namespace bench {
namespace {

using namespace std::chrono_literals;

std::uint64_t now_ns() {
  return static_cast<std::uint64_t>(std::chrono::duration_cast<std::chrono::nanoseconds>(
                                        std::chrono::steady_clock::now().time_since_epoch())
                                        .count());
}

// One item, one core: what else runs on the machine disturbs it least.
void spin_group(const reel::HostGroup&, std::uint32_t* a, std::uint32_t rounds) {
  std::uint32_t x = a[0] | 1;
  for (std::uint32_t i = 0; i < rounds; ++i) {
    x ^= x << 13;
    x ^= x >> 17;
    x ^= x << 5;
  }
  a[0] = x;
}

reel::Kernel spin_kernel(const reel::Device& device, const std::string& name,
                         std::vector<reel::Define> defines = {}) {
  return device.kernel({.name = name,
                        .opencl_c = R"(
__kernel void spin(__global uint* a, uint rounds) {
  uint x = a[0] | 1;
  for (uint i = 0; i < rounds; ++i) {
    x ^= x << 13;
    x ^= x >> 17;
    x ^= x << 5;
  }
  a[0] = x;
}
)",
                        .host = reel::host_kernel<&spin_group>(),
                        .entry = "spin",
                        .defines = std::move(defines)});
}

constexpr reel::Launch one_item{.groups = {1}, .group_size = {1}};

// The setting of each program, and the moments it notes.
class Setting {
 public:
  explicit Setting(const TruthProgram& program)
      : program_(program),
        device(reel::open_device(program.device)),
        spin(spin_kernel(device, "spin")),
        cell(device.buffer(sizeof(std::uint32_t), "cell")),
        stream(device.stream("work")) {
    run(100);
    stream.synchronize();
  }

  // A kernel of so many µs.
  void run(double us) const { stream.dispatch(spin, one_item, inout(cell), rounds(us)); }
  std::uint32_t rounds(double us) const {
    return static_cast<std::uint32_t>(program_.rounds * us / 100);
  }

  template <class F>
  void inject(F&& action) {
    const std::uint64_t begin = now_ns();
    action();
    injected.push_back({begin, now_ns()});
  }

 private:
  TruthProgram program_;

 public:
  reel::Device device;
  reel::Kernel spin;
  reel::Buffer cell;
  reel::Stream stream;
  std::vector<Injected> injected;
};

void host_sleeps(Setting& s) {
  s.run(300);
  s.stream.flush();
  s.inject([] { std::this_thread::sleep_for(2ms); });
}

void host_computes(Setting& s) {
  s.run(300);
  s.stream.flush();
  s.inject([until = now_ns() + 2'000'000] {
    while (now_ns() < until) {
    }
  });
}

// Only what comes after the device was done is lost: that is what overlaps idle time.
void waits_needlessly(Setting& s) {
  s.run(300);
  s.inject([&] { s.stream.synchronize(); });
}

void builds_in_the_loop(Setting& s) {
  s.run(300);
  s.stream.flush();
  // Another text each time, in no cache of any driver.
  s.inject([&] {
    spin_kernel(s.device, "built",
                {{"SALT", std::to_string(now_ns()) + std::to_string(::getpid())}});
  });
}

void allocates_in_the_loop(Setting& s) {
  std::vector<reel::Buffer> temporary(400);
  s.run(300);
  s.stream.flush();
  s.inject([&] {
    for (reel::Buffer& buffer : temporary) buffer = s.device.buffer(1 << 20, "temporary");
  });
  s.run(300);
  s.stream.synchronize();
}

// The same bytes to the same place again. Its truth is how long the second ones took.
void copies_twice(Setting& s, const reel::Buffer& target, std::vector<std::uint32_t>& data) {
  data[0] += 1;  // what comes again is no copy of an earlier pass
  s.stream.write(target, data, "upload");
  s.stream.write(target, data, "upload again");
  s.run(300);
  s.stream.synchronize();
}

void misses_a_wait(Setting& s, const reel::Stream& other) {
  s.run(100);
  other.dispatch(s.spin, one_item, inout(s.cell), s.rounds(100));
  s.stream.synchronize();
  other.synchronize();
}

// Half of the time is in 'work', and the rest in two others.
void record_passes(const TruthProgram& program, const std::string& document) {
  Setting s(program);
  const reel::Kernel norm = spin_kernel(s.device, "norm"), work = spin_kernel(s.device, "work"),
                     add = spin_kernel(s.device, "add");
  const reel::GraphExecutor executor(s.device);
  const auto pass = [&] {
    reel::GraphSession session = executor.begin();
    session.dispatch(norm, one_item, inout(s.cell), s.rounds(250));
    session.dispatch(work, one_item, inout(s.cell), s.rounds(500 * program.slowdown));
    session.dispatch(add, one_item, inout(s.cell), s.rounds(250));
    session.finish();
  };
  pass();
  reel::start_capture(document, {.overwrite = true});
  for (int i = 0; i < program.passes; ++i) pass();
  reel::stop_capture();
}

// Two devices work side by side, and one has four times as much to do.
std::vector<Injected> record_unbalanced(const TruthProgram& program, const std::string& document) {
  Setting s(program);
  TruthProgram second = program;
  second.device = program.device == "host" ? "opencl" : "host";
  Setting other(second);
  std::vector<Injected> injected;
  reel::start_capture(document, {.overwrite = true});
  for (int i = 0; i < program.passes; ++i) {
    s.run(300);
    s.stream.flush();
    other.run(1200);
    other.stream.flush();
    const std::uint64_t begin = now_ns();
    s.stream.synchronize();
    other.stream.synchronize();
    injected.push_back({begin, now_ns()});
  }
  reel::stop_capture();
  return injected;
}

}  // namespace

const std::vector<Truth>& truths() {
  static const std::vector<Truth> list{
      {"sleep", "the host sleeps between launches", {"host"}},
      {"compute", "the host computes between launches", {"host"}},
      {"wait", "the host waits after each launch", {"sync", "wakeup"}},
      {"build", "kernels are built in the loop", {"build"}},
      {"allocate", "memory is allocated in the loop", {"allocation"}},
      {"unbalanced",
       "one of two devices has four times the work",
       {"sync", "dependency", "wakeup"}},
      {"copy", "bytes are uploaded twice", {}, "copy.redundant"},
      {"race", "a wait between streams is missing", {}, "race"}};
  return list;
}

std::uint32_t calibrate(const std::string& device) {
  TruthProgram program;
  program.device = device;
  const Setting s(program);
  std::vector<double> times;
  for (int i = 0; i < 15; ++i) {
    const std::uint64_t begin = now_ns();
    s.run(1000);
    s.stream.synchronize();
    times.push_back(static_cast<double>(now_ns() - begin));
  }
  // The shortest: others were interrupted.
  return static_cast<std::uint32_t>(1e6 / std::ranges::min(times) * program.rounds);
}

std::vector<Injected> record(const TruthProgram& program, const std::string& document) {
  if (program.name == "pass") {
    record_passes(program, document);
    return {};
  }
  if (program.name == "unbalanced") return record_unbalanced(program, document);
  Setting s(program);
  std::vector<std::uint32_t> data(4 << 20);
  const reel::Buffer target = s.device.buffer(data.size() * sizeof(data[0]), "target");
  const reel::Stream other = s.device.stream("other");
  reel::start_capture(document, {.overwrite = true});
  for (int i = 0; i < program.passes; ++i) {
    if (program.name == "sleep") host_sleeps(s);
    if (program.name == "compute") host_computes(s);
    if (program.name == "wait") waits_needlessly(s);
    if (program.name == "build") builds_in_the_loop(s);
    if (program.name == "allocate") allocates_in_the_loop(s);
    if (program.name == "copy") copies_twice(s, target, data);
    if (program.name == "race") misses_a_wait(s, other);
  }
  s.run(100);
  s.stream.synchronize();
  reel::stop_capture();
  return s.injected;
}

}  // namespace bench
