// fail_condition.hpp - when a difference fails a build: "total>+5%", "peak>+1MiB", "results".
#pragma once

#include <string>

#include "reel/diff.hpp"

namespace reel::cli {

class FailCondition {
 public:
  // Throws Misuse, with what may be written, for anything else.
  explicit FailCondition(std::string text);

  bool is_met(const analysis::TraceDiff& diff) const;
  const std::string& text() const noexcept { return text_; }
  static const char* help();

 private:
  std::string text_, what_, kernel_;
  bool is_more_ = true, is_share_ = false;
  double limit_ = 0;
};

}  // namespace reel::cli
