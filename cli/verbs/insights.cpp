// insights.cpp - `reel insights`: what is worth knowing, the most worth first.
#include "reel/insights.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "cli/showing/progress.hpp"
#include "cli/showing/terminal.hpp"
#include "cli/trace_input.hpp"
#include "cli/verbs.hpp"
#include "reel/units.hpp"

namespace reel::cli {
namespace {

struct Options : TraceOptions {
  std::string fail_on = "never";
};

std::string evidence_text(const Trace& trace, const analysis::Evidence& evidence) {
  constexpr std::size_t shown = 6;
  std::string text;
  const auto add = [&](const std::vector<std::uint32_t>& list, auto&& name) {
    for (std::size_t i = 0; i < list.size() && i < shown; ++i) text += " " + name(list[i]);
    if (list.size() > shown) text += " …";
  };
  add(evidence.commands, [](std::uint32_t i) { return command_name(i); });
  add(evidence.kernels, [&](std::uint32_t i) { return name_of(trace.kernels()[i].id); });
  add(evidence.buffers, [&](std::uint32_t i) { return name_of(trace.buffers()[i].id); });
  add(evidence.streams, [&](std::uint32_t i) { return name_of(trace.streams()[i].id); });
  return text;
}

std::string saving_text(const analysis::Finding& finding) {
  if (finding.saving_ns) return "saves up to " + time_text(*finding.saving_ns);
  if (finding.saving_bytes) return "saves up to " + size_text(*finding.saving_bytes);
  return {};
}

void print(const Trace& trace, const std::vector<analysis::Finding>& findings) {
  for (const analysis::Finding& finding : findings) {
    std::string head = finding.id;
    if (finding.severity != analysis::Severity::info)
      head = fmt::format("{} {}", to_string(finding.severity), head);
    if (const std::string saving = saving_text(finding); !saving.empty())
      head += fmt::format(", {} ({})", saving, to_string(finding.confidence));
    fmt::print("{}\n  {}\n", bold(head), printable(finding.title));
    if (!finding.advice.empty()) fmt::print("  {}\n", printable(finding.advice));
    if (!finding.formula.empty())
      fmt::print("  {}\n", dim("saving: " + printable(finding.formula)));
    if (const std::string text = evidence_text(trace, finding.evidence); !text.empty())
      fmt::print("  {}\n", dim("see:" + printable(text)));
  }
}

int run(const Options& options) {
  const Trace trace = open_trace(options);
  std::vector<analysis::Finding> findings;
  analysis::Report report;
  {
    Progress progress("Looking at " + options.path);
    report = analyze(trace, {.progress = [&](std::string_view what, double part) {
                       progress.show(fmt::format("{} ({:.0f}%)", what, 100 * part));
                     }});
    findings = find_insights(trace, report);
  }
  if (options.json) {
    fmt::print("{}\n", printable_json(analysis::findings_json(trace, report, findings)));
  } else {
    print(trace, findings);
    print_next(options, {{"reel view $", "the same, on the timeline"},
                         {"reel commands $ c0", "all of one command"},
                         {"reel kernels $", "time by kernel"}});
  }
  if (options.fail_on == "never") return done;
  const analysis::Severity least = options.fail_on == "error"     ? analysis::Severity::error
                                   : options.fail_on == "warning" ? analysis::Severity::warning
                                                                  : analysis::Severity::info;
  const bool fails = std::ranges::any_of(
      findings, [&](const analysis::Finding& f) { return f.severity >= least; });
  return fails ? failed : done;
}

}  // namespace

void add_insights(CommandLine& line) {
  auto options = std::make_shared<Options>();
  Verb verb = line.add_verb("insights", "Findings, most important first");
  add_trace_options(verb, *options);
  verb.add_option("--fail-on", options->fail_on,
                  "Exit code 1 if a finding is at least this severe: info, warning or error")
      .one_of({"never", "info", "warning", "error"});
  verb.footer(
      "Savings of several findings may overlap: don't add them up.\n\n"
      "Examples:\n  reel insights pass.reel\n  reel insights pass.reel --fail-on warning --json");
  verb.action([options] { return run(*options); });
}

}  // namespace reel::cli
