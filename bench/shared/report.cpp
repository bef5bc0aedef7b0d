#include "report.hpp"

#include <fmt/format.h>

#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>
#include <stdexcept>

namespace bench {
namespace {

// Three digits that matter: 5.43, 17.2, 2236.
std::string digits(double value) {
  return fmt::format("{:.{}f}", value, value < 10 ? 2 : value < 100 ? 1 : 0);
}

// A clock that nobody looked at says 0, and its ratios are none.
std::string measured(double value) {
  return std::isfinite(value) && value > 0 ? digits(value) : "-";
}

std::string verdict_text(const Verdict& verdict) {
  const std::string sign = std::string(verdict.met() ? "✓" : "✗") + (verdict.decided() ? "" : "?");
  const char* clock = verdict.aim.clock == Clock::wall ? " wall" : "";
  if (verdict.aim.against.empty())
    return fmt::format("{} {} ns{}, aim {} ns", sign, digits(verdict.found.median), clock,
                       verdict.aim.at_most);
  return fmt::format("{} {:.2f} × \"{}\"{} [{:.2f}–{:.2f}], aim {:.2f}", sign, verdict.found.median,
                     verdict.aim.against, clock, verdict.found.low, verdict.found.high,
                     verdict.aim.at_most);
}

std::string figure_text(const Figure& figure) {
  return fmt::format("{} {} {}, aim {}", figure.met() ? "✓" : "✗", digits(figure.found),
                     figure.name, figure.at_most);
}

// Everything a mode was meant to reach, a line each.
std::vector<std::string> aim_texts(const ModeResult& mode) {
  std::vector<std::string> lines;
  for (const Verdict& verdict : mode.verdicts) lines.push_back(verdict_text(verdict));
  for (const Figure& figure : mode.figures) lines.push_back(figure_text(figure));
  return lines;
}

nlohmann::json to_json(const Quartiles& q) {
  return {{"median", q.median}, {"low", q.low}, {"high", q.high}};
}

nlohmann::json to_json(const ModeResult& mode) {
  nlohmann::json aims = nlohmann::json::array();
  for (const Verdict& v : mode.verdicts)
    aims.push_back({{"against", v.aim.against},
                    {"at_most", v.aim.at_most},
                    {"clock", v.aim.clock == Clock::cpu ? "cpu" : "wall"},
                    {"found", to_json(v.found)},
                    {"median_between", {v.median.low, v.median.high}},
                    {"met", v.met()},
                    {"decided", v.decided()}});
  nlohmann::json figures = nlohmann::json::array();
  for (const Figure& f : mode.figures)
    figures.push_back(
        {{"name", f.name}, {"found", f.found}, {"at_most", f.at_most}, {"met", f.met()}});
  return {{"name", mode.name},
          {"cpu_ns_per_node", to_json(mode.cpu_ns)},
          {"wall_ns_per_node", to_json(mode.wall_ns)},
          {"cpu_ratio", to_json(mode.cpu_ratio)},
          {"wall_ratio", to_json(mode.wall_ratio)},
          {"passes", mode.passes},
          {"aims", aims},
          {"figures", figures},
          {"note", mode.note},
          {"wrong", mode.wrong}};
}

}  // namespace

void print_group(const GroupResult& group) {
  const std::string rounds = group.rounds ? fmt::format("{} rounds", group.rounds) : "";
  const std::string how =
      group.processes ? fmt::format("{} processes of {}", group.processes, rounds) : rounds;
  fmt::print("\n{}: {}{}\n", group.device, group.name,
             how.empty() ? how : fmt::format(" ({})", how));
  fmt::print("  {:<36}{:>10}{:>10}{:>8}{:>8}  {}\n", "", "CPU ns", "wall ns", "× CPU", "× wall",
             "aim (CPU)");
  for (const ModeResult& mode : group.modes) {
    fmt::print("  {:<36}{:>10}{:>10}{:>8}{:>8}", mode.name, measured(mode.cpu_ns.median),
               measured(mode.wall_ns.median), measured(mode.cpu_ratio.median),
               measured(mode.wall_ratio.median));
    const std::vector<std::string> aims = aim_texts(mode);
    for (std::size_t i = 0; i < aims.size(); ++i)
      fmt::print("{}  {}", i == 0 ? "" : fmt::format("\n{:74}", ""), aims[i]);
    fmt::print("\n");
    if (!mode.note.empty()) fmt::print("    ({})\n", mode.note);
    if (!mode.wrong.empty()) fmt::print("    WRONG RESULT: {}\n", mode.wrong);
  }
  std::fflush(stdout);
}

void print_summary(const std::vector<GroupResult>& groups) {
  int met = 0, missed = 0, open = 0, wrong = 0;
  for (const GroupResult& group : groups)
    for (const ModeResult& mode : group.modes) {
      for (const Verdict& verdict : mode.verdicts) {
        ++(verdict.met() ? met : missed);
        open += !verdict.decided();
      }
      for (const Figure& figure : mode.figures) ++(figure.met() ? met : missed);
      wrong += !mode.wrong.empty();
    }
  fmt::print("\n{} aims met, {} missed ({} of them all too close to tell: ?); {}\n", met, missed,
             open,
             wrong ? fmt::format("{} modes gave a WRONG RESULT", wrong) : "every result was right");
  for (const GroupResult& group : groups)
    for (const ModeResult& mode : group.modes) {
      for (const Verdict& verdict : mode.verdicts)
        if (!verdict.met())
          fmt::print("  {}, {}, {}: {}\n", group.device, group.name, mode.name,
                     verdict_text(verdict));
      for (const Figure& figure : mode.figures)
        if (!figure.met())
          fmt::print("  {}, {}, {}: {}\n", group.device, group.name, mode.name,
                     figure_text(figure));
    }
}

bool all_right(const std::vector<GroupResult>& groups) {
  for (const GroupResult& group : groups)
    for (const ModeResult& mode : group.modes)
      if (!mode.wrong.empty()) return false;
  return true;
}

void write_json(const std::string& path, const std::vector<GroupResult>& groups,
                const HarnessOptions& options) {
  nlohmann::json all = nlohmann::json::array();
  for (const GroupResult& group : groups) {
    nlohmann::json modes = nlohmann::json::array();
    for (const ModeResult& mode : group.modes) modes.push_back(to_json(mode));
    all.push_back({{"device", group.device},
                   {"name", group.name},
                   {"nodes", group.nodes},
                   {"rounds", group.rounds},
                   {"processes", group.processes},
                   {"modes", modes}});
  }
  std::ofstream file(path);
  file << nlohmann::json{{"rounds", options.rounds},
                         {"batch_ms", options.batch_ms},
                         {"groups", all}}
              .dump(2)
       << '\n';
  file.close();
  if (!file) throw std::runtime_error("'" + path + "' can't be written.");
}

}  // namespace bench
