// trace_columns.hpp - the columns of each list of a trace: name, meaning, and how a row has them.
//
//   for (const auto& column : reel::columns_of<reel::TraceWork>())
//     … column.name, column.meaning, reel::shown(trace, column, trace.works()[0])
//
// SQL, CSV, JSON lines, the page and the arrays of Python are made from these lists: a column
// that is added there is in all of them. docs/sql.md has the same words; a test compares.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <variant>

#include "reel/trace.hpp"

namespace reel {

// What the number in a column stands for; each reader shows it in its own way.
enum class ColumnKind : std::uint8_t {
  number,
  count,   // a number; 0: the document doesn't tell
  flag,    // 1 or 0
  real,    // a double
  time,    // nanoseconds on the host's clock; 0: not known
  word,    // an enumerator, which `word` names
  string,  // a text of its own
  text,    // a number for Trace::text()
  // Numbers of which no_index is none: of things within others, and indices in lists of the trace.
  index,
  device,
  stream,
  buffer,
  kernel,
  command,
  call,
  place  // where something begins in another list: tells nothing outside the program
};

// Nothing, a number or a text; a view is of a text that lives as long as the row, or for ever.
using ColumnValue =
    std::variant<std::monostate, std::uint64_t, double, std::string_view, std::string>;

template <class Row>
struct RowColumn {  // a column of a table
  const char* name;
  ColumnKind kind;
  const char* meaning;
  std::uint64_t (*number)(const Row&) = nullptr;  // null: `value` makes it, a real one or a string
  ColumnValue (*value)(const Row&) = nullptr;
  bool (*applies)(const Row&) = nullptr;  // null: to every row; where false, the row has none
  const char* (*word)(std::uint64_t) = nullptr;
  std::uint8_t words = 0;  // how many enumerators there are
  // The member that holds the number: its distance from the beginning of the row, and its size.
  std::size_t (*offset)(const Row&) = nullptr;
  std::uint8_t width = 0;
};

template <class Row>
std::span<const RowColumn<Row>> columns_of();
// clang-format off
template <> std::span<const RowColumn<TraceDevice>> columns_of();
template <> std::span<const RowColumn<TraceStream>> columns_of();
template <> std::span<const RowColumn<TraceBuffer>> columns_of();
template <> std::span<const RowColumn<TraceKernel>> columns_of();
template <> std::span<const RowColumn<Parameter>> columns_of();
template <> std::span<const RowColumn<TraceNote>> columns_of();
template <> std::span<const RowColumn<TraceClock>> columns_of();
template <> std::span<const RowColumn<TraceWork>> columns_of();
template <> std::span<const RowColumn<TraceCommand>> columns_of();
template <> std::span<const RowColumn<TraceArgument>> columns_of();
template <> std::span<const RowColumn<TraceCall>> columns_of();
template <> std::span<const RowColumn<TraceOrder>> columns_of();
template <> std::span<const RowColumn<TraceEdge>> columns_of();
template <> std::span<const RowColumn<TraceContents>> columns_of();
template <> std::span<const RowColumn<TraceRegion>> columns_of();
template <> std::span<const RowColumn<TraceOverhead>> columns_of();
// clang-format on

// A number of a column as people read it: ids in place of indices, words and texts.
ColumnValue shown(const Trace& trace, ColumnKind kind, std::uint64_t number);
template <class Row>
ColumnValue shown(const Trace& trace, const RowColumn<Row>& column, const Row& row) {
  if (column.applies && !column.applies(row)) return {};
  if (column.value) return column.value(row);
  const std::uint64_t number = column.number(row);
  if (column.word) return std::string_view(column.word(number));
  return shown(trace, column.kind, number);
}

}  // namespace reel
