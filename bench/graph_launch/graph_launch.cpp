// graph_launch.cpp - graphs of small kernels through this library and by hand, in one run.
//
// Prints a table for each device and case, and which aims are met. Ends with 1 when a result was
// wrong, never because something was slow: see docs/benchmarks.md.
#include <CLI/CLI.hpp>
#include <stdexcept>
#include <utility>

#include "argument_modes.hpp"
#include "decision_modes.hpp"
#include "forward_pass_modes.hpp"
#include "raw.hpp"
#include "shared/reel_modes.hpp"
#include "shared/rounds.hpp"

namespace bench {
namespace {

struct Options {
  RunOptions run{.quick_harness = {.rounds = 5, .batch_ms = 2}, .sittings = 12};
  std::vector<std::uint32_t> nodes{10, 1000};
};

// What each backend is measured against, and how close it is meant to come.
struct Yardstick {
  std::vector<Mode> by_hand;
  Aim stream, session;  // dispatching directly
  std::vector<Aim> graph_exec;
};

Yardstick yardstick(const Case& work, const reel::DeviceInfo& device) {
  if (device.backend == "host") {
    // Ten nodes share the price of one launch; a thousand hardly feel it.
    std::vector<Aim> aims;
    if (work.nodes <= 10) aims = {{raw::host_loop, 2}};
    if (work.nodes >= 1000 && work.shape == Shape::chain) aims = {{raw::host_loop, 1.3}};
    return {raw_host_modes(work), {raw::host_safe_direct, 1.25}, {raw::host_safe_direct, 2}, aims};
  }
  if (device.backend == "opencl")
    return {raw_opencl_modes(work, device.name),
            {raw::opencl_direct, 1.05},
            {raw::opencl_direct, 1.05},
            {{raw::opencl_bound, 1.02}, {raw::opencl_command_buffer, 1.00}}};
  if (device.backend == "vulkan")
    return {raw_vulkan_modes(work, device.name),
            {raw::vulkan_direct, 1.05},
            {raw::vulkan_direct, 1.05},
            {{raw::vulkan_resubmit, 1.05}}};
  throw std::runtime_error("There is no hand-written program for backend '" + device.backend +
                           "'.");
}

Group group_of(const Case& work, const reel::Device& device) {
  Yardstick by = yardstick(work, device.info());
  Group group{device.info().id, work.name(), work.nodes, std::move(by.by_hand)};
  for (Mode& mode : reel_modes(work, device)) {
    if (mode.name == ours::stream_direct) mode.aims = {by.stream};
    if (mode.name == ours::session_direct) mode.aims = {by.session};
    if (mode.name == ours::graph_exec) mode.aims = by.graph_exec;
    group.modes.push_back(std::move(mode));
  }
  return group;
}

void measure_device(const reel::Device& device, const Options& options, Run& run) {
  // Each group is gone before the next is made: it has the machine to itself.
  for (std::uint32_t nodes : options.nodes)
    for (Shape shape : {Shape::chain, Shape::independent})
      run.measure(group_of({shape, nodes}, device));
  run.measure(forward_pass_group(device));
  for (const Group& group : decision_groups(device)) run.measure(group);
  for (const Group& group : argument_groups(options.nodes.back(), device)) run.measure(group);
}

int measure_all(const Options& options) {
  Run run(options.run);
  run.begin("per node");
  run.for_each_device([&](const reel::Device& device) { measure_device(device, options, run); });
  return run.end();
}

}  // namespace
}  // namespace bench

int main(int argc, char** argv) {
  bench::Options options;
  CLI::App app("Graphs of small kernels through this library and by hand, in one run.");
  bench::add_run_options(app, options.run);
  app.add_option("--nodes", options.nodes, "Nodes of the graphs")
      ->capture_default_str()
      ->check(CLI::Range(2u, 100000u));
  return bench::run_program(app, argc, argv, "graph_launch",
                            [&] { return bench::measure_all(options); });
}
