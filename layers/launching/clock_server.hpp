// clock_server.hpp - answers the other ranks that ask what time it is here
// (base/clock_message.hpp).
//
// A thread of `reel capture`, never of the program. It tells its clock and which start of the
// machine that is, and nothing else.
#pragma once

#include <cstdint>
#include <string>
#include <thread>

namespace reel::layer {

// "host:port" with the host looked up: "10.0.0.1:4711". Throws Error where there is no such host.
std::string numeric_address(const std::string& host_and_port);

class ClockServer {
 public:
  // Throws Error where nobody can be answered there.
  explicit ClockServer(const std::string& address);
  // Waits for those that have asked and will ask once more, ten seconds at most.
  ~ClockServer();
  ClockServer(const ClockServer&) = delete;
  ClockServer& operator=(const ClockServer&) = delete;

 private:
  void run();

  int listening_ = -1, stop_read_ = -1, stop_write_ = -1;
  std::string boot_id_;
  std::int64_t offset_ns_ = 0;
  std::thread thread_;
};

}  // namespace reel::layer
