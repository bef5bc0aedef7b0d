// capture.cpp - what capturing costs a program: in time, in bytes, and when it isn't done.
//
// Prints a table for each device and case, and which aims are met. Ends with 1 when a result or a
// document was wrong, never because something was slow: see docs/benchmarks.md.
#include <CLI/CLI.hpp>
#include <algorithm>

#include "capture_hook.hpp"
#include "capture_modes.hpp"
#include "capture_writing.hpp"
#include "shared/rounds.hpp"

namespace bench {
namespace {

struct Options {
  RunOptions run{.sittings = 12};
  std::vector<std::string> cases;  // empty: all
  std::string load, without_capture;
  bool hook_turns = false;

  bool wants(const char* name) const {
    return cases.empty() || std::find(cases.begin(), cases.end(), name) != cases.end();
  }
};

void measure_device(const reel::Device& device, const Options& options, Run& run) {
  // llvmpipe takes ten times as long for a small command, and more for a large one.
  const bool slow = device.info().backend == "vulkan";
  const std::uint32_t part = run.is_quick() ? 10 : 1;
  if (options.wants("small"))
    run.measure(small_dispatches_group(device, (slow ? 2000 : 20000) / part));
  if (options.wants("large"))  // a pass takes a second
    run.measure(large_buffers_group(device, (slow ? 20 : 200) / part), 8);
}

int measure_all(const Options& options) {
  if (!options.load.empty()) return load_and_tell(options.load);
  if (options.hook_turns) return take_hook_turns();
  Run run(options.run);
  run.begin("per command");
  if (options.run.devices.empty()) {
    if (options.wants("document"))
      run.add(writing_and_loading(run.is_quick() ? 100'000 : 1'000'000, run.is_quick() ? 1 : 5));
    if (options.wants("hook") && !options.without_capture.empty())
      run.add(hook_group(options.without_capture, run.harness()));
  }
  if (options.wants("small") || options.wants("large"))
    run.for_each_device([&](const reel::Device& device) { measure_device(device, options, run); });
  return run.end();
}

}  // namespace
}  // namespace bench

int main(int argc, char** argv) {
  bench::Options options;
  CLI::App app("What capturing costs a program: in time, in bytes, and when it isn't done.");
  bench::add_run_options(app, options.run);
  app.add_option("--case", options.cases, "Cases to measure; default: all")
      ->check(CLI::IsMember({"small", "large", "document", "hook"}));
  app.add_option("--without-capture", options.without_capture,
                 "A library that can't capture, to measure what being able to costs");
  app.add_option("--load", options.load)->group("");  // what AnotherProgram is started with
  app.add_flag("--hook-turns", options.hook_turns)->group("");  // the same
  return bench::run_program(app, argc, argv, "capture",
                            [&] { return bench::measure_all(options); });
}
