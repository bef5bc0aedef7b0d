// side.hpp - one document, cut into passes and rows that can be laid beside another's.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "reel/diff.hpp"

namespace reel::analysis {

using RowKey = std::pair<std::string, std::string>;  // scope, name

// What one row is in one pass.
struct RowTime {
  std::vector<std::uint32_t> commands;  // in order
  std::uint64_t ns = 0;                 // of the time the device was busy
};

struct PassTime {
  std::uint64_t total_ns = 0, busy_ns = 0;
  std::map<RowKey, RowTime> rows;
};

class Side {
 public:
  Side(const Trace& trace, const Report& report);

  const Trace& trace() const noexcept { return trace_; }
  const Report& report() const noexcept { return report_; }
  const std::vector<PassTime>& passes() const noexcept { return passes_; }  // one at least
  const PassTime& typical() const noexcept { return passes_[typical_]; }
  DiffSide numbers() const;

  // Half the middle half of what it took over the passes; none with fewer than three.
  std::optional<std::uint64_t> noise_ns(const RowKey& key) const;

  RowKey key_of(std::uint32_t command) const;

 private:
  PassTime time_of(std::uint32_t first, std::uint32_t end) const;

  const Trace& trace_;
  const Report& report_;
  std::vector<PassTime> passes_;
  std::size_t typical_ = 0;    // the pass whose time is in the middle
  std::size_t warm_from_ = 0;  // passes before it fill caches
};

}  // namespace reel::analysis
