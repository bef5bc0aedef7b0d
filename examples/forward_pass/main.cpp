// forward_pass - generates tokens with a decoder, random or from a file, on any device, in three
// modes, and checks that all of them agree.
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <exception>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "report.hpp"
#include "tokens.hpp"
#include "weights/llama_weights.hpp"

namespace {

using namespace forward_pass;

struct Options {
  Sizes sizes;
  std::vector<std::string> devices;
  std::string mode = "all", weights, prompt;
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

// What is the same for all devices.
struct Task {
  Sizes sizes;
  std::optional<LlamaWeights> weights;
  std::optional<Tokens> tokens;  // where a text was given
  std::vector<std::uint32_t> prompt;
};

Task task_of(const Options& options) {
  Task task{options.sizes, std::nullopt, std::nullopt, {}};
  if (!options.weights.empty()) {
    task.weights.emplace(LlamaWeights::open(options.weights, options.sizes));
    task.sizes = task.weights->sizes();
  }
  if (!options.prompt.empty()) {
    task.tokens.emplace(task.weights ? task.weights->pieces() : std::vector<std::string>{},
                        task.sizes.vocabulary);
    task.prompt = task.tokens->of(options.prompt);
  } else {
    task.prompt = {static_cast<std::uint32_t>(task.sizes.seed % task.sizes.vocabulary)};
  }
  task.sizes.prompt = static_cast<std::uint32_t>(task.prompt.size());
  check(task.sizes);
  return task;
}

void run_on(const reel::Device& device, const Options& options, const Task& task, Report& report) {
  const reel::DeviceInfo& info = device.info();
  progress(info.id + ": compiling kernels, making weights");
  const reel::ops::Ops ops(device);
  const Model model(device, task.sizes, task.weights ? &*task.weights : nullptr);
  const Decoder decoder(device, model, ops);
  report.weight_bytes = model.weight_bytes();
  for (const Mode mode : modes_of(options.mode)) {
    progress(info.id + ": " + to_string(mode));
    report.entries.push_back({info, mode, run(device, decoder, ops, mode, task.prompt)});
  }
  progress("");
}

Report run_all(const Options& options) {
  const Task task = task_of(options);
  Report report;
  report.sizes = task.sizes;
  if (options.demo) {
    std::vector<reel::DeviceInfo> found = reel::devices();
    // The host is the reference, so it comes first.
    std::stable_partition(found.begin(), found.end(),
                          [](const reel::DeviceInfo& info) { return info.backend == "host"; });
    for (const reel::DeviceInfo& info : found)
      if (info.available())
        run_on(reel::open_device(info.id), options, task, report);
      else
        report.unavailable.push_back(info);
  } else {
    for (const std::string& name : options.devices)
      run_on(reel::open_device(name), options, task, report);
  }
  if (task.tokens && !report.entries.empty())
    report.text =
        task.tokens->text(std::span(report.entries.front().run.tokens).subspan(task.prompt.size()));
  return report;
}

}  // namespace

int main(int argc, char** argv) try {
  Options options;
  Sizes& sizes = options.sizes;
  CLI::App app(
      "Generates tokens with seeded random weights or those of a file, and compares modes and "
      "devices.");
  app.add_option("--device", options.devices,
                 "host, opencl, opencl:0, vulkan:llvmpipe, ...; may be "
                 "given again; the first is what the others are compared with");
  app.add_option("--mode", options.mode, "how passes run")
      ->check(CLI::IsMember({"direct", "recorded", "graph", "all"}))
      ->capture_default_str();
  app.add_flag("--demo", options.demo, "every device found, host first")->excludes("--device");
  app.add_flag("--json", options.json, "print JSON in place of the table");
  auto* weights = app.add_option(
      "--weights", options.weights,
      "a LLaMA-style model: .safetensors (with its config.json beside it) or .gguf, of F32, F16, "
      "BF16 or Q8_0");
  app.add_option(
      "--prompt", options.prompt,
      "a text to go on from, a token for each byte; without one it starts with one token");
  app.add_option("--heads", sizes.heads, "with --weights: where the file doesn't say")
      ->capture_default_str();
  const auto size = [&](const char* name, std::uint32_t& value, const char* what) {
    app.add_option(name, value, what)->capture_default_str()->excludes(weights);
  };
  size("--layers", sizes.layers, "");
  size("--dim", sizes.dim, "");
  size("--kv-heads", sizes.kv_heads, "heads of keys and values");
  size("--hidden", sizes.hidden, "size of the feed-forward layer");
  size("--vocab", sizes.vocabulary, "");
  app.add_option("--tokens", sizes.tokens, "how many to generate")->capture_default_str();
  app.add_option("--seed", sizes.seed)->capture_default_str();
  app.add_flag("--quantised", sizes.quantised, "weights of 8 bits");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : 2;  // CLI11 has a code of its own for each mistake
  }
  if (options.devices.empty()) options.devices.emplace_back();  // $REEL_DEVICE, else the best

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
