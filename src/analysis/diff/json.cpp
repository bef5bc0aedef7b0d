#include <nlohmann/json.hpp>

#include "reel/diff.hpp"

namespace reel::analysis {

namespace {

using Json = nlohmann::ordered_json;

Json side_json(const Trace& trace, const DiffSide& side) {
  return {{"document", trace.path()},  {"complete", trace.is_complete()},
          {"total_ns", side.total_ns}, {"busy_ns", side.busy_ns},
          {"idle_ns", side.idle_ns},   {"passes", side.passes},
          {"commands", side.commands}, {"peak_bytes", side.peak_bytes},
          {"enqueued", side.enqueued}, {"launches", side.launches},
          {"noise", side.noise},       {"cut", side.is_cut}};
}

Json or_null(const auto& value) { return value ? Json(*value) : Json(); }

Json time_json(const DiffTime& time) {
  return {{"ns_a", time.ns_a},
          {"ns_b", time.ns_b},
          {"delta_ns", time.delta_ns()},
          {"spread_a_ns", time.spread_a_ns},
          {"spread_b_ns", time.spread_b_ns},
          {"p", or_null(time.p)},
          {"shift_ns", time.shift_ns},
          {"floor_ns", time.floor_ns},
          {"least_ns", time.least_ns},
          {"significant", time.significant},
          {"small", time.is_small},
          {"verdict", time.verdict},
          {"comparable", time.comparable},
          {"passes_needed", or_null(time.passes_needed)}};
}

Json command_json(std::uint32_t index) {
  return index == no_index ? Json() : Json(command_name(index));
}
Json kernel_json(const Trace& trace, std::uint32_t index) {
  return index == no_index ? Json() : Json(name_of(trace.kernels()[index].id));
}

Json findings_of(const std::vector<Finding>& findings) {
  Json list = Json::array();
  for (const Finding& finding : findings)
    list.push_back({{"id", finding.id},
                    {"severity", to_string(finding.severity)},
                    {"title", finding.title},
                    {"advice", finding.advice}});
  return list;
}

}  // namespace

std::string diff_json(const Trace& a, const Trace& b, const TraceDiff& diff) {
  Json json = {{"schema_version", 1},
               {"a", side_json(a, diff.a)},
               {"b", side_json(b, diff.b)},
               {"comparable", diff.comparable},
               {"differs", diff.differs()},
               {"significant", diff.total.significant},
               {"total_delta_ns", diff.total.delta_ns()},
               {"idle_delta_ns", diff.idle.delta_ns()},
               {"rest_ns", diff.rest_ns},
               {"common", or_null(diff.common)},
               {"cause", diff.cause},
               {"total", time_json(diff.total)},
               {"busy", time_json(diff.busy)},
               {"idle", time_json(diff.idle)},
               {"between", diff.has_between() ? time_json(diff.between) : Json()},
               {"kernels", Json::array()},
               {"rows", Json::array()}};
  for (const DiffKernel& kernel : diff.kernels) {
    Json one = {{"name", kernel.name}, {"rows", kernel.rows}};
    one.update(time_json(kernel.time));
    json["kernels"].push_back(std::move(one));
  }
  for (const DiffRow& row : diff.rows) {
    Json one = {{"change", to_string(row.change)},
                {"scope", row.scope},
                {"name", row.name},
                {"kernel_a", kernel_json(a, row.kernel_a)},
                {"kernel_b", kernel_json(b, row.kernel_b)},
                {"first_a", command_json(row.first_a)},
                {"first_b", command_json(row.first_b)},
                {"count_a", row.count_a},
                {"count_b", row.count_b}};
    one.update(time_json(row.time));
    one["run"] = row.run ? time_json(*row.run) : Json();
    one["new_shape"] = row.new_shape;
    one["new_source"] = row.new_source;
    one["new_program"] = row.new_program;
    one["new_arguments"] = row.new_arguments;
    json["rows"].push_back(std::move(one));
  }
  json["sources"] = Json::array();
  for (const SourceDifference& source : diff.sources)
    json["sources"].push_back({{"kernel_a", kernel_json(a, source.kernel_a)},
                               {"kernel_b", kernel_json(b, source.kernel_b)},
                               {"name", a.kernels()[source.kernel_a].name},
                               {"form", to_string(source.form)},
                               {"text_a", source.text_a},
                               {"text_b", source.text_b}});
  json["contents"] = {{"compared", diff.compared_contents}, {"equal", diff.equal_contents}};
  json["contents"]["first"] = Json();
  if (const auto& first = diff.contents)
    json["contents"]["first"] = {{"command_a", command_json(first->command_a)},
                                 {"command_b", command_json(first->command_b)},
                                 {"buffer_a", name_of(a.buffers()[first->buffer_a].id)},
                                 {"buffer_b", name_of(b.buffers()[first->buffer_b].id)},
                                 {"offset_bytes", first->offset_bytes},
                                 {"value_a", first->value_a},
                                 {"value_b", first->value_b},
                                 {"largest_absolute", first->largest_absolute}};
  json["new_findings"] = findings_of(diff.new_findings);
  json["fixed_findings"] = findings_of(diff.fixed_findings);
  return json.dump(2, ' ', false, Json::error_handler_t::replace);
}

}  // namespace reel::analysis
