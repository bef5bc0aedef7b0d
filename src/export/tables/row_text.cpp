#include "export/tables/row_text.hpp"

#include <fmt/format.h>

#include <cmath>
#include <iterator>

#include "export/tables/sql_module.hpp"
#include "graph/commands/text.hpp"

namespace reel {
namespace {

using tables::Cell;

bool is_nothing(const Cell& cell) {
  // What is no number has no form in JSON, and none that all readers of CSV know.
  const auto* real = std::get_if<double>(&cell);
  return std::holds_alternative<std::monostate>(cell) || (real && !std::isfinite(*real));
}

const std::string_view* text_of(const Cell& cell, std::string_view& view) {
  if (const auto* text = std::get_if<std::string>(&cell))
    view = *text;
  else if (const auto* borrowed = std::get_if<std::string_view>(&cell))
    view = *borrowed;
  else
    return nullptr;
  return &view;
}

void append_number(const Cell& cell, std::string& line) {
  if (const auto* number = std::get_if<std::uint64_t>(&cell))
    fmt::format_to(std::back_inserter(line), "{}", *number);
  else
    fmt::format_to(std::back_inserter(line), "{}", std::get<double>(cell));
}

}  // namespace

std::string csv_header(const tables::Table& table) {
  std::string line;
  for (const tables::Column& column : table.columns)
    line += (line.empty() ? "" : ",") + std::string(column.name);
  return line + "\r\n";
}

void append_csv(const tables::Table& table, tables::Source& source, std::uint64_t row,
                std::string& line) {
  for (std::size_t i = 0; i < table.columns.size(); ++i) {
    if (i) line += ',';
    const Cell cell = table.columns[i].cell(source, row);
    std::string_view view;
    if (is_nothing(cell)) continue;
    if (!text_of(cell, view)) {
      append_number(cell, line);
      continue;
    }
    std::string changed;
    line += '"';
    for (const char c : sql_text(view, changed)) {
      if (c == '"') line += '"';
      line += c;
    }
    line += '"';
  }
  line += "\r\n";
}

void append_json(const tables::Table& table, tables::Source& source, std::uint64_t row,
                 std::string& line) {
  fmt::format_to(std::back_inserter(line), R"({{"table":"{}")", table.name);
  for (const tables::Column& column : table.columns) {
    const Cell cell = column.cell(source, row);
    std::string_view view;
    if (is_nothing(cell)) continue;
    fmt::format_to(std::back_inserter(line), R"(,"{}":)", column.name);
    if (text_of(cell, view))
      line += json_string(view);
    else
      append_number(cell, line);
  }
  line += "}\n";
}

}  // namespace reel
