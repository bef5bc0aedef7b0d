#include "replay/script/completeness.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace reel::rerun {

std::vector<std::string> missing_parts(const Trace& trace) {
  std::vector<std::string> missing;
  if (!trace.is_complete()) {
    missing = trace.problems();
    if (missing.empty()) missing.emplace_back("The document was never closed.");
  }
  const auto& end = trace.end_facts();
  if (end.empty() && missing.empty())
    missing.emplace_back("The end of the document is missing: the recording was cut short.");
  if (const auto complete = end.find("complete");
      complete != end.end() && complete->second != "yes" && missing.empty())
    missing.push_back(
        fmt::format("The recording ended before its program did: {}", complete->second));
  const auto told = end.find("checks");
  const auto found =
      std::count_if(trace.contents().begin(), trace.contents().end(),
                    [](const TraceContents& row) { return row.role == ContentRole::check; });
  if (told != end.end() && told->second != std::to_string(found))
    missing.push_back(fmt::format("{} checks were recorded, {} can be read.", told->second, found));
  return missing;
}

}  // namespace reel::rerun
