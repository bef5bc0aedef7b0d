// page_state.hpp - what copies of a PageData share. Immutable once made.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "reel/analysis.hpp"
#include "reel/insights.hpp"
#include "reel/page.hpp"

namespace reel {

struct PageState {
  Trace trace;
  analysis::Report report;
  std::vector<analysis::Finding> findings;
  std::optional<std::string> diff;  // JSON; none: one document only

  // A time as the page has it: from the beginning of all that was recorded.
  double time(std::uint64_t ns) const noexcept {
    const std::uint64_t origin = report.activity.begin_ns;
    return ns < origin ? -static_cast<double>(origin - ns) : static_cast<double>(ns - origin);
  }

  static const PageState& of(const PageData& data) noexcept { return *data.state_; }
};

}  // namespace reel
