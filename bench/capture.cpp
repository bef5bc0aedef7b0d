// capture.cpp - what capturing costs a program: in time, in bytes, and when it isn't done.
//
// Prints a table for each device and case, and which aims are met. Ends with 1 when a result or a
// document was wrong, never because something was slow: see docs/benchmarks.md.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <exception>
#include <utility>

#include "capture_hook.hpp"
#include "capture_modes.hpp"
#include "capture_writing.hpp"
#include "report.hpp"

namespace bench {
namespace {

struct Options {
  std::vector<std::string> devices;
  std::vector<std::string> cases;  // empty: all
  HarnessOptions harness;
  bool quick = false;
  std::string json, load, without_capture;
  bool hook_turns = false;

  bool wants(const char* name) const {
    return cases.empty() || std::find(cases.begin(), cases.end(), name) != cases.end();
  }
};

void measure_device(const reel::Device& device, const Options& options,
                    std::vector<GroupResult>& results) {
  const auto run = [&](const Group& group, const HarnessOptions& harness) {
    results.push_back(measure(group, harness));
    print_group(results.back());
  };
  // llvmpipe takes ten times as long for a small command, and more for a large one.
  const bool slow = device.info().backend == "vulkan";
  const std::uint32_t part = options.quick ? 10 : 1;
  HarnessOptions harness = options.harness;
  if (options.wants("small"))
    run(small_dispatches_group(device, (slow ? 2000 : 20000) / part), harness);
  harness.rounds = std::min(harness.rounds, 5);  // a pass takes a second
  if (options.wants("large")) run(large_buffers_group(device, (slow ? 20 : 200) / part), harness);
}

std::vector<std::string> every_device() {
  std::vector<std::string> found;
  for (const reel::DeviceInfo& info : reel::devices()) {
    if (info.available())
      found.push_back(info.id);
    else
      fmt::print("{} is left out: {}\n", info.id, info.unavailable);
  }
  return found;
}

int run(Options options) {
  if (!options.load.empty()) return load_and_tell(options.load);
  if (options.hook_turns) return take_hook_turns();
  if (options.quick) options.harness = {.rounds = 3, .batch_ms = 2};
  fmt::print(
      "Medians of {} rounds, per command. × is the ratio to the first row, formed within a "
      "round.\n",
      options.harness.rounds);
  std::vector<GroupResult> results;
  const auto add = [&](GroupResult result) {
    results.push_back(std::move(result));
    print_group(results.back());
  };
  if (options.devices.empty()) {
    if (options.wants("document"))
      add(writing_and_loading(options.quick ? 100'000 : 1'000'000, options.quick ? 1 : 5));
    if (options.wants("hook") && !options.without_capture.empty())
      add(hook_group(options.without_capture, options.harness));
    if (options.wants("small") || options.wants("large")) options.devices = every_device();
  }
  for (const std::string& selector : options.devices) {
    const reel::Device device = reel::open_device(selector);
    fmt::print("\n=== {}: {}, {} {}\n", device.info().id, device.info().name, device.info().driver,
               device.info().driver_version);
    measure_device(device, options, results);
  }
  print_summary(results);
  if (!options.json.empty()) write_json(options.json, results, options.harness);
  return all_right(results) ? 0 : 1;
}

}  // namespace
}  // namespace bench

int main(int argc, char** argv) {
  bench::Options options;
  CLI::App app("What capturing costs a program: in time, in bytes, and when it isn't done.");
  app.add_option("--device", options.devices,
                 "Devices to measure, and nothing else; default: all that can be opened");
  app.add_option("--case", options.cases, "Cases to measure; default: all")
      ->check(CLI::IsMember({"small", "large", "document", "hook"}));
  app.add_option("--rounds", options.harness.rounds, "How often the modes take turns")
      ->capture_default_str()
      ->check(CLI::Range(1, 1000));
  app.add_flag("--quick", options.quick, "3 short rounds: to see that everything works");
  app.add_option("--json", options.json, "Write the results here too");
  app.add_option("--without-capture", options.without_capture,
                 "A library that can't capture, to measure what being able to costs");
  app.add_option("--load", options.load)->group("");  // what AnotherProgram is started with
  app.add_flag("--hook-turns", options.hook_turns)->group("");  // the same
  CLI11_PARSE(app, argc, argv);
  try {
    return bench::run(std::move(options));
  } catch (const std::exception& error) {
    fmt::print(stderr, "capture: {}\n", error.what());
    return 1;
  }
}
