// found_tables.cpp - what isn't recorded, but follows from what is.
#include "analysis/found_columns.hpp"
#include "export/tables/tables.hpp"

namespace reel::tables {
namespace {

using enum Type;

const auto& dependencies(Source& s) { return s.dependencies(); }
const auto& dependency_sets(Source& s) { return s.dependency_sets(); }
const auto& gaps(Source& s) { return s.activity().gaps; }
const auto& curve(Source& s) { return s.memory().curve; }
const auto& steps(Source& s) { return s.report().path.steps; }
const auto& passes(Source& s) { return s.report().passes; }
const auto& findings(Source& s) { return s.findings(); }

// Sorted by their first column.
template <auto list>
Table found_table(const char* name) {
  Table table = table_of<list>(name, true);
  table.is_found = true;
  return table;
}
// The first column is the number of the row.
template <auto list>
Table numbered_table(const char* name, const char* order) {
  Table table{name, rows_of<list>, {{"number", integer, order, row_number}}, true, true, true};
  describe<row_of<list>>(table.columns);
  return table;
}

Table gap_table() {
  Table table = found_table<gaps>("gaps");
  table.columns.push_back(
      {"size_ns", integer, "from begin to end",
       [](Source& s, std::uint64_t row) { return Cell(gaps(s)[row].size_ns()); }});
  return table;
}

// One row: the numbers of docs/analysis.md.
template <std::uint64_t (*number)(const analysis::Activity&), bool of_devices>
Column activity_column(const char* name, const char* meaning) {
  return {name, integer, meaning, [](Source& s, std::uint64_t) -> Cell {
            const analysis::Activity& activity = s.activity();
            const bool is_known = of_devices ? activity.has_times() : activity.span_ns() > 0;
            return is_known ? Cell(number(activity)) : Cell();
          }};
}

using A = analysis::Activity;
std::uint64_t begin_of(const A& a) { return a.begin_ns; }
std::uint64_t end_of(const A& a) { return a.end_ns; }
std::uint64_t span_of(const A& a) { return a.span_ns(); }
std::uint64_t active_of(const A& a) { return a.active_ns; }
std::uint64_t busy_of(const A& a) { return a.busy_ns; }
std::uint64_t idle_of(const A& a) { return a.active_ns - a.busy_ns; }
std::uint64_t sum_of(const A& a) { return a.sum_ns; }
std::uint64_t copies_of(const A& a) { return a.copy_ns; }

Table activity_table() {
  return {"activity",
          [](Source&) -> std::uint64_t { return 1; },
          {activity_column<begin_of, false>("begin_ns", "the origin that texts count from"),
           activity_column<end_of, false>("end_ns", "the last that was recorded"),
           activity_column<span_of, false>("span_ns", "from begin to end"),
           activity_column<active_of, true>(
               "active_ns", "from first start to last end, of each device, added up"),
           activity_column<busy_of, true>("busy_ns", "when a device ran something, of those"),
           activity_column<idle_of, true>("idle_ns", "when it didn't"),
           activity_column<sum_of, true>("sum_ns", "each command for itself; what shares are of"),
           activity_column<copies_of, true>("copy_ns", "copies, reads, writes and fills, of that")},
          false,
          false,
          true};
}

Cell time_cell(std::uint64_t ns) { return ns ? Cell(ns) : Cell(); }
template <class T>
Cell optional_cell(const std::optional<T>& value) {
  return value ? Cell(std::uint64_t{*value}) : Cell();
}
template <class Make>
Column finding_column(const char* name, Type type, const char* meaning, Make) {
  return {name, type, meaning,
          [](Source& s, std::uint64_t row) -> Cell { return Make{}(s.findings()[row]); }};
}

using F = analysis::Finding;
Table finding_table() {
  return {
      "findings",
      rows_of<findings>,
      {{"number", integer, "from 0, the most important first", row_number},
       finding_column("rule", text, "`idle.sync`, …",
                      [](const F& f) { return Cell(std::string_view(f.id)); }),
       finding_column("severity", text, "`info`, `warning`, `error`",
                      [](const F& f) { return Cell(std::string_view(to_string(f.severity))); }),
       finding_column("confidence", text, "`possible`, `likely`, `certain`",
                      [](const F& f) { return Cell(std::string_view(to_string(f.confidence))); }),
       finding_column("title", text, "what was found, in a sentence",
                      [](const F& f) { return Cell(std::string_view(f.title)); }),
       finding_column("advice", text, "what to do",
                      [](const F& f) { return Cell(std::string_view(f.advice)); }),
       finding_column("saving_ns", integer, "alone; several may save the same time",
                      [](const F& f) { return optional_cell(f.saving_ns); }),
       finding_column("saving_bytes", integer, "of memory",
                      [](const F& f) { return optional_cell(f.saving_bytes); }),
       finding_column("formula", text, "of the saving",
                      [](const F& f) { return Cell(std::string_view(f.formula)); }),
       finding_column("begin_ns", integer, "where to look",
                      [](const F& f) { return time_cell(f.evidence.begin_ns); }),
       finding_column("end_ns", integer, "until where",
                      [](const F& f) { return time_cell(f.evidence.end_ns); })},
      true,
      true,
      true};
}

}  // namespace

std::vector<Table> found_tables() {
  return {activity_table(),
          found_table<dependencies>("dependencies"),
          found_table<dependency_sets>("dependency_sets"),
          gap_table(),
          found_table<curve>("memory"),
          numbered_table<steps>("critical_path", "from 0, in time"),
          numbered_table<passes>("passes", "from 0"),
          finding_table()};
}

}  // namespace reel::tables
