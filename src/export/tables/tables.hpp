// tables.hpp - a document as tables: one list for SQL, CSV and JSON lines. docs/sql.md describes
// each.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "export/tables/table_source.hpp"

namespace reel::tables {

// Nothing, a number or a text; a view is of a text that lives as long as the source.
using Cell = std::variant<std::monostate, std::uint64_t, double, std::string_view, std::string>;

enum class Type : std::uint8_t { integer, real, text };
const char* name_of(Type type) noexcept;  // as SQL has it

struct Column {
  const char* name;
  Type type;
  Cell (*cell)(Source&, std::uint64_t row);
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

// A column of rows that are elements of a list: list(source)[row], made a cell by `make`.
template <auto list, class Make>
Column column(const char* name, Type type, Make) {
  return {name, type, [](Source& source, std::uint64_t row) -> Cell {
            return Make{}(source, list(source)[row]);
          }};
}
template <auto list>
std::uint64_t rows_of(Source& source) {
  return list(source).size();
}

// A time of 0 is one that isn't known.
inline Cell time_cell(std::uint64_t ns) { return ns ? Cell(ns) : Cell(); }
inline Cell number_cell(std::uint64_t number) { return number; }
inline Cell flag_cell(bool flag) { return std::uint64_t{flag}; }
inline Cell text_cell(const std::string& text) { return std::string_view(text); }
// Of indices: the id of what they stand for.
Cell device_cell(const Trace& trace, std::uint32_t index);
Cell stream_cell(const Trace& trace, std::uint32_t index);
Cell buffer_cell(const Trace& trace, std::uint32_t index);
Cell kernel_cell(const Trace& trace, std::uint32_t index);
Cell index_cell(std::uint32_t index);  // of commands and calls, whose index is their id

}  // namespace reel::tables
