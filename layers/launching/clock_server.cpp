#include "layers/launching/clock_server.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <reel/error.hpp>
#include <vector>

#include "base/clock.hpp"
#include "base/clock_message.hpp"
#include "base/os/machine.hpp"
#include "base/process/quiet_thread.hpp"
#include "recording/opening/run_facts.hpp"
#include "recording/writing/host_clocks.hpp"

namespace reel::layer {
namespace {

constexpr std::uint64_t longest_wait_ns = 10'000'000'000u;

struct FoundAddress {
  explicit FoundAddress(const std::string& text) {
    const auto colon = text.rfind(':');
    if (colon == std::string::npos || colon == 0 || colon + 1 == text.size())
      throw Error(Code::invalid_argument,
                  fmt::format("'{}' is not a host and a port; write node1:4711.", text));
    std::string host = text.substr(0, colon);
    if (host.size() > 2 && host.front() == '[' && host.back() == ']')
      host = host.substr(1, host.size() - 2);
    addrinfo wanted{};
    wanted.ai_socktype = SOCK_STREAM;
    const int error = getaddrinfo(host.c_str(), text.c_str() + colon + 1, &wanted, &first);
    if (error != 0)
      throw Error(Code::invalid_argument, fmt::format("The clocks' host '{}' can't be found: {}.",
                                                      text, gai_strerror(error)));
  }
  ~FoundAddress() { freeaddrinfo(first); }
  FoundAddress(const FoundAddress&) = delete;
  FoundAddress& operator=(const FoundAddress&) = delete;
  addrinfo* first = nullptr;
};

[[noreturn]] void fail_to_serve(const std::string& address) {
  throw Error(Code::io_failed, fmt::format("Nobody can be told the time at {}: {}. Rank 0 serves "
                                           "there, so it is one of its own addresses.",
                                           address, std::strerror(errno)));
}

// One who asks, and what came of its next question.
struct Guest {
  int socket;
  ClockQuestion question;
  std::size_t got = 0;
};

}  // namespace

std::string numeric_address(const std::string& host_and_port) {
  const FoundAddress found(host_and_port);
  char host[NI_MAXHOST], port[NI_MAXSERV];
  getnameinfo(found.first->ai_addr, found.first->ai_addrlen, host, sizeof host, port, sizeof port,
              NI_NUMERICHOST | NI_NUMERICSERV);
  const bool is_v6 = found.first->ai_family == AF_INET6;
  return is_v6 ? fmt::format("[{}]:{}", host, port) : fmt::format("{}:{}", host, port);
}

ClockServer::ClockServer(const std::string& address) : offset_ns_(os::clock_offset_ns()) {
  const auto facts = capture::run_facts().facts;
  if (const auto found = facts.find("boot_id"); found != facts.end()) boot_id_ = found->second;
  const FoundAddress found(address);
  const int yes = 1;
  listening_ = ::socket(found.first->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (listening_ < 0) fail_to_serve(address);
  setsockopt(listening_, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
  if (::bind(listening_, found.first->ai_addr, found.first->ai_addrlen) != 0 ||
      ::listen(listening_, 1024) != 0) {
    const int error = errno;
    ::close(listening_);
    errno = error;
    fail_to_serve(address);
  }
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) fail_to_serve(address);
  stop_read_ = ends[0], stop_write_ = ends[1];
  // Signals are for the thread that waits for the program.
  const SignalsBlocked blocked;
  thread_ = std::thread([this] { run(); });
}

ClockServer::~ClockServer() {
  ::close(stop_write_);
  thread_.join();
  ::close(listening_);
  ::close(stop_read_);
}

void ClockServer::run() {
  std::vector<Guest> guests;
  std::vector<pollfd> watched;
  std::int64_t expected = 0;   // processes that will ask once more
  std::uint64_t until_ns = 0;  // the program has ended; 0: it hasn't
  for (;;) {
    if (until_ns && (expected <= 0 || monotonic_ns() > until_ns)) break;
    watched.assign({{until_ns ? -1 : stop_read_, POLLIN, 0}, {listening_, POLLIN, 0}});
    for (const Guest& guest : guests) watched.push_back({guest.socket, POLLIN, 0});
    ::poll(watched.data(), watched.size(), until_ns ? 50 : -1);
    const std::uint64_t came_ns = monotonic_ns();
    if (watched[0].revents) until_ns = came_ns + longest_wait_ns;
    std::vector<int> gone;
    for (std::size_t i = 0; i < guests.size(); ++i) {
      if (!watched[i + 2].revents) continue;
      Guest& guest = guests[i];
      const ssize_t count =
          ::recv(guest.socket, reinterpret_cast<char*>(&guest.question) + guest.got,
                 sizeof guest.question - guest.got, 0);
      if (count > 0) guest.got += static_cast<std::size_t>(count);
      const bool is_whole = guest.got == sizeof guest.question;
      if (count <= 0 || (is_whole && guest.question.magic != ClockQuestion::magic_word)) {
        gone.push_back(guest.socket);
        continue;
      }
      if (!is_whole) continue;
      guest.got = 0;
      if (guest.question.kind == ClockQuestion::first) ++expected;
      if (guest.question.kind == ClockQuestion::last) --expected;
      ClockAnswer answer;
      answer.number = guest.question.number;
      boot_id_.copy(answer.boot_id.data(), answer.boot_id.size() - 1);
      const auto of_host = [&](std::uint64_t ns) {
        return ns - static_cast<std::uint64_t>(offset_ns_);
      };
      answer.came_ns = of_host(came_ns);
      answer.left_ns = of_host(monotonic_ns());
      static_cast<void>(::send(guest.socket, &answer, sizeof answer, MSG_NOSIGNAL));
    }
    for (const int socket : gone) {
      ::close(socket);
      std::erase_if(guests, [&](const Guest& guest) { return guest.socket == socket; });
    }
    if (!watched[1].revents) continue;
    const int socket = ::accept4(listening_, nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK);
    if (socket < 0) continue;
    const int yes = 1;
    setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
    guests.push_back({socket, {}, 0});
  }
  for (const Guest& guest : guests) ::close(guest.socket);
}

}  // namespace reel::layer
