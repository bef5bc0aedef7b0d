// fail_condition.hpp - when a difference fails a build: "total>+5%", "between>+20%", "results".
#pragma once

#include <optional>
#include <string>

#include "reel/diff.hpp"

namespace reel::cli {

class FailCondition {
 public:
  // Throws Misuse, with what may be written, for anything else.
  explicit FailCondition(std::string text);

  struct Outcome {
    bool failed = false;
    std::string why = {};       // a sentence; empty: the limit is kept
    bool is_unchecked = false;  // nothing can be told
  };
  // A change of a time fails only where it is significant; if `strict`, by its number alone. Throws
  // Misuse where it is about a kernel that neither document has.
  Outcome check(const analysis::TraceDiff& diff, bool strict) const;
  static const char* help();
  const std::string& text() const noexcept { return text_; }
  // "total", "between" …: what it limits.
  bool is_about(const char* what) const { return what_ == what; }
  // It is about this kernel, alone or among all others, and its change goes the way it forbids.
  bool blames(const analysis::DiffKernel& kernel) const;

 private:
  bool exceeds(double before, double after) const;
  void refuse_unknown_kernel(const analysis::TraceDiff& diff) const;
  std::optional<analysis::DiffTime> time_in(const analysis::TraceDiff& diff) const;

  std::string text_, what_, kernel_;
  bool is_more_ = true, is_share_ = false;
  double limit_ = 0;
};

}  // namespace reel::cli
