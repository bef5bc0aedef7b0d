// graph_launch.cpp - graphs of small kernels through this library and by hand, in one run.
//
// Prints a table for each device and case, and which aims are met. Ends with 1 when a result was
// wrong, never because something was slow: see docs/benchmarks.md.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <exception>
#include <utility>

#include "argument_modes.hpp"
#include "forward_pass_modes.hpp"
#include "raw.hpp"
#include "reel_modes.hpp"
#include "report.hpp"

namespace bench {
namespace {

struct Options {
  std::vector<std::string> devices;
  std::vector<std::uint32_t> nodes{10, 1000};
  HarnessOptions harness;
  bool quick = false;
  std::string json;
};

// What each backend is measured against, and how close it is meant to come.
struct Yardstick {
  std::vector<Mode> by_hand;
  std::string direct;  // the hand-written direct launch
  std::vector<Aim> graph_exec;
};

constexpr double direct_aim = 1.10;

Yardstick yardstick(const Case& work, const reel::DeviceInfo& device) {
  if (device.backend == "host") {
    // Ten nodes share the price of one launch; a thousand hardly feel it.
    std::vector<Aim> aims;
    if (work.nodes <= 10) aims = {{raw::host_loop, 3}};
    if (work.nodes >= 1000 && work.shape == Shape::chain) aims = {{raw::host_loop, 1.35}};
    return {raw_host_modes(work), raw::host_direct, aims};
  }
  if (device.backend == "opencl")
    return {raw_opencl_modes(work, device.name),
            raw::opencl_direct,
            {{raw::opencl_bound, 1.02}, {raw::opencl_command_buffer, 1.00}}};
  if (device.backend == "vulkan")
    return {
        raw_vulkan_modes(work, device.name), raw::vulkan_direct, {{raw::vulkan_resubmit, 1.05}}};
  throw std::runtime_error("There is no hand-written program for backend '" + device.backend +
                           "'.");
}

Group group_of(const Case& work, const reel::Device& device) {
  Yardstick by = yardstick(work, device.info());
  Group group{device.info().id, work.name(), work.nodes, std::move(by.by_hand)};
  for (Mode& mode : reel_modes(work, device)) {
    if (mode.name == ours::stream_direct || mode.name == ours::session_direct)
      mode.aims = {{by.direct, direct_aim}};
    if (mode.name == ours::graph_exec) mode.aims = by.graph_exec;
    group.modes.push_back(std::move(mode));
  }
  return group;
}

void measure_device(const reel::Device& device, const Options& options,
                    std::vector<GroupResult>& results) {
  const auto run = [&](const Group& group) {
    results.push_back(measure(group, options.harness));
    print_group(results.back());
  };
  // Each group is gone before the next is made: it has the machine to itself.
  for (std::uint32_t nodes : options.nodes)
    for (Shape shape : {Shape::chain, Shape::independent}) run(group_of({shape, nodes}, device));
  run(forward_pass_group(device));
  for (const Group& group : argument_groups(options.nodes.back(), device)) run(group);
}

std::vector<std::string> every_backend() {
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
  if (options.quick) options.harness = {.rounds = 5, .batch_ms = 2};
  if (options.devices.empty()) options.devices = every_backend();
  fmt::print(
      "Medians of {} rounds, per node. × is the ratio to the first row, formed within a round.\n",
      options.harness.rounds);
  std::vector<GroupResult> results;
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
  CLI::App app("Graphs of small kernels through this library and by hand, in one run.");
  app.add_option("--device", options.devices,
                 "Devices to measure; default: all that can be opened");
  app.add_option("--nodes", options.nodes, "Nodes of the graphs")
      ->capture_default_str()
      ->check(CLI::Range(2u, 100000u));
  app.add_option("--rounds", options.harness.rounds, "How often the modes take turns")
      ->capture_default_str()
      ->check(CLI::Range(1, 1000));
  app.add_flag("--quick", options.quick, "5 short rounds: to see that everything works");
  app.add_option("--json", options.json, "Write the results here too");
  CLI11_PARSE(app, argc, argv);
  try {
    return bench::run(std::move(options));
  } catch (const std::exception& error) {
    fmt::print(stderr, "graph_launch: {}\n", error.what());
    return 1;
  }
}
