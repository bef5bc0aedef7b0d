// common_clock.hpp - times of several documents on one clock, each with its error.
//
//   std::vector<reel::analysis::ClockSource> sources;   // of each document, which need not be kept
//   sources.push_back(reel::analysis::clock_source(trace));
//   const auto clocks = reel::analysis::common_clocks(sources);
//   if (const auto at = clocks[0].at(command.started_ns)) …   // at->ns, at->error_ns
//
// Values; any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "reel/trace.hpp"

namespace reel::analysis {

// What a document tells of its clock.
struct ClockSource {
  std::string boot_id;         // of its host; empty: not known
  std::string answered_by;     // boot id of the host whose clock the rows `common` are of
  std::int64_t offset_ns = 0;  // of the process's clock from the host's: a time namespace
  std::vector<TraceClock> rows;
};
ClockSource clock_source(const Trace& trace);  // of a document

enum class ClockBasis : std::uint8_t {  // how clocks were compared
  none,                                 // its times can't be compared with those of the others
  same_boot,  // all documents are of one host since it was started: one clock, no error
  messages,   // the hosts compared their clocks while they were recorded
  real_time   // as the hosts' real-time clocks say; how far these are apart nobody knows
};
const char* to_string(ClockBasis basis) noexcept;

struct CommonTime {  // a time, and how wrong it may be
  std::int64_t ns = 0;
  std::optional<std::uint64_t> error_ns;  // none: not known
};

class CommonClock {
 public:
  CommonClock() = default;
  CommonClock(ClockBasis basis, std::int64_t offset_ns) : basis_(basis), shift_ns_(-offset_ns) {}
  // `points` rise in time. `inherent_error_ns`: of the other clock itself; none: not known.
  CommonClock(ClockBasis basis, std::vector<TraceClock> points,
              std::optional<std::uint64_t> inherent_error_ns);

  ClockBasis basis() const noexcept { return basis_; }  // how
  // A time of the document (its host's clock) on the common one; none without a basis.
  std::optional<CommonTime> at(std::uint64_t time_ns) const;

 private:
  std::uint64_t wander_of(std::uint64_t distance_ns) const;

  ClockBasis basis_ = ClockBasis::none;
  std::int64_t shift_ns_ = 0;
  std::vector<TraceClock> points_;
  std::optional<std::uint64_t> inherent_error_ns_ = 0;
  double wander_ = 0;  // by which part of the time rates change between points
};

struct CommonClockOptions {  // of common_clocks()
  // How far real-time clocks of hosts are apart at most, where somebody knows (PTP, NTP).
  std::optional<std::uint64_t> real_time_error_ns = std::nullopt;
};

// One for each source, all of the same basis: the best that every one of them has.
std::vector<CommonClock> common_clocks(std::span<const ClockSource> sources,
                                       const CommonClockOptions& options = {});

}  // namespace reel::analysis
