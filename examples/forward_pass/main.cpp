// forward_pass - generates tokens with a small random decoder, on any device, in three modes, and
// checks that all of them agree.
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <exception>
#include <string>
#include <string_view>
#include <vector>

#include "report.hpp"

namespace {

using namespace forward_pass;

struct Options {
  Sizes sizes;
  std::vector<std::string> devices;
  std::string mode = "all";
  bool demo = false, json = false;
};

// One line on a terminal, which the next one replaces.
void progress(std::string_view what) {
  if (isatty(STDERR_FILENO))
    std::fprintf(stderr, "\r\033[K%.*s", static_cast<int>(what.size()), what.data());
}

std::vector<Mode> modes_of(const std::string& name) {
  if (name == "all") return {std::begin(all_modes), std::end(all_modes)};
  for (const Mode mode : all_modes)
    if (name == to_string(mode)) return {mode};
  return {};  // the flag takes no other names
}

void run_on(const reel::Device& device, const Options& options, Report& report) {
  const reel::DeviceInfo& info = device.info();
  progress(info.id + ": compiling kernels, making weights");
  const reel::ops::Ops ops(device);
  const Model model(device, options.sizes);
  const Decoder decoder(device, model, ops);
  report.weight_bytes = model.weight_bytes();
  const auto first_token =
      static_cast<std::uint32_t>(options.sizes.seed % options.sizes.vocabulary);
  for (const Mode mode : modes_of(options.mode)) {
    progress(info.id + ": " + to_string(mode));
    report.entries.push_back(
        {info, mode, run(device, decoder, ops, mode, first_token, options.sizes.tokens)});
  }
  progress("");
}

Report run_all(const Options& options) {
  Report report;
  report.sizes = options.sizes;
  if (options.demo) {
    std::vector<reel::DeviceInfo> found = reel::devices();
    // The host is the reference, so it comes first.
    std::stable_partition(found.begin(), found.end(),
                          [](const reel::DeviceInfo& info) { return info.backend == "host"; });
    for (const reel::DeviceInfo& info : found)
      if (info.available())
        run_on(reel::open_device(info.id), options, report);
      else
        report.unavailable.push_back(info);
  } else {
    for (const std::string& name : options.devices)
      run_on(reel::open_device(name), options, report);
  }
  return report;
}

}  // namespace

int main(int argc, char** argv) try {
  Options options;
  Sizes& sizes = options.sizes;
  CLI::App app("Generates tokens with seeded random weights, and compares modes and devices.");
  app.add_option("--device", options.devices,
                 "host, opencl, opencl:0, vulkan:llvmpipe, ...; may be "
                 "given again; the first is what the others are compared with");
  app.add_option("--mode", options.mode, "how passes run")
      ->check(CLI::IsMember({"direct", "recorded", "graph", "all"}))
      ->capture_default_str();
  app.add_flag("--demo", options.demo, "every device found, host first")->excludes("--device");
  app.add_flag("--json", options.json, "print JSON in place of the table");
  app.add_option("--layers", sizes.layers)->capture_default_str();
  app.add_option("--dim", sizes.dim)->capture_default_str();
  app.add_option("--heads", sizes.heads)->capture_default_str();
  app.add_option("--kv-heads", sizes.kv_heads, "heads of keys and values")->capture_default_str();
  app.add_option("--hidden", sizes.hidden, "size of the feed-forward layer")->capture_default_str();
  app.add_option("--vocab", sizes.vocabulary)->capture_default_str();
  app.add_option("--tokens", sizes.tokens, "how many to generate")->capture_default_str();
  app.add_option("--seed", sizes.seed)->capture_default_str();
  app.add_flag("--quantised", sizes.quantised, "weights of 8 bits");
  CLI11_PARSE(app, argc, argv);
  if (options.devices.empty()) options.devices.emplace_back();  // $REEL_DEVICE, else the best

  check(sizes);
  const Report report = run_all(options);
  if (options.json)
    print_json(report);
  else
    print_table(report, isatty(STDOUT_FILENO));
  return report.good() ? 0 : 1;
} catch (const std::exception& error) {
  progress("");
  std::fprintf(stderr, "forward_pass: %s\n", error.what());
  return 2;
}
