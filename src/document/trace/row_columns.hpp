// row_columns.hpp - makes RowColumns of the members of a row.
//
//   number_column<&TraceWork::groups, &Dim3::x>("groups_x", ColumnKind::number, "…", is_dispatch)
#pragma once

#include <concepts>
#include <optional>

#include "reel/trace_columns.hpp"

namespace reel::document {

template <class>
struct Member;
template <class Row_, class T>
struct Member<T Row_::*> {
  using Row = Row_;
};
template <auto member>
using RowOf = typename Member<decltype(member)>::Row;

// A member of the row, or a part of one.
template <auto member, auto... part>
const auto& field(const RowOf<member>& row) {
  static_assert(sizeof...(part) <= 1);
  if constexpr (sizeof...(part) == 0)
    return row.*member;
  else
    return ((row.*member).*....*part);
}

template <auto member, auto... part>
std::uint64_t field_number(const RowOf<member>& row) {
  return static_cast<std::uint64_t>(field<member, part...>(row));
}
template <auto member, auto... part>
std::size_t field_offset(const RowOf<member>& row) {
  return static_cast<std::size_t>(reinterpret_cast<const char*>(&field<member, part...>(row)) -
                                  reinterpret_cast<const char*>(&row));
}

template <auto member, auto... part>
constexpr RowColumn<RowOf<member>> number_column(const char* name, ColumnKind kind,
                                                 const char* meaning,
                                                 bool (*applies)(const RowOf<member>&) = nullptr) {
  using Row = RowOf<member>;
  using T = std::remove_cvref_t<decltype(field<member, part...>(std::declval<const Row&>()))>;
  RowColumn<Row> column{name, kind, meaning};
  column.number = field_number<member, part...>;
  column.applies = applies;
  column.offset = field_offset<member, part...>;
  column.width = sizeof(T);
  return column;
}

// A number that may be absent.
template <auto member>
constexpr RowColumn<RowOf<member>> optional_column(const char* name, ColumnKind kind,
                                                   const char* meaning) {
  using Row = RowOf<member>;
  RowColumn<Row> column{name, kind, meaning};
  column.number = [](const Row& row) -> std::uint64_t { return (row.*member).value_or(0); };
  column.applies = [](const Row& row) { return (row.*member).has_value(); };
  return column;
}

// An enumerator up to `last`, named by to_string().
template <auto member, auto last>
constexpr RowColumn<RowOf<member>> word_column(const char* name, const char* meaning,
                                               bool (*applies)(const RowOf<member>&) = nullptr) {
  auto column = number_column<member>(name, ColumnKind::word, meaning, applies);
  column.word = [](std::uint64_t number) -> const char* {
    return to_string(static_cast<decltype(last)>(number));
  };
  column.words = static_cast<std::uint8_t>(static_cast<std::uint8_t>(last) + 1);
  return column;
}

template <auto member>
constexpr RowColumn<RowOf<member>> string_column(const char* name, const char* meaning) {
  using Row = RowOf<member>;
  RowColumn<Row> column{name, ColumnKind::string, meaning};
  column.value = [](const Row& row) -> ColumnValue { return std::string_view(row.*member); };
  return column;
}

// A value that is made of the row; monostate: it has none.
template <class Row>
constexpr RowColumn<Row> made_column(const char* name, ColumnKind kind, const char* meaning,
                                     ColumnValue (*value)(const Row&)) {
  RowColumn<Row> column{name, kind, meaning};
  column.value = value;
  return column;
}

}  // namespace reel::document
