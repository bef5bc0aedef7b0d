// insights.cpp - `reel insights`: what is worth knowing, the most worth first.
#include "reel/insights.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <memory>
#include <optional>

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

// What saves next to nothing is one line, with what it is a part of.
void print_small(const analysis::Finding& finding, std::uint64_t active_ns, const Proof* proof) {
  const std::string head =
      fmt::format("small: {}, saves up to {} ({} of the time){}", finding.id,
                  time_text(*finding.saving_ns), share_text(*finding.saving_ns, active_ns),
                  proof && proof->verdict == ProofVerdict::withdrawn ? ", withdrawn" : "");
  fmt::print("{}\n{}\n", dim(head), wrapped(printable(finding.title), 2));
  if (proof) fmt::print("{}\n", wrapped(proof_text(*proof), 2));
}

// `proofs`: one for each finding, or none at all.
void print(const Trace& trace, std::uint64_t active_ns,
           const std::vector<analysis::Finding>& findings, const std::vector<Proof>& proofs) {
  for (std::size_t i = 0; i < findings.size(); ++i) {
    const analysis::Finding& finding = findings[i];
    if (finding.is_small) {
      print_small(finding, active_ns, i < proofs.size() ? &proofs[i] : nullptr);
      continue;
    }
    std::string head = finding.id;
    if (finding.severity != analysis::Severity::info)
      head = fmt::format("{} {}", to_string(finding.severity), head);
    if (is_withdrawn(proofs, i))
      head += ", withdrawn";
    else if (const std::string saving = saving_text(finding); !saving.empty())
      head += fmt::format(", {} ({})", saving, to_string(finding.confidence));
    fmt::print("{}\n{}\n", toned(tone_of(finding.severity), bold(head)),
               wrapped(printable(finding.title), 2));
    if (i < proofs.size()) fmt::print("{}\n", wrapped(proof_text(proofs[i]), 2));
    if (!finding.advice.empty()) fmt::print("{}\n", wrapped(printable(finding.advice), 2));
    if (!finding.formula.empty())
      fmt::print("{}\n", dim(wrapped("saving: " + printable(finding.formula), 2)));
    if (const std::string text = evidence_text(trace, finding.evidence); !text.empty())
      fmt::print("{}\n", dim(wrapped("see:" + printable(text), 2)));
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

// What shows more of a finding, as far as there is something that does. Leaving a command out is an
// answer only where the finding says that it isn't needed.
std::optional<Next> next_of(const analysis::Finding& finding) {
  const auto starts = [&](const char* with) { return finding.id.starts_with(with); };
  const auto& evidence = finding.evidence;
  if ((finding.id == "copy.redundant" || finding.id == "copy.unused" ||
       finding.id == "fill.dead") &&
      !evidence.commands.empty())
    return Next{"reel replay $ --without " + command_name(evidence.commands[0]),
                "the same without it, compared byte by byte"};
  if (starts("idle.") || finding.id == "launch.bound") return Next{"reel gaps $", "each gap"};
  if (starts("mem.")) return Next{"reel memory $", "what was allocated when"};
  if (finding.id == "race" || starts("sync.") || starts("barrier."))
    return Next{"reel deps $", "what waits for what"};
  if (finding.id == "build") return Next{"reel calls $", "what the host called, and how long"};
  return std::nullopt;
}

// About a command that a finding names; where none does, there is nothing to ask of one.
void print_hints(const Options& options, const std::vector<analysis::Finding>& findings,
                 const std::vector<Proof>& proofs) {
  const auto named = std::ranges::find_if(findings, [](const analysis::Finding& finding) {
    return !finding.evidence.commands.empty();
  });
  const Next view{"reel view $", "the same, on the timeline"};
  const Next prove{"reel insights $ --prove", "are these true?"};
  if (named == findings.end())
    return options.prove ? print_next(options, {view}) : print_next(options, {view, prove});
  const std::string id = command_name(named->evidence.commands[0]);
  const Next command{"reel commands $ " + id, "all of that command, which " + named->id + " names"};
  if (!options.prove) return print_next(options, {view, command, prove});
  // Of what was tried and is true first.
  for (const bool must_be_supported : {true, false})
    for (std::size_t i = 0; i < findings.size(); ++i) {
      const auto next = next_of(findings[i]);
      if (!next || is_withdrawn(proofs, i)) continue;
      const bool is_supported = i < proofs.size() && proofs[i].verdict == ProofVerdict::supported;
      if (is_supported || !must_be_supported) return print_next(options, {view, command, *next});
    }
  print_next(options, {view, command});
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
    print(trace, report.activity.active_ns, findings, proofs);
    if (options.prove) print_counts(proofs);
    if (trace.commands().empty())
      print_next(options, {{"reel info $", "what the document has"}});
    else
      print_hints(options, findings, proofs);
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
