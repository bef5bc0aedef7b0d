// commands.cpp - `reel commands`: what ran, one by one; or all about one of them.
#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "cli/showing/command_details.hpp"
#include "cli/showing/table.hpp"
#include "cli/verbs.hpp"
#include "layers/control/name_pattern.hpp"
#include "reel/analysis.hpp"
#include "reel/decision_tree.hpp"
#include "reel/units.hpp"

namespace reel::cli {
namespace {

struct Options : TraceOptions {
  std::string command, kernel, scope, stream, range;
  std::size_t limit = 100;
};

// Which works are asked for: a filter looks at each once, however many commands share it.
std::vector<bool> wanted_works(const Trace& trace, const Options& options) {
  std::vector<bool> wanted;
  wanted.reserve(trace.works().size());
  for (const TraceWork& work : trace.works()) {
    const bool kernel_fits =
        options.kernel.empty() ||
        (work.kernel != no_index &&
         (layer::name_matches(options.kernel, trace.kernels()[work.kernel].name) ||
          options.kernel == name_of(trace.kernels()[work.kernel].id)));
    wanted.push_back(kernel_fits && (options.scope.empty() ||
                                     layer::name_matches(options.scope, trace.text(work.scope))));
  }
  return wanted;
}

std::vector<std::uint32_t> select(const Trace& trace, const Options& options) {
  const CommandRange range =
      options.range.empty() ? CommandRange{} : parse_command_range(trace, options.range);
  std::optional<std::uint32_t> stream;
  if (!options.stream.empty()) stream = parse_stream(trace, options.stream);
  const std::vector<bool> wanted = wanted_works(trace, options);
  std::vector<std::uint32_t> selected;
  for (std::uint32_t i = range.first; i < trace.commands().size() && i <= range.last; ++i) {
    const TraceCommand& command = trace.commands()[i];
    if (wanted[command.work] && (!stream || command.stream == *stream)) selected.push_back(i);
  }
  return selected;
}

// Which launches, decisions, branches and rounds gave a command.
class Decided {
 public:
  explicit Decided(const Trace& trace)
      : trace_(trace),
        titles_(trace),
        regions_(std::ranges::any_of(trace.regions(), &TraceRegion::is_decision)
                     ? analysis::regions_of_commands(trace)
                     : std::vector<std::uint32_t>()) {}
  bool has_any() const noexcept { return !regions_.empty(); }
  // The innermost of them, but for the launch.
  std::string title(std::uint32_t command) const {
    std::uint32_t region = regions_[command];
    if (region == no_index) return {};
    // An if or switch tells which branch ran.
    const TraceRegion& its = trace_.regions()[region];
    if (its.kind == TraceRegion::Kind::launch) return {};
    if (its.kind == TraceRegion::Kind::branch && its.parent != no_index) region = its.parent;
    return titles_.of(region);
  }
  std::string path(std::uint32_t command) const {
    if (regions_.empty() || regions_[command] == no_index) return {};
    return titles_.path(regions_[command]);
  }

 private:
  const Trace& trace_;
  analysis::RegionTitles titles_;
  std::vector<std::uint32_t> regions_;
};

void print(const Trace& trace, const Options& options, const std::vector<std::uint32_t>& selected) {
  if (selected.empty()) {
    if (trace.commands().empty())
      print_none(trace, "commands", "The document has no commands.");
    else
      fmt::print("No command fits; reel commands without filters lists all.\n");
    return;
  }
  using enum Table::Align;
  // One stream needs no column, so that lines fit 80 characters.
  const bool has_streams = trace.streams().size() > 1;
  std::vector<Table::Column> columns{
      {"ID"},          {"KIND"},         {"LABEL"},         {"SCOPE"},
      {"GRID", right}, {"START", right}, {"QUEUED", right}, {"RAN", right}};
  if (has_streams) columns.insert(columns.begin() + 1, {"STREAM"});
  // Few programs decide, and to them it is what tells commands of one name apart.
  const Decided decided(trace);
  if (decided.has_any()) columns.push_back({"DECIDED"});
  Table table(columns);
  const std::uint64_t origin = analysis::find_span(trace).begin_ns;
  const std::size_t shown =
      options.limit == 0 ? selected.size() : std::min(options.limit, selected.size());
  for (std::size_t i = 0; i < shown; ++i) {
    const TraceCommand& command = trace.commands()[selected[i]];
    const TraceWork& work = trace.work_of(command);
    const std::uint64_t delay = queue_delay_ns(command);
    const auto interval = trace.interval_of(selected[i]);
    // A barrier that stands among such commands took no time of its own.
    const TraceInterval* together =
        interval && work.kind != WorkKind::barrier ? &trace.intervals()[*interval] : nullptr;
    std::vector<std::string> row{
        command_name(selected[i]),
        kind_text(trace, work),
        title_of(trace, work),
        trace.text(work.scope),
        work.kind == WorkKind::dispatch
            ? (work.has_own_groups() ? grid_text(work.groups) : grid_text(work.items) + " items") +
                  predicate_mark(trace, work)
            : "",
        command.started_ns ? time_text(command.started_ns - origin)
        : together         ? "from " + time_text(together->begin_ns - origin)
                           : "-",
        delay ? time_text(delay) : "-",
        command.has_run_times() ? time_text(command.run_ns())
        : together              ? "within " + time_text(together->size_ns())
                                : "-"};
    if (has_streams) row.insert(row.begin() + 1, name_of(trace.streams()[command.stream].id));
    if (decided.has_any()) row.push_back(decided.title(selected[i]));
    table.add(std::move(row));
  }
  fmt::print("{}", table.text());
  if (shown < selected.size())
    fmt::print("… {} more; --limit 0 lists all, --range {}- goes on\n", selected.size() - shown,
               command_name(selected[shown]));
  print_next(options, {{"reel commands $ " + command_name(selected[0]), "all about one of them"},
                       {"reel kernels $", "where the time went"}});
}

// What texts count from, on the clock that the times of JSON are of.
Json origin_json(const Trace& trace) {
  const analysis::TimeSpan span = analysis::find_span(trace);
  return span.end_ns > span.begin_ns ? Json(span.begin_ns) : Json();
}

void add_decided(Json& json, const Decided& decided, std::uint32_t command) {
  if (std::string path = decided.path(command); !path.empty()) json["decided"] = std::move(path);
}

int run(const Options& options) {
  const Trace trace = open_trace(options);
  if (!options.command.empty()) {
    const std::uint32_t index = parse_command(trace, options.command);
    if (options.json) {
      Json json = json_of(trace);
      json["origin_ns"] = origin_json(trace);
      json["command"] = command_json(trace, index, true);
      add_decided(json["command"], Decided(trace), index);
      print_json(json);
    } else {
      print_command(trace, index, options);
    }
    return done;
  }
  const std::vector<std::uint32_t> selected = select(trace, options);
  if (!options.json) {
    print(trace, options, selected);
    return done;
  }
  Json json = json_of(trace);
  json["origin_ns"] = origin_json(trace);
  json["total"] = selected.size();
  json["commands"] = Json::array();
  const Decided decided(trace);
  for (std::size_t i = 0; i < selected.size() && (options.limit == 0 || i < options.limit); ++i) {
    json["commands"].push_back(command_json(trace, selected[i], false));
    add_decided(json["commands"].back(), decided, selected[i]);
  }
  print_json(json);
  return done;
}

}  // namespace

void add_commands(CommandLine& line) {
  auto [verb, options] =
      add_trace_verb(line, "commands", "List commands, or show everything about one", run);
  verb.add_option("command", options.command,
                  "Show everything about this command: its id, or its name")
      .type_name("c12");
  verb.add_option("--kernel", options.kernel,
                  "Runs of these kernels: part of a name, a pattern with * and ?, or k4")
      .type_name("KERNEL");
  verb.add_option("--scope", options.scope,
                  "Within these scopes: part of a name, or a pattern with * and ?")
      .type_name("SCOPE");
  verb.add_option("--stream", options.stream, "On this stream").type_name("s0");
  verb.add_option("--range", options.range, "From one command to another").type_name("c10-c90");
  verb.add_option("--limit", options.limit, "List at most N; 0: all").show_default();
  verb.footer(
      "Examples:\n"
      "  reel commands pass.reel --kernel 'matmul*' --scope layer3\n"
      "  reel commands pass.reel --range c100-c120\n"
      "  reel commands pass.reel c12");
}

}  // namespace reel::cli
