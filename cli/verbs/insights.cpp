// insights.cpp - `reel insights`: what is worth knowing, the most worth first.
#include "reel/insights.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <memory>

#include "cli/replaying/proof_run.hpp"
#include "cli/showing/progress.hpp"
#include "cli/showing/terminal.hpp"
#include "cli/trace_input.hpp"
#include "cli/verbs.hpp"
#include "reel/units.hpp"

namespace reel::cli {
namespace {

struct Options : RunOptions {
  std::string fail_on = "never";
  bool prove = false, json_lines = false;
  std::uint32_t prove_seconds = ProofOptions{}.seconds;
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

bool is_withdrawn(const std::vector<Proof>& proofs, std::size_t finding) {
  return finding < proofs.size() && proofs[finding].verdict == ProofVerdict::withdrawn;
}

std::string proof_text(const Proof& proof) {
  std::string verdict = to_string(proof.verdict);
  if (proof.verdict == ProofVerdict::not_tried) verdict = "not tried";
  const std::string text = fmt::format("{}: {}", verdict, printable(proof.sentence));
  return proof.verdict == ProofVerdict::not_tried ? dim(text) : text;
}

Tone tone_of(analysis::Severity severity) {
  return severity == analysis::Severity::error     ? Tone::bad
         : severity == analysis::Severity::warning ? Tone::warning
                                                   : Tone::plain;
}

// `proofs`: one for each finding, or none at all.
void print(const Trace& trace, const std::vector<analysis::Finding>& findings,
           const std::vector<Proof>& proofs) {
  for (std::size_t i = 0; i < findings.size(); ++i) {
    const analysis::Finding& finding = findings[i];
    std::string head = finding.id;
    if (finding.severity != analysis::Severity::info)
      head = fmt::format("{} {}", to_string(finding.severity), head);
    if (is_withdrawn(proofs, i))
      head += ", withdrawn";
    else if (const std::string saving = saving_text(finding); !saving.empty())
      head += fmt::format(", {} ({})", saving, to_string(finding.confidence));
    fmt::print("{}\n{}\n", toned(tone_of(finding.severity), bold(head)),
               wrapped(printable(finding.title), 2));
    if (i < proofs.size()) fmt::print("  {}\n", proof_text(proofs[i]));
    if (!finding.advice.empty()) fmt::print("{}\n", wrapped(printable(finding.advice), 2));
    if (!finding.formula.empty())
      fmt::print("  {}\n", dim("saving: " + printable(finding.formula)));
    if (const std::string text = evidence_text(trace, finding.evidence); !text.empty())
      fmt::print("  {}\n", dim("see:" + printable(text)));
  }
}

void print_counts(const std::vector<Proof>& proofs) {
  const auto count = [&](ProofVerdict verdict) {
    return std::ranges::count(proofs, verdict, &Proof::verdict);
  };
  fmt::print("{} of {} tried: {} supported, {} withdrawn, {} inconclusive\n",
             count_text(proofs.size() - static_cast<std::size_t>(count(ProofVerdict::not_tried)),
                        "finding"),
             proofs.size(), count(ProofVerdict::supported), count(ProofVerdict::withdrawn),
             count(ProofVerdict::inconclusive));
}

// Shown from here, since no thread may run while it is proved.
class ProofProgress {
 public:
  explicit ProofProgress(std::string path) : path_(std::move(path)) {}
  ~ProofProgress() {
    if (is_shown_) fmt::print(stderr, "\r\033[K");
  }
  ProofProgress(const ProofProgress&) = delete;
  ProofProgress& operator=(const ProofProgress&) = delete;

  void show(const std::string& what) {
    if (isatty(STDERR_FILENO) != 1) return;
    is_shown_ = true;
    fmt::print(stderr, "\r{}: trying {}\033[K", printable(path_), printable(what));
    std::fflush(stderr);
  }

 private:
  const std::string path_;
  bool is_shown_ = false;
};

// About a command that a finding names; where none does, there is nothing to ask of one.
void print_hints(const Options& options, const std::vector<analysis::Finding>& findings) {
  const auto named = std::ranges::find_if(findings, [](const analysis::Finding& finding) {
    return !finding.evidence.commands.empty();
  });
  const Next view{"reel view $", "the same, on the timeline"};
  const Next prove{"reel insights $ --prove", "are these true?"};
  if (named == findings.end())
    return options.prove ? print_next(options, {view}) : print_next(options, {view, prove});
  const std::string id = command_name(named->evidence.commands[0]);
  print_next(
      options,
      {view,
       {"reel commands $ " + id, "all of that command, which " + named->id + " names"},
       options.prove ? Next{"reel replay $ --without " + id, "is that one needed?"} : prove});
}

ProofRun prove_all(const Options& options, const Trace& trace, const analysis::Report& report,
                   const std::vector<analysis::Finding>& findings) {
  ProofProgress progress(options.path);
  const auto print_line = [](const Json& json) {
    fmt::print("{}\n", printable_json(json.dump(-1, ' ', false, Json::error_handler_t::replace)));
    std::fflush(stdout);
  };
  ProofWatch watch;
  watch.on_progress = [&](const std::string& what) {
    progress.show(what);
    if (options.json_lines) print_line({{"trying", what}});
  };
  if (options.json_lines)
    watch.on_proof = [&](std::uint32_t finding, const Proof& proof) {
      print_line({{"finding", finding},
                  {"id", findings[finding].id},
                  {"proof", Json::parse(proof_json(proof))}});
    };
  return prove_apart(trace, report, findings, options, options.prove_seconds, watch);
}

int run(const Options& options) {
  if (!options.prove && (!options.device.empty() || !options.host_kernels.empty()))
    throw Misuse("--device and --host-kernels are for --prove: without it nothing is run");
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
  ProofRun proved;
  if (options.prove) proved = prove_all(options, trace, report, findings);
  const std::vector<Proof>& proofs = proved.proofs;
  if (options.json) {
    fmt::print("{}\n",
               printable_json(options.prove ? proofs_json(trace, report, findings, proofs)
                                            : analysis::findings_json(trace, report, findings)));
  } else if (!options.json_lines) {
    print(trace, findings, proofs);
    if (options.prove) print_counts(proofs);
    if (trace.commands().empty())
      print_next(options, {{"reel info $", "what the document has"}});
    else
      print_hints(options, findings);
  }
  if (proved.signal) {
    std::fflush(nullptr);
    std::signal(proved.signal, SIG_DFL);
    raise(proved.signal);
  }
  if (options.fail_on == "never") return done;
  const analysis::Severity least = options.fail_on == "error"     ? analysis::Severity::error
                                   : options.fail_on == "warning" ? analysis::Severity::warning
                                                                  : analysis::Severity::info;
  bool fails = false;
  for (std::size_t i = 0; i < findings.size(); ++i)
    fails |= findings[i].severity >= least && !is_withdrawn(proofs, i);
  return fails ? failed : done;
}

}  // namespace

void add_insights(CommandLine& line) {
  auto options = std::make_shared<Options>();
  Verb verb = line.add_verb("insights", "Findings, most important first");
  add_run_options(verb, *options);
  const Option prove = verb.add_flag(
      "--prove", options->prove,
      "Try each claim by replay, and show what was measured beside it; runs the kernels");
  verb.add_option("--prove-seconds", options->prove_seconds, "Time for all experiments together")
      .between(1, 86'400)
      .show_default()
      .type_name("SECONDS")
      .needs(prove);
  verb.add_flag("--json-lines", options->json_lines,
                "One line of JSON for each finding, as soon as it was tried")
      .needs(prove);
  verb.add_option("--fail-on", options->fail_on,
                  "Exit code 1 if a finding is at least this severe: info, warning or error")
      .one_of({"never", "info", "warning", "error"});
  verb.footer(
      "Savings of several findings may overlap: don't add them up.\n\n"
      "With --prove a finding is supported, withdrawn, inconclusive or not tried, and a sentence\n"
      "says why; --fail-on passes over withdrawn ones. Experiments run in a process of their own,\n"
      "and within --time-limit and --memory: a driver that crashes costs one of them. Ctrl-C ends\n"
      "them, and prints what is known.\n\n"
      "Examples:\n"
      "  reel insights pass.reel\n"
      "  reel insights pass.reel --prove\n"
      "  reel insights pass.reel --fail-on warning --json");
  verb.action([options] { return run(*options); });
}

}  // namespace reel::cli
