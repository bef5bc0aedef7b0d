#include "export/tables/tables.hpp"

#include <iterator>

namespace reel::tables {

const char* name_of(Type type) noexcept {
  switch (type) {
    case Type::integer:
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

namespace {

template <class Rows>
Cell id_cell(const Rows& rows, std::uint32_t index) {
  return index == no_index ? Cell() : Cell(static_cast<std::uint64_t>(rows[index].id));
}

}  // namespace

Cell device_cell(const Trace& trace, std::uint32_t index) {
  return id_cell(trace.devices(), index);
}
Cell stream_cell(const Trace& trace, std::uint32_t index) {
  return id_cell(trace.streams(), index);
}
Cell buffer_cell(const Trace& trace, std::uint32_t index) {
  return id_cell(trace.buffers(), index);
}
Cell kernel_cell(const Trace& trace, std::uint32_t index) {
  return id_cell(trace.kernels(), index);
}
Cell index_cell(std::uint32_t index) {
  return index == no_index ? Cell() : Cell(std::uint64_t{index});
}

}  // namespace reel::tables
