#include "python/src/documents/trace_tables.hpp"

#include <cstddef>
#include <cstring>

#include "reel/analysis.hpp"
#include "reel/decision_tree.hpp"
#include "reel/error.hpp"
#include "reel/trace.hpp"
#include "reel/trace_columns.hpp"

namespace reel::python {
namespace {

// Where NumPy finds the columns in a row.
template <class Row>
py::dtype row_type() {
  static_assert(std::is_standard_layout_v<Row>);
  const Row row{};
  py::list names, formats, offsets;
  for (const RowColumn<Row>& column : columns_of<Row>()) {
    names.append(column.name);
    formats.append(column.kind == ColumnKind::flag ? "?"
                   : column.width == 1             ? "u1"
                   : column.width == 4             ? "u4"
                                                   : "u8");
    offsets.append(column.offset(row));
  }
  return {names, formats, offsets, static_cast<py::ssize_t>(sizeof(Row))};
}

template <class Row>
py::array table(const py::object& trace, const std::vector<Row>& rows) {
  py::array result(row_type<Row>(), {static_cast<py::ssize_t>(rows.size())},
                   {static_cast<py::ssize_t>(sizeof(Row))}, rows.data(), trace);
  result.attr("flags").attr("writeable") = false;
  return result;
}

// Lists that are kept packed: a copy, as rows of a structure.
template <class List>
py::array table(const py::object&, const List& rows) {
  using Row = typename List::value_type;
  static_assert(std::is_trivially_copyable_v<Row>);
  py::array result(row_type<Row>(), {static_cast<py::ssize_t>(rows.size())},
                   {static_cast<py::ssize_t>(sizeof(Row))});
  auto* to = static_cast<std::byte*>(result.mutable_data());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const Row row = rows[i];
    std::memcpy(to + i * sizeof(Row), &row, sizeof(Row));
  }
  result.attr("flags").attr("writeable") = false;
  return result;
}

const char* kind_name(ColumnKind kind) {
  switch (kind) {
    case ColumnKind::number:
    case ColumnKind::count:
    case ColumnKind::flag:
    case ColumnKind::real:
      return "number";
    case ColumnKind::time:
      return "time";
    case ColumnKind::word:
      return "word";
    case ColumnKind::string:
      return "string";
    case ColumnKind::text:
      return "text";
    case ColumnKind::index:
    case ColumnKind::command:
    case ColumnKind::call:
      return "index";
    case ColumnKind::device:
      return "device";
    case ColumnKind::stream:
      return "stream";
    case ColumnKind::buffer:
      return "buffer";
    case ColumnKind::kernel:
      return "kernel";
    case ColumnKind::place:
      return "place";
  }
  return "";
}

template <class Row>
py::list describe(const std::vector<Row>*) {
  py::list result;
  for (const RowColumn<Row>& column : columns_of<Row>()) {
    py::list words;
    for (std::uint64_t i = 0; i < column.words; ++i) words.append(column.word(i));
    result.append(py::make_tuple(column.name, kind_name(column.kind), words, column.meaning));
  }
  return result;
}
template <class List>
py::list describe(const List*) {
  return describe(static_cast<const std::vector<typename List::value_type>*>(nullptr));
}

// Calls with the list of this name.
template <class Call>
auto with_list(const Trace& trace, const std::string& name, Call call) {
  if (name == "commands") return call(trace.commands());
  if (name == "works") return call(trace.works());
  if (name == "contents") return call(trace.contents());
  if (name == "calls") return call(trace.calls());
  if (name == "regions") return call(trace.regions());
  if (name == "overheads") return call(trace.overheads());
  if (name == "orders") return call(trace.orders());
  if (name == "edges") return call(trace.edges());
  if (name == "submissions") return call(trace.submissions());
  if (name == "intervals") return call(trace.intervals());
  if (name == "clocks") return call(trace.clocks());
  if (name == "barriers") return call(trace.barriers());
  throw py::key_error("A trace has no table '" + name + "'.");
}

template <class Row>
py::object value_of(const RowColumn<Row>& column, const Row& row) {
  if (column.applies && !column.applies(row)) return py::none();
  if (!column.value) {
    const std::uint64_t number = column.number(row);
    if (column.word) return py::str(column.word(number));
    if (column.kind == ColumnKind::flag) return py::bool_(number != 0);
    if (column.kind == ColumnKind::device && number == no_index) return py::none();
    return py::int_(number);
  }
  const ColumnValue value = column.value(row);
  if (const auto* real = std::get_if<double>(&value)) return py::float_(*real);
  if (const auto* text = std::get_if<std::string>(&value)) return to_text(*text);
  if (const auto* view = std::get_if<std::string_view>(&value)) return to_text(std::string(*view));
  return py::none();
}

}  // namespace

py::array trace_table(const py::object& object, const std::string& name) {
  return with_list(object.cast<const Trace&>(), name,
                   [&](const auto& rows) { return table(object, rows); });
}

py::list trace_columns(const Trace& trace, const std::string& name) {
  if (name == "devices") return describe(&trace.devices());
  if (name == "streams") return describe(&trace.streams());
  if (name == "buffers") return describe(&trace.buffers());
  if (name == "kernels") return describe(&trace.kernels());
  if (name == "notes") return describe(&trace.notes());
  return with_list(trace, name, [](const auto& rows) { return describe(&rows); });
}

py::array trace_work_bytes(const Trace& trace) {
  py::array_t<std::uint64_t> result(static_cast<py::ssize_t>(trace.works().size()));
  auto bytes = result.mutable_unchecked<1>();
  for (std::size_t i = 0; i < trace.works().size(); ++i) {
    std::uint64_t sum = 0;
    for (const TraceArgument& argument : trace.arguments(trace.works()[i]))
      if (argument.buffer != no_index) sum += argument.size_bytes;
    bytes(static_cast<py::ssize_t>(i)) = sum;
  }
  return result;
}

py::array trace_own_ns(const Trace& trace) {
  const std::vector<std::uint64_t> own = analysis::own_run_ns(trace);
  return py::array_t<std::uint64_t>(static_cast<py::ssize_t>(own.size()), own.data());
}

py::array trace_command_regions(const Trace& trace) {
  const std::vector<std::uint32_t> regions = analysis::regions_of_commands(trace);
  return py::array_t<std::uint32_t>(static_cast<py::ssize_t>(regions.size()), regions.data());
}

template <class Row>
py::dict row_dict(const Row& row) {
  py::dict result;
  for (const RowColumn<Row>& column : columns_of<Row>())
    result[column.name] = value_of(column, row);
  return result;
}
template py::dict row_dict(const TraceDevice&);
template py::dict row_dict(const TraceStream&);
template py::dict row_dict(const TraceBuffer&);
template py::dict row_dict(const TraceKernel&);
template py::dict row_dict(const TraceNote&);

}  // namespace reel::python
