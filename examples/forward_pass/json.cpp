// json.cpp - a report for programs.
#include <cstdio>
#include <nlohmann/json.hpp>

#include "report.hpp"

namespace forward_pass {

using nlohmann::json;

void print_json(const Report& report) {
  const Sizes& s = report.sizes;
  json runs = json::array(), unavailable = json::array();
  for (const Entry& entry : report.entries) {
    const Verdict verdict = report.judge(entry);
    runs.push_back({{"device", entry.device.id},
                    {"name", entry.device.name},
                    {"mode", to_string(entry.mode)},
                    {"tokens_per_second", entry.run.tokens_per_second()},
                    {"pass_us_median", entry.run.median_us()},
                    {"pass_us_longest", entry.run.longest_us()},
                    {"prompt_tokens_per_second", entry.run.prompt_tokens_per_second()},
                    {"dispatches", entry.run.dispatches},
                    {"barriers", entry.run.barriers},
                    {"barriers_avoided", entry.run.barriers_avoided},
                    {"tokens", entry.run.tokens},
                    {"tokens_equal", verdict.tokens_equal},
                    {"logits_equal_between_modes", verdict.bits_equal},
                    {"logit_difference", verdict.logit_difference}});
  }
  for (const reel::DeviceInfo& device : report.unavailable)
    unavailable.push_back({{"device", device.id}, {"reason", device.unavailable}});
  const json document = {{"sizes",
                          {{"layers", s.layers},
                           {"dim", s.dim},
                           {"heads", s.heads},
                           {"kv_heads", s.kv_heads},
                           {"hidden", s.hidden},
                           {"vocabulary", s.vocabulary},
                           {"tokens", s.tokens},
                           {"prompt", s.prompt},
                           {"seed", s.seed},
                           {"format", to_string(s.format())},
                           {"weight_bytes", report.weight_bytes}}},
                         {"runs", runs},
                         {"unavailable", unavailable},
                         {"logit_tolerance", report.tolerance()},
                         {"text", report.text},
                         {"equal", report.good()}};
  std::puts(document.dump(2, ' ', false, json::error_handler_t::replace).c_str());
}

}  // namespace forward_pass
