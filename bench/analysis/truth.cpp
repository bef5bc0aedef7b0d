// truth.cpp - are conclusions true? Programs with a known fault are recorded, and what the analysis
// says of them is held against it.
//
// Three questions, for each device: how much of the idle time that was injected gets its cause; how
// often two runs of the same program are called different; how often a kernel that was made slower,
// or faster, is found and named first. Prints tables; docs/analysis.md has those of one machine.
// Ends with 1 when something went wrong, never because an aim was missed.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <map>
#include <sstream>
#include <stdexcept>

#include "reel/diff.hpp"
#include "shared/another_program.hpp"
#include "shared/capture_file.hpp"
#include "shared/harness.hpp"
#include "shared/rounds.hpp"
#include "truth_programs.hpp"

namespace bench {
namespace {

struct Options {
  std::vector<std::string> devices = {"host", "opencl"};
  int runs = 20, pairs = 100;
  std::vector<int> pass_counts = {5, 20, 40};
  bool quick = false;
  std::string only;    // "idle" or "diff"
  std::string record;  // what AnotherProgram is started with: the document
  TruthProgram program;
};

std::vector<Injected> record_in_another(const TruthProgram& program, const std::string& document) {
  AnotherProgram other({"--record", document, "--program", program.name, "--device", program.device,
                        "--passes", std::to_string(program.passes), "--kernel-rounds",
                        std::to_string(program.rounds), "--slowdown",
                        fmt::format("{:.6f}", program.slowdown)});
  std::vector<Injected> injected;
  for (;;) {
    const std::string line = other.line();
    if (line == "done") return injected;
    Injected one;
    if (!(std::istringstream(line) >> one.begin_ns >> one.end_ns))
      throw std::runtime_error("Another process, running '" + program.name + "', said '" + line +
                               "'.");
    injected.push_back(one);
  }
}

int record_here(const Options& options) {
  TruthProgram program = options.program;
  program.device = options.devices.at(0);
  for (const Injected& one : record(program, options.record))
    fmt::print("{} {}\n", one.begin_ns, one.end_ns);
  fmt::print("done\n");
  return 0;
}

// --- causes
// ---------------------------------------------------------------------------------------

struct Attributed {
  double injected_ns = 0, told_ns = 0;
  std::map<std::string, double> by_cause;
};

std::uint64_t overlap(const reel::analysis::Gap& gap, const Injected& part) {
  const std::uint64_t begin = std::max(gap.begin_ns, part.begin_ns);
  const std::uint64_t end = std::min(gap.end_ns, part.end_ns);
  return end > begin ? end - begin : 0;
}

// Of the time in which the device was idle and the program did what was injected. What recording
// took meanwhile was not injected.
Attributed idle_told(const reel::Trace& trace, const Truth& truth,
                     const std::vector<Injected>& injected, const std::string& device) {
  Attributed found;
  const reel::analysis::Report report = reel::analyze(trace);
  for (const reel::analysis::Gap& gap : report.activity.gaps) {
    if (trace.devices()[gap.device].backend != device.substr(0, device.find(':'))) continue;
    const std::string cause = to_string(gap.cause);
    if (cause == "capture") continue;
    double ns = 0;
    for (const Injected& part : injected)
      // Before the command that was enqueued last has started, the device is idle for that reason.
      if (trace.commands()[gap.after].call_begin_ns >= part.begin_ns)
        ns += static_cast<double>(overlap(gap, part));
    found.injected_ns += ns;
    found.by_cause[cause] += ns;
    if (std::ranges::find(truth.causes, cause) != truth.causes.end()) found.told_ns += ns;
  }
  return found;
}

// A finding that must be there. Of copies, how much of their time it says could be saved.
Attributed finding_told(const reel::Trace& trace, const Truth& truth) {
  Attributed found;
  if (truth.finding == std::string("race")) found.injected_ns = 1;
  for (const reel::TraceCommand& command : trace.commands())
    if (trace.text(trace.work_of(command).label) == "upload again")
      found.injected_ns += static_cast<double>(command.run_ns());
  for (const reel::analysis::Finding& finding : reel::find_insights(trace, reel::analyze(trace)))
    if (finding.id == truth.finding || (finding.id == "upload.dup" && found.told_ns == 0))
      found.told_ns =
          truth.finding == std::string("race")
              ? 1
              : std::max(found.told_ns, static_cast<double>(finding.saving_ns.value_or(0)));
  return found;
}

void print_causes(const Options& options, const std::string& device, std::uint32_t rounds) {
  fmt::print(
      "\n| injected, on {} | lost in a run | told as its cause, median of {} runs | least |"
      " told otherwise |\n|---|---:|---:|---:|---|\n",
      device, options.runs);
  for (const Truth& truth : truths()) {
    std::vector<double> lost, shares;
    std::map<std::string, double> otherwise;
    double all = 0;
    for (int run = 0; run < options.runs; ++run) {
      const CaptureFile file;
      TruthProgram program{.name = truth.name, .device = device, .rounds = rounds};
      if (program.name == "build") program.passes = 4;  // of a tenth of a second each
      const std::vector<Injected> injected = record_in_another(program, file.path());
      const reel::Trace trace = reel::Trace::load(file.path());
      const Attributed found = truth.causes.empty() ? finding_told(trace, truth)
                                                    : idle_told(trace, truth, injected, device);
      lost.push_back(found.injected_ns);
      if (found.injected_ns > 0) shares.push_back(100 * found.told_ns / found.injected_ns);
      for (const auto& [cause, ns] : found.by_cause) otherwise[cause] += ns;
      all += found.injected_ns;
    }
    std::string others;
    for (const auto& [cause, ns] : otherwise)
      if (std::ranges::find(truth.causes, cause) == truth.causes.end() && ns > all / 200)
        others += fmt::format("{}{} {:.1f} %", others.empty() ? "" : ", ", cause, 100 * ns / all);
    const std::string size = truth.finding == std::string("race")
                                 ? "-"
                                 : fmt::format("{:.2f} ms", quartiles(lost).median / 1e6);
    if (shares.empty())
      fmt::print("| {} | {} | nothing was lost | | |\n", truth.what, size);
    else
      fmt::print("| {} | {} | {:.1f} % | {:.1f} % | {} |\n", truth.what, size,
                 quartiles(shares).median, std::ranges::min(shares), others);
    std::fflush(stdout);
  }
}

// --- differences
// ----------------------------------------------------------------------------------

struct Tally {
  int pairs = 0, found = 0, named_first = 0, wrong = 0;
};

// `slowdown` 1: nothing may be found. Else 'work' must be, in the right direction.
void count(Tally& tally, const reel::analysis::TraceDiff& diff, double slowdown) {
  ++tally.pairs;
  tally.found += diff.differs();
  for (const reel::analysis::DiffKernel& kernel : diff.kernels) {
    const bool is_work = kernel.name == "work" && slowdown != 1;
    if (kernel.time.significant && !(is_work && (kernel.time.delta_ns() > 0) == (slowdown > 1))) {
      ++tally.wrong;
      break;
    }
  }
  const reel::analysis::DiffKernel& first = diff.kernels.at(0);
  tally.named_first += first.name == "work" && first.time.significant &&
                       diff.cause.find('\'') == diff.cause.find("'work'") &&
                       diff.cause.find("'work'") != std::string::npos;
}

// Runs follow each other as those that people compare do: before, before again, then each change.
void print_differences(const Options& options, const std::string& device, std::uint32_t rounds) {
  const std::vector<double> changes{1, 1.05, 1.1, 1.2, 1 / 1.1};
  const std::vector<int>& passes = options.pass_counts;
  std::vector<std::vector<Tally>> tallies(passes.size(), std::vector<Tally>(changes.size()));
  for (int pair = 0; pair < options.pairs; ++pair)
    for (std::size_t p = 0; p < passes.size(); ++p) {
      const auto run = [&](double slowdown) {
        const CaptureFile file;
        record_in_another({.name = "pass",
                           .device = device,
                           .passes = passes[p],
                           .rounds = rounds,
                           .slowdown = slowdown},
                          file.path());
        return reel::Trace::load(file.path());
      };
      reel::Trace before = run(1);
      for (std::size_t c = 0; c < changes.size(); ++c) {
        const reel::Trace after = run(changes[c]);
        count(tallies[p][c], reel::diff(before, after), changes[c]);
        if (c == 0) before = after;  // what is nearest in time is compared
      }
    }
  fmt::print(
      "\n| 'work', half of the time, on {} | passes | called different | named first |"
      " something else named |\n|---|---:|---:|---:|---:|\n",
      device);
  for (std::size_t c = 0; c < changes.size(); ++c)
    for (std::size_t p = 0; p < passes.size(); ++p) {
      const Tally& tally = tallies[p][c];
      const auto part = [&](int count) { return 100.0 * count / tally.pairs; };
      fmt::print("| {} | {} | {:.0f} % | {} | {:.0f} % |\n",
                 changes[c] == 1 ? "as before" : fmt::format("{:+.1f} %", 100 * (changes[c] - 1)),
                 passes[p], part(tally.found),
                 changes[c] == 1 ? "-" : fmt::format("{:.0f} %", part(tally.named_first)),
                 part(tally.wrong));
    }
  std::fflush(stdout);
}

int measure_all(Options options) {
  if (!options.record.empty()) return record_here(options);
  if (options.quick) options.runs = options.pairs = 2;
  for (const std::string& device : options.devices) {
    const std::uint32_t rounds = calibrate(device);
    fmt::print("\n=== {}: {} rounds of the busy loop are 100 us\n", device, rounds);
    if (options.only != "diff") print_causes(options, device, rounds);
    if (options.only != "idle") print_differences(options, device, rounds);
  }
  return 0;
}

}  // namespace
}  // namespace bench

int main(int argc, char** argv) {
  bench::Options options;
  CLI::App app("How much of what is known about a program the analysis tells.");
  app.add_option("--device", options.devices, "Devices to measure")->capture_default_str();
  app.add_option("--runs", options.runs, "Of each program with idle time")
      ->capture_default_str()
      ->check(CLI::Range(1, 1000));
  app.add_option("--pairs", options.pairs, "Of runs that are compared")
      ->capture_default_str()
      ->check(CLI::Range(1, 10'000));
  app.add_option("--pass-counts", options.pass_counts, "Of runs that are compared")
      ->capture_default_str();
  app.add_option("--only", options.only, "One of the two parts")
      ->check(CLI::IsMember({"idle", "diff"}));
  app.add_flag("--quick", options.quick, "Two runs of each: to see that everything works");
  app.add_option("--record", options.record)->group("");
  app.add_option("--program", options.program.name)->group("");
  app.add_option("--passes", options.program.passes)->group("");
  app.add_option("--kernel-rounds", options.program.rounds)->group("");
  app.add_option("--slowdown", options.program.slowdown)->group("");
  return bench::run_program(app, argc, argv, "truth", [&] { return bench::measure_all(options); });
}
