#include "cli/showing/replay_report.hpp"

#include <fmt/format.h>

#include <cmath>

#include "cli/showing/table.hpp"
#include "cli/showing/terminal.hpp"
#include "cli/verbs.hpp"
#include "reel/units.hpp"

namespace reel::cli {
namespace {

void verdict_line(std::string_view name, const std::string& text) {
  fmt::print("{:<12}{}\n", name, printable(text));
}

std::string verdict_words(const ReplayReport& report) {
  const std::string all =
      fmt::format("{}, {}", count_text(report.checks, "check"), size_text(report.checked_bytes));
  switch (report.verdict()) {
    case Verdict::equal:
      return bold("equal") + fmt::format(": {}, every byte as recorded", all);
    case Verdict::within_tolerance:
      return bold("within tolerance") +
             fmt::format(": {}, of which {} equal to the bit", all, size_text(report.equal_bytes));
    case Verdict::different: {
      std::vector<std::string> reasons;
      if (report.different_checks)
        reasons.push_back(fmt::format("{} of {} differ", report.different_checks,
                                      count_text(report.checks, "check")));
      if (!report.unsteady.empty())
        reasons.push_back(count_text(report.unsteady.size(), "buffer") + " changed between runs");
      else if (report.was_run_again && report.different_checks)
        reasons.emplace_back("the same in a second run");
      if (!report.races.empty()) reasons.push_back(count_text(report.races.size(), "race"));
      return bold("DIFFERENT") + fmt::format(": {}", fmt::join(reasons, ", "));
    }
    case Verdict::not_proved:
      if (!report.incomplete.empty())
        return bold("NOT PROVED") +
               fmt::format(
                   ": the document is not whole; {}",
                   report.different_checks
                       ? fmt::format("{} of {} differ, which what is missing may explain",
                                     report.different_checks, count_text(report.checks, "check"))
                       : fmt::format("{} made, none differs", all));
      return bold("NOT PROVED") +
             (report.checks ? fmt::format(": {} made, none differs, but not all could be made", all)
                            : std::string(": no result of these commands was recorded"));
  }
  return {};
}

std::string difference_words(const Trace& trace, const Difference& d) {
  std::string text = describe_buffer(trace, d.buffer);
  if (d.expected.empty() && d.found.empty()) {
    text +=
        fmt::format(": bytes {} to {} are not those of the recorded hash", d.offset_bytes,
                    std::min(d.offset_bytes + page_bytes, trace.buffers()[d.buffer].size_bytes));
  } else {
    text += fmt::format(" at byte {}", d.offset_bytes);
    if (const auto& image = trace.buffers()[d.buffer].image)
      text += fmt::format(", {}", pixel_text(*image, d.offset_bytes));
    if (d.type)
      text += fmt::format(" ({} {})", name_of(*d.type), d.offset_bytes / size_of(*d.type));
    text += fmt::format(": expected {}, found {}", d.expected, d.found);
    if (d.elements > 1) text += fmt::format("; {} differ", count_text(d.elements, "element"));
  }
  return text;
}

std::string race_words(const Trace& trace, const Race& race) {
  std::string where;
  if (race.buffer != no_index)
    where = fmt::format(" {} bytes {} to {} of {}", race.is_certain ? "share" : "may share",
                        race.begin, race.end, describe_buffer(trace, race.buffer));
  return fmt::format("{} and {}{}{}", describe_command(trace, race.first),
                     describe_command(trace, race.second), where,
                     race.observed
                         ? "; in another order, which their declared ranges allow, results are "
                           "different"
                     : race.is_kept ? "; nothing puts them in order, and by their times one had "
                                      "ended before the other began"
                                    : "; nothing puts them in order");
}

// Of so many the first `most`; all of them where only one would be left.
std::size_t shown_of(std::size_t count, std::size_t most) {
  return count == most + 1 ? count : most;
}

void print_differences(const Trace& trace, const ReplayReport& report) {
  if (!report.differences.empty()) {
    const Difference& first = report.differences.front();
    verdict_line("first", first.command == no_index ? "bytes that no recorded command wrote"
                                                    : describe_command(trace, first.command));
    verdict_line("", difference_words(trace, first));
    if (!first.hint.empty()) verdict_line("", first.hint);
    if (report.culprit)
      verdict_line("culprit", fmt::format("{}: {}", describe_command(trace, *report.culprit),
                                          report.culprit_reason));
    else if (!report.culprit_reason.empty())
      verdict_line("culprit", "not certain: " + report.culprit_reason);
    const std::size_t shown = shown_of(report.differences.size(), 8);
    for (std::size_t i = 1; i < report.differences.size() && i < shown; ++i) {
      const Difference& d = report.differences[i];
      verdict_line(i == 1 ? "also" : "",
                   fmt::format("{}  {}", d.command == no_index ? "-" : command_name(d.command),
                               difference_words(trace, d)));
    }
    if (report.differences.size() > shown)
      verdict_line("", fmt::format("and {} more", report.differences.size() - shown));
  }
  for (const Race& race : report.races) verdict_line("race", race_words(trace, race));
  for (const std::uint32_t buffer : report.unsteady)
    verdict_line("unsteady", describe_buffer(trace, buffer) + " holds other bytes from run to run");
  if (!report.unsteady.empty() && report.was_run_again)
    verdict_line(
        "",
        "a second run gave other results than the first: kernels whose result depends on the "
        "order of their groups (atomics on reals, as a rule) are not bit for bit the same "
        "anywhere");
}

void print_warnings(const Trace& trace, const ReplayReport& report) {
  for (const std::string& sentence : report.incomplete) verdict_line("not whole", sentence);
  for (const std::string& sentence : report.warnings) verdict_line("warning", sentence);
  if (report.possible_races.empty()) return;
  verdict_line("warning",
               fmt::format("{}: kernels share a buffer; whether they use the same bytes is unknown",
                           count_text(report.possible_races.size(), "possible race")));
  const std::size_t shown = shown_of(report.possible_races.size(), 3);
  for (std::size_t i = 0; i < report.possible_races.size() && i < shown; ++i)
    verdict_line("", race_words(trace, report.possible_races[i]));
  if (report.possible_races.size() > shown)
    verdict_line("",
                 fmt::format("and {} more; --json has them", report.possible_races.size() - shown));
}

void print_left_out(const Trace& trace, const ReplayReport& report) {
  if (report.left_out.empty()) return;
  verdict_line("left out", fmt::format("{} of {} could not be run again",
                                       count_text(report.left_out.size(), "command"),
                                       report.commands + report.left_out.size()));
  const std::size_t shown = shown_of(report.left_out.size(), 20);
  for (std::size_t i = 0; i < report.left_out.size() && i < shown; ++i) {
    const LeftOut& one = report.left_out[i];
    const std::string name = command_name(one.command);
    verdict_line("", one.reason.find(name) == std::string::npos
                         ? fmt::format("{}: {}", describe_command(trace, one.command), one.reason)
                         : one.reason);
  }
  if (report.left_out.size() > shown)
    verdict_line("", fmt::format("and {} more; --json has all", report.left_out.size() - shown));
}

void print_buffers(const Trace& trace, const ReplayReport& report) {
  using enum Table::Align;
  Table table({{"BUFFER"},
               {"TYPE"},
               {"CHECKED", right},
               {"EQUAL", right},
               {"ABS", right},
               {"REL", right},
               {"ULP", right},
               {""}});
  for (const BufferReport& b : report.buffers) {
    if (b.close_bytes == 0 && b.different_bytes == 0) continue;
    const std::uint64_t checked = b.equal_bytes + b.close_bytes + b.different_bytes;
    const bool real = b.type && is_real(*b.type);
    table.add({describe_buffer(trace, b.buffer), b.type ? name_of(*b.type) : "?",
               size_text(checked), share_text(b.equal_bytes, checked),
               real ? fmt::format("{:.2g}", b.largest_absolute) : "-",
               real ? fmt::format("{:.2g}", b.largest_relative) : "-",
               real ? std::to_string(b.largest_ulp) : "-", b.different_bytes ? "different" : ""});
  }
  if (!table.empty()) fmt::print("\n{}", table.text());
}

std::string ratio_text(double now, double before) {
  return before > 0 ? fmt::format("{:.2f} x", now / before) : "-";
}

std::uint64_t whole(double ns) { return static_cast<std::uint64_t>(std::llround(ns)); }

void print_kernels(const Trace& trace, const ReplayReport& report) {
  if (report.kernel_times.empty()) return;
  const bool several = report.runs > 1;
  bool replaced = false;
  for (const KernelTiming& k : report.kernel_times) replaced |= k.original.has_value();
  using enum Table::Align;
  std::vector<Table::Column> columns{{"KERNEL"}, {"RUNS", right}, {"RECORDED", right}};
  if (replaced) columns.push_back({"ORIGINAL", right});
  columns.push_back({several ? "MEDIAN" : "REPLAYED", right});
  if (several) columns.insert(columns.end(), {{"P95", right}, {"NOISE", right}});
  columns.push_back({replaced ? "TO ORIGINAL" : "TO RECORDED", right});
  Table table(columns);
  for (const KernelTiming& k : report.kernel_times) {
    const TraceKernel& kernel = trace.kernels()[k.kernel];
    std::vector<std::string> cells{name_of(kernel.id) + " " + kernel.name,
                                   std::to_string(k.commands),
                                   k.recorded_ns ? time_text(*k.recorded_ns) : "-"};
    if (replaced) cells.push_back(k.original ? time_text(whole(k.original->median)) : "-");
    cells.push_back(time_text(whole(k.replayed.median)));
    if (several) {
      cells.push_back(time_text(whole(k.replayed.p95)));
      cells.push_back(fmt::format("±{:.1f}%", 100 * k.replayed.noise));
    }
    if (replaced)
      cells.push_back(k.original ? ratio_text(k.replayed.median, k.original->median) : "");
    else
      cells.push_back(
          k.recorded_ns ? ratio_text(k.replayed.median, static_cast<double>(*k.recorded_ns)) : "-");
    table.add(std::move(cells));
  }
  fmt::print("\n{}", table.text());
}

void print_commands(const Trace& trace, const ReplayReport& report) {
  using enum Table::Align;
  Table table({{"COMMAND"},
               {"RECORDED", right},
               {"MEDIAN", right},
               {"P95", right},
               {"LEAST", right},
               {"MOST", right}});
  for (const CommandTiming& c : report.command_times)
    table.add({describe_command(trace, c.command), c.recorded_ns ? time_text(*c.recorded_ns) : "-",
               time_text(whole(c.replayed.median)), time_text(whole(c.replayed.p95)),
               time_text(whole(c.replayed.min)), time_text(whole(c.replayed.max))});
  if (!table.empty()) fmt::print("\n{}", table.text());
}

Json json_of(const Spread& spread) {
  return {{"runs", spread.runs},  {"min_ns", spread.min}, {"median_ns", spread.median},
          {"p95_ns", spread.p95}, {"max_ns", spread.max}, {"noise", spread.noise}};
}

Json id_or_null(std::uint32_t command) {
  return command == no_index ? Json() : Json(command_name(command));
}

Json json_of(const Trace& trace, const Difference& d) {
  return {
      {"command", id_or_null(d.command)},
      {"description", d.command == no_index ? Json() : Json(describe_command(trace, d.command))},
      {"check", id_or_null(d.check)},
      {"buffer", name_of(trace.buffers()[d.buffer].id)},
      {"label", trace.buffers()[d.buffer].label},
      {"offset_bytes", d.offset_bytes},
      {"pixel", trace.buffers()[d.buffer].image
                    ? Json(pixel_text(*trace.buffers()[d.buffer].image, d.offset_bytes))
                    : Json()},
      {"type", d.type ? Json(name_of(*d.type)) : Json()},
      {"expected", d.expected.empty() ? Json() : Json(d.expected)},
      {"found", d.found.empty() ? Json() : Json(d.found)},
      {"elements", d.elements ? Json(d.elements) : Json()},
      {"hint", d.hint.empty() ? Json() : Json(d.hint)}};
}

Json json_of(const Trace& trace, const std::vector<Race>& races) {
  Json list = Json::array();
  for (const Race& race : races)
    list.push_back(
        {{"first", command_name(race.first)},
         {"second", command_name(race.second)},
         {"buffer",
          race.buffer == no_index ? Json() : Json(name_of(trace.buffers()[race.buffer].id))},
         {"begin", race.begin},
         {"end", race.end},
         {"observed", race.observed},
         {"order_kept", race.is_kept}});
  return list;
}

// A span has the gaps between commands in it; what the device was at work is less.
void print_time(const ReplayReport& report) {
  double busy = 0;
  std::uint64_t recorded_busy = report.recorded_together_ns;
  for (const CommandTiming& command : report.command_times) {
    busy += command.replayed.median;
    recorded_busy += command.recorded_ns.value_or(0);
  }
  std::string text = fmt::format("{} in commands, {} from the first start to the last end",
                                 time_text(whole(busy)), time_text(whole(report.span.median)));
  if (report.recorded_span_ns)
    text += fmt::format("; recorded {} and {}", time_text(recorded_busy),
                        time_text(*report.recorded_span_ns));
  text += report.runs > 1 ? fmt::format(" (median of {} runs after a warm-up, noise ±{:.1f}%)",
                                        report.runs, 100 * report.span.noise)
                          : " (one run, not warmed up; --repeat 10 measures)";
  verdict_line("time", text);
}

}  // namespace

int exit_code_of(const ReplayReport& report) {
  if (!report.incomplete.empty()) return report.is_damaged ? damaged : cannot;
  switch (report.verdict()) {
    case Verdict::equal:
    case Verdict::within_tolerance:
      return 0;
    case Verdict::different:
      return 1;
    case Verdict::not_proved:
      return cannot;
  }
  return cannot;
}

void print_replay(const Trace& trace, const ReplayReport& report, bool each_command) {
  fmt::print("{}  {}", printable(trace.path()), count_text(report.commands, "command"));
  // Of a document without devices nothing was opened.
  if (!report.device.empty()) fmt::print(" on {}", report.device);
  if (!report.device.empty() && (report.is_recorded_device || !report.recorded_device.empty()))
    fmt::print(", recorded on {}", report.is_recorded_device ? "the same" : report.recorded_device);
  fmt::print("\n");
  fmt::print("{:<12}{}\n", "verdict", verdict_words(report));
  print_differences(trace, report);
  print_warnings(trace, report);
  print_left_out(trace, report);
  for (const Unchecked& one : report.unchecked)
    verdict_line("not checked", fmt::format("{} in {}: {}", size_text(one.bytes),
                                            count_text(one.checks, "range"), one.reason));
  if (report.first_nan) {
    const NanReport& nan = *report.first_nan;
    verdict_line(
        "first NaN",
        fmt::format("{} writes {} to {} at byte {}; {}", describe_command(trace, nan.command),
                    nan.value, describe_buffer(trace, nan.buffer), nan.offset_bytes,
                    nan.was_read ? "what it read had one already" : "what it read had none"));
  }
  verdict_line("order", to_string(report.order));
  verdict_line("restored", fmt::format("{} in {}", size_text(report.restored_bytes),
                                       time_text(report.restore_ns)));
  if (report.is_timed) print_time(report);
  for (const std::string& remark : report.remarks) verdict_line("note", remark);
  print_buffers(trace, report);
  print_kernels(trace, report);
  if (each_command) print_commands(trace, report);
}

Json json_of(const Trace& trace, const ReplayReport& report) {
  Json json = json_of(trace);
  json["verdict"] = to_string(report.verdict());
  json["device"] = report.device;
  json["recorded_device"] = report.recorded_device;
  json["is_recorded_device"] = report.is_recorded_device;
  json["order"] = to_string(report.order);
  json["commands"] = report.commands;
  json["skipped"] = report.skipped;
  json["left_out"] = Json::array();
  for (const LeftOut& one : report.left_out)
    json["left_out"].push_back({{"command", command_name(one.command)}, {"reason", one.reason}});
  json["checks"] = {{"made", report.checks},
                    {"equal", report.equal_checks},
                    {"within_tolerance", report.close_checks},
                    {"different", report.different_checks},
                    {"bytes", report.checked_bytes},
                    {"equal_bytes", report.equal_bytes}};
  json["not_checked"] = Json::array();
  for (const Unchecked& one : report.unchecked)
    json["not_checked"].push_back(
        {{"reason", one.reason}, {"ranges", one.checks}, {"bytes", one.bytes}});
  json["culprit"] = report.culprit ? Json(command_name(*report.culprit)) : Json();
  json["culprit_reason"] = report.culprit_reason;
  json["differences"] = Json::array();
  for (const Difference& d : report.differences) json["differences"].push_back(json_of(trace, d));
  json["races"] = json_of(trace, report.races);
  json["possible_races"] = json_of(trace, report.possible_races);
  json["run_again"] = report.was_run_again;
  json["unsteady"] = Json::array();
  for (const std::uint32_t buffer : report.unsteady)
    json["unsteady"].push_back(name_of(trace.buffers()[buffer].id));
  json["first_nan"] = Json();
  if (report.first_nan)
    json["first_nan"] = {{"command", command_name(report.first_nan->command)},
                         {"buffer", name_of(trace.buffers()[report.first_nan->buffer].id)},
                         {"offset_bytes", report.first_nan->offset_bytes},
                         {"value", report.first_nan->value},
                         {"was_read", report.first_nan->was_read}};
  json["buffers"] = Json::array();
  for (const BufferReport& b : report.buffers)
    json["buffers"].push_back({{"id", name_of(trace.buffers()[b.buffer].id)},
                               {"label", trace.buffers()[b.buffer].label},
                               {"type", b.type ? Json(name_of(*b.type)) : Json()},
                               {"checks", b.checks},
                               {"equal_bytes", b.equal_bytes},
                               {"within_tolerance_bytes", b.close_bytes},
                               {"different_bytes", b.different_bytes},
                               {"not_checked_bytes", b.unchecked_bytes},
                               {"largest_absolute", b.largest_absolute},
                               {"largest_relative", b.largest_relative},
                               {"largest_ulp", b.largest_ulp},
                               {"same_in_every_run", b.same_in_every_run}});
  json["runs"] = report.runs;
  json["warmed_up"] = report.warmed_up;
  json["restored_bytes"] = report.restored_bytes;
  json["restore_ns"] = report.restore_ns;
  json["check_ns"] = report.check_ns;
  json["recorded_span_ns"] = report.recorded_span_ns ? Json(*report.recorded_span_ns) : Json();
  json["recorded_together_ns"] = report.recorded_together_ns;
  json["span"] = report.is_timed ? json_of(report.span) : Json();
  json["kernels"] = Json::array();
  for (const KernelTiming& k : report.kernel_times)
    json["kernels"].push_back({{"id", name_of(trace.kernels()[k.kernel].id)},
                               {"name", trace.kernels()[k.kernel].name},
                               {"commands", k.commands},
                               {"recorded_ns", k.recorded_ns ? Json(*k.recorded_ns) : Json()},
                               {"replayed", json_of(k.replayed)},
                               {"original", k.original ? json_of(*k.original) : Json()}});
  json["command_times"] = Json::array();
  for (const CommandTiming& c : report.command_times)
    json["command_times"].push_back({{"command", command_name(c.command)},
                                     {"recorded_ns", c.recorded_ns ? Json(*c.recorded_ns) : Json()},
                                     {"replayed", json_of(c.replayed)}});
  json["remarks"] = report.remarks;
  json["warnings"] = report.warnings;
  json["incomplete"] = report.incomplete;
  return json;
}

}  // namespace reel::cli
