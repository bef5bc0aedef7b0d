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

using C = TraceCommand;
const TraceWork& work(Source& s, const C& c) { return s.trace().work_of(c); }

Cell row_number(Source&, std::uint64_t row) { return row; }

template <std::uint32_t Dim3::*part>
Cell grid_cell(const TraceWork& work, const Dim3& size) {
  return work.kind == WorkKind::dispatch && size != unset_dim ? number_cell(size.*part) : Cell();
}

// Of all ranges of buffers that it was given.
Cell bytes_cell(const Trace& trace, const TraceWork& work) {
  std::uint64_t bytes = 0;
  for (const TraceArgument& argument : trace.arguments(work))
    if (argument.buffer != no_index) bytes += argument.size_bytes;
  return bytes;
}

// What it has of its own: a launch whose nodes are there has none.
Cell own_cell(Source& s, std::uint64_t row) {
  return s.trace().commands()[row].has_run_times() ? number_cell(s.own_ns()[row]) : Cell();
}

template <std::uint64_t C::*time>
Column time_column(const char* name) {
  return column<commands>(name, integer, [](Source&, const C& c) { return time_cell(c.*time); });
}

Table command_table() {
  return {
      "commands",
      rows_of<commands>,
      {{"id", integer, row_number},
       column<commands>("kind", text,
                        [](Source& s, const C& c) {
                          return Cell(std::string_view(to_string(work(s, c).kind)));
                        }),
       column<commands>(
           "kernel", integer,
           [](Source& s, const C& c) { return kernel_cell(s.trace(), work(s, c).kernel); }),
       column<commands>("stream", integer,
                        [](Source& s, const C& c) { return stream_cell(s.trace(), c.stream); }),
       column<commands>("device", integer,
                        [](Source& s, const C& c) {
                          return device_cell(s.trace(), s.trace().streams()[c.stream].device);
                        }),
       column<commands>(
           "label", text,
           [](Source& s, const C& c) { return text_cell(s.trace().text(work(s, c).label)); }),
       column<commands>(
           "scope", text,
           [](Source& s, const C& c) { return text_cell(s.trace().text(work(s, c).scope)); }),
       column<commands>("groups_x", integer,
                        [](Source& s, const C& c) {
                          return grid_cell<&Dim3::x>(work(s, c), work(s, c).groups);
                        }),
       column<commands>("groups_y", integer,
                        [](Source& s, const C& c) {
                          return grid_cell<&Dim3::y>(work(s, c), work(s, c).groups);
                        }),
       column<commands>("groups_z", integer,
                        [](Source& s, const C& c) {
                          return grid_cell<&Dim3::z>(work(s, c), work(s, c).groups);
                        }),
       column<commands>("group_x", integer,
                        [](Source& s, const C& c) {
                          return grid_cell<&Dim3::x>(work(s, c), work(s, c).group_size);
                        }),
       column<commands>("group_y", integer,
                        [](Source& s, const C& c) {
                          return grid_cell<&Dim3::y>(work(s, c), work(s, c).group_size);
                        }),
       column<commands>("group_z", integer,
                        [](Source& s, const C& c) {
                          return grid_cell<&Dim3::z>(work(s, c), work(s, c).group_size);
                        }),
       column<commands>("offset_x", integer,
                        [](Source& s, const C& c) {
                          return grid_cell<&Dim3::x>(work(s, c), work(s, c).offset);
                        }),
       column<commands>("offset_y", integer,
                        [](Source& s, const C& c) {
                          return grid_cell<&Dim3::y>(work(s, c), work(s, c).offset);
                        }),
       column<commands>("offset_z", integer,
                        [](Source& s, const C& c) {
                          return grid_cell<&Dim3::z>(work(s, c), work(s, c).offset);
                        }),
       column<commands>(
           "items_x", integer,
           [](Source& s, const C& c) { return grid_cell<&Dim3::x>(work(s, c), work(s, c).items); }),
       column<commands>(
           "items_y", integer,
           [](Source& s, const C& c) { return grid_cell<&Dim3::y>(work(s, c), work(s, c).items); }),
       column<commands>(
           "items_z", integer,
           [](Source& s, const C& c) { return grid_cell<&Dim3::z>(work(s, c), work(s, c).items); }),
       column<commands>("bytes", integer,
                        [](Source& s, const C& c) { return bytes_cell(s.trace(), work(s, c)); }),
       column<commands>("launch", integer,
                        [](Source&, const C& c) { return index_cell(c.launch); }),
       column<commands>("node", integer, [](Source&, const C& c) { return index_cell(c.node); }),
       column<commands>("thread", integer, [](Source&, const C& c) { return time_cell(c.thread); }),
       time_column<&C::call_begin_ns>("call_begin_ns"),
       time_column<&C::call_end_ns>("call_end_ns"),
       time_column<&C::queued_ns>("queued_ns"),
       time_column<&C::submitted_ns>("submitted_ns"),
       time_column<&C::started_ns>("started_ns"),
       time_column<&C::ended_ns>("ended_ns"),
       column<commands>("run_ns", integer,
                        [](Source&, const C& c) {
                          return c.has_run_times() ? number_cell(c.run_ns()) : Cell();
                        }),
       {"own_ns", integer, own_cell}},
      true,
      true};
}

// --- arguments ---

struct ArgumentRow {
  const TraceWork& work;
  std::uint32_t command, number;
  const TraceArgument& argument;
};

ArgumentRow argument_row(Source& s, std::uint64_t row) {
  const auto [command, number] = s.argument_at(row);
  const TraceWork& w = s.trace().work_of(s.trace().commands()[command]);
  return {w, command, number, s.trace().arguments(w)[number]};
}

const Parameter* parameter(Source& s, const ArgumentRow& row) {
  return parameter_of(s.trace(), row.work, row.number);
}

// As a number, where the kernel tells of what type it is.
Cell value_cell(Source& s, const ArgumentRow& row) {
  const Parameter* p = parameter(s, row);
  if (row.argument.kind != ArgumentKind::value || !p || !p->element) return {};
  const auto bytes = s.trace().value_bytes(row.argument);
  const ElementType type = *p->element;
  if (type == ElementType::hex || bytes.size() != size_of(type)) return {};
  return element_value(type, bytes);
}

template <class Make>
Column argument_column(const char* name, Type type, Make) {
  return {name, type,
          [](Source& s, std::uint64_t row) -> Cell { return Make{}(s, argument_row(s, row)); }};
}

using A = ArgumentRow;
Table argument_table() {
  return {"arguments",
          [](Source& s) { return s.argument_count(); },
          {argument_column("command", integer,
                           [](Source&, const A& a) { return number_cell(a.command); }),
           argument_column("number", integer,
                           [](Source&, const A& a) { return number_cell(a.number); }),
           argument_column("name", text,
                           [](Source& s, const A& a) {
                             const Parameter* p = parameter(s, a);
                             return p ? text_cell(p->name) : Cell();
                           }),
           argument_column("kind", text,
                           [](Source&, const A& a) {
                             return Cell(std::string_view(to_string(a.argument.kind)));
                           }),
           argument_column("access", text,
                           [](Source&, const A& a) {
                             return a.argument.buffer != no_index
                                        ? Cell(std::string_view(to_string(a.argument.access)))
                                        : Cell();
                           }),
           argument_column(
               "buffer", integer,
               [](Source& s, const A& a) { return buffer_cell(s.trace(), a.argument.buffer); }),
           argument_column("offset_bytes", integer,
                           [](Source&, const A& a) {
                             return a.argument.buffer != no_index
                                        ? number_cell(a.argument.offset_bytes)
                                        : Cell();
                           }),
           argument_column("size_bytes", integer,
                           [](Source&, const A& a) { return number_cell(a.argument.size_bytes); }),
           argument_column(
               "view", integer,
               [](Source& s, const A& a) { return buffer_cell(s.trace(), a.argument.view); }),
           argument_column("value", real, [](Source& s, const A& a) { return value_cell(s, a); }),
           argument_column("hex", text,
                           [](Source& s, const A& a) {
                             return a.argument.has_value()
                                        ? Cell(hex_text(s.trace().value_bytes(a.argument)))
                                        : Cell();
                           })},
          true};
}

// --- calls and order ---

using L = TraceCall;
Table call_table() {
  return {
      "calls",
      rows_of<calls>,
      {{"id", integer, row_number},
       column<calls>("name", text,
                     [](Source& s, const L& c) { return text_cell(s.trace().text(c.name)); }),
       column<calls>("thread", integer, [](Source&, const L& c) { return time_cell(c.thread); }),
       column<calls>("begin_ns", integer,
                     [](Source&, const L& c) { return time_cell(c.begin_ns); }),
       column<calls>("end_ns", integer, [](Source&, const L& c) { return time_cell(c.end_ns); }),
       column<calls>("command", integer,
                     [](Source&, const L& c) { return index_cell(c.command); })},
      true,
      true};
}

using O = TraceOrder;
Table order_table() {
  return {
      "orders",
      rows_of<orders>,
      {column<orders>("command", integer,
                      [](Source&, const O& o) { return number_cell(o.command); }),
       column<orders>("after", integer, [](Source&, const O& o) { return number_cell(o.after); })},
      true};
}

using E = TraceEdge;
Table edge_table() {
  return {
      "edges",
      rows_of<edges>,
      {column<edges>("graph", integer, [](Source&, const E& e) { return number_cell(e.graph); }),
       column<edges>("from_node", integer, [](Source&, const E& e) { return number_cell(e.from); }),
       column<edges>("to_node", integer, [](Source&, const E& e) { return number_cell(e.to); }),
       column<edges>("kind", text, [](Source&, const E& e) {
         return Cell(std::string_view(e.kind == 0 ? "asked" : e.kind == 1 ? "stream" : "hazard"));
       })}};
}

}  // namespace

std::vector<Table> command_tables() {
  return {command_table(), argument_table(), call_table(), order_table(), edge_table()};
}

}  // namespace reel::tables
