// tables.hpp - a document as tables: one list for SQL and all exports that have rows. docs/sql.md
// describes each.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "export/tables/table_source.hpp"
#include "reel/trace_columns.hpp"

namespace reel::tables {

// A view is of a text that lives as long as the source.
using Cell = ColumnValue;

// A natural number may be 2^63 or more; an integer is not, where the document isn't damaged.
enum class Type : std::uint8_t { integer, natural, flag, real, text };
const char* name_of(Type type) noexcept;  // as SQL has it

// Rows with equal keys have equal cells: who reads all rows makes a cell once for each key.
struct Sharing {
  std::uint32_t (*key)(Source&, std::uint64_t row);
  std::uint64_t (*keys)(Source&);  // all are less
};

struct Column {
  std::string name;
  Type type;
  const char* meaning;  // as docs/sql.md has it
  std::function<Cell(Source&, std::uint64_t row)> cell;
  const Sharing* sharing = nullptr;
};

struct Table {
  const char* name;
  std::uint64_t (*rows)(Source&);
  std::vector<Column> columns;
  // Rows are sorted by their first column, no value before any, and may be looked up by it.
  bool is_sorted = false;
  bool is_unique = false;  // and each has one of its own
  bool is_found = false;   // not recorded, but found out: to count its rows may take a while
};

const std::vector<Table>& all();

// The parts of all().
std::vector<Table> recorded_tables();  // devices, streams, buffers, kernels, …
std::vector<Table> command_tables();   // commands, arguments, calls, …
std::vector<Table> found_tables();     // dependencies, gaps, findings, …

Type type_of(ColumnKind kind, std::size_t width_bytes) noexcept;
Cell row_number(Source& source, std::uint64_t row);

// `list` gives the rows of a source; `row` one of them.
template <auto list>
std::uint64_t rows_of(Source& source) {
  return list(source).size();
}
template <auto list>
decltype(auto) row_of(Source& source, std::uint64_t row) {
  return list(source)[row];
}

// Adds the columns that are described for such rows.
template <auto row>
void describe(std::vector<Column>& columns, const Sharing* sharing = nullptr) {
  using Row = std::remove_cvref_t<decltype(row(std::declval<Source&>(), 0))>;
  for (const RowColumn<Row>& column : columns_of<Row>())
    if (column.kind != ColumnKind::place)
      columns.push_back({column.name, type_of(column.kind, column.width), column.meaning,
                         [&column](Source& source, std::uint64_t number) {
                           return shown(source.trace(), column, row(source, number));
                         },
                         sharing});
}
// A table of nothing else.
template <auto list>
Table table_of(const char* name, bool is_sorted = false, bool is_unique = false) {
  Table table{name, rows_of<list>, {}, is_sorted, is_unique};
  describe<row_of<list>>(table.columns);
  return table;
}

}  // namespace reel::tables
