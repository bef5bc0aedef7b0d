#include "recording/writing/host_clocks.hpp"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>

#include "base/clock.hpp"
#include "base/os/descriptors.hpp"
#include "base/os/machine.hpp"
#include "base/process/environment_variable.hpp"
#include "recording/writing/clock_jumps.hpp"

namespace reel::capture {
namespace {

constexpr std::uint64_t second_ns = 1'000'000'000;
constexpr std::uint64_t ask_every_ns = 10 * second_ns, patience_ns = second_ns / 4;
constexpr int rounds = 16;

struct Address {
  sockaddr_storage storage{};
  socklen_t size = 0;
};

// "10.0.0.1:4711", "[fe80::1]:4711": names are looked up by `reel capture`, since looking one up
// may load libraries into the process.
Address address_of(const std::string& text) {
  Address address;
  const auto colon = text.rfind(':');
  if (colon == std::string::npos) return address;
  std::uint16_t port = 0;
  const char* const end = text.data() + text.size();
  const auto parsed = std::from_chars(text.data() + colon + 1, end, port);
  if (parsed.ec != std::errc{} || parsed.ptr != end || port == 0) return address;
  std::string host = text.substr(0, colon);
  auto* const v4 = reinterpret_cast<sockaddr_in*>(&address.storage);
  auto* const v6 = reinterpret_cast<sockaddr_in6*>(&address.storage);
  if (inet_pton(AF_INET, host.c_str(), &v4->sin_addr) == 1) {
    v4->sin_family = AF_INET;
    v4->sin_port = htons(port);
    address.size = sizeof *v4;
  } else if (host.size() > 2 && host.front() == '[' && host.back() == ']' &&
             inet_pton(AF_INET6, host.substr(1, host.size() - 2).c_str(), &v6->sin6_addr) == 1) {
    v6->sin6_family = AF_INET6;
    v6->sin6_port = htons(port);
    address.size = sizeof *v6;
  }
  return address;
}

class Conversation {
 public:
  explicit Conversation(const Address& address) : until_ns_(monotonic_ns() + patience_ns) {
    if (address.size == 0) return;
    socket_ = os::open_socket(address.storage.ss_family, SOCK_STREAM, os::Waiting::no);
    if (socket_ < 0) return;
    const int yes = 1;
    setsockopt(socket_, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
    if (::connect(socket_, reinterpret_cast<const sockaddr*>(&address.storage), address.size) != 0)
      is_open_ = errno == EINPROGRESS && wait(POLLOUT) && connected();
    else
      is_open_ = true;
  }
  ~Conversation() {
    if (socket_ >= 0) ::close(socket_);
  }
  Conversation(const Conversation&) = delete;
  Conversation& operator=(const Conversation&) = delete;

  // False: there is no answer in time.
  bool ask(const ClockQuestion& question, ClockAnswer& answer, ClockReading& reading) {
    if (!is_open_) return false;
    const std::uint64_t sent_ns = monotonic_ns();
    if (os::send_quietly(socket_, &question, sizeof question, 0) !=
        static_cast<ssize_t>(sizeof question))
      return is_open_ = false;
    std::size_t got = 0;
    while (got < sizeof answer) {
      if (!wait(POLLIN)) return is_open_ = false;
      const ssize_t count =
          ::recv(socket_, reinterpret_cast<char*>(&answer) + got, sizeof answer - got, 0);
      if (count <= 0) return is_open_ = false;
      got += static_cast<std::size_t>(count);
    }
    reading = reading_of(sent_ns, monotonic_ns(), answer);
    is_open_ = answer.magic == ClockQuestion::magic_word && answer.number == question.number &&
               answer.boot_id.back() == '\0';
    return is_open_;
  }

 private:
  bool wait(short what) const {
    const std::uint64_t now = monotonic_ns();
    if (now >= until_ns_) return false;
    pollfd one{socket_, what, 0};
    const auto left_ms = static_cast<int>((until_ns_ - now) / 1'000'000 + 1);
    return ::poll(&one, 1, left_ms) == 1;
  }
  bool connected() const {
    int error = 0;
    socklen_t size = sizeof error;
    return getsockopt(socket_, SOL_SOCKET, SO_ERROR, &error, &size) == 0 && error == 0;
  }

  const std::uint64_t until_ns_;
  int socket_ = -1;
  bool is_open_ = false;
};

}  // namespace

document::HostClockRow read_real_time() noexcept {
  document::HostClockRow best{ClockKind::real, 0, 0, ~std::uint64_t{0}};
  for (int i = 0; i < 4; ++i) {
    const std::uint64_t before = monotonic_ns();
    const std::uint64_t real = clock_ns(CLOCK_REALTIME);
    const std::uint64_t after = monotonic_ns();
    const std::uint64_t error = (after - before + 1) / 2;
    if (error < best.error_ns) best = {ClockKind::real, before + (after - before) / 2, real, error};
  }
  return best;
}

HostClocks::HostClocks() : peer_(environment_variable("REEL_CAPTURE_CLOCKS")) {}

HostClocks::Told HostClocks::look(Moment moment) {
  Told told;
  const std::uint64_t now_ns = monotonic_ns();
  if (now_ns >= next_real_ns_ || moment == Moment::end) {
    const document::HostClockRow row = read_real_time();
    look_for_jump(row, told);
    told.rows.push_back(row);
    next_real_ns_ = now_ns + second_ns;
  }
  if (!peer_.empty() && (now_ns >= next_ask_ns_ || moment == Moment::end))
    ask(moment, now_ns, told);
  return told;
}

void HostClocks::look_for_jump(const document::HostClockRow& row, Told& told) {
  const std::int64_t slept = os::slept_ns();
  if (has_last_) told.notes = jumps_between({last_, last_slept_ns_}, {row, slept});
  last_ = row;
  last_slept_ns_ = slept;
  has_last_ = true;
}

void HostClocks::ask(Moment moment, std::uint64_t now_ns, Told& told) {
  // Whoever was never answered has no last question either.
  next_ask_ns_ = now_ns + second_ns;
  Conversation conversation(address_of(peer_));
  ClockReading best;
  ClockAnswer answer;
  for (int i = 0; i < rounds; ++i) {
    ClockQuestion question;
    question.number = static_cast<std::uint64_t>(i);
    if (i == 0 && !has_answer_) question.kind = ClockQuestion::first;
    if (i == rounds - 1 && moment == Moment::end) question.kind = ClockQuestion::last;
    ClockReading reading;
    if (!conversation.ask(question, answer, reading)) break;
    if (!has_answer_) told.answered_by = answer.boot_id.data();
    has_answer_ = true;
    if (reading.error_ns < best.error_ns) best = reading;
  }
  if (best.time_ns == 0) return;
  next_ask_ns_ = now_ns + ask_every_ns;
  told.rows.push_back({ClockKind::common, best.time_ns, best.other_ns, best.error_ns});
}

}  // namespace reel::capture
