// socket.hpp - a TCP socket of this machine.
//
// Owns the descriptor. One thread reads and writes; shut_down() may come from any other.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

namespace reel::page {

class Socket {
 public:
  explicit Socket(int descriptor) noexcept : descriptor_(descriptor) {}
  Socket(Socket&& other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)) {}
  Socket& operator=(Socket&&) = delete;
  ~Socket() { close(); }

  int descriptor() const noexcept { return descriptor_; }
  void close() noexcept;
  void shut_down() const noexcept;  // whoever reads or writes stops

  enum class Got : std::uint8_t { bytes, end, nothing };  // nothing: the time is up
  using Clock = std::chrono::steady_clock;
  Got receive(std::string& to, Clock::time_point until) const;
  // False where the other side is gone, or takes nothing for so long.
  bool send(std::string_view bytes, std::chrono::milliseconds patience) const;

 private:
  int descriptor_;
};

// Listens on 127.0.0.1 alone; port 0: the system chooses. Throws io_failed.
Socket listen_on(std::uint16_t port);
std::uint16_t port_of(const Socket& socket);

}  // namespace reel::page
