// command_tables.cpp - what ran: commands, their arguments, the calls and the order that were
// recorded.
#include "export/tables/tables.hpp"
#include "reel/arguments.hpp"

namespace reel::tables {
namespace {

using enum Type;

const auto& commands(Source& s) { return s.trace().commands(); }
const auto& calls(Source& s) { return s.trace().calls(); }
const auto& orders(Source& s) { return s.trace().orders(); }
const auto& edges(Source& s) { return s.trace().edges(); }
const auto& submissions(Source& s) { return s.trace().submissions(); }
const auto& intervals(Source& s) { return s.trace().intervals(); }
const auto& barriers(Source& s) { return s.trace().barriers(); }

const TraceWork& work_of(Source& s, std::uint64_t row) {
  return s.trace().works()[s.trace().commands()[row].work];
}

constexpr Sharing by_work{
    [](Source& s, std::uint64_t row) { return s.trace().commands()[row].work; },
    [](Source& s) -> std::uint64_t { return s.trace().works().size(); }};
constexpr Sharing by_stream{
    [](Source& s, std::uint64_t row) { return s.trace().commands()[row].stream; },
    [](Source& s) -> std::uint64_t { return s.trace().streams().size(); }};

Cell device_of(Source& s, std::uint64_t row) {
  return shown(s.trace(), ColumnKind::device,
               s.trace().streams()[s.trace().commands()[row].stream].device);
}

Cell bytes_of(Source& s, std::uint64_t row) {
  std::uint64_t bytes = 0;
  for (const TraceArgument& argument : s.trace().arguments(work_of(s, row)))
    if (argument.buffer != no_index) bytes += argument.size_bytes;
  return bytes;
}

Cell run_ns(Source& s, std::uint64_t row) {
  const TraceCommand command = s.trace().commands()[row];
  return command.has_run_times() ? Cell(command.run_ns()) : Cell();
}

// What it has of its own: a launch whose nodes are there has none.
Cell own_ns(Source& s, std::uint64_t row) {
  return s.trace().commands()[row].has_run_times() ? Cell(s.own_ns()[row]) : Cell();
}

Cell region_of(Source& s, std::uint64_t row) {
  return shown(s.trace(), ColumnKind::index, s.regions()[row]);
}

Table command_table() {
  Table table{
      "commands", rows_of<commands>, {{"id", integer, "12 is `c12`", row_number}}, true, true};
  describe<work_of>(table.columns, &by_work);
  describe<row_of<commands>>(table.columns);
  for (Column& column : std::vector<Column>{
           {"device", integer, "of its stream", device_of, &by_stream},
           {"bytes", integer, "of all ranges of buffers that it was given", bytes_of, &by_work},
           {"run_ns", integer, "from started to ended", run_ns},
           {"own_ns", integer,
            "the same, but 0 of a launch whose nodes have times: sums count nothing twice", own_ns},
           {"region", integer,
            "in `regions`: the launch of a graph that decides, or the innermost branch, round or "
            "decision of it, that gave it",
            region_of}})
    table.columns.push_back(std::move(column));
  return table;
}

// --- arguments ---

const TraceArgument& argument_at(Source& s, std::uint64_t row) {
  const auto [command, number] = s.argument_at(row);
  return s.trace().arguments(work_of(s, command))[number];
}

// Arguments of equal commands are the same.
constexpr Sharing by_argument{
    [](Source& s, std::uint64_t row) {
      const auto [command, number] = s.argument_at(row);
      return work_of(s, command).first_argument + number;
    },
    [](Source& s) {
      std::uint64_t end = 0;
      for (const TraceWork& work : s.trace().works())
        end = std::max(end, std::uint64_t{work.first_argument} + work.argument_count);
      return end;
    }};

const Parameter* parameter_at(Source& s, std::uint64_t row) {
  const auto [command, number] = s.argument_at(row);
  return parameter_of(s.trace(), work_of(s, command), number);
}

Cell name_of_argument(Source& s, std::uint64_t row) {
  const Parameter* parameter = parameter_at(s, row);
  return parameter ? Cell(std::string_view(parameter->name)) : Cell();
}

Cell value_of_argument(Source& s, std::uint64_t row) {
  const TraceArgument& argument = argument_at(s, row);
  const Parameter* parameter = parameter_at(s, row);
  if (argument.kind != ArgumentKind::value || !parameter || !parameter->element) return {};
  const auto bytes = s.trace().value_bytes(argument);
  const ElementType type = *parameter->element;
  if (type == ElementType::hex || bytes.size() != size_of(type)) return {};
  return element_value(type, bytes);
}

Cell hex_of_argument(Source& s, std::uint64_t row) {
  const TraceArgument& argument = argument_at(s, row);
  return argument.has_value() ? Cell(hex_text(s.trace().value_bytes(argument))) : Cell();
}

Table argument_table() {
  Table table{
      "arguments",
      [](Source& s) { return s.argument_count(); },
      {{"command", integer, "that was given it",
        [](Source& s, std::uint64_t row) { return Cell(s.argument_at(row).command); }},
       {"number", integer, "from 0",
        [](Source& s, std::uint64_t row) { return Cell(s.argument_at(row).number); }},
       {"name", text, "of the parameter, where the kernel tells", name_of_argument, &by_argument}},
      true};
  describe<argument_at>(table.columns, &by_argument);
  table.columns.push_back({"value", real, "as a number, where the kernel tells its type",
                           value_of_argument, &by_argument});
  table.columns.push_back({"hex", text, "the bytes of a value or a sampler, the low one last",
                           hex_of_argument, &by_argument});
  return table;
}

Table call_table() {
  Table table{"calls", rows_of<calls>, {{"id", integer, "from 0", row_number}}, true, true};
  describe<row_of<calls>>(table.columns);
  return table;
}

}  // namespace

std::vector<Table> command_tables() {
  return {command_table(),
          argument_table(),
          call_table(),
          table_of<orders>("orders", true),
          table_of<edges>("edges"),
          table_of<submissions>("submissions"),
          table_of<intervals>("intervals"),
          table_of<barriers>("barriers", true)};
}

}  // namespace reel::tables
