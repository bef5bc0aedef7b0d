// diff.cpp - `reel diff`: what changed from one document to another.
#include "reel/diff.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "cli/fail_condition.hpp"
#include "cli/showing/junit.hpp"
#include "cli/showing/progress.hpp"
#include "cli/showing/table.hpp"
#include "cli/showing/terminal.hpp"
#include "cli/trace_input.hpp"
#include "cli/verbs.hpp"
#include "reel/units.hpp"

namespace reel::cli {
namespace {

struct Options : TraceOptions {
  std::string other;
  std::vector<std::string> fail_if;
  std::string junit;
  bool markdown = false, all = false, strict = false;
};

constexpr std::size_t shown_rows = 20;

std::string change_text(std::int64_t delta, auto&& text) {
  const std::string size = text(static_cast<std::uint64_t>(std::abs(delta)));
  return delta == 0 ? "0" : (delta > 0 ? "+" : "-") + size;
}
std::string time_change(std::int64_t delta) { return change_text(delta, time_text); }
std::string share_change(std::int64_t delta, std::uint64_t before) {
  if (before == 0) return "-";
  return fmt::format("{:+.1f}%", 100.0 * static_cast<double>(delta) / static_cast<double>(before));
}

// What a form of source is called outside of documents.
const char* form_words(KernelForm form) {
  switch (form) {
    case KernelForm::opencl_c:
      return "OpenCL C";
    case KernelForm::glsl:
      return "GLSL";
    case KernelForm::spirv:
    case KernelForm::opencl_il:
      return "SPIR-V";
    default:
      return "code";
  }
}

std::string remarks_of(const analysis::DiffRow& row) {
  std::string text;
  const auto add = [&](bool is, const std::string& what) {
    if (is) text += (text.empty() ? "" : ", ") + what;
  };
  if (row.run && row.run->ns_a && row.run->ns_b)
    add(true, fmt::format("{}, {} {}; one takes {}, took {}", count_text(row.count_b, "run"),
                          row.count_a == 1 ? "was" : "were", row.count_a, time_text(row.run->ns_b),
                          time_text(row.run->ns_a)));
  add(row.new_source, "new source or options");
  add(row.new_program, "its program changed");
  add(row.new_shape, "new launch size");
  add(row.new_arguments, "new arguments");
  return text;
}

struct Line {
  std::string what, before, after, delta, share, change, remark;
};

std::string with_spread(std::uint64_t ns, std::uint64_t spread_ns) {
  return spread_ns ? fmt::format("{} ± {}", time_text(ns), time_text(spread_ns)) : time_text(ns);
}

Line line_of(std::string what, const analysis::DiffTime& time, std::string remark = "") {
  return {std::move(what),
          with_spread(time.ns_a, time.spread_a_ns),
          with_spread(time.ns_b, time.spread_b_ns),
          time_change(time.delta_ns()),
          share_change(time.delta_ns(), time.ns_a),
          time.verdict,
          std::move(remark)};
}

std::vector<Line> lines_of(const analysis::TraceDiff& diff, bool all) {
  std::vector<Line> lines;
  std::int64_t rest_delta = 0;
  std::uint64_t rest_a = 0, rest_b = 0;
  std::size_t left = 0;
  for (const analysis::DiffRow& row : diff.rows) {
    if (!all && lines.size() >= shown_rows) {
      ++left;
      rest_a += row.time.ns_a;
      rest_b += row.time.ns_b;
      rest_delta += row.time.delta_ns();
      continue;
    }
    Line line =
        line_of((row.scope.empty() ? "" : row.scope + "/") + row.name, row.time, remarks_of(row));
    if (row.change != analysis::Change::same) line.change = to_string(row.change);
    if (!row.count_a) line.before = "-";
    if (!row.count_b) line.after = "-";
    lines.push_back(std::move(line));
  }
  if (left)
    lines.push_back({fmt::format("{} more", left), time_text(rest_a), time_text(rest_b),
                     time_change(rest_delta), "", "", "--all shows them"});
  lines.push_back(line_of("idle", diff.idle));
  if (diff.rest_ns)
    lines.push_back({"rest", "", "", time_change(diff.rest_ns), "", "",
                     "medians of parts don't add up to the median of the whole"});
  lines.push_back(line_of("total", diff.total));
  if (diff.has_between() && (diff.between.ns_a || diff.between.ns_b))
    lines.push_back(line_of("between passes", diff.between));
  // Without timestamps no time is known, which is not 0.
  const bool has_a = diff.total.ns_a != 0, has_b = diff.total.ns_b != 0;
  for (Line& line : lines) {
    if (!has_a) line.before = "-";
    if (!has_b) line.after = "-";
    if (!has_a || !has_b) line.delta = line.share = "";
  }
  return lines;
}

Tone tone_of(const std::string& change) {
  if (change == "slower" || change == "longer") return Tone::bad;
  return change == "faster" || change == "shorter" ? Tone::good : Tone::plain;
}

std::string passes_text(const analysis::TraceDiff& diff) {
  if (diff.a.passes == 1 && diff.b.passes == 1)
    return "One pass of each, so nothing is known of the noise.";
  return fmt::format(
      "Times are medians over {} before and {} after, ± half the interquartile range.",
      count_text(diff.a.passes, "pass"), diff.b.passes);
}

std::string contents_text(const Trace& a, const analysis::TraceDiff& diff) {
  if (diff.compared_contents == 0) return "No results were recorded that could be compared.";
  if (!diff.contents)
    return fmt::format("Results are the same in {}.",
                       count_text(diff.compared_contents, "recorded range"));
  const analysis::ContentDifference& first = *diff.contents;
  std::string text = fmt::format("Results differ first after {}: {} at byte {}",
                                 describe_command(a, first.command_a),
                                 describe_buffer(a, first.buffer_a), first.offset_bytes);
  if (!first.value_a.empty())
    text += fmt::format(", {} is now {} (largest distance in that page {:.3g})", first.value_a,
                        first.value_b, first.largest_absolute);
  return text + fmt::format("; {} of {} ranges are the same.", diff.equal_contents,
                            diff.compared_contents);
}

void print_text(const Trace& a, const analysis::TraceDiff& diff, const Options& options) {
  fmt::print("{}\n", bold(wrapped(printable(diff.cause))));
  if (!diff.comparable) return;  // a table would compare what can't be
  fmt::print("\n");
  using enum Table::Align;
  Table table(
      {{"WHAT"}, {"BEFORE", right}, {"AFTER", right}, {"CHANGE", right}, {"", right}, {""}, {""}});
  for (const Line& line : lines_of(diff, options.all)) {
    table.add(
        {line.what, line.before, line.after, line.delta, line.share, line.change, line.remark});
    const Tone tone = tone_of(line.change);
    for (const std::size_t column : {3, 4, 5}) table.tone(column, tone);
  }
  fmt::print("{}\n", table.text());
  fmt::print("{}\n", wrapped(passes_text(diff)));
  if (diff.a.peak_bytes != diff.b.peak_bytes)
    fmt::print("Memory at its peak: {}, was {}.\n", size_text(diff.b.peak_bytes),
               size_text(diff.a.peak_bytes));
  fmt::print("{}\n", wrapped(printable(contents_text(a, diff))));
  for (const analysis::SourceDifference& source : diff.sources)
    fmt::print("The {} of kernel '{}' is not the same.\n", form_words(source.form),
               printable(a.kernels()[source.kernel_a].name));
  for (const analysis::Finding& finding : diff.new_findings)
    fmt::print("{}\n", wrapped(fmt::format("New: {} {}", finding.id, printable(finding.title))));
  for (const analysis::Finding& finding : diff.fixed_findings)
    fmt::print("{}\n", wrapped(fmt::format("Gone: {} {}", finding.id, printable(finding.title))));
}

// A cell of a table in markdown: a bar would end it, markup would be taken for such.
std::string cell(const std::string& text) {
  std::string safe;
  for (const char c : printable(text)) {
    if (c == '|' || c == '\\' || c == '`' || c == '*' || c == '_') safe += '\\';
    if (c == '<')
      safe += "&lt;";
    else
      safe += c;
  }
  return safe;
}

void print_markdown(const Trace& a, const Trace& b, const analysis::TraceDiff& diff,
                    const Options& options) {
  fmt::print("## {}\n\n{} against {}\n", cell(diff.cause), cell(a.path()), cell(b.path()));
  if (!diff.comparable) return;
  fmt::print("\n");
  fmt::print("| what | before | after | change | | | |\n|---|---:|---:|---:|---:|---|---|\n");
  for (const Line& line : lines_of(diff, options.all))
    fmt::print("| {} | {} | {} | {} | {} | {} | {} |\n", cell(line.what), line.before, line.after,
               line.delta, line.share, line.change, cell(line.remark));
  fmt::print("\n{} {}\n", passes_text(diff), cell(contents_text(a, diff)));
  for (const analysis::Finding& finding : diff.new_findings)
    fmt::print("- **new** {}: {}\n", finding.id, cell(finding.title));
  for (const analysis::Finding& finding : diff.fixed_findings)
    fmt::print("- gone: {}: {}\n", finding.id, cell(finding.title));
}

// A case for each limit and one for each kernel, so that a build server shows what was looked at
// and what it was. A kernel fails with a limit of its own, or with one of all time that it exceeds.
std::vector<JunitCase> cases_of(const analysis::TraceDiff& diff,
                                const std::vector<FailCondition>& conditions,
                                const std::vector<FailCondition::Outcome>& outcomes) {
  std::vector<JunitCase> cases;
  for (std::size_t i = 0; i < conditions.size(); ++i) {
    const FailCondition::Outcome& outcome = outcomes[i];
    cases.push_back({"limits", conditions[i].text(),
                     outcome.failed         ? JunitResult::failure
                     : outcome.is_unchecked ? JunitResult::skipped
                                            : JunitResult::passed,
                     outcome.failed ? outcome.why + " " + diff.cause : outcome.why});
  }
  for (const analysis::DiffKernel& kernel : diff.kernels) {
    const analysis::DiffTime& time = kernel.time;
    JunitCase one{"kernels", kernel.name, JunitResult::passed,
                  fmt::format("{}, was {} ({}): {}.", with_spread(time.ns_b, time.spread_b_ns),
                              with_spread(time.ns_a, time.spread_a_ns),
                              share_change(time.delta_ns(), time.ns_a), time.verdict),
                  static_cast<double>(time.ns_b) / 1e9};
    for (std::size_t i = 0; i < conditions.size(); ++i)
      if (outcomes[i].failed && conditions[i].blames(kernel)) one.result = JunitResult::failure;
    cases.push_back(std::move(one));
  }
  if (cases.empty()) cases.push_back({"limits", "comparison", JunitResult::skipped, diff.cause});
  return cases;
}

// A pass is as fast as it was, and the program isn't: whoever limits the total alone must learn it.
void tell_unlimited(const analysis::TraceDiff& diff, const std::vector<FailCondition>& conditions) {
  const auto limits = [&](const char* what) {
    return std::ranges::any_of(conditions,
                               [&](const FailCondition& c) { return c.is_about(what); });
  };
  const analysis::DiffTime& between = diff.between;
  if (!limits("total") || limits("between") || !between.significant || between.delta_ns() <= 0)
    return;
  fmt::print(stderr,
             "reel: The time between passes is no part of the total, and is longer: {}, was {}. "
             "--fail-if 'between>+20%' limits it.\n",
             time_text(between.ns_b), time_text(between.ns_a));
}

int run(const Options& options) {
  std::vector<FailCondition> conditions(options.fail_if.begin(), options.fail_if.end());
  const Trace a = open_trace(options);
  TraceOptions second = options;
  second.path = options.other;
  const Trace b = open_trace(second);
  analysis::TraceDiff found;
  {
    Progress progress("Comparing");
    found = diff(a, b, {.progress = [&](std::string_view what, double part) {
                   progress.show(fmt::format("{} ({:.0f}%)", what, 100 * part));
                 }});
  }
  if (options.json)
    fmt::print("{}\n", printable_json(analysis::diff_json(a, b, found)));
  else if (options.markdown)
    print_markdown(a, b, found, options);
  else
    print_text(a, found, options);
  int code = done;
  std::vector<FailCondition::Outcome> outcomes;
  for (const FailCondition& condition : conditions) {
    outcomes.push_back(condition.check(found, options.strict));
    const FailCondition::Outcome& outcome = outcomes.back();
    if (!outcome.why.empty()) fmt::print(stderr, "reel: {}\n", printable(outcome.why));
    if (outcome.failed) code = failed;
  }
  tell_unlimited(found, conditions);
  if (!options.junit.empty())
    write_junit(options.junit, fmt::format("reel diff {} {}", options.path, options.other),
                cases_of(found, conditions, outcomes));
  return code;
}

}  // namespace

void add_diff(CommandLine& line) {
  auto [verb, options] =
      add_trace_verb(line, "diff", "What changed from one document to another", run);
  verb.add_option("other", options.other, "The document to compare with (after)")
      .required()
      .type_name("FILE");
  verb.add_option("--fail-if", options.fail_if,
                  std::string("Exit code 1 if this is true: ") + FailCondition::help())
      .one_value_each();
  verb.add_flag("--strict", options.strict,
                "With --fail-if: times fail by their medians alone, significant or not");
  verb.add_flag("--md,--markdown", options.markdown, "A report in markdown");
  verb.add_option("--junit", options.junit,
                  "Write a test case for each --fail-if and each kernel as JUnit XML")
      .type_name("FILE");
  verb.add_flag("--all", options.all, "Every row, not only those that changed most");
  verb.footer(
      "Examples:\n  reel diff before.reel after.reel\n"
      "  reel diff before.reel after.reel --fail-if 'total>+5%' --fail-if results --md\n"
      "  reel diff before.reel after.reel --fail-if 'total>+5%' --fail-if 'between>+20%' "
      "--junit performance.xml");
}

}  // namespace reel::cli
