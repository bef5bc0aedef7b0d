#include "trace_tables.hpp"

#include <cstddef>
#include <cstring>

#include "reel/error.hpp"
#include "reel/trace.hpp"

namespace reel::python {
namespace {

// Where NumPy finds a column in a row.
struct Column {
  const char* name;
  std::size_t offset;
  const char* format;
  int count = 1;
};

py::dtype row_type(const std::vector<Column>& columns, std::size_t row_bytes) {
  py::list names, formats, offsets;
  for (const Column& column : columns) {
    names.append(column.name);
    // Not "u4", 3: NumPy takes that apart with Python's parser, which fails at times when two
    // threads are in it (CPython 3.11).
    if (column.count == 1)
      formats.append(column.format);
    else
      formats.append(py::make_tuple(column.format, column.count));
    offsets.append(column.offset);
  }
  return {names, formats, offsets, static_cast<py::ssize_t>(row_bytes)};
}

template <class Row>
py::array view(const py::object& trace, const std::vector<Row>& rows,
               const std::vector<Column>& columns) {
  static_assert(std::is_standard_layout_v<Row>);
  py::array result(row_type(columns, sizeof(Row)), {static_cast<py::ssize_t>(rows.size())},
                   {static_cast<py::ssize_t>(sizeof(Row))}, rows.data(), trace);
  result.attr("flags").attr("writeable") = false;
  return result;
}

// Lists that are kept packed: a copy, as rows of a structure.
template <class List>
py::array copy(const List& rows, const std::vector<Column>& columns) {
  using Row = typename List::value_type;
  static_assert(std::is_trivially_copyable_v<Row> && std::is_standard_layout_v<Row>);
  py::array result(row_type(columns, sizeof(Row)), {static_cast<py::ssize_t>(rows.size())},
                   {static_cast<py::ssize_t>(sizeof(Row))});
  auto* to = static_cast<std::byte*>(result.mutable_data());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const Row row = rows[i];
    std::memcpy(to + i * sizeof(Row), &row, sizeof(Row));
  }
  result.attr("flags").attr("writeable") = false;
  return result;
}

#define REEL_COLUMN(row, member, ...) \
  { #member, offsetof(row, member), __VA_ARGS__ }

py::array commands(const Trace& trace) {
  return copy(
      trace.commands(),
      {REEL_COLUMN(TraceCommand, work, "u4"), REEL_COLUMN(TraceCommand, stream, "u4"),
       REEL_COLUMN(TraceCommand, launch, "u4"), REEL_COLUMN(TraceCommand, node, "u4"),
       REEL_COLUMN(TraceCommand, thread, "u4"), REEL_COLUMN(TraceCommand, call_begin_ns, "u8"),
       REEL_COLUMN(TraceCommand, call_end_ns, "u8"), REEL_COLUMN(TraceCommand, queued_ns, "u8"),
       REEL_COLUMN(TraceCommand, submitted_ns, "u8"), REEL_COLUMN(TraceCommand, started_ns, "u8"),
       REEL_COLUMN(TraceCommand, ended_ns, "u8")});
}

py::array works(const py::object& object, const Trace& trace) {
  return view(
      object, trace.works(),
      {REEL_COLUMN(TraceWork, kind, "u1"), REEL_COLUMN(TraceWork, kernel, "u4"),
       REEL_COLUMN(TraceWork, graph, "u4"), REEL_COLUMN(TraceWork, label, "u4"),
       REEL_COLUMN(TraceWork, scope, "u4"), REEL_COLUMN(TraceWork, groups, "u4", 3),
       REEL_COLUMN(TraceWork, group_size, "u4", 3), REEL_COLUMN(TraceWork, offset, "u4", 3),
       REEL_COLUMN(TraceWork, items, "u4", 3), REEL_COLUMN(TraceWork, pattern, "u4"),
       REEL_COLUMN(TraceWork, pattern_bytes, "u4"), REEL_COLUMN(TraceWork, first_argument, "u4"),
       REEL_COLUMN(TraceWork, argument_count, "u4")});
}

py::array contents(const py::object& object, const Trace& trace) {
  return view(
      object, trace.contents(),
      {REEL_COLUMN(TraceContents, role, "u1"), REEL_COLUMN(TraceContents, command, "u4"),
       REEL_COLUMN(TraceContents, buffer, "u4"), REEL_COLUMN(TraceContents, offset_bytes, "u8"),
       REEL_COLUMN(TraceContents, size_bytes, "u8"), REEL_COLUMN(TraceContents, stored, "?")});
}

py::array calls(const Trace& trace) {
  return copy(trace.calls(),
              {REEL_COLUMN(TraceCall, name, "u4"), REEL_COLUMN(TraceCall, thread, "u4"),
               REEL_COLUMN(TraceCall, begin_ns, "u8"), REEL_COLUMN(TraceCall, end_ns, "u8"),
               REEL_COLUMN(TraceCall, command, "u4")});
}

py::array regions(const py::object& object, const Trace& trace) {
  return view(object, trace.regions(),
              {REEL_COLUMN(TraceRegion, kind, "u1"), REEL_COLUMN(TraceRegion, number, "u4"),
               REEL_COLUMN(TraceRegion, name, "u4"), REEL_COLUMN(TraceRegion, thread, "u4"),
               REEL_COLUMN(TraceRegion, begin_ns, "u8"), REEL_COLUMN(TraceRegion, end_ns, "u8")});
}

py::array overheads(const py::object& object, const Trace& trace) {
  return view(object, trace.overheads(),
              {REEL_COLUMN(TraceOverhead, kind, "u1"), REEL_COLUMN(TraceOverhead, thread, "u4"),
               REEL_COLUMN(TraceOverhead, begin_ns, "u8"), REEL_COLUMN(TraceOverhead, end_ns, "u8"),
               REEL_COLUMN(TraceOverhead, bytes, "u8")});
}

#undef REEL_COLUMN

}  // namespace

py::array trace_table(const py::object& object, const std::string& name) {
  static_assert(sizeof(Dim3) == 3 * sizeof(std::uint32_t));
  const auto& trace = object.cast<const Trace&>();
  if (name == "commands") return commands(trace);
  if (name == "works") return works(object, trace);
  if (name == "contents") return contents(object, trace);
  if (name == "calls") return calls(trace);
  if (name == "regions") return regions(object, trace);
  if (name == "overheads") return overheads(object, trace);
  if (name == "orders")
    return view(object, trace.orders(),
                {{"command", offsetof(TraceOrder, command), "u4"},
                 {"after", offsetof(TraceOrder, after), "u4"}});
  throw py::key_error("A trace has no table '" + name + "'.");
}

}  // namespace reel::python
