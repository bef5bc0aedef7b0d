// host_clocks.hpp - what other clocks say while a document is written.
//
// Used by the thread that writes, which has descriptors of its own: a socket to another host is
// never seen by the program. Nothing waits longer than `patience` for an answer, and a host that
// doesn't answer is asked again later.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/clock_message.hpp"
#include "document/columns/rows.hpp"

namespace reel::capture {

// The real time between two looks at the monotonic clock; of several tries the closest two.
document::HostClockRow read_real_time() noexcept;

class HostClocks {
 public:
  enum class Moment : std::uint8_t { start, meanwhile, end };
  HostClocks();  // from REEL_CAPTURE_CLOCKS, "10.0.0.1:4711"

  struct Told {
    std::vector<document::HostClockRow> rows;
    std::vector<std::string> notes;  // jumps, a sentence each
    std::string answered_by;         // boot id of the host that answered for the first time
  };
  // What is due now: the real time each second, the other host's each ten.
  Told look(Moment moment);

 private:
  void look_for_jump(const document::HostClockRow& row, Told& told);
  void ask(Moment moment, std::uint64_t now_ns, Told& told);

  std::string peer_;  // empty: there is none
  std::uint64_t next_real_ns_ = 0, next_ask_ns_ = 0;
  document::HostClockRow last_{};
  std::int64_t last_slept_ns_ = 0;
  bool has_last_ = false, has_answer_ = false;
};

}  // namespace reel::capture
