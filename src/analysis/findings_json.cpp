#include <nlohmann/json.hpp>

#include "reel/insights.hpp"

namespace reel::analysis {

namespace {

using Json = nlohmann::ordered_json;

Json evidence_json(const Trace& trace, const Evidence& evidence, std::uint64_t origin_ns) {
  Json json = {{"commands", Json::array()},
               {"buffers", Json::array()},
               {"kernels", Json::array()},
               {"streams", Json::array()},
               {"calls", Json::array()}};
  for (const std::uint32_t i : evidence.commands) json["commands"].push_back(command_name(i));
  for (const std::uint32_t i : evidence.buffers)
    json["buffers"].push_back(name_of(trace.buffers()[i].id));
  for (const std::uint32_t i : evidence.kernels)
    json["kernels"].push_back(name_of(trace.kernels()[i].id));
  for (const std::uint32_t i : evidence.streams)
    json["streams"].push_back(name_of(trace.streams()[i].id));
  for (const std::uint32_t i : evidence.calls) json["calls"].push_back(i);
  if (evidence.end_ns > evidence.begin_ns && evidence.begin_ns >= origin_ns) {
    json["begin_ns"] = evidence.begin_ns - origin_ns;
    json["end_ns"] = evidence.end_ns - origin_ns;
  }
  return json;
}

Json finding_json(const Trace& trace, const Finding& finding, std::uint64_t origin_ns) {
  const auto known = [](const auto& value) { return value ? Json(*value) : Json(); };
  Json json = {{"id", finding.id},
               {"severity", to_string(finding.severity)},
               {"confidence", to_string(finding.confidence)},
               {"title", finding.title},
               {"advice", finding.advice},
               {"saving_ns", known(finding.saving_ns)},
               {"saving_bytes", known(finding.saving_bytes)},
               {"formula", finding.formula},
               {"small", finding.is_small},
               {"after", finding.after},
               {"numbers", Json::array()}};
  for (const Number& number : finding.numbers)
    json["numbers"].push_back(
        {{"name", number.name}, {"unit", number.unit}, {"value", number.value}});
  json["evidence"] = evidence_json(trace, finding.evidence, origin_ns);
  return json;
}

}  // namespace

std::string findings_json(const Trace& trace, const Report& report,
                          const std::vector<Finding>& findings) {
  Json json = {{"schema_version", 1},
               {"document", trace.path()},
               {"complete", trace.is_complete()},
               {"verdict", to_string(report.verdict)},
               {"findings", Json::array()}};
  for (const Finding& finding : findings)
    json["findings"].push_back(finding_json(trace, finding, report.activity.begin_ns));
  // Labels are bytes of a program: what is no UTF-8 is replaced, never refused.
  return json.dump(2, ' ', false, Json::error_handler_t::replace);
}

}  // namespace reel::analysis
