#include "layers/opencl/control_thread.hpp"

#include <fmt/format.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <string>

#include "base/clock.hpp"
#include "base/log.hpp"
#include "layers/opencl/abstract_address.hpp"
#include "layers/opencl/controller.hpp"

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

// Fields with a zero byte between two, as cli/trigger.cpp reads them.
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

void ControlThread::serve_triggers() {
  if (socket_.load() < 0) {
    const AbstractAddress address(fmt::format("reel-{}", getpid()));
    const int socket = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    struct stat status {};
    if (socket < 0 || ::bind(socket, address.get(), address.size()) != 0 ||
        ::listen(socket, 4) != 0 || fstat(socket, &status) != 0) {
      log(LogLevel::warn,
          fmt::format("capture: `reel trigger {}` won't work: {}. SIGUSR2 does, where the program "
                      "has no use for it.",
                      getpid(), std::strerror(errno)));
      if (socket >= 0) close(socket);
    } else {
      socket_inode_ = status.st_ino;
      socket_.store(socket);
    }
  }
  start_or_wake();
}

void ControlThread::start_or_wake() {
  const std::lock_guard lock(mutex_);
  if (started_)
    wake();
  else
    start();
}

void ControlThread::start() {
  wake_.store(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  // A new thread has the mask of the one that makes it: no signal of the program's is to end here.
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  pthread_t thread{};
  const int error = pthread_create(
      &thread, nullptr,
      [](void* self) -> void* {
        static_cast<ControlThread*>(self)->run();
        return nullptr;
      },
      this);
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  if (error != 0) {
    log(LogLevel::error,
        fmt::format("capture: no thread can be made to watch the time: {}.", std::strerror(error)));
    return;
  }
  pthread_setname_np(thread, "reel-control");
  pthread_detach(thread);
  started_ = true;
}

void ControlThread::wake() noexcept {
  const int descriptor = wake_.load();
  if (descriptor < 0) return;
  const std::uint64_t one = 1;
  static_cast<void>(!::write(descriptor, &one, sizeof one));
}

void ControlThread::abandon() noexcept {
  for (std::atomic<int>* one : {&wake_, &socket_})
    if (const int descriptor = one->exchange(-1); descriptor >= 0) close(descriptor);
}

void ControlThread::run() noexcept {
  for (;;) {
    try {
      wait();
      controller_.look();
    } catch (const std::exception& error) {
      log(LogLevel::error, fmt::format("capture: {}", error.what()));
    } catch (...) {
      log(LogLevel::error, "capture: something unknown went wrong.");
    }
  }
}

// Until a look is due, somebody wakes it, or pulls the trigger, which is answered here.
void ControlThread::wait() {
  std::array<pollfd, 2> sources{pollfd{wake_.load(), POLLIN, 0}, pollfd{socket_.load(), POLLIN, 0}};
  int timeout_ms = -1;
  if (const auto next = controller_.next_look_ns()) {
    const std::uint64_t now = monotonic_ns();
    constexpr std::uint64_t longest_ms = 60'000;
    timeout_ms =
        *next <= now ? 0 : static_cast<int>(std::min((*next - now) / 1'000'000 + 1, longest_ms));
  }
  // Without anything to wake it (no descriptor was free), it has to look by itself.
  if (timeout_ms < 0 && sources[0].fd < 0) timeout_ms = 50;
  if (poll(sources.data(), sources.size(), timeout_ms) <= 0) return;
  if (sources[0].revents & POLLIN) {
    std::uint64_t count = 0;
    static_cast<void>(!::read(sources[0].fd, &count, sizeof count));
  } else if (sources[0].revents) {
    wake_.store(-1);
  }
  if (!sources[1].revents) return;
  if (is_still_ours(sources[1].fd, socket_inode_))
    answer_one();
  else
    socket_.store(-1);
}

void ControlThread::answer_one() {
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
    reply = std::string("refused") + '\0' + "That is no request.";
  else
    reply = reply_of(controller_.trigger());
  static_cast<void>(!send(connection, reply.data(), reply.size(), MSG_NOSIGNAL));
  close(connection);
}

}  // namespace reel::layer
