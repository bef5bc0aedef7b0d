// insights.hpp - findings about a document, most important first.
//
//   for (const reel::analysis::Finding& finding : reel::find_insights(trace, reel::analyze(trace)))
//     std::puts(finding.title.c_str());
//
// Every rule is in docs/insights.md, with its thresholds. A finding claims nothing that the
// document doesn't show: where data is missing, rules that need it stay silent and the finding
// "capture" says which.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "reel/analysis.hpp"

namespace reel::analysis {

enum class Severity : std::uint8_t { info, warning, error };  // how bad it is
const char* to_string(Severity severity) noexcept;

enum class Confidence : std::uint8_t { possible, likely, certain };  // how sure it is
const char* to_string(Confidence confidence) noexcept;

struct Number {            // a number of a finding
  std::string name, unit;  // "gaps", "ns"; unit "" of a count, "ns", "bytes", "%", "GB/s", "x"
  double value = 0;
};

// Indices in the trace's lists; the most telling first, at most `most_evidence` of each.
struct Evidence {
  std::vector<std::uint32_t> commands = {}, buffers = {}, kernels = {}, streams = {}, calls = {};
  std::uint64_t begin_ns = 0, end_ns = 0;  // where to look on the timeline; equal: nowhere
};
inline constexpr std::size_t most_evidence = 50;

struct Finding {
  std::string id;  // "idle.sync": its rule
  Severity severity = Severity::info;
  Confidence confidence = Confidence::certain;
  std::string title = {};   // one sentence, with numbers
  std::string advice = {};  // what to do; empty where nothing is wrong
  Evidence evidence = {};
  std::vector<Number> numbers = {};
  // What it would save, alone; savings of several findings may be the same time.
  std::optional<std::uint64_t> saving_ns = {}, saving_bytes = {};
  std::string formula = {};  // how the saving was computed
  // It saves less than a hundredth of the time from the first start to the last end: true, but
  // nothing to begin with.
  bool is_small = false;
  // Ids of findings to act on first: following their advice makes this one's needless, or changes
  // it. The advice says how.
  std::vector<std::string> after = {};
};

// By severity error, then by saving; the verdict first of all, small ones last.
std::vector<Finding> find_insights(const Trace& trace, const Report& report);

// What `reel insights --json` prints and the page shows.
std::string findings_json(const Trace& trace, const Report& report,
                          const std::vector<Finding>& findings);

}  // namespace reel::analysis

namespace reel {
using analysis::find_insights;
}  // namespace reel
