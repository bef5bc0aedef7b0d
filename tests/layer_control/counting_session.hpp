// counting_session.hpp - a session that records nothing, for tests of what begins and ends it.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>
#include <vector>

namespace reel::test {

// What the session was asked to do, and what it is to answer. Any thread may give commands; the
// rest is for one at a time.
struct CountingSession {
  std::vector<std::string> begun, ended;   // paths
  std::atomic<std::uint64_t> recorded{0};  // commands of the capture under way
  std::atomic<bool> is_open{false}, attention{false};
  std::string refusal;  // not empty: begin() fails with it

  static CountingSession& instance();
  void reset() {
    begun.clear();
    ended.clear();
    recorded = 0;
    is_open = attention = false;
    refusal.clear();
  }
};

}  // namespace reel::test
