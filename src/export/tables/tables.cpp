#include "export/tables/tables.hpp"

#include <iterator>

namespace reel::tables {

const char* name_of(Type type) noexcept {
  switch (type) {
    case Type::integer:
    case Type::natural:
    case Type::flag:
      return "INTEGER";
    case Type::real:
      return "REAL";
    case Type::text:
      return "TEXT";
  }
  return "";
}

const std::vector<Table>& all() {
  static const std::vector<Table> tables = [] {
    std::vector<Table> list;
    for (std::vector<Table> part : {recorded_tables(), command_tables(), found_tables()})
      std::ranges::move(part, std::back_inserter(list));
    return list;
  }();
  return tables;
}

Type type_of(ColumnKind kind, std::size_t width_bytes) noexcept {
  switch (kind) {
    case ColumnKind::number:
    case ColumnKind::count:
      return width_bytes == sizeof(std::uint64_t) ? Type::natural : Type::integer;
    case ColumnKind::flag:
      return Type::flag;
    case ColumnKind::real:
      return Type::real;
    case ColumnKind::word:
    case ColumnKind::string:
    case ColumnKind::text:
      return Type::text;
    default:
      return Type::integer;
  }
}

Cell row_number(Source&, std::uint64_t row) { return row; }

}  // namespace reel::tables
