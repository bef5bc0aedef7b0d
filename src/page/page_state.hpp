// page_state.hpp - what copies of a PageData share. What is there doesn't change any more; what
// isn't there yet is waited for.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "page/page_stages.hpp"
#include "reel/analysis.hpp"
#include "reel/insights.hpp"
#include "reel/page.hpp"

namespace reel {

struct PageState {
  Trace trace;
  analysis::Report report;
  std::vector<analysis::Finding> findings;
  bool has_diff = false;
  std::optional<std::string> diff = {};  // JSON; none: one document only
  // The last, so that whoever still works on the others is done before they go.
  std::unique_ptr<page::PageStages> stages = std::make_unique<page::PageStages>();

  // A time as the page has it: from the beginning of all that was recorded.
  double time(std::uint64_t ns) const noexcept {
    const std::uint64_t origin = report.activity.begin_ns;
    return ns < origin ? -static_cast<double>(origin - ns) : static_cast<double>(ns - origin);
  }

  static const PageState& of(const PageData& data) noexcept { return *data.state_; }
};

}  // namespace reel
