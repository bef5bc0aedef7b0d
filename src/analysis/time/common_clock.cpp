#include "reel/common_clock.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <iterator>

namespace reel::analysis {
namespace {

// Two quartzes, each 100 millionths off at worst: how fast clocks go apart about which nothing but
// one moment is known.
constexpr double free_drift = 200e-6;
// How much the rate of a clock changes between two readings of it, at least: with temperature, and
// with what NTP does to it.
constexpr double least_wander = 1e-6;

// Faster than any system lets a clock go against another: between such readings one of them was
// set, or its machine slept.
constexpr double most_rate = 600e-6;

std::int64_t offset_of(const TraceClock& point) {
  return static_cast<std::int64_t>(point.other_ns - point.time_ns);
}

// How much faster the other clock is, as a part of the time.
double rate_between(const TraceClock& a, const TraceClock& b) {
  return static_cast<double>(offset_of(b) - offset_of(a)) /
         static_cast<double>(b.time_ns - a.time_ns);
}

bool is_jump(const TraceClock& a, const TraceClock& b) {
  const double by_error =
      static_cast<double>(a.error_ns + b.error_ns) / static_cast<double>(b.time_ns - a.time_ns);
  return std::abs(rate_between(a, b)) > most_rate + by_error;
}

// What neighbouring rates differ by, beyond what errors of readings explain.
double largest_change(const std::vector<TraceClock>& points) {
  double largest = 0;
  for (std::size_t i = 2; i < points.size(); ++i) {
    const TraceClock &a = points[i - 2], &b = points[i - 1], &c = points[i];
    if (is_jump(a, b) || is_jump(b, c)) continue;  // no rate
    const double by_error =
        static_cast<double>(a.error_ns + b.error_ns) / static_cast<double>(b.time_ns - a.time_ns) +
        static_cast<double>(b.error_ns + c.error_ns) / static_cast<double>(c.time_ns - b.time_ns);
    largest = std::max(largest, std::abs(rate_between(b, c) - rate_between(a, b)) - by_error);
  }
  return largest;
}

std::vector<TraceClock> points_of(const ClockSource& source, ClockKind kind) {
  std::vector<TraceClock> points;
  for (const TraceClock& row : source.rows)
    if (row.kind == kind && (points.empty() || row.time_ns > points.back().time_ns))
      points.push_back(row);
  return points;
}

bool is_of_host(const ClockSource& source, const std::string& boot_id) {
  return source.boot_id == boot_id;
}

// The host on whose clock every document can be brought; empty: there is none.
std::string common_host(std::span<const ClockSource> sources) {
  std::string host;
  for (const ClockSource& source : sources)
    if (!source.answered_by.empty()) host = source.answered_by;
  if (host.empty()) return host;
  const bool is_for_all = std::all_of(sources.begin(), sources.end(), [&](const ClockSource& one) {
    return is_of_host(one, host) ||
           (one.answered_by == host && !points_of(one, ClockKind::common).empty());
  });
  return is_for_all ? host : std::string();
}

bool are_of_one_boot(std::span<const ClockSource> sources) {
  return !sources.empty() && !sources[0].boot_id.empty() &&
         std::all_of(sources.begin(), sources.end(),
                     [&](const ClockSource& one) { return is_of_host(one, sources[0].boot_id); });
}

}  // namespace

const char* to_string(ClockBasis basis) noexcept {
  switch (basis) {
    case ClockBasis::same_boot:
      return "same boot";
    case ClockBasis::messages:
      return "messages";
    case ClockBasis::real_time:
      return "real time";
    case ClockBasis::none:
      break;
  }
  return "none";
}

ClockSource clock_source(const Trace& trace) {
  ClockSource source;
  const auto fact = [&](const char* name) {
    const auto found = trace.facts().find(name);
    return found == trace.facts().end() ? std::string() : found->second;
  };
  source.boot_id = fact("boot_id");
  source.answered_by = fact("clock_boot_id");
  source.offset_ns = std::strtoll(fact("clock_offset_ns").c_str(), nullptr, 10);
  source.rows = trace.clocks();
  return source;
}

CommonClock::CommonClock(ClockBasis basis, std::vector<TraceClock> points,
                         std::optional<std::uint64_t> inherent_error_ns)
    : basis_(points.empty() ? ClockBasis::none : basis),
      points_(std::move(points)),
      inherent_error_ns_(inherent_error_ns),
      wander_(std::max(least_wander, largest_change(points_))) {}

std::uint64_t CommonClock::wander_of(std::uint64_t distance_ns) const {
  return static_cast<std::uint64_t>(std::ceil(wander_ * static_cast<double>(distance_ns)));
}

std::optional<CommonTime> CommonClock::at(std::uint64_t time_ns) const {
  const auto time = static_cast<std::int64_t>(time_ns);
  if (basis_ == ClockBasis::none) return std::nullopt;
  if (points_.empty()) return CommonTime{time + shift_ns_, inherent_error_ns_};
  const auto after = std::upper_bound(
      points_.begin(), points_.end(), time_ns,
      [](std::uint64_t ns, const TraceClock& point) { return ns < point.time_ns; });
  const auto with = [&](std::int64_t offset, std::uint64_t error) {
    CommonTime result{time + offset, std::nullopt};
    if (inherent_error_ns_) result.error_ns = error + *inherent_error_ns_;
    return result;
  };
  const bool is_within = after != points_.begin() && after != points_.end();
  if (is_within) {
    const TraceClock &a = *std::prev(after), &b = *after;
    const std::uint64_t since = time_ns - a.time_ns, until = b.time_ns - time_ns;
    const double part = static_cast<double>(since) / static_cast<double>(since + until);
    const double offset = static_cast<double>(offset_of(b) - offset_of(a)) * part;
    double error =
        static_cast<double>(a.error_ns) * (1 - part) + static_cast<double>(b.error_ns) * part;
    // Nobody knows when it jumped: both offsets may be the right one, and so may what drifts from
    // it.
    if (is_jump(a, b))
      error = static_cast<double>(std::abs(offset_of(b) - offset_of(a))) +
              static_cast<double>(std::max(a.error_ns, b.error_ns)) +
              free_drift * static_cast<double>(since + until);
    return with(offset_of(a) + static_cast<std::int64_t>(std::llround(offset)),
                static_cast<std::uint64_t>(std::ceil(error)) + wander_of(std::min(since, until)));
  }
  // Before the first point or after the last: as its neighbours go on; of one point, nobody knows.
  const bool is_before = after == points_.begin();
  const TraceClock& near = is_before ? points_.front() : points_.back();
  const auto distance =
      static_cast<double>(is_before ? near.time_ns - time_ns : time_ns - near.time_ns);
  const bool has_rate =
      points_.size() > 1 && !(is_before ? is_jump(points_[0], points_[1])
                                        : is_jump(points_[points_.size() - 2], points_.back()));
  if (!has_rate)
    return with(offset_of(near),
                near.error_ns + static_cast<std::uint64_t>(std::ceil(free_drift * distance)));
  const TraceClock& other = is_before ? points_[1] : points_[points_.size() - 2];
  const TraceClock &a = is_before ? near : other, &b = is_before ? other : near;
  const double rate = rate_between(a, b), signed_distance = is_before ? -distance : distance;
  // The rate itself is known as well as the two readings are.
  const double rate_error =
      static_cast<double>(a.error_ns + b.error_ns) / static_cast<double>(b.time_ns - a.time_ns);
  const double extra = std::min(rate_error + wander_, free_drift) * distance;
  return with(offset_of(near) + static_cast<std::int64_t>(std::llround(rate * signed_distance)),
              near.error_ns + static_cast<std::uint64_t>(std::ceil(extra)));
}

std::vector<CommonClock> common_clocks(std::span<const ClockSource> sources,
                                       const CommonClockOptions& options) {
  std::vector<CommonClock> clocks(sources.size());
  const std::string host = common_host(sources);
  const bool is_one_boot = are_of_one_boot(sources);
  const bool has_real = std::all_of(sources.begin(), sources.end(), [](const ClockSource& one) {
    return !points_of(one, ClockKind::real).empty();
  });
  for (std::size_t i = 0; i < sources.size(); ++i) {
    const ClockSource& one = sources[i];
    if (is_one_boot)
      clocks[i] = CommonClock(ClockBasis::same_boot, one.offset_ns);
    else if (!host.empty() && is_of_host(one, host))
      clocks[i] = CommonClock(ClockBasis::messages, one.offset_ns);
    else if (!host.empty())
      clocks[i] = CommonClock(ClockBasis::messages, points_of(one, ClockKind::common), 0);
    else if (has_real)
      clocks[i] = CommonClock(ClockBasis::real_time, points_of(one, ClockKind::real),
                              options.real_time_error_ns);
  }
  return clocks;
}

}  // namespace reel::analysis
