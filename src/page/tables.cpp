#include "page/tables.hpp"

#include <limits>

#include "base/hash128.hpp"
#include "page/column_table.hpp"
#include "page/lanes.hpp"
#include "page/value_texts.hpp"

namespace reel::page {
namespace {

constexpr double unknown = std::numeric_limits<double>::quiet_NaN();

// column<T>(name, rows, get): get(row) for every row of a list.
template <class T, class Rows, class Get>
auto column(const char* name, const Rows& rows, Get get) {
  return page::column<T>(name,
                         [&rows, get](std::size_t i) { return static_cast<T>(get(rows[i])); });
}

// The same for times; 0 is unknown where the trace says so.
template <class Rows, class Row>
auto stamps(const PageState& state, const char* name, const Rows& rows, std::uint64_t Row::*ns) {
  return page::column<double>(name, [&, ns](std::size_t i) {
    return rows[i].*ns == 0 ? unknown : state.time(rows[i].*ns);
  });
}
template <class Rows, class Row>
auto times(const PageState& state, const char* name, const Rows& rows, std::uint64_t Row::*ns) {
  return page::column<double>(name, [&, ns](std::size_t i) { return state.time(rows[i].*ns); });
}

template <class T, class Rows, class Member>
auto members(const char* name, const Rows& rows, Member member) {
  return column<T>(name, rows, [member](const auto& row) { return row.*member; });
}

using u8 = std::uint8_t;
using u16 = std::uint16_t;
using u32 = std::uint32_t;

std::string commands_table(const PageState& state) {
  const auto& rows = state.trace.commands();
  const std::vector<std::uint16_t> lanes = find_lanes(state.trace);
  using Row = TraceCommand;
  return column_table(
      rows.size(), members<u32>("work", rows, &Row::work),
      members<u32>("stream", rows, &Row::stream), members<u32>("thread", rows, &Row::thread),
      members<u32>("launch", rows, &Row::launch), members<u32>("node", rows, &Row::node),
      page::column<u16>("lane", [&](std::size_t i) { return lanes[i]; }),
      times(state, "call_begin", rows, &Row::call_begin_ns),
      times(state, "call_end", rows, &Row::call_end_ns),
      stamps(state, "queued", rows, &Row::queued_ns),
      stamps(state, "submitted", rows, &Row::submitted_ns),
      stamps(state, "started", rows, &Row::started_ns),
      stamps(state, "ended", rows, &Row::ended_ns), page::column<double>("own", [&](std::size_t i) {
        return rows[i].has_run_times() ? static_cast<double>(state.report.own_ns[i]) : unknown;
      }));
}

std::string works_table(const PageState& state) {
  const auto& rows = state.trace.works();
  using Row = TraceWork;
  const auto axis = [&](const char* name, Dim3 Row::*dim, std::uint32_t Dim3::*which) {
    return column<u32>(name, rows, [=](const Row& row) { return row.*dim.*which; });
  };
  return column_table(
      rows.size(), members<u8>("kind", rows, &Row::kind),
      members<u32>("kernel", rows, &Row::kernel), members<u32>("graph", rows, &Row::graph),
      members<u32>("label", rows, &Row::label), members<u32>("scope", rows, &Row::scope),
      axis("groups_x", &Row::groups, &Dim3::x), axis("groups_y", &Row::groups, &Dim3::y),
      axis("groups_z", &Row::groups, &Dim3::z), axis("group_x", &Row::group_size, &Dim3::x),
      axis("group_y", &Row::group_size, &Dim3::y), axis("group_z", &Row::group_size, &Dim3::z),
      axis("offset_x", &Row::offset, &Dim3::x), axis("offset_y", &Row::offset, &Dim3::y),
      axis("offset_z", &Row::offset, &Dim3::z), axis("items_x", &Row::items, &Dim3::x),
      axis("items_y", &Row::items, &Dim3::y), axis("items_z", &Row::items, &Dim3::z),
      members<u32>("first_argument", rows, &Row::first_argument),
      members<u32>("argument_count", rows, &Row::argument_count),
      members<u32>("pattern", rows, &Row::pattern));
}

std::string arguments_table(const PageState& state) {
  const auto& rows = all_arguments(state.trace);
  const ValueTexts values(state.trace);
  using Row = TraceArgument;
  return column_table(
      rows.size(), members<u8>("kind", rows, &Row::kind), members<u8>("access", rows, &Row::access),
      members<u32>("buffer", rows, &Row::buffer),
      // Of a value: where its bytes lie in the document, which is nobody's business.
      column<double>(
          "offset", rows,
          [](const Row& row) { return row.has_value() ? 0 : row.offset_bytes; }),
      members<double>("size", rows, &Row::size_bytes),
      members<u32>("view", rows, &Row::view),
      page::column<u32>("value", [&](std::size_t i) { return values.of(i); }));
}

std::string calls_table(const PageState& state) {
  const auto& rows = state.trace.calls();
  using Row = TraceCall;
  return column_table(
      rows.size(), members<u32>("name", rows, &Row::name),
      members<u32>("thread", rows, &Row::thread), members<u32>("command", rows, &Row::command),
      times(state, "begin", rows, &Row::begin_ns), times(state, "end", rows, &Row::end_ns));
}

std::string regions_table(const PageState& state) {
  const auto& rows = state.trace.regions();
  using Row = TraceRegion;
  return column_table(
      rows.size(), members<u8>("kind", rows, &Row::kind),
      members<u32>("number", rows, &Row::number), members<u32>("name", rows, &Row::name),
      members<u32>("thread", rows, &Row::thread), times(state, "begin", rows, &Row::begin_ns),
      times(state, "end", rows, &Row::end_ns));
}

std::string overheads_table(const PageState& state) {
  const auto& rows = state.trace.overheads();
  using Row = TraceOverhead;
  return column_table(
      rows.size(), members<u8>("kind", rows, &Row::kind),
      members<u32>("thread", rows, &Row::thread), times(state, "begin", rows, &Row::begin_ns),
      times(state, "end", rows, &Row::end_ns), members<double>("bytes", rows, &Row::bytes));
}

std::string gaps_table(const PageState& state) {
  const auto& rows = state.report.activity.gaps;
  return column_table(
      rows.size(), members<u32>("device", rows, &Gap::device),
      members<u8>("cause", rows, &Gap::cause), times(state, "begin", rows, &Gap::begin_ns),
      times(state, "end", rows, &Gap::end_ns), members<u32>("before", rows, &Gap::before),
      members<u32>("after", rows, &Gap::after), members<u32>("call", rows, &Gap::call));
}

std::string dependencies_table(const PageState& state) {
  const auto& rows = state.report.dependencies;
  using Row = Dependency;
  return column_table(
      rows.size(), members<u32>("from", rows, &Row::from), members<u32>("to", rows, &Row::to),
      members<u32>("buffer", rows, &Row::buffer), members<u8>("kind", rows, &Row::kind),
      members<double>("bytes", rows, &Row::bytes));
}

std::string path_table(const PageState& state) {
  const auto& rows = state.report.path.steps;
  using Row = PathStep;
  return column_table(rows.size(), members<u8>("kind", rows, &Row::kind),
                      members<u32>("command", rows, &Row::command),
                      times(state, "begin", rows, &Row::begin_ns),
                      times(state, "end", rows, &Row::end_ns));
}

std::string memory_table(const PageState& state) {
  const auto& rows = state.report.memory.curve;
  return column_table(rows.size(), times(state, "time", rows, &MemoryPoint::time_ns),
                      members<double>("bytes", rows, &MemoryPoint::bytes));
}

std::string depth_table(const PageState& state) {
  const std::vector<DepthPoint> rows = find_depth(state.trace);
  return column_table(rows.size(), times(state, "time", rows, &DepthPoint::time_ns),
                      members<u32>("stream", rows, &DepthPoint::stream),
                      members<u32>("commands", rows, &DepthPoint::commands));
}

std::string contents_table(const PageState& state) {
  const auto& rows = state.trace.contents();
  using Row = TraceContents;
  std::vector<std::uint64_t> hashes;
  hashes.reserve(rows.size());
  for (const TraceContents& contents : rows)
    hashes.push_back(hash128(std::as_bytes(state.trace.pages(contents))).low);
  return column_table(
      rows.size(), members<u8>("role", rows, &Row::role), members<u8>("stored", rows, &Row::stored),
      members<u32>("command", rows, &Row::command), members<u32>("buffer", rows, &Row::buffer),
      members<double>("offset", rows, &Row::offset_bytes),
      members<double>("size", rows, &Row::size_bytes),
      members<u32>("page_count", rows, &Row::page_count),
      page::column<u32>("hash_low", [&](std::size_t i) { return static_cast<u32>(hashes[i]); }),
      page::column<u32>("hash_high",
                        [&](std::size_t i) { return static_cast<u32>(hashes[i] >> 32); }));
}

}  // namespace

const std::map<std::string_view, MakeTable>& tables() {
  static const std::map<std::string_view, MakeTable> all{
      {"commands", commands_table},   {"works", works_table},
      {"arguments", arguments_table}, {"calls", calls_table},
      {"regions", regions_table},     {"overheads", overheads_table},
      {"gaps", gaps_table},           {"dependencies", dependencies_table},
      {"path", path_table},           {"memory", memory_table},
      {"depth", depth_table},         {"contents", contents_table}};
  return all;
}

}  // namespace reel::page
