#include "page/server/socket.hpp"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <system_error>

#include "base/fail.hpp"
#include "base/os/descriptors.hpp"

namespace reel::page {
namespace {

// True when the descriptor is ready before `until`.
bool is_ready(int descriptor, short events, Socket::Clock::time_point until) {
  for (;;) {
    const auto left =
        std::chrono::ceil<std::chrono::milliseconds>(until - Socket::Clock::now()).count();
    pollfd entry{descriptor, events, 0};
    const int count = ::poll(&entry, 1, static_cast<int>(std::max<std::int64_t>(left, 0)));
    if (count > 0) return true;
    if (count == 0 || errno != EINTR) return false;
  }
}

[[noreturn]] void fail_to_listen(std::uint16_t port) {
  const int error = errno;
  if (error == EADDRINUSE)
    fail(Code::io_failed, "Port {} of 127.0.0.1 is in use; name another one, or none.", port);
  fail(Code::io_failed, "Can't listen on port {} of 127.0.0.1: {}.", port,
       std::generic_category().message(error));
}

}  // namespace

void Socket::close() noexcept {
  if (descriptor_ >= 0) ::close(std::exchange(descriptor_, -1));
}

void Socket::shut_down() const noexcept { ::shutdown(descriptor_, SHUT_RDWR); }

Socket::Got Socket::receive(std::string& to, Clock::time_point until) const {
  std::array<char, 4096> part;
  for (;;) {
    if (!is_ready(descriptor_, POLLIN, until)) return Got::nothing;
    const ssize_t count = ::recv(descriptor_, part.data(), part.size(), MSG_DONTWAIT);
    if (count > 0) {
      to.append(part.data(), static_cast<std::size_t>(count));
      return Got::bytes;
    }
    if (count == 0 || (errno != EINTR && errno != EAGAIN)) return Got::end;
  }
}

bool Socket::send(std::string_view bytes, std::chrono::milliseconds patience) const {
  while (!bytes.empty()) {
    const ssize_t count = os::send_quietly(descriptor_, bytes.data(), bytes.size(), MSG_DONTWAIT);
    if (count > 0)
      bytes.remove_prefix(static_cast<std::size_t>(count));
    else if (errno == EAGAIN ? !is_ready(descriptor_, POLLOUT, Clock::now() + patience)
                             : errno != EINTR)
      return false;
  }
  return true;
}

Socket listen_on(std::uint16_t port) {
  Socket socket(os::open_socket(AF_INET, SOCK_STREAM, os::Waiting::no));
  // Or the same port could not be had again for a minute after the last time.
  const int yes = 1;
  ::setsockopt(socket.descriptor(), SOL_SOCKET, SO_REUSEADDR, &yes, sizeof(yes));
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (socket.descriptor() < 0 ||
      ::bind(socket.descriptor(), reinterpret_cast<const sockaddr*>(&address), sizeof(address)) ||
      ::listen(socket.descriptor(), SOMAXCONN))
    fail_to_listen(port);
  return socket;
}

std::uint16_t port_of(const Socket& socket) {
  sockaddr_in address{};
  socklen_t size = sizeof(address);
  ::getsockname(socket.descriptor(), reinterpret_cast<sockaddr*>(&address), &size);
  return ntohs(address.sin_port);
}

}  // namespace reel::page
