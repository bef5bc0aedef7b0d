#include "sittings.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <sstream>

#include "measured_process.hpp"
#include "rounds.hpp"

namespace bench {
namespace {

constexpr const char* orders = "BENCH_SITTING";  // "<device>;<file for the results>"

// All samples of a mode, one a process.
struct Sampled {
  std::vector<double> cpu_ns, wall_ns, cpu_ratio, wall_ratio;
  std::vector<std::vector<double>> aims;
};
struct SampledGroup {
  GroupResult result;
  std::vector<Sampled> modes;
};

double median_in(const nlohmann::json& quartiles) {
  const nlohmann::json& median = quartiles.at("median");
  return median.is_null() ? 0 : median.get<double>();  // of a clock that nobody looked at
}

void add(const nlohmann::json& found, ModeResult& mode, Sampled& sampled) {
  mode.note = found.at("note");
  mode.passes += found.at("passes").get<std::uint64_t>();
  if (mode.wrong.empty()) mode.wrong = found.at("wrong");
  sampled.cpu_ns.push_back(median_in(found.at("cpu_ns_per_node")));
  sampled.wall_ns.push_back(median_in(found.at("wall_ns_per_node")));
  sampled.cpu_ratio.push_back(median_in(found.at("cpu_ratio")));
  sampled.wall_ratio.push_back(median_in(found.at("wall_ratio")));
  mode.figures.clear();
  for (const auto& figure : found.at("figures"))
    mode.figures.push_back({figure.at("name"), median_in({{"median", figure.at("found")}}),
                            figure.at("at_most").get<double>()});
  const auto& aims = found.at("aims");
  sampled.aims.resize(aims.size());
  mode.verdicts.resize(aims.size());
  for (std::size_t i = 0; i < aims.size(); ++i) {
    sampled.aims[i].push_back(median_in(aims[i].at("found")));
    const Clock clock = aims[i].at("clock") == "cpu" ? Clock::cpu : Clock::wall;
    mode.verdicts[i] = verdict_of(
        {aims[i].at("against"), aims[i].at("at_most").get<double>(), clock}, sampled.aims[i]);
  }
  mode.cpu_ns = quartiles(sampled.cpu_ns);
  mode.wall_ns = quartiles(sampled.wall_ns);
  mode.cpu_ratio = quartiles(sampled.cpu_ratio);
  mode.wall_ratio = quartiles(sampled.wall_ratio);
}

void add(const nlohmann::json& found, SampledGroup& group) {
  const auto& modes = found.at("modes");
  group.result.device = found.at("device");
  group.result.name = found.at("name");
  group.result.nodes = found.at("nodes");
  group.result.rounds = found.at("rounds");
  ++group.result.processes;
  group.result.modes.resize(modes.size());
  group.modes.resize(modes.size());
  for (std::size_t m = 0; m < modes.size(); ++m) {
    group.result.modes[m].name = modes[m].at("name");
    add(modes[m], group.result.modes[m], group.modes[m]);
  }
}

bool is_decided(const SampledGroup& group) {
  return std::ranges::all_of(group.result.modes, [](const ModeResult& mode) {
    return std::ranges::all_of(mode.verdicts, &Verdict::decided);
  });
}

std::vector<std::string> own_words() {
  std::ifstream file("/proc/self/cmdline", std::ios::binary);
  std::vector<std::string> words;
  for (std::string word; std::getline(file, word, '\0');) words.push_back(word);
  words.front() = std::filesystem::read_symlink("/proc/self/exe");
  return words;
}

}  // namespace

void take_orders(RunOptions& options) {
  const char* text = std::getenv(orders);
  if (!text) return;
  std::istringstream from(text);
  options.devices.resize(1);
  std::getline(from, options.devices[0], ';');
  std::getline(from, options.json);
  options.sittings = 1;
  options.is_sitting = true;
  options.harness.rounds = std::min(options.harness.rounds, 3);
  options.harness.deciding_seconds = 0;
}

std::vector<GroupResult> measure_in_sittings(const std::string& device, const RunOptions& options) {
  std::vector<SampledGroup> groups;
  const std::vector<std::string> words = own_words();
  const std::string file =
      (std::filesystem::temp_directory_path() / fmt::format("reel_sitting_{}.json", getpid()))
          .string();
  const bool is_watched = isatty(STDERR_FILENO) != 0;
  int sitting = 0;
  const auto sit = [&] {
    if (is_watched) fmt::print(stderr, "\r{}: process {} ", device, ++sitting);
    run_process(words, {fmt::format("{}={};{}", orders, device, file)});
    std::ifstream from(file);
    const nlohmann::json found = nlohmann::json::parse(from).at("groups");
    groups.resize(found.size());
    for (std::size_t i = 0; i < found.size(); ++i) add(found[i], groups[i]);
  };
  sit();  // tells how many groups may take how long to be decided
  HarnessOptions more = options.harness;
  more.rounds = options.sittings - 1;
  more.deciding_seconds *= static_cast<double>(groups.size());
  measure_more_while_open(more, sit, [&] { return std::ranges::all_of(groups, is_decided); });
  if (is_watched) fmt::print(stderr, "\r{:60}\r", "");
  std::filesystem::remove(file);

  std::vector<GroupResult> results;
  for (SampledGroup& group : groups) results.push_back(std::move(group.result));
  return results;
}

}  // namespace bench
