// decided_regions.hpp - what of a launch that decides is running now: decisions, and in them
// branches and rounds.
//
// A stack; what ends is written, unless nothing of it is wanted. Its times differ from each other
// and from those of commands that are given with now_ns(), so that a document's times alone tell
// what lies in what. One thread.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "base/clock.hpp"
#include "reel/decision.hpp"
#include "reel/trace.hpp"

namespace reel::capture {

class DecidedRegions {
 public:
  struct Region {
    TraceRegion::Kind kind;
    std::uint32_t number = 0;
    std::string name = {};  // of the exec, or of a node of it
    std::uint64_t begin_ns = 0, end_ns = 0;
    bool is_wanted = false;  // it, or something in it
  };
  using Write = std::function<void(const Region&)>;

  // The first region begins at `begin_ns`.
  DecidedRegions(std::uint64_t begin_ns, Write write)
      : last_ns_(begin_ns - 1), first_ns_(begin_ns), write_(std::move(write)) {}

  static TraceRegion::Kind kind_of(DecisionKind kind) noexcept {
    switch (kind) {
      case DecisionKind::if_else:
        return TraceRegion::Kind::if_else;
      case DecisionKind::while_loop:
        return TraceRegion::Kind::while_loop;
      case DecisionKind::switch_case:
        return TraceRegion::Kind::switch_case;
      case DecisionKind::repeat:
        break;
    }
    return TraceRegion::Kind::repeat;
  }

  // Later than every time before. A clock may tell the same nanosecond twice.
  std::uint64_t now_ns() { return last_ns_ = std::max(monotonic_ns(), last_ns_ + 1); }

  void begin(TraceRegion::Kind kind, std::string name, bool is_wanted) {
    const std::uint64_t begin_ns = open_.empty() ? first_ns_ : now_ns();
    last_ns_ = begin_ns;
    open_.push_back({kind, 0, std::move(name), begin_ns, 0, is_wanted});
  }
  void set_number(std::uint64_t number) {
    open_.back().number = static_cast<std::uint32_t>(std::min<std::uint64_t>(number, no_index - 1));
  }
  void end() {
    Region ended = std::move(open_.back());
    open_.pop_back();
    ended.end_ns = now_ns();
    if (!ended.is_wanted) return;
    is_any_wanted_ = true;
    if (!open_.empty()) open_.back().is_wanted = true;
    write_(ended);
  }
  void end_all() {
    while (!open_.empty()) end();
  }

  bool is_wanted() const noexcept { return open_.back().is_wanted; }
  void want() noexcept { open_.back().is_wanted = is_any_wanted_ = true; }
  bool is_any_wanted() const noexcept { return is_any_wanted_; }

 private:
  std::uint64_t last_ns_;
  const std::uint64_t first_ns_;
  bool is_any_wanted_ = false;
  const Write write_;
  std::vector<Region> open_;
};

}  // namespace reel::capture
