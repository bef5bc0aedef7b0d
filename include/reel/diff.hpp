// diff.hpp - what changed from one document to another.
//
//   const reel::analysis::TraceDiff diff = reel::diff(before, after);
//   std::puts(diff.cause.c_str());
//
// Aligned by what repeats, then by scope and kernel. The parts of `rows` and the change of idle
// time add up to the change of the total, to the nanosecond.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "reel/insights.hpp"

namespace reel::analysis {

// One document's side of a difference.
struct DiffSide {
  std::uint64_t total_ns = 0;  // of one pass: from its first start to its last end
  std::uint64_t busy_ns = 0, idle_ns = 0;
  std::uint32_t passes = 1;  // over how many these are medians
  std::uint64_t peak_bytes = 0;
  std::uint64_t commands = 0;  // of one pass
  double noise = 0;            // half the middle half of the passes' times, as a part of the median
};

enum class Change : std::uint8_t { same, slower, faster, added, removed };
const char* to_string(Change change) noexcept;

// A kernel or kind of copy in one scope.
struct DiffRow {
  Change change = Change::same;
  std::string scope, name;  // "layer0/attention", "matmul_f32"; of a copy "copy"
  std::uint32_t kernel_a = no_index, kernel_b = no_index;
  std::uint32_t first_a = no_index, first_b = no_index;  // a command of each
  std::uint64_t count_a = 0, count_b = 0;                // in one pass
  std::uint64_t ns_a = 0, ns_b = 0;                      // in one pass, busy time that is its own
  std::optional<double> noise = {};                      // as a part of ns_a; none: one pass only
  bool significant = false;                              // more than the noise of both
  bool new_shape = false, new_source = false, new_arguments = false;

  std::int64_t delta_ns() const noexcept {
    return static_cast<std::int64_t>(ns_b) - static_cast<std::int64_t>(ns_a);
  }
};

// The first command whose results are not the same, by recorded contents.
struct ContentDifference {
  std::uint32_t command_a = no_index, command_b = no_index;
  std::uint32_t buffer_a = no_index, buffer_b = no_index;
  std::uint64_t offset_bytes =
      0;  // of the first page that differs; of the element, where bytes are kept
  std::string value_a = {}, value_b = {};  // empty: only hashes are there
  double largest_absolute = 0;
};

struct SourceDifference {
  std::uint32_t kernel_a = no_index, kernel_b = no_index;
  KernelForm form{};
  std::string text_a, text_b;
};

struct TraceDiff {
  DiffSide a, b;
  std::vector<DiffRow> rows;       // by |delta|, the largest first
  std::int64_t idle_delta_ns = 0;  // rows and this make up b.total_ns - a.total_ns
  std::vector<SourceDifference> sources;
  std::uint64_t compared_contents = 0, equal_contents = 0;
  std::optional<ContentDifference> contents = {};
  std::vector<Finding> new_findings, fixed_findings;  // of b, of a
  std::string cause;         // one sentence: what most likely made the difference
  bool significant = false;  // the totals differ by more than their noise

  std::int64_t total_delta_ns() const noexcept {
    return static_cast<std::int64_t>(b.total_ns) - static_cast<std::int64_t>(a.total_ns);
  }
};

TraceDiff diff(const Trace& a, const Trace& b, const AnalysisOptions& options = {});

// What `reel diff --json` prints and the page shows.
std::string diff_json(const Trace& a, const Trace& b, const TraceDiff& diff);

}  // namespace reel::analysis

namespace reel {
using analysis::diff;
}  // namespace reel
