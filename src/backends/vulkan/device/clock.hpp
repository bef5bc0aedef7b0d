// clock.hpp - the device's clock in nanoseconds.
#pragma once

#include <atomic>
#include <cstdint>

#include "backends/vulkan/device/api.hpp"

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

  // The same by the steady clock, for use with every command: asking a driver may take
  // microseconds. It is asked ten times a second, so that the clocks can't drift apart.
  std::uint64_t quick_now_ns() noexcept;

 private:
  bool ask_driver(std::uint64_t& ticks) const;
  void measure_offset(Context& context);
  void follow_driver() noexcept;

  const Context& context_;
  std::uint32_t bits_;
  double period_ns_;
  bool calibrated_ = false;
  std::atomic<std::int64_t> offset_ns_ = 0;     // device − steady clock
  std::atomic<std::uint64_t> followed_ns_ = 0;  // when it was measured, where calibrated
};

}  // namespace reel::vulkan
