#include "cli/running/launch_listener.hpp"

#include <fmt/format.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <random>
#include <reel/error.hpp>

#include "layers/control/abstract_address.hpp"

namespace reel::cli {
namespace {

std::optional<LaunchMessage> parse(std::string_view text) {
  std::vector<std::string> fields;
  for (std::size_t begin = 0; begin <= text.size();) {
    const auto end = std::min(text.find('\0', begin), text.size());
    fields.emplace_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  if (fields.size() < 2) return std::nullopt;
  LaunchMessage message{std::move(fields[0]), 0, {}};
  const std::string& process = fields[1];
  const auto [stop, error] =
      std::from_chars(process.data(), process.data() + process.size(), message.process);
  if (error != std::errc{} || stop != process.data() + process.size()) return std::nullopt;
  message.fields.assign(fields.begin() + 2, fields.end());
  return message;
}

// Anybody on the machine may write to such a socket.
bool is_from_this_user(const msghdr& header) {
  for (cmsghdr* part = CMSG_FIRSTHDR(&header); part;
       part = CMSG_NXTHDR(const_cast<msghdr*>(&header), part)) {
    if (part->cmsg_level != SOL_SOCKET || part->cmsg_type != SCM_CREDENTIALS) continue;
    ucred sender{};
    std::memcpy(&sender, CMSG_DATA(part), sizeof sender);
    return sender.uid == getuid() || sender.uid == 0;
  }
  return false;
}

}  // namespace

LaunchListener::LaunchListener() {
  std::random_device random;
  name_ = fmt::format("reel-launch-{}-{:08x}{:08x}", getpid(), random(), random());
  const layer::AbstractAddress address(name_);
  socket_ = ::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  const int yes = 1;
  if (socket_ < 0 || setsockopt(socket_, SOL_SOCKET, SO_PASSCRED, &yes, sizeof yes) != 0 ||
      ::bind(socket_, address.get(), address.size()) != 0) {
    const int error = errno;
    if (socket_ >= 0) close(socket_);
    throw Error(Code::io_failed, fmt::format("No socket can be made to hear from the program: {}.",
                                             std::strerror(error)));
  }
}

LaunchListener::~LaunchListener() { close(socket_); }

// Not const: whoever calls it takes the message away.
// NOLINTNEXTLINE(readability-make-member-function-const)
std::optional<LaunchMessage> LaunchListener::next() {
  std::string text(65536, '\0');
  for (;;) {
    alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof(ucred))> control{};
    iovec part{text.data(), text.size()};
    msghdr header{};
    header.msg_iov = &part;
    header.msg_iovlen = 1;
    header.msg_control = control.data();
    header.msg_controllen = control.size();
    const ssize_t size = recvmsg(socket_, &header, MSG_DONTWAIT);
    if (size < 0 && errno == EINTR) continue;
    if (size < 0) return std::nullopt;
    if (!is_from_this_user(header)) continue;
    if (auto message = parse({text.data(), static_cast<std::size_t>(size)})) return message;
  }
}

}  // namespace reel::cli
