// replay.cpp - what a replay costs: against the program it repeats, and in bytes a second.
//
// Prints a table for each device and case, and which aims are met. Ends with 1 when a replay was
// not equal to what it repeats, never because something was slow: see docs/benchmarks.md.
#include <CLI/CLI.hpp>
#include <algorithm>

#include "replay_contents.hpp"
#include "replay_span.hpp"
#include "shared/rounds.hpp"

namespace bench {
namespace {

struct Options {
  RunOptions run{.harness = {.rounds = 7}, .sittings = 7};
  std::vector<std::string> cases;  // empty: all
  std::uint32_t mib = 1024;

  bool wants(const char* name) const {
    return cases.empty() || std::find(cases.begin(), cases.end(), name) != cases.end();
  }
};

void measure_contents(const reel::Device& device, const Options& options, Run& run) {
  const std::uint32_t mib = run.is_quick() ? std::min(options.mib, 64u) : options.mib;
  if (options.wants("restore")) run.measure(restore_group(device, mib));
  if (options.wants("check")) run.measure(check_group(device, mib));
}

int measure_all(Options options) {
  if (!options.wants("commands")) options.run.sittings = 1;
  Run run(options.run);
  run.begin("per command or MiB");
  const auto measure_commands = [&](const reel::Device& device) {
    if (!options.wants("commands")) return;
    for (const Group& group : replay_span_groups(device, run.is_quick() ? 1000 : 10'000))
      run.measure(group);
  };
  run.for_each_device(measure_commands,
                      [&](const reel::Device& device) { measure_contents(device, options, run); });
  return run.end();
}

}  // namespace
}  // namespace bench

int main(int argc, char** argv) {
  bench::Options options;
  CLI::App app("What a replay costs: against the program it repeats, and in bytes a second.");
  bench::add_run_options(app, options.run);
  app.add_option("--case", options.cases, "Cases to measure; default: all")
      ->check(CLI::IsMember({"commands", "restore", "check"}));
  app.add_option("--mib", options.mib, "Contents to restore and to check; a multiple of 32")
      ->capture_default_str()
      ->check(CLI::Range(32u, 16384u));
  return bench::run_program(app, argc, argv, "replay", [&] { return bench::measure_all(options); });
}
