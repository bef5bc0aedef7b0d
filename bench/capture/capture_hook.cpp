#include "capture_hook.hpp"

#include <fmt/format.h>

#include <cstdio>
#include <iostream>
#include <stdexcept>

#include "shared/another_program.hpp"
#include "shared/reel_modes.hpp"

namespace bench {
namespace {

constexpr std::uint32_t dispatches = 1000;
constexpr std::uint32_t passes_per_turn = 20;  // a millisecond: neighbours see the same machine
// Where code and data happen to lie moves such small times by some percent: new processes lie
// elsewhere, so each pair of them serves some rounds only.
constexpr int rounds_per_process = 40;

Spent turn(AnotherProgram& program) {
  program.say("turn");
  const std::string said = program.line();
  Spent spent;
  if (std::sscanf(said.c_str(), "%lf %lf", &spent.cpu_ns, &spent.wall_ns) != 2)
    throw std::runtime_error("A turn in another process said '" + said + "'.");
  return spent;
}

}  // namespace

GroupResult hook_group(const std::string& library, const HarnessOptions& options) {
  std::vector<double> cpu[2], wall[2], cpu_ratio, wall_ratio;
  const double count = static_cast<double>(dispatches) * passes_per_turn;
  for (int process = 0; process < options.rounds; ++process) {
    AnotherProgram without({"--hook-turns"}, {"LD_PRELOAD=" + library});
    AnotherProgram with({"--hook-turns"});
    AnotherProgram* both[2] = {&without, &with};
    for (AnotherProgram* program : both) turn(*program);  // warms up
    for (int round = 0; round < rounds_per_process; ++round) {
      Spent spent[2];
      for (int place = 0; place < 2; ++place) {
        const int which = (place + round + process) % 2;
        spent[which] = turn(*both[which]);
        cpu[which].push_back(spent[which].cpu_ns / count);
        wall[which].push_back(spent[which].wall_ns / count);
      }
      cpu_ratio.push_back(spent[1].cpu_ns / spent[0].cpu_ns);
      wall_ratio.push_back(spent[1].wall_ns / spent[0].wall_ns);
    }
  }
  GroupResult group{
      "host", fmt::format("{} dispatches, not capturing", dispatches), dispatches, {}};
  for (int which = 0; which < 2; ++which) {
    ModeResult mode;
    mode.name = which == 0 ? "a library that can't capture" : "not capturing";
    mode.cpu_ns = quartiles(cpu[which]);
    mode.wall_ns = quartiles(wall[which]);
    mode.cpu_ratio = which == 0 ? Quartiles{1, 1, 1} : quartiles(cpu_ratio);
    mode.wall_ratio = which == 0 ? Quartiles{1, 1, 1} : quartiles(wall_ratio);
    mode.passes = cpu[which].size() * passes_per_turn;
    group.modes.push_back(mode);
  }
  ModeResult& with = group.modes[1];
  with.verdicts = {{{group.modes[0].name, 1.01}, with.cpu_ratio},
                   {{group.modes[0].name, 1.01, Clock::wall}, with.wall_ratio}};
  with.note =
      fmt::format("{} pairs of processes, {} rounds each", options.rounds, rounds_per_process);
  return group;
}

int take_hook_turns() {
  const reel::Device device = reel::open_device("host");
  const reel::Kernel kernel = add_one_kernel(device);
  const reel::Buffer buffer = device.buffer(slice_bytes, "counters");
  const reel::Stream stream = device.stream("direct");
  for (std::string line; std::getline(std::cin, line);) {
    const Spent begin = spent_so_far();
    for (std::uint32_t pass = 0; pass < passes_per_turn; ++pass) {
      for (std::uint32_t i = 0; i < dispatches; ++i)
        stream.dispatch(kernel, one_group, inout(buffer), std::uint32_t{0});
      stream.synchronize();
    }
    const Spent end = spent_so_far();
    fmt::print("{} {}\n", end.cpu_ns - begin.cpu_ns, end.wall_ns - begin.wall_ns);
    std::fflush(stdout);
  }
  return 0;
}

}  // namespace bench
