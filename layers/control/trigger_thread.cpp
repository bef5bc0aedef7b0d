#include "layers/control/trigger_thread.hpp"

#include <fmt/format.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <future>

#include "base/log.hpp"
#include "base/process/own_descriptors.hpp"
#include "base/process/quiet_thread.hpp"
#include "layers/control/abstract_address.hpp"
#include "layers/control/controller.hpp"

namespace reel::layer {
namespace {

// A program may close every descriptor it does not know, and have its own where ours were.
bool is_still_ours(int descriptor, ino_t inode) {
  struct stat status {};
  return fstat(descriptor, &status) == 0 && S_ISSOCK(status.st_mode) && status.st_ino == inode;
}

bool is_same_user(int connection) {
  ucred peer{};
  socklen_t size = sizeof peer;
  return getsockopt(connection, SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0 &&
         (peer.uid == geteuid() || peer.uid == 0);
}

// Fields with a zero byte between two, as cli/verbs/trigger.cpp reads them.
std::string reply_of(const Outcome& outcome) {
  std::string reply;
  const auto add = [&](const std::string& field) { (reply += '\0') += field; };
  switch (outcome.kind) {
    case Outcome::Kind::refused:
      reply = "refused";
      add(outcome.why);
      break;
    case Outcome::Kind::started:
      reply = "started";
      add(outcome.path);
      break;
    case Outcome::Kind::stopped:
      reply = "stopped";
      add(outcome.path);
      add(std::to_string(outcome.report.commands));
      add(std::to_string(outcome.report.document_bytes));
      add(outcome.report.lost);
      break;
  }
  return reply;
}

}  // namespace

void TriggerThread::start() {
  std::promise<int> begun;
  auto has_begun = begun.get_future();
  int error = start_quiet_thread("reel-trigger", [this, begun = std::move(begun)]() mutable {
    const int failed = listen();
    begun.set_value(failed);
    if (failed == 0) run();
  });
  if (error == 0) error = has_begun.get();
  if (error != 0)
    log(LogLevel::warn,
        fmt::format("capture: `reel trigger {}` won't work: {}. SIGUSR2 does, where the program "
                    "has no use for it.",
                    getpid(), std::strerror(error)));
}

int TriggerThread::listen() {
  is_shared_ = !take_own_descriptors();
  const AbstractAddress address(fmt::format("reel-{}", getpid()));
  const int socket = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  struct stat status {};
  if (socket < 0 || ::bind(socket, address.get(), address.size()) != 0 ||
      ::listen(socket, 4) != 0 || fstat(socket, &status) != 0) {
    const int error = errno;
    if (socket >= 0) close(socket);
    return error;
  }
  inode_ = status.st_ino;
  socket_.store(socket);
  return 0;
}

void TriggerThread::abandon() noexcept {
  const int socket = socket_.exchange(-1);
  if (is_shared_ && socket >= 0) close(socket);
}

void TriggerThread::run() noexcept {
  for (;;) {
    pollfd source{socket_.load(), POLLIN, 0};
    if (poll(&source, 1, -1) <= 0) continue;
    if (!is_still_ours(source.fd, inode_)) return;
    try {
      answer_one();
    } catch (...) {  // no memory: whoever asked gets no answer
    }
  }
}

void TriggerThread::answer_one() {
  const int connection = accept4(socket_.load(), nullptr, nullptr, SOCK_CLOEXEC);
  if (connection < 0) return;
  const timeval patience{1, 0};
  setsockopt(connection, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
  setsockopt(connection, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
  std::string reply;
  // Nothing is read from others, who could keep us waiting.
  if (!is_same_user(connection)) {
    reply = std::string("refused") + '\0' + "The process belongs to another user.";
    static_cast<void>(!send(connection, reply.data(), reply.size(), MSG_NOSIGNAL | MSG_DONTWAIT));
    close(connection);
    return;
  }
  std::array<char, 64> request{};
  const ssize_t size = recv(connection, request.data(), request.size(), 0);
  if (std::string_view(request.data(), static_cast<std::size_t>(std::max<ssize_t>(size, 0))) !=
      "trigger")
    reply = std::string("refused") + '\0' + "That is not a request.";
  else
    reply = reply_of(ask_(whom_));
  static_cast<void>(!send(connection, reply.data(), reply.size(), MSG_NOSIGNAL));
  close(connection);
}

}  // namespace reel::layer
