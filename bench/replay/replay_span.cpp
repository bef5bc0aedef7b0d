#include "replay_span.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>

#include "shared/capture_file.hpp"
#include "shared/increment.hpp"

namespace bench {
namespace {

constexpr const char* as_recorded = "recorded";
constexpr const char* not_capturing = "the program, not capturing";

constexpr std::uint32_t small_buffers = 4, small_elements = 1024;
constexpr std::uint32_t large_buffers = 2, large_elements = 256u << 10;
// Of a hundred commands one is large, ten are copies, the others small dispatches.
constexpr std::uint32_t large_every = 100, copy_every = 10;

struct Program {
  reel::Device device;
  reel::Kernel kernel;
  reel::Stream stream;
  std::vector<reel::Buffer> small, large;
  reel::Buffer copied;
  std::uint32_t commands;

  Program(const reel::Device& d, std::uint32_t count)
      : device(d), kernel(increment_kernel(d)), stream(d.stream("program")), commands(count) {
    for (std::uint32_t i = 0; i < small_buffers; ++i)
      small.push_back(d.buffer(small_elements * sizeof(std::uint32_t), fmt::format("small{}", i)));
    for (std::uint32_t i = 0; i < large_buffers; ++i)
      large.push_back(d.buffer(large_elements * sizeof(std::uint32_t), fmt::format("large{}", i)));
    copied = d.buffer(small_elements * sizeof(std::uint32_t), "copied");
  }

  void run() const {
    for (std::uint32_t i = 0; i < commands; ++i)
      if (i % large_every == large_every - 1)
        stream.dispatch(kernel, increments(large_elements),
                        inout(large[i / large_every % large_buffers]));
      else if (i % copy_every == copy_every - 1)
        stream.copy(copied, small[i % small_buffers]);
      else
        stream.dispatch(kernel, increments(small_elements), inout(small[i % small_buffers]));
    stream.synchronize();
  }
};

// The program, and the last document of it.
struct Recorded {
  Program program;
  CaptureFile file;
  std::optional<reel::Trace> trace;
  double span_ns = 0, replayed_span_ns = 0;
  std::string wrong;

  Recorded(const reel::Device& device, std::uint32_t commands) : program(device, commands) {}

  void capture() {
    reel::start_capture(file.path(), {.overwrite = true});
    program.run();
    reel::stop_capture();
    trace = reel::Trace::load(file.path());
    std::uint64_t begin = ~std::uint64_t{0}, end = 0;
    for (const reel::TraceCommand& command : trace->commands()) {
      if (!command.has_run_times()) continue;
      begin = std::min(begin, command.started_ns);
      end = std::max(end, command.ended_ns);
    }
    span_ns += static_cast<double>(end - begin);
  }

  reel::ReplayReport replay(std::uint32_t repeat) {
    if (!trace) capture();
    reel::ReplayReport report = reel::replay(*trace, program.device, {.repeat = repeat});
    if (report.verdict() != reel::Verdict::equal || report.commands != program.commands)
      wrong = fmt::format("{} commands replayed, which is {}", report.commands,
                          to_string(report.verdict()));
    return report;
  }
};

Group span_group(const reel::Device& device, std::uint32_t commands) {
  const auto recorded = std::make_shared<Recorded>(device, commands);
  Group group{
      device.info().id, fmt::format("{} commands, time on the device", commands), commands, {}};
  const auto check = [recorded](std::uint64_t) { return recorded->wrong; };
  group.modes.push_back({as_recorded,
                         [recorded](std::uint64_t passes) {
                           for (; passes; --passes) recorded->capture();
                         },
                         check});
  group.modes.back().spent = [recorded] { return Spent{0, std::exchange(recorded->span_ns, 0)}; };
  group.modes.push_back({"replayed",
                         [recorded](std::uint64_t passes) {
                           // The median of three, after a first run that warms up as the program's
                           // own did.
                           for (; passes; --passes)
                             recorded->replayed_span_ns += recorded->replay(3).span.median;
                         },
                         check});
  group.modes.back().spent = [recorded] {
    return Spent{0, std::exchange(recorded->replayed_span_ns, 0)};
  };
  group.modes.back().aims = {{as_recorded, 1.1, Clock::wall}};
  return group;
}

Group whole_group(const reel::Device& device, std::uint32_t commands) {
  const auto recorded = std::make_shared<Recorded>(device, commands);
  const auto spent = std::make_shared<Spent>();
  Group group{device.info().id, fmt::format("{} commands, all of it", commands), commands, {}};
  const auto check = [recorded](std::uint64_t) { return recorded->wrong; };
  group.modes.push_back({not_capturing,
                         [recorded](std::uint64_t passes) {
                           for (; passes; --passes) recorded->program.run();
                         },
                         check});
  group.modes.push_back({"replay(), without restoring",
                         [recorded, spent](std::uint64_t passes) {
                           for (; passes; --passes) {
                             const Spent begin = spent_so_far();
                             const reel::ReplayReport report = recorded->replay(1);
                             const Spent end = spent_so_far();
                             spent->cpu_ns += end.cpu_ns - begin.cpu_ns;
                             spent->wall_ns += end.wall_ns - begin.wall_ns -
                                               static_cast<double>(report.restore_ns);
                           }
                         },
                         check});
  group.modes.back().spent = [spent] { return std::exchange(*spent, {}); };
  group.modes.back().note = [] { return "results checked"; };
  // On the host a replay takes less than the program; llvmpipe's times say little.
  if (device.info().backend == "opencl")
    group.modes.back().aims = {{not_capturing, 1.5}, {not_capturing, 1.5, Clock::wall}};
  return group;
}

}  // namespace

std::vector<Group> replay_span_groups(const reel::Device& device, std::uint32_t commands) {
  std::vector<Group> groups;
  if (device.info().can_stamp_time) groups.push_back(span_group(device, commands));
  groups.push_back(whole_group(device, commands));
  return groups;
}

}  // namespace bench
