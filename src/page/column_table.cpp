#include "page/column_table.hpp"

#include <fmt/format.h>

namespace reel::page {
std::string_view page_name(std::string_view column) noexcept {
  for (const std::string_view unit : {"_ns", "_bytes", "_command"})
    if (column.ends_with(unit)) return column.substr(0, column.size() - unit.size());
  return column;
}

ColumnTable::Type ColumnTable::type_of(ColumnKind kind, std::size_t width) noexcept {
  if (kind == ColumnKind::word || kind == ColumnKind::flag) return Type::u8;
  return kind == ColumnKind::time || width > 4 ? Type::f64 : Type::u32;
}

std::size_t ColumnTable::describe(std::string_view name, Type type) {
  constexpr std::array names{"u8", "u16", "u32", "f64"};
  constexpr std::array<std::size_t, 4> widths{1, 2, 4, 8};
  const auto at = static_cast<std::size_t>(type);
  header_ += fmt::format(R"({}{{"name":"{}","type":"{}","offset":{}}})", header_.empty() ? "" : ",",
                         name, names[at], described_);
  const std::size_t bytes = padded(rows_ * widths[at]);
  described_ += bytes;
  return bytes;
}

char* ColumnTable::make_room(std::string_view name, Type type) {
  const std::size_t begin = bytes_.size();
  bytes_.resize(begin + describe(name, type));
  return bytes_.data() + begin;
}

std::string ColumnTable::take() && {
  std::string header = fmt::format(R"({{"rows":{},"columns":[{}]}})", rows_, header_);
  header.resize(padded(header.size() + 8) - 8, ' ');
  std::string begin = "RCOL";
  const auto size = static_cast<std::uint32_t>(header.size());
  begin.append(reinterpret_cast<const char*>(&size), sizeof(size));
  bytes_.insert(0, begin += header);
  return std::move(bytes_);
}

}  // namespace reel::page
