#include "reel/diff.hpp"
namespace reel {
std::vector<Finding> find_insights(const Trace&, const Report&) { return {}; }
std::string findings_json(const Trace&, const Report&, const std::vector<Finding>&) {
  return "{\"findings\":[]}";
}
TraceDiff diff(const Trace&, const Trace&, const AnalysisOptions&) { return {}; }
std::string diff_json(const Trace&, const Trace&, const TraceDiff&) { return "{}"; }
}  // namespace reel
