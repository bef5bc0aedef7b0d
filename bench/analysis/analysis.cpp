// analysis.cpp - what it costs to look at a large document: loading, analyzing, the page's data.
//
// Two documents of many commands are written, the second of a decoder whose attention reads all
// that earlier passes appended, and a process of its own goes through all steps, so that the most
// memory it ever had is theirs alone. Prints a table and which aims are met. Ends with 1 when
// something was wrong, never because something was slow: see docs/benchmarks.md.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <sstream>
#include <stdexcept>

#include "many_commands.hpp"
#include "reel/insights.hpp"
#include "reel/page.hpp"
#include "shared/another_program.hpp"
#include "shared/capture_file.hpp"
#include "shared/peak_memory.hpp"
#include "shared/rounds.hpp"

namespace bench {
namespace {

struct Options {
  RunOptions run{.harness = {.rounds = 5}};
  std::uint32_t commands = 1'000'000;
  std::string steps;
};

struct Step {
  const char* name;
  double most_cpu_ns, most_bytes;  // per command
};
// Loading and all of the analysis together: 2.5 s for a million commands, and 600 MB. For ten
// million: loading 3 s, analysis 15 s, and 4 GB.
constexpr double analysis_cpu_ns = 1500;
constexpr std::array steps{
    Step{"Trace::load", 300, 400}, Step{"analyze", 1500, 600}, Step{"find_insights", 600, 600},
    // The thread that goes on with dependencies counts here, too; what one waits for is the wall
    // time.
    Step{"first look of the page", 1000, 900}, Step{"all tables of the page", 1500, 900}};

// What the page asks for before it shows its Summary and its Timeline.
constexpr std::array first_look{"summary",  "kernels", "buffers", "texts",
                                "commands", "works",   "gaps"};

// What `--steps` does: goes through all of them, and prints a line for each.
int take_steps(const std::string& path) {
  Spent before = spent_so_far();
  const auto tell = [&](std::size_t result) {
    const Spent now = spent_so_far();
    fmt::print("{} {} {} {}\n", now.cpu_ns - before.cpu_ns, now.wall_ns - before.wall_ns,
               peak_bytes(), result);
    std::fflush(stdout);
    before = spent_so_far();
  };
  const reel::Trace trace = reel::Trace::load(path);
  tell(trace.commands().size());
  {
    const reel::analysis::Report report = reel::analyze(trace);
    tell(report.dependencies.size() + report.dependency_sets.size());
    const auto findings = reel::find_insights(trace, report);
    tell(findings.size());
  }
  const reel::PageData data(trace, {.in_background = true});
  std::size_t bytes = 0;
  for (const char* name : first_look)
    if (const auto resource = data.get(name)) bytes += resource->bytes.size();
  tell(bytes);
  bytes = 0;
  for (const std::string& name : data.names())
    if (const auto resource = data.get(name)) bytes += resource->bytes.size();
  tell(bytes);
  return 0;
}

struct Measured {
  std::vector<double> cpu, wall, peak;
  double result = 0;
};

GroupResult measure_document(const Options& options, bool decoder, int rounds) {
  const CaptureFile file;
  write_many_commands(file.path(), {.commands = options.commands, .decoder = decoder});
  std::array<Measured, steps.size()> measured;
  for (int round = 0; round < rounds; ++round) {
    AnotherProgram program({"--steps", file.path()});
    for (Measured& step : measured) {
      double cpu = 0, wall = 0, peak = 0;
      const std::string said = program.line();
      if (!(std::istringstream(said) >> cpu >> wall >> peak >> step.result))
        throw std::runtime_error("Another process, taking the steps, said '" + said + "'.");
      step.cpu.push_back(cpu / options.commands);
      step.wall.push_back(wall / options.commands);
      step.peak.push_back(peak);
    }
  }
  GroupResult group{"no device",
                    fmt::format("{} commands{}", options.commands, decoder ? " of a decoder" : ""),
                    options.commands,
                    {}};
  // What ten million may take is no more than this.
  constexpr double most_bytes = 4e9;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    ModeResult mode;
    mode.name = steps[i].name;
    mode.passes = measured[i].cpu.size();
    mode.cpu_ns = quartiles(measured[i].cpu);
    mode.wall_ns = quartiles(measured[i].wall);
    mode.cpu_ratio = mode.wall_ratio = {1, 1, 1};
    const double all = options.commands;
    mode.figures = {{"s CPU", mode.cpu_ns.median * all / 1e9, steps[i].most_cpu_ns * all / 1e9},
                    {"MB at most in memory so far", quartiles(measured[i].peak).median / 1e6,
                     std::min(steps[i].most_bytes * all, most_bytes) / 1e6}};
    if (i == 2)
      mode.figures.push_back({"s CPU with analyze()",
                              (group.modes[1].cpu_ns.median + mode.cpu_ns.median) * all / 1e9,
                              analysis_cpu_ns * all / 1e9});
    if (i == 1)
      mode.note = fmt::format("{:.0f} dependencies and members of sets", measured[i].result);
    if (i == 3)
      mode.figures.push_back({"s until it is there", mode.wall_ns.median * all / 1e9, all / 1e6});
    if (i >= 3) mode.note = fmt::format("{:.1f} MB of data", measured[i].result / 1e6);
    if (i == 0 && measured[i].result != options.commands)
      mode.wrong =
          fmt::format("{} commands were found, expected {}", measured[i].result, options.commands);
    group.modes.push_back(std::move(mode));
  }
  return group;
}

int measure_all(const Options& options) {
  if (!options.steps.empty()) return take_steps(options.steps);
  Run run(options.run);
  run.begin("per command");
  for (const bool decoder : {false, true})
    run.add(measure_document(options, decoder, run.harness().rounds));
  return run.end();
}

}  // namespace
}  // namespace bench

int main(int argc, char** argv) {
  bench::Options options;
  CLI::App app("What it costs to look at a large document.");
  bench::add_run_options(app, options.run);
  app.add_option("--commands", options.commands, "Of the document")
      ->capture_default_str()
      ->check(CLI::Range(1000u, 100'000'000u));
  app.add_option("--steps", options.steps)->group("");  // what AnotherProgram is started with
  return bench::run_program(app, argc, argv, "analysis",
                            [&] { return bench::measure_all(options); });
}
