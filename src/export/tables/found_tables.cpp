// found_tables.cpp - what isn't recorded, but follows from what is.
#include "export/tables/tables.hpp"

namespace reel::tables {
namespace {

using enum Type;

const auto& dependencies(Source& s) { return s.dependencies(); }
const auto& gaps(Source& s) { return s.activity().gaps; }
const auto& curve(Source& s) { return s.memory().curve; }
const auto& steps(Source& s) { return s.report().path.steps; }
const auto& passes(Source& s) { return s.report().passes; }
const auto& findings(Source& s) { return s.findings(); }

Cell row_number(Source&, std::uint64_t row) { return row; }

using D = Dependency;
Table dependency_table() {
  return {
      "dependencies",
      rows_of<dependencies>,
      {column<dependencies>("to_command", integer,
                            [](Source&, const D& d) { return number_cell(d.to); }),
       column<dependencies>("from_command", integer,
                            [](Source&, const D& d) { return number_cell(d.from); }),
       column<dependencies>(
           "kind", text,
           [](Source&, const D& d) { return Cell(std::string_view(to_string(d.kind))); }),
       column<dependencies>("buffer", integer,
                            [](Source& s, const D& d) { return buffer_cell(s.trace(), d.buffer); }),
       column<dependencies>("bytes", integer,
                            [](Source&, const D& d) { return number_cell(d.bytes); })},
      true,
      false,
      true};
}

using G = Gap;
Table gap_table() {
  return {
      "gaps",
      rows_of<gaps>,
      {column<gaps>("begin_ns", integer,
                    [](Source&, const G& g) { return number_cell(g.begin_ns); }),
       column<gaps>("end_ns", integer, [](Source&, const G& g) { return number_cell(g.end_ns); }),
       column<gaps>("size_ns", integer,
                    [](Source&, const G& g) { return number_cell(g.size_ns()); }),
       column<gaps>("cause", text,
                    [](Source&, const G& g) { return Cell(std::string_view(to_string(g.cause))); }),
       column<gaps>("device", integer,
                    [](Source& s, const G& g) { return device_cell(s.trace(), g.device); }),
       column<gaps>("before_command", integer,
                    [](Source&, const G& g) { return index_cell(g.before); }),
       column<gaps>("after_command", integer,
                    [](Source&, const G& g) { return index_cell(g.after); }),
       column<gaps>("call", integer, [](Source&, const G& g) { return index_cell(g.call); })},
      true,
      false,
      true};
}

using M = MemoryPoint;
Table memory_table() {
  return {
      "memory",
      rows_of<curve>,
      {column<curve>("time_ns", integer,
                     [](Source&, const M& m) { return number_cell(m.time_ns); }),
       column<curve>("bytes", integer, [](Source&, const M& m) { return number_cell(m.bytes); })},
      true,
      false,
      true};
}

const char* step_text(PathStep::Kind kind) {
  switch (kind) {
    case PathStep::Kind::command:
      return "command";
    case PathStep::Kind::host:
      return "host";
    case PathStep::Kind::delay:
      return "delay";
  }
  return "unknown";
}

using P = PathStep;
Table path_table() {
  return {
      "critical_path",
      rows_of<steps>,
      {{"number", integer, row_number},
       column<steps>("kind", text,
                     [](Source&, const P& p) { return Cell(std::string_view(step_text(p.kind))); }),
       column<steps>("command", integer, [](Source&, const P& p) { return index_cell(p.command); }),
       column<steps>("begin_ns", integer,
                     [](Source&, const P& p) { return number_cell(p.begin_ns); }),
       column<steps>("end_ns", integer, [](Source&, const P& p) { return number_cell(p.end_ns); })},
      true,
      true,
      true};
}

using R = Pass;
Table pass_table() {
  return {
      "passes",
      rows_of<passes>,
      {{"number", integer, row_number},
       column<passes>("first_command", integer,
                      [](Source&, const R& p) { return number_cell(p.first); }),
       column<passes>("end_command", integer,
                      [](Source&, const R& p) { return number_cell(p.end); }),
       column<passes>("begin_ns", integer,
                      [](Source&, const R& p) { return time_cell(p.begin_ns); }),
       column<passes>("end_ns", integer, [](Source&, const R& p) { return time_cell(p.end_ns); })},
      true,
      true,
      true};
}

template <class T>
Cell optional_cell(const std::optional<T>& value) {
  return value ? number_cell(*value) : Cell();
}

using F = Finding;
Table finding_table() {
  return {
      "findings",
      rows_of<findings>,
      {{"number", integer, row_number},
       column<findings>("rule", text, [](Source&, const F& f) { return text_cell(f.id); }),
       column<findings>(
           "severity", text,
           [](Source&, const F& f) { return Cell(std::string_view(to_string(f.severity))); }),
       column<findings>(
           "confidence", text,
           [](Source&, const F& f) { return Cell(std::string_view(to_string(f.confidence))); }),
       column<findings>("title", text, [](Source&, const F& f) { return text_cell(f.title); }),
       column<findings>("advice", text, [](Source&, const F& f) { return text_cell(f.advice); }),
       column<findings>("saving_ns", integer,
                        [](Source&, const F& f) { return optional_cell(f.saving_ns); }),
       column<findings>("saving_bytes", integer,
                        [](Source&, const F& f) { return optional_cell(f.saving_bytes); }),
       column<findings>("formula", text, [](Source&, const F& f) { return text_cell(f.formula); }),
       column<findings>("begin_ns", integer,
                        [](Source&, const F& f) { return time_cell(f.evidence.begin_ns); }),
       column<findings>("end_ns", integer,
                        [](Source&, const F& f) { return time_cell(f.evidence.end_ns); })},
      true,
      true,
      true};
}

}  // namespace

std::vector<Table> found_tables() {
  return {dependency_table(), gap_table(),  memory_table(),
          path_table(),       pass_table(), finding_table()};
}

}  // namespace reel::tables
