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
  return {found_table<dependencies>("dependencies"),
          found_table<dependency_sets>("dependency_sets"),
          gap_table(),
          found_table<curve>("memory"),
          numbered_table<steps>("critical_path", "from 0, in time"),
          numbered_table<passes>("passes", "from 0"),
          finding_table()};
}

}  // namespace reel::tables
