// row_json.hpp - a row of a short list as the members of a JSON object.
#pragma once

#include <string_view>

#include "graph/json_writer.hpp"
#include "page/page_state.hpp"
#include "reel/trace_columns.hpp"

namespace reel::page {

inline void write_value(JsonWriter& json, const ColumnValue& value) {
  if (const auto* real = std::get_if<double>(&value))
    json.value(*real);
  else if (const auto* text = std::get_if<std::string>(&value))
    json.value(*text);
  else if (const auto* view = std::get_if<std::string_view>(&value))
    json.value(*view);
}

// The columns that are described for it, but for its id. Those that it has not are left out.
template <class Row>
void write_columns(JsonWriter& json, const PageState& state, const Row& row) {
  for (const RowColumn<Row>& column : columns_of<Row>()) {
    if (std::string_view(column.name) == "id") continue;
    if (column.applies && !column.applies(row)) continue;
    if (column.value) {
      const ColumnValue value = column.value(row);
      if (std::holds_alternative<std::monostate>(value)) continue;
      json.key(column.name);
      write_value(json, value);
      continue;
    }
    const std::uint64_t number = column.number(row);
    json.key(column.name);
    if (column.word)
      json.value(column.word(number));
    else if (column.kind == ColumnKind::flag)
      json.value(number != 0);
    else if (column.kind == ColumnKind::time)
      json.value(state.time(number));
    else
      json.value(number);
  }
}

}  // namespace reel::page
