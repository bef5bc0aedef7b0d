// column_table.hpp - a table as the page reads it: a header, then column by column.
//
//   column_table(rows, column<std::uint32_t>("work", [&](std::size_t i) { return work[i]; }), …)
//
// docs/page.md has the format. Each column is made by calling its function for every row.
#pragma once

#include <fmt/format.h>

#include <bit>
#include <cstdint>
#include <cstring>
#include <string>

namespace reel::page {

static_assert(std::endian::native == std::endian::little, "columns are little endian");

template <class T>
constexpr const char* column_type();
template <>
constexpr const char* column_type<std::uint8_t>() {
  return "u8";
}
template <>
constexpr const char* column_type<std::uint16_t>() {
  return "u16";
}
template <>
constexpr const char* column_type<std::uint32_t>() {
  return "u32";
}
template <>
constexpr const char* column_type<double>() {
  return "f64";
}

template <class T, class Value>
struct Column {
  using Type = T;
  const char* name;
  Value value;
};
template <class T, class Value>
Column<T, Value> column(const char* name, Value value) {
  return {name, std::move(value)};
}

constexpr std::size_t padded(std::size_t bytes) { return (bytes + 7) / 8 * 8; }

template <class T, class Value>
void fill(char* to, std::size_t rows, const Column<T, Value>& column) {
  for (std::size_t i = 0; i < rows; ++i) {
    const T value = column.value(i);
    std::memcpy(to + i * sizeof(T), &value, sizeof(T));
  }
}

template <class... Columns>
std::string column_table(std::size_t rows, const Columns&... columns) {
  std::string header = fmt::format(R"({{"rows":{},"columns":[)", rows);
  std::size_t bytes = 0;
  const auto describe = [&]<class T, class Value>(const Column<T, Value>& column) {
    header +=
        fmt::format(R"({}{{"name":"{}","type":"{}","offset":{}}})",
                    bytes || header.back() == '}' ? "," : "", column.name, column_type<T>(), bytes);
    bytes += padded(rows * sizeof(T));
  };
  (describe(columns), ...);
  header += "]}";
  header.resize(padded(header.size() + 8) - 8, ' ');

  std::string table = "RCOL";
  table.reserve(8 + header.size() + bytes);
  const auto size = static_cast<std::uint32_t>(header.size());
  table.append(reinterpret_cast<const char*>(&size), sizeof(size));
  table += header;
  std::size_t at = table.size();
  table.resize(at + bytes);
  const auto put = [&]<class T, class Value>(const Column<T, Value>& column) {
    fill(table.data() + at, rows, column);
    at += padded(rows * sizeof(T));
  };
  (put(columns), ...);
  return table;
}

}  // namespace reel::page
