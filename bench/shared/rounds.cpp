#include "rounds.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <exception>
#include <utility>

#include "report.hpp"
#include "sittings.hpp"

namespace bench {
namespace {

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

}  // namespace

void add_run_options(CLI::App& app, RunOptions& options) {
  app.add_option("--device", options.devices,
                 "Devices to measure, and nothing else; default: all that can be opened");
  app.add_option("--rounds", options.harness.rounds,
                 "How often the modes take turns; more often while an aim is open")
      ->capture_default_str()
      ->check(CLI::Range(1, HarnessOptions::most_rounds));
  app.add_option("--deciding", options.harness.deciding_seconds,
                 "Seconds for more rounds of a group, while an aim is open")
      ->envname("BENCH_DECIDING")
      ->capture_default_str()
      ->check(CLI::Range(0, 3600));
  app.add_flag(
      "--quick", options.quick,
      fmt::format("{} short rounds: to see that everything works", options.quick_harness.rounds));
  app.add_option("--json", options.json, "Write the results here too");
  if (options.sittings > 1)
    app.add_option("--sittings", options.sittings,
                   "Processes that measure each device, 3 rounds each; 1: this one does")
        ->envname("BENCH_SITTINGS")
        ->capture_default_str()
        ->check(CLI::Range(1, 100));
  app.parse_complete_callback([&options] { take_orders(options); });
}

Run::Run(RunOptions options) : options_(std::move(options)) {
  if (!options_.quick) return;
  options_.harness = options_.quick_harness;
  options_.harness.deciding_seconds = 0;
  options_.sittings = 1;
}

void Run::begin(const std::string& unit) const {
  fmt::print("Medians of {} {}, {}. × is the ratio to the first row, formed within a round.\n",
             options_.sittings > 1 ? options_.sittings : options_.harness.rounds,
             options_.sittings > 1 ? "processes" : "rounds", unit);
}

void Run::add(GroupResult result) {
  results_.push_back(std::move(result));
  print_group(results_.back());
}

void Run::measure(const Group& group, int most_rounds) {
  HarnessOptions harness = options_.harness;
  harness.rounds = std::min(harness.rounds, most_rounds);
  add(bench::measure(group, harness));
}

void Run::for_each_device(const Visit& visit, const Visit& visit_once) {
  for (const std::string& selector : options_.devices.empty() ? every_device() : options_.devices) {
    const reel::Device device = reel::open_device(selector);
    fmt::print("\n=== {}: {}, {} {}\n", device.info().id, device.info().name, device.info().driver,
               device.info().driver_version);
    std::fflush(stdout);
    if (options_.sittings == 1)
      visit(device);
    else
      for (GroupResult& result : measure_in_sittings(device.info().id, options_))
        add(std::move(result));
    if (visit_once && !options_.is_sitting) visit_once(device);
  }
}

int Run::end() const {
  print_summary(results_);
  if (!options_.json.empty()) write_json(options_.json, results_, options_.harness);
  return all_right(results_) ? 0 : 1;
}

int run_program(CLI::App& app, int argc, char** argv, const char* name,
                const std::function<int()>& run) {
  CLI11_PARSE(app, argc, argv);
  try {
    return run();
  } catch (const std::exception& error) {
    fmt::print(stderr, "{}: {}\n", name, error.what());
    return 1;
  }
}

}  // namespace bench
