// clock.hpp - the device's clock in nanoseconds.
#pragma once

#include <cstdint>

#include "backends/vulkan/api.hpp"

namespace reel::vulkan {

class Context;

class Clock {
 public:
  explicit Clock(Context& context);

  bool can_stamp() const noexcept { return bits_ > 0; }
  // A value that vkCmdWriteTimestamp wrote.
  std::uint64_t to_ns(std::uint64_t ticks) const noexcept;
  // Now, on the same clock. Where the driver has no calibrated timestamps: the steady clock,
  // shifted by an offset measured once (within the time of one small submit).
  std::uint64_t now_ns() const;

 private:
  bool ask_driver(std::uint64_t& ticks) const;
  void measure_offset(Context& context);

  const Context& context_;
  std::uint32_t bits_;
  double period_ns_;
  bool calibrated_ = false;
  std::int64_t offset_ns_ = 0;  // device − steady clock
};

}  // namespace reel::vulkan
