// counting_session.hpp - a session that records nothing, for tests of what begins and ends it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace reel::test {

// What the session was asked to do, and what it is to answer.
struct CountingSession {
  std::vector<std::string> begun, ended;  // paths
  std::uint64_t recorded = 0;             // commands of the capture under way
  bool attention = false;
  std::string refusal;  // not empty: begin() fails with it

  static CountingSession& instance();
  void reset() { *this = {}; }
};

}  // namespace reel::test
