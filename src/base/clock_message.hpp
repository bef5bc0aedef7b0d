// clock_message.hpp - what ranks say to each other to compare their clocks, over TCP.
//
// A question is answered at once with the time at which it came and the time at which the answer
// left; the difference of clocks is then known to half of what the way there and back took
// (Cristian, 1989). Numbers have the byte order of the machine: ranks of one job run on one kind.
#pragma once

#include <array>
#include <cstdint>
#include <cstring>

namespace reel {

struct ClockQuestion {
  static constexpr std::uint64_t magic_word = 0x316b636c6c656572;  // "reellck1"
  // A process asks in several conversations. Who answers stays until each has had its last one.
  enum Kind : std::uint64_t { first = 1, another = 2, last = 3 };

  std::uint64_t magic = magic_word;
  std::uint64_t kind = another;
  std::uint64_t number = 0;  // of the round; the answer has it, too
};

struct ClockAnswer {
  std::uint64_t magic = ClockQuestion::magic_word;
  std::uint64_t number = 0;
  std::uint64_t came_ns = 0, left_ns = 0;  // CLOCK_MONOTONIC of the host, no time namespace counted
  std::array<char, 40> boot_id{};          // which host that is; ends with zeros
};

// One round, on the clock of who asked.
struct ClockReading {
  std::uint64_t time_ns = 0, other_ns = 0, error_ns = ~std::uint64_t{0};
};

// `sent_ns`, `got_ns`: by the clock of who asked.
inline ClockReading reading_of(std::uint64_t sent_ns, std::uint64_t got_ns,
                               const ClockAnswer& answer) noexcept {
  ClockReading reading;
  if (got_ns < sent_ns || answer.left_ns < answer.came_ns) return reading;
  const std::uint64_t there = answer.left_ns - answer.came_ns, whole = got_ns - sent_ns;
  reading.time_ns = sent_ns + whole / 2;
  reading.other_ns = answer.came_ns + there / 2;
  // A nanosecond for each half that was cut off.
  reading.error_ns = (whole > there ? whole - there : 0) / 2 + 2;
  return reading;
}

}  // namespace reel
