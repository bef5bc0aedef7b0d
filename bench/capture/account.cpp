// account.cpp - is what a document says that its capture took what it really took?
//
// Programs are run bare and captured, in turn, and what the capture added to the process's CPU time
// and to the time on the wall is compared with the rows of /overheads. Programs of OpenCL are also
// run bare with what a capture needs of the driver, a queue with stamps and an event for each
// kernel: what that costs is the driver's, and no capture can know it. Ends with 1 when a result
// was wrong, never because of a ratio: see docs/benchmarks.md.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <functional>
#include <map>

#include "reel/device.hpp"
#include "reel/trace_totals.hpp"
#include "shared/capture_file.hpp"
#include "shared/measured_process.hpp"
#include "shared/rounds.hpp"

namespace bench {
namespace {

struct Options {
  int rounds = 15;
  bool quick = false;
  std::string pocl = "basic";
  std::vector<std::string> cases;  // empty: all
};

std::filesystem::path beside(const char* name) {
  return std::filesystem::read_symlink("/proc/self/exe").parent_path() / name;
}

struct Case {
  std::string device;  // empty: a program of OpenCL under the layer; else of this library
  std::string work;
  std::uint32_t count;
  std::string contents = "inputs";
};

std::string name_of(const Case& one) {
  return fmt::format("{} {} {}{}", one.device.empty() ? "layer" : one.device, one.count, one.work,
                     one.contents == "all" ? ", contents all" : "");
}

// What a document says, in nanoseconds.
struct Told {
  double calls = 0;     // on the program's threads
  double contents = 0;  // there, too
  double start_stop = 0;
  double waiting = 0;
  double reading = 0;
  double writing = 0;
  double cpu() const { return calls + contents + start_stop + reading + writing; }
  double wall() const { return calls + contents + start_stop + reading + waiting; }
};

Told told_by(const std::string& document) {
  using reel::OverheadKind;
  const auto ns = reel::overhead_ns(reel::TraceTotals::load(document).overheads);
  const auto of = [&](OverheadKind kind) {
    return static_cast<double>(ns[static_cast<std::size_t>(kind)]);
  };
  return {of(OverheadKind::commands),
          of(OverheadKind::inputs) + of(OverheadKind::checks),
          of(OverheadKind::starting) + of(OverheadKind::stopping),
          of(OverheadKind::waiting),
          of(OverheadKind::reading),
          of(OverheadKind::writing)};
}

enum How : std::uint8_t { bare, with_events, captured };

class Account {
 public:
  Account(Case one, const Options& options) : case_(std::move(one)), options_(options) {}

  void round(int number) {
    std::map<How, ProcessResult> of;
    const int ways = case_.device.empty() ? 3 : 2;
    for (int i = 0; i < ways; ++i) {
      const int turn = (i + number) % ways;
      const How how = turn == 0 ? bare : turn == ways - 1 ? captured : with_events;
      of[how] = run(how);
    }
    if (number < 0) return;  // to warm up
    const auto result = [](const ProcessResult& process) {
      return process.output.substr(process.output.find_last_of(' ') + 1);
    };
    if (result(of[bare]) != result(of[captured]))
      wrong_ = fmt::format("its results gave {}, bare {}", result(of[captured]), result(of[bare]));
    const Spent &base = of[bare].spent, &all = of[captured].spent;
    const double driver = ways == 3 ? of[with_events].spent.cpu_ns - base.cpu_ns : 0;
    told_.push_back(told_by(file_.path()));
    bare_cpu_.push_back(base.cpu_ns);
    added_cpu_.push_back(all.cpu_ns - base.cpu_ns);
    added_wall_.push_back(all.wall_ns - base.wall_ns);
    driver_cpu_.push_back(driver);
  }

  const std::string& wrong() const { return wrong_; }

  void print() const {
    const auto median_of = [&](const std::function<double(const Told&)>& part) {
      std::vector<double> values;
      for (const Told& told : told_) values.push_back(part(told) / 1e6);
      return quartiles(values).median;
    };
    const auto ms = [](std::vector<double> values) {
      for (double& value : values) value /= 1e6;
      return quartiles(values);
    };
    const Quartiles cpu = ms(added_cpu_), wall = ms(added_wall_), driver = ms(driver_cpu_);
    const double told_cpu = median_of([](const Told& told) { return told.cpu(); });
    const double told_wall = median_of([](const Told& told) { return told.wall(); });
    fmt::print(
        "{:<36} CPU  {:>7.1f} {:>8.1f} [{:.1f}–{:.1f}] {:>7.1f} [{:.1f}–{:.1f}] {:>8.1f} {:>7.2f} "
        "{:>7.2f}\n",
        name_of(case_), ms(bare_cpu_).median, cpu.median, cpu.low, cpu.high, driver.median,
        driver.low, driver.high, told_cpu, told_cpu / cpu.median,
        told_cpu / (cpu.median - driver.median));
    fmt::print("{:<36} wall         {:>8.1f} [{:.1f}–{:.1f}] {:>19} {:>8.1f} {:>7.2f}\n", "",
               wall.median, wall.low, wall.high, "", told_wall, told_wall / wall.median);
    fmt::print(
        "    calls {:.1f}, contents {:.1f}, start and stop {:.1f}, devices reading {:.1f}, "
        "waiting {:.1f}, writing {:.1f}\n",
        median_of([](const Told& told) { return told.calls; }),
        median_of([](const Told& told) { return told.contents; }),
        median_of([](const Told& told) { return told.start_stop; }),
        median_of([](const Told& told) { return told.reading; }),
        median_of([](const Told& told) { return told.waiting; }),
        median_of([](const Told& told) { return told.writing; }));
    std::fflush(stdout);
  }

 private:
  ProcessResult run(How how) const {
    if (how == captured)
      std::filesystem::remove(
          file_.path());  // giving back the pages of a large file takes its time
    std::vector<std::string> settings{"LP_NUM_THREADS=0"};
    if (!options_.pocl.empty()) settings.push_back("POCL_DEVICES=" + options_.pocl);
    const std::string count = fmt::to_string(case_.count);
    std::vector<std::string> words;
    if (case_.device.empty()) {
      words = {beside("layer_work"), case_.work, count};
      if (how == with_events) settings.push_back("LAYER_WORK_EVENTS=1");
      if (how == captured)
        settings.insert(
            settings.end(),
            {fmt::format("OPENCL_LAYERS={}", beside("../lib/libreel_layer.so").string()),
             "REEL_CAPTURE_ENABLED=1", "REEL_LAYER_CAPTURE=" + file_.path(),
             "REEL_CAPTURE_CONTENTS=" + case_.contents});
    } else {
      words = {beside("account_work"), case_.device, case_.work, count};
      if (how == captured) words.insert(words.end(), {file_.path(), case_.contents});
    }
    return run_process(words, settings);
  }

  Case case_;
  const Options& options_;
  CaptureFile file_;
  std::string wrong_;
  std::vector<Told> told_;
  std::vector<double> bare_cpu_, added_cpu_, added_wall_, driver_cpu_;
};

std::vector<Case> cases() {
  std::vector<Case> all{
      {"", "small", 400'000},     {"", "arguments", 200'000}, {"", "small", 20'000, "all"},
      {"", "writes", 300},        {"", "maps", 400},          {"", "large", 100, "all"},
      {"", "allocations", 60'000}};
  for (const reel::DeviceInfo& info : reel::devices()) {
    if (!info.available()) continue;
    const bool is_slow = info.backend == "vulkan";
    all.push_back({info.id, "small", is_slow ? 20'000u : 400'000u});
    all.push_back({info.id, "writes", 300});
    all.push_back({info.id, "allocations", is_slow ? 10'000u : 60'000u});
  }
  return all;
}

int measure_all(const Options& options) {
  fmt::print(
      "Medians of {} rounds in milliseconds, [quartiles]. Added: captured less bare, of the same "
      "round.\nThe driver's: bare with stamps and events, less bare.\n\n{:<36}      {:>7} {:>16} "
      "{:>22} {:>10} {:>7} {:>7}\n",
      options.rounds, "", "bare", "really added", "of it the driver's", "document", "of all",
      "of ours");
  int wrong = 0;
  for (const Case& one : cases()) {
    const std::string name = name_of(one);
    if (!options.cases.empty() &&
        std::ranges::none_of(options.cases, [&](const std::string& asked) {
          return name.find(asked) != std::string::npos;
        }))
      continue;
    Case scaled = one;
    if (options.quick) scaled.count = std::max(1u, one.count / 20);
    Account account(scaled, options);
    for (int round = -1; round < options.rounds; ++round) account.round(round);
    account.print();
    if (account.wrong().empty()) continue;
    fmt::print("    WRONG: {}\n", account.wrong());
    wrong = 1;
  }
  return wrong;
}

}  // namespace
}  // namespace bench

int main(int argc, char** argv) {
  bench::Options options;
  CLI::App app("Is what a document says that its capture took what it really took?");
  app.add_option("--rounds", options.rounds, "Rounds of each case")->check(CLI::Range(1, 1000));
  app.add_option("--case", options.cases, "Cases whose names contain this; default: all");
  app.add_option("--pocl", options.pocl,
                 "Device of PoCL: basic runs kernels on the calling thread, so that times repeat; "
                 "pthread as programs have it");
  app.add_flag("--quick", options.quick, "Does everything work? A twentieth of the work, 2 rounds");
  return bench::run_program(app, argc, argv, "account", [&] {
    if (options.quick) options.rounds = 2;
    return bench::measure_all(options);
  });
}
