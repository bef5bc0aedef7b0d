// diff.hpp - what changed from one document to another.
//
//   const reel::analysis::TraceDiff diff = reel::diff(before, after);
//   std::puts(diff.cause.c_str());
//
// Passes are compared, aligned by scope and kernel. Every time is the median over the passes, and
// a change is called one only where docs/analysis.md says that it is significant. The changes of
// `rows`, of idle time and `rest_ns` add up to the change of the total, to the nanosecond; those of
// a kernel's rows to the change of the kernel.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "reel/insights.hpp"

namespace reel::analysis {

// A time of one pass in both documents.
struct DiffTime {
  std::uint64_t ns_a = 0, ns_b = 0;                // medians over the passes
  std::uint64_t spread_a_ns = 0, spread_b_ns = 0;  // half the interquartile range
  std::optional<double> p = {};  // that chance alone makes such a change; none: too few passes
  std::int64_t shift_ns = 0;     // of the lower decile, which other programs disturb less
  std::uint64_t floor_ns = 0;    // a shift must be larger
  std::uint64_t least_ns = 0;    // of that, what is too little to matter; the rest is drift
  bool significant = false;      // by p, among all that is looked at, and more than the floor
  bool is_small = false;         // no chance by p, but too little of a pass to be called a change
  // The two above in words: "slower", "faster", of idle time "longer", "shorter"; else why it is
  // not called a change: "not significant", "not tested", "can't be told", "under 1.5% of a pass".
  std::string verdict = {};
  // False: recording takes the graphs of one document apart, so this is not the program's own time.
  // Nothing can be told of it, and it is never significant.
  bool comparable = true;
  // Where it isn't significant: how many passes of each document might show a change of this size.
  std::optional<std::uint32_t> passes_needed = {};

  std::int64_t delta_ns() const noexcept {  // b - a
    return static_cast<std::int64_t>(ns_b) - static_cast<std::int64_t>(ns_a);
  }
};

// One document's side of a difference. Numbers are those of one pass.
struct DiffSide {
  std::uint64_t total_ns = 0;  // from its first start to its last end
  std::uint64_t busy_ns = 0, idle_ns = 0;
  std::uint32_t passes = 1;  // over how many these are medians
  std::uint64_t peak_bytes = 0;
  std::uint64_t commands = 0;  // that ran
  std::uint64_t enqueued = 0;  // by the host: those that ran alone, and launches of graphs
  std::uint64_t launches = 0;  // of graphs
  double noise = 0;            // half the interquartile range, as a part of the median
  // The document ends before its recording did: only passes that are whole are compared.
  bool is_cut = false;
};

enum class Change : std::uint8_t {  // what became of it
  same,
  slower,
  faster,
  more_runs,   // it takes as long each time, but runs more often in a pass
  fewer_runs,  // or less often
  added,
  removed
};
const char* to_string(Change change) noexcept;

// A kernel or kind of copy in one scope.
struct DiffRow {
  Change change = Change::same;
  std::string scope, name;  // "layer0/attention", "matmul_f32"; of a copy "copy"
  std::uint32_t kernel_a = no_index, kernel_b = no_index;
  std::uint32_t first_a = no_index, first_b = no_index;  // a command of each
  std::uint64_t count_a = 0, count_b = 0;                // in one pass
  DiffTime time = {};                                    // in one pass, busy time that is its own
  std::optional<DiffTime> run = {};  // of one run, where a pass doesn't have as many
  bool new_shape = false, new_source = false, new_arguments = false;
  bool new_program = false;  // a module of several kernels changed; nobody can tell which of them
};

// A kernel, or a kind of copy, in all its scopes. Its times are the sums of its rows' where rows
// are in most passes, else medians of the sums.
struct DiffKernel {
  std::string name;
  std::uint32_t rows = 0;  // in how many rows it is
  DiffTime time = {};
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

struct SourceDifference {  // a kernel whose source changed
  std::uint32_t kernel_a = no_index, kernel_b = no_index;
  KernelForm form{};
  std::string text_a, text_b;
};

struct TraceDiff {
  DiffSide a, b;
  // False: what both have makes up less than a tenth of either, or one was cut off before a whole
  // pass of it was there. Times are not compared then, and there are no rows.
  bool comparable = true;
  DiffTime total, busy, idle;
  DiffTime between;                 // from the end of a pass to the start of the next
  std::vector<DiffRow> rows;        // significant ones first, then by |delta|, the largest first
  std::vector<DiffKernel> kernels;  // likewise
  // How the typical kernel changed, as a part, where there are three or more: up to a tenth, that
  // is taken for the machine's doing and called no difference.
  std::optional<double> common = {};
  std::int64_t rest_ns = 0;  // medians of parts don't quite make up the median of the whole
  std::vector<SourceDifference> sources;
  std::uint64_t compared_contents = 0, equal_contents = 0;
  std::optional<ContentDifference> contents = {};
  std::vector<Finding> new_findings, fixed_findings;  // of b, of a
  std::string cause;  // one sentence: what changed, and what most likely made the difference

  // Something in it is called a difference in time: then the sentence names it.
  bool differs() const noexcept;
  // Of one pass nothing is known of `between`.
  bool has_between() const noexcept { return a.passes > 1 && b.passes > 1; }
};

// What changed from a to b, and what of it is significant.
TraceDiff diff(const Trace& a, const Trace& b, const AnalysisOptions& options = {});

// What `reel diff --json` prints and the page shows.
std::string diff_json(const Trace& a, const Trace& b, const TraceDiff& diff);

}  // namespace reel::analysis

namespace reel {
using analysis::diff;
}  // namespace reel
