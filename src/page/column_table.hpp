// column_table.hpp - a table as the page reads it: a header, then column by column.
//
//   return ColumnTable(state, trace.calls()).take();
//
// docs/page.md has the format. Columns are those that are described for the rows
// (reel/trace_columns.hpp); add() gives them more.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <cstring>
#include <limits>
#include <string>
#include <string_view>

#include "page/page_state.hpp"
#include "reel/trace_columns.hpp"

namespace reel::page {

static_assert(std::endian::native == std::endian::little, "columns are little endian");

inline constexpr double unknown = std::numeric_limits<double>::quiet_NaN();

constexpr std::size_t padded(std::size_t bytes) { return (bytes + 7) / 8 * 8; }

// "begin" of "begin_ns": numbers of the page have no unit in their names.
std::string_view page_name(std::string_view column) noexcept;

class ColumnTable {
 public:
  explicit ColumnTable(std::size_t rows) : rows_(rows) {}
  // With all columns of the rows of a list.
  template <class List>
  ColumnTable(const PageState& state, const List& list) : rows_(list.size()) {
    using Row = typename List::value_type;
    const auto columns = columns_of<Row>();
    std::size_t end = 0;
    std::array<std::size_t, 32> places{};
    for (std::size_t c = 0; c < columns.size(); ++c) {
      places.at(c) = end;
      end += describe(page_name(columns[c].name), type_of(columns[c].kind, columns[c].width));
    }
    // Room for two more columns and the header, so that nothing of this is copied.
    bytes_.reserve(end + 2 * padded(rows_ * sizeof(double)) + (8u << 10));
    bytes_.resize(end);
    // A packed row is unpacked once for all of its columns.
    std::array<Row, 128> block;
    for (std::size_t row = 0; row < rows_; row += block.size()) {
      const std::size_t count = std::min(block.size(), rows_ - row);
      for (std::size_t i = 0; i < count; ++i) block[i] = list[row + i];
      for (std::size_t c = 0; c < columns.size(); ++c)
        fill(state, columns[c], std::span<const Row>(block).first(count), bytes_.data() + places[c],
             row);
    }
  }

  // A column of T (std::uint16_t, std::uint32_t, double): value(row) for every row.
  template <class T, class Value>
  ColumnTable& add(std::string_view name, Value value) {
    char* to = make_room(name, column_type<T>());
    for (std::size_t i = 0; i < rows_; ++i) put<T>(to, i, value(i));
    return *this;
  }

  std::string take() &&;

 private:
  enum class Type : std::uint8_t { u8, u16, u32, f64 };
  template <class T>
  static constexpr Type column_type() {
    return sizeof(T) == 2 ? Type::u16 : sizeof(T) == 4 ? Type::u32 : Type::f64;
  }
  static Type type_of(ColumnKind kind, std::size_t width) noexcept;

  template <class T>
  static void put(char* column, std::size_t row, T value) {
    std::memcpy(column + row * sizeof(T), &value, sizeof(T));
  }
  template <class Row>
  static void fill(const PageState& state, const RowColumn<Row>& column, std::span<const Row> rows,
                   char* to, std::size_t at) {
    const auto numbers = [&]<class T>(T) {
      for (std::size_t i = 0; i < rows.size(); ++i) {
        const bool applies = !column.applies || column.applies(rows[i]);
        put<T>(to, at + i, applies ? static_cast<T>(column.number(rows[i])) : T{});
      }
    };
    if (column.kind == ColumnKind::time)
      for (std::size_t i = 0; i < rows.size(); ++i) {
        const std::uint64_t ns = column.number(rows[i]);
        put<double>(to, at + i, ns == 0 ? unknown : state.time(ns));
      }
    else if (type_of(column.kind, column.width) == Type::u8)
      numbers(std::uint8_t{});
    else if (type_of(column.kind, column.width) == Type::u32)
      numbers(std::uint32_t{});
    else
      numbers(double{});
  }

  // Adds it to the header. Its size, padded.
  std::size_t describe(std::string_view name, Type type);
  char* make_room(std::string_view name, Type type);

  std::size_t rows_;
  std::string header_, bytes_;
  std::size_t described_ = 0;  // bytes of all columns in the header
};

}  // namespace reel::page
