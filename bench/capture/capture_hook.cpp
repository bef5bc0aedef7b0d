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
  const std::string base = "a library that can't capture";
  const Aim cpu_aim{base, 1.01}, wall_aim{base, 1.01, Clock::wall};
  std::vector<double> cpu[2], wall[2], cpu_ratios, wall_ratios;
  const double count = static_cast<double>(dispatches) * passes_per_turn;
  int pairs = 0;
  const auto measure_pair = [&] {
    AnotherProgram without({"--hook-turns"}, {"LD_PRELOAD=" + library});
    AnotherProgram with({"--hook-turns"});
    AnotherProgram* both[2] = {&without, &with};
    for (AnotherProgram* program : both) turn(*program);  // warms up
    std::vector<double> cpu_ratio, wall_ratio;
    for (int round = 0; round < rounds_per_process; ++round) {
      Spent spent[2];
      for (int place = 0; place < 2; ++place) {
        const int which = (place + round + pairs) % 2;
        spent[which] = turn(*both[which]);
        cpu[which].push_back(spent[which].cpu_ns / count);
        wall[which].push_back(spent[which].wall_ns / count);
      }
      cpu_ratio.push_back(spent[1].cpu_ns / spent[0].cpu_ns);
      wall_ratio.push_back(spent[1].wall_ns / spent[0].wall_ns);
    }
    // Where memory lies is the same in all rounds of a pair, so that a pair is one sample.
    cpu_ratios.push_back(quartiles(cpu_ratio).median);
    wall_ratios.push_back(quartiles(wall_ratio).median);
    ++pairs;
  };
  measure_more_while_open(options, measure_pair, [&] {
    return verdict_of(cpu_aim, cpu_ratios).decided() && verdict_of(wall_aim, wall_ratios).decided();
  });

  GroupResult group{
      "host", fmt::format("{} dispatches, not capturing", dispatches), dispatches, {}, pairs};
  for (int which = 0; which < 2; ++which) {
    ModeResult mode;
    mode.name = which == 0 ? base : "not capturing";
    mode.cpu_ns = quartiles(cpu[which]);
    mode.wall_ns = quartiles(wall[which]);
    mode.cpu_ratio = which == 0 ? Quartiles{1, 1, 1} : quartiles(cpu_ratios);
    mode.wall_ratio = which == 0 ? Quartiles{1, 1, 1} : quartiles(wall_ratios);
    mode.passes = cpu[which].size() * passes_per_turn;
    group.modes.push_back(mode);
  }
  ModeResult& with = group.modes[1];
  with.verdicts = {verdict_of(cpu_aim, cpu_ratios), verdict_of(wall_aim, wall_ratios)};
  with.note = fmt::format("{} pairs of processes, {} rounds each", pairs, rounds_per_process);
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
