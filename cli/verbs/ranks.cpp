// ranks.cpp - `reel ranks`: who the ranks of a program wait for, and why.
#include "reel/ranks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include "cli/document_list.hpp"
#include "cli/showing/progress.hpp"
#include "cli/showing/table.hpp"
#include "cli/showing/terminal.hpp"
#include "cli/trace_input.hpp"
#include "cli/verbs.hpp"
#include "reel/units.hpp"

namespace reel::cli {
namespace {

struct Options {
  std::vector<std::string> paths;
  bool json = false, steps = false;
};

std::string excess_text(const analysis::RankReport& rank) {
  if (rank.own_ns == 0 || (rank.excess_ns == 0 && !rank.p)) return "-";
  const auto size = static_cast<std::uint64_t>(std::abs(rank.excess_ns));
  return (rank.excess_ns > 0 ? "+" : rank.excess_ns < 0 ? "-" : "") + time_text(size);
}

std::string verdict_of(const analysis::RankReport& rank) {
  if (rank.lateness != analysis::Lateness::none) return to_string(rank.lateness);
  return rank.p ? "" : "not tested";
}

std::string clock_text(const analysis::RanksReport& report) {
  switch (report.clock) {
    case analysis::RanksClock::none:
      return "no common clock: lengths are compared, order of arrival isn't known";
    case analysis::RanksClock::too_wide:
      return fmt::format(
          "the common clock's error ({}) is as large as what ranks differ by: lengths "
          "are compared",
          time_text(*report.clock_error_ns));
    case analysis::RanksClock::known:
      break;
  }
  return fmt::format("one clock, error {}", time_text(*report.clock_error_ns));
}

void print_ranks(const analysis::RanksReport& report) {
  using enum Table::Align;
  const bool differ = !report.differences.empty();
  std::vector<Table::Column> columns{
      {"RANK", right},     {"STEPS", right},          {"BUSY", right},    {"IDLE", right},
      {"OWN WORK", right}, {"AGAINST OTHERS", right}, {"WAITING", right}, {"LAST", right}};
  if (report.waits_recorded) columns.push_back({"WAITING IN"});
  columns.push_back({""});
  if (differ) columns.push_back({"WORK"});
  columns.push_back({"DOCUMENT"});
  Table table(std::move(columns));
  // Of documents that are not of one run nobody is last.
  const bool has_last = std::ranges::any_of(
      report.steps, [](const analysis::RanksStep& step) { return step.last.has_value(); });
  for (const analysis::RankReport& rank : report.ranks) {
    const auto time = [&](std::uint64_t ns) { return rank.own_ns ? time_text(ns) : "-"; };
    std::vector<std::string> cells{std::to_string(rank.rank),
                                   std::to_string(rank.steps),
                                   time(rank.busy_ns),
                                   time(rank.idle_ns),
                                   time(rank.own_ns),
                                   excess_text(rank),
                                   rank.waiting_ns ? time_text(*rank.waiting_ns) : "-",
                                   has_last ? std::to_string(rank.last) : "-"};
    if (report.waits_recorded)
      cells.push_back(rank.waits.empty() ? "-" : text_of(rank.waits.front()));
    cells.push_back(verdict_of(rank));
    if (differ) cells.emplace_back(1, static_cast<char>('A' + rank.work_group % 26));
    cells.push_back(rank.path);
    table.add(std::move(cells));
  }
  fmt::print("{}", table.text());
}

void print_steps(const analysis::RanksReport& report) {
  using enum Table::Align;
  Table table({{"STEP", right}, {"LAST", right}, {"SKEW", right}, {"ARRIVED"}});
  for (std::size_t s = 0; s < report.steps.size(); ++s) {
    const analysis::RanksStep& step = report.steps[s];
    std::string order;
    for (const std::uint32_t rank : step.arrivals)
      order += (order.empty() ? "" : " ") + std::to_string(rank);
    table.add({std::to_string(s), step.last ? std::to_string(*step.last) : "-",
               step.last ? time_text(step.skew_ns) : "-", order.empty() ? "-" : order});
  }
  fmt::print("\n{}", table.text());
}

void print_one_offs(const analysis::RanksReport& report) {
  constexpr std::size_t most_shown = 3;
  for (std::size_t i = 0; i < report.one_offs.size() && i < most_shown; ++i) {
    const analysis::OneOff& one = report.one_offs[i];
    fmt::print("One-off: rank {} was {} late in step {}{}.\n", one.rank, time_text(one.excess_ns),
               one.step, one.row ? printable(", by " + text_of(one.row->row)) : "");
  }
  if (report.one_offs.size() > most_shown)
    fmt::print("{} more; --json has them.\n",
               count_text(report.one_offs.size() - most_shown, "one-off"));
}

void print_text(const analysis::RanksReport& report, const Options& options) {
  for (const std::string& problem : report.problems)
    fmt::print(stderr, "reel: {}\n", printable(problem));
  fmt::print("{} of '{}', {}; {}\n\n", count_text(report.ranks.size(), "rank"),
             printable(report.program), count_text(report.steps.size(), "step"),
             clock_text(report));
  print_ranks(report);
  if (options.steps) print_steps(report);
  fmt::print("\nTimes are medians of a step.");
  if (report.numbered_by_name)
    fmt::print(" The documents don't tell their ranks: they are numbered by their names.");
  if (report.waits_recorded)
    fmt::print(
        " Waiting is the time in recorded calls of MPI with an idle device, beyond that of the "
        "rank "
        "that has least of it.");
  if (report.waits_within)
    fmt::print(" Ranks wait for each other within steps, so own work is busy time.");
  fmt::print("\n");
  for (const std::string& difference : report.differences)
    fmt::print("{}\n", printable(difference));
  print_one_offs(report);
  fmt::print("\n{}\n", bold(wrapped(printable(report.sentence))));
  if (!report.straggler || !report.typical) return;
  const std::string diff =
      fmt::format("reel diff {} {}", shell_word(report.ranks[*report.typical].path),
                  shell_word(report.ranks[*report.straggler].path));
  fmt::print("\n{}\n", dim(fmt::format("  {}  rank {} against rank {}", printable(diff),
                                       report.ranks[*report.straggler].rank,
                                       report.ranks[*report.typical].rank)));
}

int run(const Options& options) {
  const std::vector<std::string> paths = documents_in(options.paths);
  analysis::RanksReport report;
  {
    Progress progress("Reading ranks");
    report = compare_ranks(paths, {.progress = [&](std::string_view what, double part) {
                             progress.show(fmt::format("{} ({:.0f}%)", what, 100 * part));
                           }});
  }
  if (options.json)
    fmt::print("{}\n", printable_json(analysis::ranks_json(report)));
  else
    print_text(report, options);
  return done;
}

}  // namespace

void add_ranks(CommandLine& line) {
  auto options = std::make_shared<Options>();
  Verb verb = line.add_verb("ranks", "Which rank of a program the others wait for, and why");
  verb.add_option("documents", options->paths, "A .reel file of each rank, or a folder of them")
      .required()
      .type_name("FILE");
  verb.add_flag("--steps", options->steps, "Every step: who came last, and in which order");
  verb.add_flag("--json", options->json, "Print JSON: one object with schema_version 1");
  verb.action([options] { return run(*options); });
  verb.footer(
      "A step is a pass of the program (reel info). Documents are of one run, one of each rank:\n"
      "  mpirun -n 4 reel capture -o run-%r.reel -- ./program\n\n"
      "Examples:\n  reel ranks run-*.reel\n  reel ranks runs/ --json");
}

}  // namespace reel::cli
