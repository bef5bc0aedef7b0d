// gaps.cpp - `reel gaps`: when devices had nothing to do, and why.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "cli/showing/table.hpp"
#include "cli/showing/terminal.hpp"
#include "cli/trace_input.hpp"
#include "cli/verbs.hpp"
#include "reel/analysis.hpp"
#include "reel/units.hpp"

namespace reel::cli {
namespace {

struct Options : TraceOptions {
  std::string cause;
  std::size_t most = 20;
};

std::vector<analysis::Gap> gaps_of(const analysis::Activity& activity, const std::string& cause) {
  std::vector<analysis::Gap> gaps;
  for (const analysis::Gap& gap : activity.gaps)
    if (cause.empty() || cause == to_string(gap.cause)) gaps.push_back(gap);
  std::ranges::stable_sort(gaps, std::ranges::greater{}, &analysis::Gap::size_ns);
  return gaps;
}

std::string call_text(const Trace& trace, const analysis::Gap& gap) {
  return gap.call == no_index ? "" : trace.text(trace.calls()[gap.call].name);
}

Json to_json(const Trace& trace, const analysis::Activity& activity,
             const std::vector<analysis::Gap>& gaps) {
  Json json = json_of(trace);
  const auto known = [](bool is, std::uint64_t ns) { return is ? Json(ns) : Json(); };
  const bool has_times = activity.has_times();
  json["origin_ns"] = known(activity.span_ns() > 0, activity.begin_ns);
  json["active_ns"] = known(has_times, activity.active_ns);
  json["busy_ns"] = known(has_times, activity.busy_ns);
  json["idle_ns"] = Json::object();
  for (std::size_t cause = 0; cause < analysis::idle_causes; ++cause)
    json["idle_ns"][to_string(static_cast<analysis::IdleCause>(cause))] =
        known(has_times, activity.idle_ns[cause]);
  json["devices"] = Json::array();
  for (std::size_t d = 0; d < activity.devices.size(); ++d) {
    const analysis::Lane& lane = activity.devices[d];
    json["devices"].push_back({{"selector", printable(trace.devices()[d].selector)},
                               {"active_ns", known(lane.timed > 0, lane.span_ns())},
                               {"busy_ns", known(lane.timed > 0, lane.busy_ns)},
                               {"idle_ns", known(lane.timed > 0, lane.idle_ns())}});
  }
  json["gaps"] = Json::array();
  for (const analysis::Gap& gap : gaps)
    json["gaps"].push_back({{"device", trace.devices()[gap.device].selector},
                            {"cause", to_string(gap.cause)},
                            {"begin_ns", gap.begin_ns - activity.begin_ns},
                            {"ns", gap.size_ns()},
                            {"before", command_name(gap.before)},
                            {"after", command_name(gap.after)},
                            {"call", call_text(trace, gap)},
                            {"period", gap.period}});
  return json;
}

// A gap that is shorter than the error of its device's clock is as long as it says, but what the
// host did meanwhile may be another moment's.
void tell_clock_errors(const Trace& trace, const std::vector<analysis::Gap>& gaps) {
  for (std::uint32_t d = 0; d < trace.devices().size(); ++d) {
    const std::uint64_t error = trace.devices()[d].clock_error_ns.value_or(0);
    std::size_t all = 0, shorter = 0;
    for (const analysis::Gap& gap : gaps) {
      all += gap.device == d;
      shorter += gap.device == d && gap.size_ns() < error;
    }
    if (shorter * 2 <= all) continue;
    fmt::print(
        "{}\n\n",
        wrapped(printable(fmt::format(
            "{} of {} of {} are shorter than ±{}, within which the device's clock is brought "
            "to the host's: the causes of these are not certain.",
            shorter, count_text(all, "gap"), trace.devices()[d].selector, time_text(error)))));
  }
}

int run(const Options& options) {
  const Trace trace = open_trace(options);
  const analysis::Activity activity = analysis::find_activity(trace);
  const std::vector<analysis::Gap> gaps = gaps_of(activity, options.cause);
  if (options.json) {
    print_json(to_json(trace, activity, gaps));
    return done;
  }
  if (!activity.has_times()) {
    fmt::print("When devices were idle can't be told: {}.\n",
               trace.is_complete() ? "no timings were recorded"
                                   : "no timings can be read, since the document is incomplete");
    return done;
  }
  if (activity.is_partly_timed())
    fmt::print("{} of {} {}: idle is what the others leave.\n", activity.untimed,
               count_text(activity.timed + activity.untimed, "command"),
               activity.untimed == 1 ? "has no times, and a device may have been busy with it"
                                     : "have no times, and devices may have been busy with them");
  for (std::size_t d = 0; d < activity.devices.size(); ++d) {
    const analysis::Lane& lane = activity.devices[d];
    if (lane.timed)
      fmt::print("{}: busy {} of {} ({})\n", printable(trace.devices()[d].selector),
                 time_text(lane.busy_ns), time_text(lane.span_ns()),
                 share_text(lane.busy_ns, lane.span_ns()));
    else
      fmt::print("{}: no command has the times it ran at\n",
                 printable(trace.devices()[d].selector).empty()
                     ? "no device"
                     : printable(trace.devices()[d].selector));
  }
  if (gaps.empty()) {
    fmt::print("No gaps{}.\n", options.cause.empty() ? "" : " with this cause");
    return done;
  }
  using enum Table::Align;
  Table causes({{"CAUSE"}, {"GAPS", right}, {"IDLE", right}, {"SHARE", right}});
  std::uint64_t idle = 0;
  for (const analysis::Gap& gap : gaps) idle += gap.size_ns();
  for (std::size_t cause = 0; cause < analysis::idle_causes; ++cause) {
    std::set<std::uint32_t> periods;  // several parts of one may have the same cause
    std::uint64_t sum = 0;
    for (const analysis::Gap& gap : gaps) {
      if (static_cast<std::size_t>(gap.cause) != cause) continue;
      periods.insert(gap.period);
      sum += gap.size_ns();
    }
    if (!periods.empty())
      causes.add({to_string(static_cast<analysis::IdleCause>(cause)),
                  std::to_string(periods.size()), time_text(sum), share_text(sum, idle)});
  }
  fmt::print("\n{}\n", causes.text());
  tell_clock_errors(trace, gaps);
  Table table({{"AT", right}, {"IDLE", right}, {"CAUSE"}, {"BEFORE"}, {"AFTER"}, {"MEANWHILE"}});
  for (std::size_t i = 0; i < gaps.size() && i < options.most; ++i)
    table.add({time_text(gaps[i].begin_ns - activity.begin_ns), time_text(gaps[i].size_ns()),
               to_string(gaps[i].cause), command_name(gaps[i].before), command_name(gaps[i].after),
               call_text(trace, gaps[i])});
  fmt::print("{}", table.text());
  if (gaps.size() > options.most)
    fmt::print("{} more, shorter; --most shows them\n", gaps.size() - options.most);
  print_next(options,
             {{"reel commands $ " + command_name(gaps[0].after), "what ran after the longest"},
              {"reel insights $", "what to do about it"}});
  return done;
}

}  // namespace

void add_gaps(CommandLine& line) {
  auto [verb, options] = add_trace_verb(line, "gaps", "When devices were idle, and why", run);
  std::vector<std::string> causes;
  for (std::size_t cause = 0; cause < analysis::idle_causes; ++cause)
    causes.emplace_back(to_string(static_cast<analysis::IdleCause>(cause)));
  verb.add_option("--cause", options.cause, "Only gaps with this cause").one_of(causes);
  verb.add_option("--most", options.most, "How many are listed, the longest first").show_default();
  verb.footer("Example:\n  reel gaps pass.reel --cause sync");
}

}  // namespace reel::cli
