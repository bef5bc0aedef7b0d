// devices.cpp - `reel devices`: what can be opened here, and what can't with the reason.
#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>
#include <reel/device.hpp>
#include <string>
#include <vector>

#include "cli/showing/table.hpp"
#include "cli/showing/terminal.hpp"
#include "cli/verbs.hpp"
#include "reel/units.hpp"

namespace reel::cli {
namespace {

struct Options {
  bool json = false;
  bool verbose = false;
};

std::string dim3_text(const Dim3& d) { return fmt::format("{} x {} x {}", d.x, d.y, d.z); }
// Vulkan has no such number.
std::string units_text(std::uint32_t units) { return units ? std::to_string(units) : "-"; }
const char* yes_or_no(bool value) { return value ? "yes" : "no"; }

nlohmann::ordered_json names_of(const std::vector<KernelForm>& forms) {
  auto names = nlohmann::ordered_json::array();
  for (const KernelForm form : forms) names.push_back(to_string(form));
  return names;
}

nlohmann::ordered_json to_json(const DeviceInfo& device) {
  const auto dim3 = [](const Dim3& d) { return nlohmann::ordered_json{d.x, d.y, d.z}; };
  return {
      {"id", device.id},
      {"backend", device.backend},
      {"name", device.name},
      {"type", device.type},
      {"driver", device.driver},
      {"driver_version", device.driver_version},
      {"api_version", device.api_version},
      {"available", device.available()},
      {"unavailable", device.unavailable},
      {"memory_bytes", device.memory_bytes},
      {"max_buffer_bytes", device.max_buffer_bytes},
      {"max_binding_bytes", device.max_binding_bytes},
      {"binding_alignment_bytes", device.binding_alignment_bytes},
      {"compute_units", device.compute_units},
      {"max_group_items", device.max_group_items},
      {"max_group_size", dim3(device.max_group_size)},
      {"max_groups", dim3(device.max_groups)},
      {"max_shared_bytes", device.max_shared_bytes},
      {"can_stamp_time", device.can_stamp_time},
      {"stamp_resolution_ns", device.stamp_resolution_ns},
      {"can_dispatch_indirect", device.can_dispatch_indirect},
      {"can_dispatch_conditionally", device.can_dispatch_conditionally},
      {"takes_images", device.takes_images},
      {"maps_memory", device.maps_memory},
      {"takes_stream_priority", device.takes_stream_priority},
      {"takes_free_grids", device.takes_free_grids},
      {"takes_partial_groups", device.takes_partial_groups},
      {"wants_barriers", device.wants_barriers},
      {"kernel_forms", names_of(device.kernel_forms)},
  };
}

void print_json(const std::vector<DeviceInfo>& list) {
  nlohmann::ordered_json json = {{"schema_version", 1},
                                 {"devices", nlohmann::ordered_json::array()}};
  for (const DeviceInfo& device : list) json["devices"].push_back(to_json(device));
  // A driver's name may hold any bytes; those that aren't UTF-8 are replaced, not fatal.
  fmt::print("{}\n",
             printable_json(json.dump(2, ' ', false, nlohmann::json::error_handler_t::replace)));
}

void print_table(const std::vector<DeviceInfo>& list) {
  using enum Table::Align;
  Table table({{"ID"}, {"NAME"}, {"DRIVER"}, {"MEMORY", right}, {"UNITS", right}, {"STAMPS TIME"}});
  for (const DeviceInfo& device : list)
    if (device.available())
      table.add({device.id, device.name, device.driver + " " + device.driver_version,
                 size_text(device.memory_bytes), units_text(device.compute_units),
                 yes_or_no(device.can_stamp_time)});
  fmt::print("{}", table.text());
}

void print_details(const DeviceInfo& device) {
  const auto line = [](const char* what, const std::string& value) {
    fmt::print("  {:<22}{}\n", what, printable(value));
  };
  fmt::print("\n{}  {}\n", bold(device.id), dim(printable(device.name)));
  line("type", device.type);
  line("driver", device.driver + " " + device.driver_version);
  line("API", device.api_version);
  line("kernel forms", list_of_forms(device.kernel_forms));
  line("memory", fmt::format("{} ({} bytes)", size_text(device.memory_bytes), device.memory_bytes));
  line("largest buffer", fmt::format("{} bytes", device.max_buffer_bytes));
  line("largest binding", fmt::format("{} bytes, offsets in steps of {}", device.max_binding_bytes,
                                      device.binding_alignment_bytes));
  line("compute units", units_text(device.compute_units));
  line("largest group",
       fmt::format("{} items, {}", device.max_group_items, dim3_text(device.max_group_size)));
  line("most groups", dim3_text(device.max_groups));
  line("shared memory", fmt::format("{} bytes a group", device.max_shared_bytes));
  line("stamps time", device.can_stamp_time
                          ? fmt::format("yes, in steps of {} ns", device.stamp_resolution_ns)
                          : std::string("no"));
  line("indirect dispatch", yes_or_no(device.can_dispatch_indirect));
  line("conditional dispatch", yes_or_no(device.can_dispatch_conditionally));
  line("images", yes_or_no(device.takes_images));
  line("free grids", device.takes_free_grids ? "yes: offsets, groups of the driver's choice"
                                             : "no: groups that begin at 0, of a given size");
  line("groups not full", yes_or_no(device.takes_partial_groups));
  line("overlaps commands", yes_or_no(device.wants_barriers));
}

void print_unavailable(const std::vector<DeviceInfo>& list) {
  bool first = true;
  for (const DeviceInfo& device : list) {
    if (device.available()) continue;
    if (first) fmt::print("\n{}\n", bold("Can't be opened"));
    first = false;
    fmt::print("  {}{}: {}\n", device.id.empty() ? device.backend : device.id,
               device.name.empty() ? "" : " (" + printable(device.name) + ")",
               printable(device.unavailable));
  }
}

int run(const Options& options) {
  const std::vector<DeviceInfo> list = devices();
  if (options.json) {
    print_json(list);
    return done;
  }
  print_table(list);
  if (options.verbose)
    for (const DeviceInfo& device : list)
      if (device.available()) print_details(device);
  print_unavailable(list);
  return done;
}

}  // namespace

void add_devices(CommandLine& line) {
  auto options = std::make_shared<Options>();  // lives as long as the action
  Verb verb =
      line.add_verb("devices", "List the devices of this machine, and why others can't be opened");
  verb.footer(
      "The id, or part of the name after the backend, is what REEL_DEVICE and reel::open_device\n"
      "take: host, opencl:0, vulkan:llvmpipe.");
  const Option json =
      verb.add_flag("--json", options->json, "Print JSON: each device with every field");
  verb.add_flag("-v,--verbose", options->verbose, "Show limits and kernel forms of each device")
      .excludes(json);
  verb.action([options] { return run(*options); });
}

}  // namespace reel::cli
