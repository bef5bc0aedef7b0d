// trend.hpp - since when kernels are slower, or faster: documents of many commits, compared.
//
//   const reel::analysis::Trend trend = reel::find_trend(reel::documents_in("runs"));
//
// Documents are read one after the other; what is kept of each are medians. docs/fleet.md has the
// rules, and how often they are right. Any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "reel/trace.hpp"

namespace reel {
namespace analysis {

struct TrendOptions {          // of find_trend()
  std::string by = "commit";   // the fact that names what changed
  std::string kernel = {};     // only kernels whose names match: "matmul*"; empty: all
  double significance = 0.05;  // that equal lines are called different, over all lines together
  std::function<void(std::size_t done, std::size_t all)> progress = {};
};

struct TrendRun {  // one document
  std::string document, by, started;
};

struct TrendPoint {     // one number of it
  std::size_t run = 0;  // in Trend::runs
  double median_ns = 0;
  std::uint64_t count = 0;  // runs of the kernel that have times
};

struct TrendChange {                   // since when
  std::size_t at = 0;                  // the first point after it
  double before_ns = 0, after_ns = 0;  // medians of the points
  double p = 1;                        // of no change, for all lines together
  double share() const noexcept { return after_ns / before_ns - 1; }  // of what it was
};

// One kernel in one scope on one device.
struct TrendLine {
  std::string kernel, scope, device;
  std::vector<TrendPoint> points;
  // How far documents of the same commit are apart, as a share: a robust standard deviation. None:
  // there are too few points.
  std::optional<double> noise;
  std::optional<TrendChange> change;  // none: no change is significant
};

struct Trend {
  std::vector<TrendRun> runs;         // in order
  std::vector<TrendLine> lines;       // the largest change of time first
  std::vector<std::string> problems;  // a sentence each: what was left out, or is incomplete
  std::size_t left_out = 0;           // documents that can't be read
  std::size_t without_fact = 0;       // documents that don't tell what they are of: left out, too
};

// The most likely place of a change in a row of numbers, by ranks, and how often numbers in any
// order have one as clear (p, by permutations; the same numbers give the same p). `may_begin`:
// where the part after a change may begin. None where fewer than three are on either side
// everywhere.
struct ChangePoint {
  std::size_t at = 0;
  double p = 1;
};
// Where a row of numbers is best split in two, if that is more than noise.
std::optional<ChangePoint> find_change_point(const std::vector<double>& numbers,
                                             const std::vector<bool>& may_begin,
                                             std::size_t permutations = 1999);

}  // namespace analysis

// Throws io_failed or invalid_argument where no document can be used.
analysis::Trend find_trend(const std::vector<std::string>& documents,
                           const analysis::TrendOptions& options = {});

}  // namespace reel
