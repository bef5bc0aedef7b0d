// recorded_tables.cpp - the rows that a document has of what stands around commands.
#include "base/bytes/hash128.hpp"
#include "export/tables/tables.hpp"

namespace reel::tables {
namespace {

using enum Type;

const auto& devices(Source& s) { return s.trace().devices(); }
const auto& streams(Source& s) { return s.trace().streams(); }
const auto& buffers(Source& s) { return s.trace().buffers(); }
const auto& kernels(Source& s) { return s.trace().kernels(); }
const auto& parameters(Source& s) { return s.parameters(); }
const auto& contents(Source& s) { return s.trace().contents(); }
const auto& regions(Source& s) { return s.trace().regions(); }
const auto& overheads(Source& s) { return s.trace().overheads(); }
const auto& notes(Source& s) { return s.trace().notes(); }
const auto& clocks(Source& s) { return s.trace().clocks(); }
const auto& facts(Source& s) { return s.facts(); }

const Parameter& parameter(Source& s, std::uint64_t row) {
  const auto& [kernel, number] = s.parameters()[row];
  return s.trace().kernels()[kernel].parameters[number];
}
Table parameter_table() {
  Table table{"parameters",
              rows_of<parameters>,
              {{"kernel", integer, "whose parameter it is",
                [](Source& s, std::uint64_t row) {
                  return shown(s.trace(), ColumnKind::kernel, s.parameters()[row].first);
                }},
               {"number", integer, "from 0",
                [](Source& s, std::uint64_t row) { return Cell(s.parameters()[row].second); }}},
              true};
  describe<parameter>(table.columns);
  return table;
}

// The hash of a page names it; that of several is the hash of their hashes.
Cell hash_of(Source& s, std::uint64_t row) {
  const auto pages = s.trace().pages(s.trace().contents()[row]);
  if (pages.empty()) return std::string_view();
  const Hash128 hash =
      pages.size() == 1 ? Hash128{pages[0].low, pages[0].high} : hash128(std::as_bytes(pages));
  return to_hex(hash);
}
Table contents_table() {
  Table table = table_of<contents>("contents", true);
  table.columns.push_back({"hash", text,
                           "of the page (XXH3, 128 bits), or of the hashes of several: equal bytes "
                           "of equal size have equal ones",
                           hash_of});
  return table;
}

Table region_table() {
  Table table{"regions", rows_of<regions>, {{"id", integer, "from 0", row_number}}, true, true};
  describe<row_of<regions>>(table.columns);
  return table;
}

Table fact_table() {
  return {
      "facts",
      rows_of<facts>,
      {{"key", text, "its name",
        [](Source& s, std::uint64_t row) { return Cell(std::string_view(*s.facts()[row].key)); }},
       {"value", text, "a text",
        [](Source& s, std::uint64_t row) { return Cell(std::string_view(*s.facts()[row].value)); }},
       {"told_at", text, "`start` or `end` of the capture",
        [](Source& s, std::uint64_t row) { return Cell(std::string_view(s.facts()[row].when)); }}}};
}

}  // namespace

std::vector<Table> recorded_tables() {
  return {table_of<devices>("devices", true, true),
          table_of<streams>("streams", true, true),
          table_of<buffers>("buffers", true, true),
          table_of<kernels>("kernels", true, true),
          parameter_table(),
          contents_table(),
          region_table(),
          table_of<overheads>("overheads"),
          table_of<notes>("notes"),
          table_of<clocks>("clocks"),
          fact_table()};
}

}  // namespace reel::tables
