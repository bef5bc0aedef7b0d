#include <nlohmann/json.hpp>

#include "reel/ranks.hpp"

namespace reel::analysis {

namespace {

using Json = nlohmann::ordered_json;

Json or_null(const auto& value) { return value ? Json(*value) : Json(); }

const char* kind_text(RankRow::Kind kind) {
  switch (kind) {
    case RankRow::Kind::kernel:
      return "kernel";
    case RankRow::Kind::copy:
      return "copy";
    case RankRow::Kind::gap:
      return "gap";
    case RankRow::Kind::collective:
      return "collective";
    case RankRow::Kind::together:
      return "together";
    case RankRow::Kind::after:
      return "after";
  }
  return "kernel";
}

Json row_json(const LateRow& late) {
  return {{"kind", kind_text(late.row.kind)}, {"name", late.row.name},       {"ns", late.ns},
          {"usual_ns", late.usual_ns},        {"excess_ns", late.excess_ns}, {"share", late.share}};
}

Json cause_json(const LateCause& cause) {
  Json rows = Json::array();
  for (const LateRow& late : cause.rows) rows.push_back(row_json(late));
  const char* kind = cause.kind == LateCause::Kind::row           ? "row"
                     : cause.kind == LateCause::Kind::all_kernels ? "all_kernels"
                                                                  : "mixed";
  return {{"kind", kind},
          {"rows", rows},
          {"factor", or_null(cause.factor)},
          {"remark", cause.remark.empty() ? Json() : Json(cause.remark)}};
}

Json wait_json(const RankWait& wait) {
  return {{"name", wait.name},
          {"peer", or_null(wait.peer)},
          {"ns", wait.ns},
          {"bytes", wait.bytes},
          {"text", text_of(wait)}};
}

Json rank_json(const RankReport& rank) {
  Json waits = Json::array();
  for (const RankWait& wait : rank.waits) waits.push_back(wait_json(wait));
  return {{"rank", rank.rank},
          {"document", rank.path},
          {"host", rank.host.empty() ? Json() : Json(rank.host)},
          {"steps", rank.steps},
          {"busy_ns", rank.busy_ns},
          {"idle_ns", rank.idle_ns},
          {"own_ns", rank.own_ns},
          {"waiting_ns", or_null(rank.waiting_ns)},
          {"waits", waits},
          {"last", rank.last},
          {"excess_ns", rank.excess_ns},
          {"excess_first_ns", rank.excess_first_ns},
          {"excess_last_ns", rank.excess_last_ns},
          {"floor_ns", rank.floor_ns},
          {"p", or_null(rank.p)},
          {"lateness", to_string(rank.lateness)},
          {"cost_ns", or_null(rank.cost_ns)},
          {"cause", rank.cause ? cause_json(*rank.cause) : Json()},
          {"work_group", rank.work_group}};
}

Json times_json(const std::vector<std::uint64_t>& times) {
  Json list = Json::array();
  for (const std::uint64_t ns : times) list.push_back(ns == no_time ? Json() : Json(ns));
  return list;
}

}  // namespace

std::string ranks_json(const RanksReport& report) {
  Json ranks = Json::array(), steps = Json::array(), one_offs = Json::array();
  for (std::size_t r = 0; r < report.ranks.size(); ++r) {
    Json rank = rank_json(report.ranks[r]);
    rank["step_own_ns"] = times_json(report.own_ns[r]);
    rank["step_waiting_ns"] = times_json(report.waiting_ns[r]);
    ranks.push_back(std::move(rank));
  }
  for (const RanksStep& step : report.steps)
    steps.push_back({{"last", or_null(step.last)},
                     {"skew_ns", step.skew_ns},
                     {"arrivals", step.arrivals.empty() ? Json() : Json(step.arrivals)}});
  for (const OneOff& one : report.one_offs)
    one_offs.push_back({{"rank", one.rank},
                        {"step", one.step},
                        {"excess_ns", one.excess_ns},
                        {"row", one.row ? row_json(*one.row) : Json()}});
  const auto rank_at = [&](const std::optional<std::uint32_t>& place) {
    return place ? Json(report.ranks[*place].rank) : Json();
  };
  const Json json = {{"schema_version", 1},
                     {"program", report.program},
                     {"numbered_by_name", report.numbered_by_name},
                     {"clock", to_string(report.clock)},
                     {"clock_error_ns", or_null(report.clock_error_ns)},
                     {"waits_within", report.waits_within},
                     {"waits_recorded", report.waits_recorded},
                     {"straggler", rank_at(report.straggler)},
                     {"typical", rank_at(report.typical)},
                     {"sentence", report.sentence},
                     {"problems", report.problems},
                     {"differences", report.differences},
                     {"ranks", ranks},
                     {"steps", steps},
                     {"one_offs", one_offs}};
  // A path may hold any bytes; those that aren't UTF-8 are replaced, not fatal.
  return json.dump(2, ' ', false, nlohmann::json::error_handler_t::replace);
}

}  // namespace reel::analysis
