// clocks.cpp - `reel clocks`: on which clock times of documents can be compared, and how exactly.
#include <fmt/format.h>

#include <memory>
#include <reel/common_clock.hpp>

#include "cli/showing/table.hpp"
#include "cli/showing/terminal.hpp"
#include "cli/trace_input.hpp"
#include "cli/verbs.hpp"
#include "reel/units.hpp"

namespace reel::cli {
namespace {

struct Options {
  std::vector<std::string> paths;
  bool json = false;
};

// A document, and the times of its first and last call on the common clock.
struct Row {
  std::string path, rank, host;
  std::uint64_t first_ns = 0, last_ns = 0;
  std::size_t real = 0, common = 0;
  std::vector<std::string> notes = {};                // that a clock was set, or slept
  std::optional<std::uint64_t> device_error_ns = {};  // the largest of its devices; none: not known
};

std::string fact(const Trace& trace, const char* name) {
  const auto found = trace.facts().find(name);
  return found == trace.facts().end() ? std::string() : found->second;
}

Row row_of(const Trace& trace, const std::string& path) {
  Row row{path, fact(trace, "rank"), fact(trace, "host")};
  for (const TraceClock& clock : trace.clocks()) {
    if (row.first_ns == 0 || clock.time_ns < row.first_ns) row.first_ns = clock.time_ns;
    row.last_ns = std::max(row.last_ns, clock.time_ns);
    ++(clock.kind == ClockKind::real ? row.real : row.common);
  }
  for (const TraceDevice& device : trace.devices())
    if (device.clock_error_ns)
      row.device_error_ns = std::max(row.device_error_ns.value_or(0), *device.clock_error_ns);
  for (const TraceNote& note : trace.notes())
    if (note.kind == "clock") row.notes.push_back(note.text);
  return row;
}

std::string error_text(const std::optional<analysis::CommonTime>& time, analysis::ClockBasis basis,
                       std::size_t documents) {
  if (!time) return "-";
  // What is read from one clock needs no translation: that is no error of 0, but none.
  if (basis == analysis::ClockBasis::same_boot) return documents == 1 ? "-" : "same clock";
  if (!time->error_ns) return "not known";
  return *time->error_ns ? "±" + time_text(*time->error_ns) : "reference";
}

Json error_json(const std::optional<analysis::CommonTime>& time) {
  return time && time->error_ns ? Json(*time->error_ns) : Json();
}

std::string sentence(analysis::ClockBasis basis, std::size_t documents) {
  if (documents == 1)
    return "One document has nothing to be compared with: its times are of the clock of its host.";
  switch (basis) {
    case analysis::ClockBasis::same_boot:
      return "All documents are of one host since it was started: their times are of one clock.";
    case analysis::ClockBasis::messages:
      return "The hosts compared their clocks while they were recorded.";
    case analysis::ClockBasis::real_time:
      return "Times can only be compared by the hosts' real-time clocks, and nobody knows how far "
             "these are apart; capture with --clocks.";
    case analysis::ClockBasis::none:
      break;
  }
  return "Times of these documents can't be compared: not all of them tell of their clocks.";
}

int run(const Options& options) {
  std::vector<Row> rows;
  std::vector<analysis::ClockSource> sources;
  for (const std::string& path : options.paths) {
    const Trace trace = Trace::load(path);
    tell_if_incomplete(trace);
    rows.push_back(row_of(trace, path));
    sources.push_back(analysis::clock_source(trace));
  }
  const auto clocks = analysis::common_clocks(sources);
  const analysis::ClockBasis basis =
      clocks.empty() ? analysis::ClockBasis::none : clocks[0].basis();
  if (options.json) {
    Json json = {{"schema_version", 1}, {"basis", to_string(basis)}, {"documents", Json::array()}};
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const auto first = clocks[i].at(rows[i].first_ns), last = clocks[i].at(rows[i].last_ns);
      json["documents"].push_back(
          {{"document", rows[i].path},
           {"rank", rows[i].rank},
           {"host", rows[i].host},
           {"first_ns", rows[i].first_ns},
           {"common_ns", first ? Json(first->ns) : Json()},
           {"first_error_ns", error_json(first)},
           {"last_error_ns", error_json(last)},
           {"device_error_ns", rows[i].device_error_ns ? Json(*rows[i].device_error_ns) : Json()},
           {"real", rows[i].real},
           {"common", rows[i].common},
           {"notes", rows[i].notes}});
    }
    print_json(json);
    return done;
  }
  using enum Table::Align;
  Table table({{"DOCUMENT"},
               {"RANK", right},
               {"HOST"},
               {"READINGS", right},
               {"MESSAGES", right},
               {"AT START", right},
               {"AT END", right}});
  for (std::size_t i = 0; i < rows.size(); ++i)
    table.add({rows[i].path, rows[i].rank.empty() ? "-" : rows[i].rank, rows[i].host,
               std::to_string(rows[i].real), std::to_string(rows[i].common),
               error_text(clocks[i].at(rows[i].first_ns), basis, rows.size()),
               error_text(clocks[i].at(rows[i].last_ns), basis, rows.size())});
  fmt::print("{}\n{}\n", table.text(), wrapped(sentence(basis, rows.size())));
  for (const Row& row : rows)
    if (row.device_error_ns)
      fmt::print("{}\n", wrapped(printable(fmt::format(
                             "{}: times on a device are brought to the host's clock within ±{}.",
                             row.path, time_text(*row.device_error_ns)))));
  for (const Row& row : rows)
    for (const std::string& note : row.notes)
      fmt::print("{}\n", printable(fmt::format("{}: {}", row.path, note)));
  return done;
}

}  // namespace

void add_clocks(CommandLine& line) {
  auto options = std::make_shared<Options>();
  Verb verb = line.add_verb("clocks", "How exactly times of several documents can be compared");
  verb.add_option("documents", options->paths, "Documents of one run").type_name("FILE").required();
  verb.add_flag("--json", options->json, "Print JSON");
  verb.footer("Example:\n  reel clocks run-*.reel");
  verb.action([options] { return run(*options); });
}

}  // namespace reel::cli
