#include "page/tables.hpp"

#include "analysis/found_columns.hpp"
#include "base/bytes/hash128.hpp"
#include "page/column_table.hpp"
#include "page/lanes.hpp"
#include "page/value_texts.hpp"

namespace reel::page {
namespace {

using u16 = std::uint16_t;
using u32 = std::uint32_t;

std::string commands_table(const PageState& state) {
  const auto& rows = state.trace.commands();
  const std::vector<u16> lanes = find_lanes(state.trace);
  ColumnTable table(state, rows);
  table.add<u16>("lane", [&](std::size_t i) { return lanes[i]; });
  table.add<double>("own", [&](std::size_t i) {
    return rows[i].has_run_times() ? static_cast<double>(state.report.own_ns[i]) : unknown;
  });
  return std::move(table).take();
}

std::string arguments_table(const PageState& state) {
  const ValueTexts values(state.trace);
  ColumnTable table(state, all_arguments(state.trace));
  table.add<u32>("value", [&](std::size_t i) { return values.of(i); });
  return std::move(table).take();
}

std::string depth_table(const PageState& state) {
  const std::vector<DepthPoint> rows = find_depth(state.trace);
  ColumnTable table(rows.size());
  table.add<double>("time", [&](std::size_t i) { return state.time(rows[i].time_ns); });
  table.add<u32>("stream", [&](std::size_t i) { return rows[i].stream; });
  table.add<u32>("commands", [&](std::size_t i) { return rows[i].commands; });
  return std::move(table).take();
}

std::string contents_table(const PageState& state) {
  const auto& rows = state.trace.contents();
  std::vector<std::uint64_t> hashes;
  hashes.reserve(rows.size());
  for (const TraceContents& contents : rows)
    hashes.push_back(hash128(std::as_bytes(state.trace.pages(contents))).low);
  ColumnTable table(state, rows);
  table.add<u32>("hash_low", [&](std::size_t i) { return static_cast<u32>(hashes[i]); });
  table.add<u32>("hash_high", [&](std::size_t i) { return static_cast<u32>(hashes[i] >> 32); });
  return std::move(table).take();
}

// What has the columns that are described for its rows, and no others.
template <auto list>
std::string table_of(const PageState& state) {
  return ColumnTable(state, list(state)).take();
}
const auto& works(const PageState& state) { return state.trace.works(); }
const auto& calls(const PageState& state) { return state.trace.calls(); }
const auto& regions(const PageState& state) { return state.trace.regions(); }
const auto& overheads(const PageState& state) { return state.trace.overheads(); }
const auto& intervals(const PageState& state) { return state.trace.intervals(); }
const auto& gaps(const PageState& state) { return state.report.activity.gaps; }
const auto& dependencies(const PageState& state) { return state.report.dependencies; }
const auto& dependency_sets(const PageState& state) { return state.report.dependency_sets; }
const auto& path(const PageState& state) { return state.report.path.steps; }
const auto& memory(const PageState& state) { return state.report.memory.curve; }

}  // namespace

const std::map<std::string_view, MakeTable>& tables() {
  static const std::map<std::string_view, MakeTable> all{
      {"commands", commands_table},
      {"works", table_of<works>},
      {"arguments", arguments_table},
      {"calls", table_of<calls>},
      {"regions", table_of<regions>},
      {"overheads", table_of<overheads>},
      {"intervals", table_of<intervals>},
      {"gaps", table_of<gaps>},
      {"dependencies", table_of<dependencies>},
      {"dependency_sets", table_of<dependency_sets>},
      {"path", table_of<path>},
      {"memory", table_of<memory>},
      {"depth", depth_table},
      {"contents", contents_table}};
  return all;
}

}  // namespace reel::page
