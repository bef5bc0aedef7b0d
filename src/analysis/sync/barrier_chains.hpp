// barrier_chains.hpp - what the barriers of one queue put in order, and what they make visible.
//
// A barrier orders what was submitted before it with what is submitted after it, within its stages;
// the accesses and ranges of its rows decide what memory the later commands see. Barriers chain:
// one that waits for stages which another one holds back waits for what that one waited for. Rows
// are added in the order of submission; questions may be asked in any order. One thread.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "analysis/sync/sync_scopes.hpp"

namespace reel::analysis {

class BarrierChains {
 public:
  // Which memory a row is about: a number of the caller's, or all of it.
  using Range = std::uint32_t;
  static constexpr Range all_memory = 0xffffffff;

  // Rows of one command don't chain with each other.
  void add(std::uint32_t command, const SyncScope& source, const SyncScope& target, Range range);

  struct Answer {
    bool is_ordered = false;  // the later begins when the earlier is done
    bool is_visible = false;  // and sees what it wrote; true where it wrote nothing
    bool is_fine() const noexcept { return is_ordered && is_visible; }
  };
  // Between a use by command `from` and one by `to` of memory that is within these ranges. If they
  // are ordered, need(command) is called for the barriers that make it so, and visible if it is.
  template <class Need>
  Answer ask(std::uint32_t from, SyncUse earlier, std::uint32_t to, SyncUse later,
             std::span<const Range> ranges, Need&& need) const {
    Path path;
    const Answer answer = follow(from, earlier, to, later, ranges, path);
    if (!answer.is_ordered) return answer;
    for (std::uint8_t step = path.last; step != Path::none; step = path.steps[step].by)
      need(path.steps[step].command);
    return answer;
  }

 private:
  struct Signature {
    SyncScope source, target;
    friend auto operator<=>(const Signature& a, const Signature& b) { return a.key() <=> b.key(); }
    std::uint64_t key() const {
      return std::uint64_t{source.stages} | std::uint64_t{target.stages} << 8 |
             std::uint64_t{source.accesses} << 16 | std::uint64_t{target.accesses} << 32;
    }
  };
  struct Row {
    std::uint32_t command, signature;
    Range range;
  };
  // Each step adds a stage or an access, so there are few.
  struct Step {
    std::uint32_t command;
    std::uint8_t by;  // the step that it needed; none: the earlier use itself
  };
  struct Path {
    static constexpr std::uint8_t none = 0xff;
    std::array<Step, sync_stage::count * 2 + sync_access::count> steps;
    std::uint8_t count = 0, last = none;
  };
  struct State;

  Answer follow(std::uint32_t from, SyncUse earlier, std::uint32_t to, SyncUse later,
                std::span<const Range> ranges, Path& path) const;
  std::uint32_t next_change(const State& state, std::uint32_t after, std::uint32_t before,
                            std::span<const Range> ranges) const;
  void apply(State& state, std::uint32_t command, std::span<const Range> ranges, Path& path) const;

  std::vector<Row> rows_;  // by command
  std::vector<Signature> signatures_;
  std::map<std::uint64_t, std::uint32_t> numbers_;        // of signatures, by key
  std::vector<std::vector<std::uint32_t>> of_signature_;  // commands with such a row, of any range
  // The same of one range; by range, then signature.
  std::map<Range, std::vector<std::pair<std::uint32_t, std::vector<std::uint32_t>>>> of_range_;
};

}  // namespace reel::analysis
