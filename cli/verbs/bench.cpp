// bench.cpp - `reel bench`: how fast the devices of this machine are, in some ten seconds.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <optional>
#include <reel/error.hpp>
#include <thread>

#include "cli/benching/device_bench.hpp"
#include "cli/showing/progress.hpp"
#include "cli/showing/table.hpp"
#include "cli/trace_input.hpp"
#include "cli/verbs.hpp"
#include "reel/peaks.hpp"
#include "reel/units.hpp"

namespace reel::cli {
namespace {

struct Options {
  std::vector<std::string> devices;
  std::uint32_t seconds = 10;
  bool json = false, save = false;
};

struct Benched {
  DeviceInfo info;
  std::optional<DeviceBench> bench = {};
  std::string error = {};
};

std::string time_of(double ns) { return time_text(static_cast<std::uint64_t>(ns + 0.5)); }
std::string bandwidth(double bytes_per_s) { return fmt::format("{:.2f} GB/s", bytes_per_s / 1e9); }
std::string rate(double flops) { return fmt::format("{:.2f} GFLOP/s", flops / 1e9); }
std::string share(double part, double whole) {
  return whole > 0 ? fmt::format("{:.0f}% of peak", 100 * part / whole) : "-";
}

// The devices that can be opened, or those that were named.
std::vector<DeviceInfo> chosen(const Options& options) {
  std::vector<DeviceInfo> list;
  for (const std::string& name : options.devices) list.push_back(open_device(name).info());
  if (!list.empty()) return list;
  for (DeviceInfo& device : devices())
    if (device.available()) list.push_back(std::move(device));
  return list;
}

void print(const std::vector<Benched>& list) {
  for (const Benched& one : list) {
    fmt::print("{}  {}\n", bold(one.info.id), dim(printable(one.info.name)));
    if (!one.bench) {
      fmt::print("  {}\n\n", toned(Tone::bad, printable(one.error)));
      continue;
    }
    const DeviceBench& b = *one.bench;
    const auto line = [](const char* what, const std::string& value, const std::string& remark) {
      fmt::print("  {:<22}{:>16}{}\n", what, value, remark.empty() ? "" : "  " + remark);
    };
    line("launch, round trip", time_of(b.round_trip_ns), "");
    line("launch, one of many", time_of(b.launch_ns), "");
    line("host to device", bandwidth(b.write_bytes_per_s), "");
    line("device to host", bandwidth(b.read_bytes_per_s), "");
    line("copy on the device", bandwidth(b.copy_bytes_per_s),
         share(b.copy_bytes_per_s, b.peak_bytes_per_s()));
    line("kernel: 2x + y", bandwidth(b.triad_bytes_per_s),
         share(b.triad_bytes_per_s, b.peak_bytes_per_s()));
    line("kernel: multiply-add", rate(b.fma_flops), share(b.fma_flops, b.peak_flops()));
    line("kernel: plain matmul", rate(b.matmul_flops), share(b.matmul_flops, b.peak_flops()));
    fmt::print("\n");
  }
  fmt::print("{}\n", dim("Medians. Peak: the best that was measured here of its kind."));
}

Json json_of(const std::vector<Benched>& list) {
  Json json{{"schema_version", 1},
            {"reel", REEL_VERSION},
            {"processors", std::thread::hardware_concurrency()},
            {"devices", Json::array()}};
  for (const Benched& one : list) {
    Json device{{"id", one.info.id},
                {"name", one.info.name},
                {"driver", one.info.driver},
                {"driver_version", one.info.driver_version},
                {"error", one.error.empty() ? Json() : Json(one.error)}};
    if (const auto& b = one.bench) {
      device["round_trip_ns"] = b->round_trip_ns;
      device["launch_ns"] = b->launch_ns;
      device["write_bytes_per_s"] = b->write_bytes_per_s;
      device["read_bytes_per_s"] = b->read_bytes_per_s;
      device["copy_bytes_per_s"] = b->copy_bytes_per_s;
      device["triad_bytes_per_s"] = b->triad_bytes_per_s;
      device["peak_bytes_per_s"] = b->peak_bytes_per_s();
      device["fma_flops"] = b->fma_flops;
      device["matmul_flops"] = b->matmul_flops;
      device["peak_flops"] = b->peak_flops();
    }
    json["devices"].push_back(std::move(device));
  }
  return json;
}

// What findings hold kernels against from now on.
void save(const std::vector<Benched>& list) {
  const std::chrono::year_month_day day{
      std::chrono::floor<std::chrono::days>(std::chrono::system_clock::now())};
  const std::string today =
      fmt::format("{:04}-{:02}-{:02}", static_cast<int>(day.year()),
                  static_cast<unsigned>(day.month()), static_cast<unsigned>(day.day()));
  std::vector<DevicePeaks> peaks;
  for (const Benched& one : list)
    if (one.bench)
      peaks.push_back({.name = one.info.name,
                       .driver = one.info.driver,
                       .driver_version = one.info.driver_version,
                       .measured = today,
                       .bytes_per_s = one.bench->peak_bytes_per_s(),
                       .flops = one.bench->peak_flops(),
                       .launch_ns = one.bench->launch_ns,
                       .round_trip_ns = one.bench->round_trip_ns});
  if (peaks.empty()) return;
  const std::string path = peaks_path();
  save_peaks(path, peaks);
  fmt::print(stderr, "reel: saved to {}: findings about documents of these devices use it\n",
             printable(path));
}

// Opening a device and building its first kernel counts: ten seconds are ten seconds.
int run(const Options& options) {
  const auto begin = std::chrono::steady_clock::now();
  const std::vector<DeviceInfo> list = chosen(options);
  const auto left = [&] {
    const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - begin;
    return std::max(0.0, static_cast<double>(options.seconds) - passed.count());
  };
  std::vector<Benched> results;
  {
    Progress progress("Measuring");
    for (const DeviceInfo& info : list) {
      Benched one{.info = info};
      try {
        const double seconds = left() / static_cast<double>(list.size() - results.size());
        one.bench = measure(open_device(info.id), seconds, [&](std::string_view what) {
          progress.show(fmt::format("{}: {}", info.id, what));
        });
      } catch (const Error& error) {
        one.error = error.what();
      }
      results.push_back(std::move(one));
    }
  }
  if (options.json)
    print_json(json_of(results));
  else
    print(results);
  if (options.save) save(results);
  const bool all_measured =
      std::ranges::all_of(results, [](const Benched& one) { return one.bench.has_value(); });
  return all_measured ? done : failed;
}

}  // namespace

void add_bench(CommandLine& line) {
  auto options = std::make_shared<Options>();
  Verb verb =
      line.add_verb("bench", "Measure the devices of this machine: launches, memory, arithmetic");
  verb.add_option("--device", options->devices, "Only this device; as often as you like")
      .one_value_each()
      .type_name("DEVICE");
  verb.add_option("--seconds", options->seconds, "Time for all devices together, some more or less")
      .between(1, 3600)
      .show_default()
      .type_name("SECONDS");
  verb.add_flag("--json", options->json,
                "Print JSON, to compare machines: one object with schema_version 1");
  verb.add_flag("--save", options->save,
                "Keep the peaks for findings: $XDG_CACHE_HOME/reel/peaks.json, ~/.cache without");
  verb.footer(
      "Every number is a median, and every result is checked: a device that computes wrongly is "
      "an\n"
      "error, and the others are measured all the same. Rates are held against the best of their\n"
      "kind that was measured on that device, not against a data sheet. With --save, `reel "
      "insights`,\n"
      "the page and Python hold kernels and launches of documents against these numbers, where "
      "the\n"
      "document's device has the same name, driver and driver version.\n\n"
      "Examples:\n"
      "  reel bench\n"
      "  reel bench --device vulkan --seconds 3\n"
      "  reel bench --save\n"
      "  reel bench --json > machine.json");
  verb.action([options] { return run(*options); });
}

}  // namespace reel::cli
