// statistics.hpp - do two series of times differ by more than chance and their own drift?
//
// The rules are told, with how often they err, in docs/analysis.md. Pure functions.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "reel/diff.hpp"

namespace reel::analysis {

// In the order in which they were measured.
using Times = std::vector<std::uint64_t>;

std::uint64_t median_of(Times times);  // of two in the middle, the mean; 0 of none
std::uint64_t spread_of(Times times);  // half the interquartile range

// The lower decile; of fewer than ten, the smallest. What else runs on a machine only makes times
// longer, so it moves less than the median does.
std::uint64_t undisturbed(Times times);

// By how much a series differs from itself: the range of the lower deciles of its thirds. What
// the machine does to some passes and not to others, it may do to one run and not to another. None
// of fewer than three.
std::optional<std::uint64_t> drift_of(const Times& times);

// As parts of documents that are compared: what both do alike, as a decoder whose passes grow with
// each token, is no drift. So where both have as many, it is also at most the range over the thirds
// of what passes differ by, one by one. Where ranks differ beyond doubt, it is that of the faster
// series: noise only makes passes longer, so a slow stretch of the slower one says nothing about
// its fastest passes.
inline constexpr double beyond_doubt = 0.0001;
std::uint64_t drift_between(const Times& a, const Times& b, std::optional<double> p);

// Two-sided p of the Mann-Whitney test, exact for short series, with ties; of eight times or more
// together with a test of the smallest ones. Corrected for passes that resemble the one before. 1
// where either is empty.
double rank_test(const Times& a, const Times& b);

// Two-sided p of the sign test: that of pairs (a[i], b[i]) as many are larger on either side.
// Assumes nothing but that; ties don't count. Corrected like the test above. 1 where there are no
// pairs.
double sign_test(const Times& a, const Times& b);

// Two-sided p of Spearman's test: that a series neither grows nor shrinks with its number.
// Corrected for times that resemble the one before beyond the trend itself. 1 of fewer than four.
double trend_test(const Times& times);

inline constexpr double significance = 0.05;
inline constexpr std::uint32_t fewest_times = 4;  // of fewer, no test of ranks can tell anything
inline constexpr std::uint32_t steady_times = 8;  // of fewer, drift can hardly be seen

// Runs of one program on a busy machine differ by this much for no reason that passes show.
inline constexpr double least_part = 0.03;
// And a kernel by this much, and by one and a half times as much of a pass: where its code and
// memory come to lie is another matter in each process. On PoCL a kernel took 4 to 6 % longer in
// all passes of one run in ten (docs/analysis.md).
inline constexpr double least_part_of_kernel = 0.05;

// A run may differ from another by more than thirds of it differ among themselves. By half as much
// again keeps false alarms below one in twenty where noise lasts over several passes
// (docs/analysis.md).
inline constexpr double drift_margin = 1.5;

// What makes a change too small to be called one.
struct Least {
  std::uint64_t ns = 0;  // what nobody cares about
  double drift = 0;      // of whole passes, as a part
  double common = 0;     // what all kernels have in common, as a part: the machine may have done it
  double margin = drift_margin;  // so many times the drift
  double part = least_part;      // of the time itself
};

// How fast the machine was in each pass, as a part of its usual time: 1.05 is a slower clock.
// Empty: not known.
struct Pace {
  std::vector<double> a, b;
};

// Medians, spreads, p and the floor of a change. Where the pace of each pass is known, all but the
// medians are of times at one pace.
DiffTime compare(const Times& a, const Times& b, const Least& least, const Pace& pace = {});
Times at_one_pace(const Times& times, const std::vector<double>& pace);

// Says of each whether it is significant when all of them are looked at: Benjamini and Hochberg, so
// that of those called significant one in twenty is expected not to be.
void judge(std::span<DiffTime* const> family);

// Of one time that was chosen before others are looked at, or that another test protects.
bool is_significant_alone(const DiffTime& time);

}  // namespace reel::analysis
