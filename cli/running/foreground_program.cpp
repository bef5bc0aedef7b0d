#include "cli/running/foreground_program.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <reel/error.hpp>

namespace reel::cli {
namespace {

constexpr std::array passed_on{SIGINT, SIGQUIT, SIGTERM, SIGHUP, SIGUSR1, SIGUSR2};

[[noreturn]] void fail_with_errno(const char* what) {
  throw Error(Code::io_failed, fmt::format("{} failed: {}.", what, std::strerror(errno)));
}

// Blocks the signals that are read here, for as long as it lives.
class BlockedSignals {
 public:
  BlockedSignals() {
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGCHLD);
    for (const int signal : passed_on) sigaddset(&set, signal);
    // Whoever ignores SIGCHLD has no children to wait for.
    struct sigaction normal {};
    normal.sa_handler = SIG_DFL;
    sigaction(SIGCHLD, &normal, &child_before_);
    sigprocmask(SIG_BLOCK, &set, &before_);
    descriptor_ = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
    if (descriptor_ < 0) fail_with_errno("signalfd");
  }
  ~BlockedSignals() {
    close(descriptor_);
    restore();
  }
  BlockedSignals(const BlockedSignals&) = delete;
  BlockedSignals& operator=(const BlockedSignals&) = delete;

  int descriptor() const { return descriptor_; }
  void restore() const {  // in the child too
    sigaction(SIGCHLD, &child_before_, nullptr);
    sigprocmask(SIG_SETMASK, &before_, nullptr);
  }

 private:
  sigset_t before_{};
  struct sigaction child_before_ {};
  int descriptor_ = -1;
};

// In the child: becomes the program, or tells through the pipe why it can't.
[[noreturn]] void become(const ForegroundOptions& options, int pipe) {
  for (const auto& [name, value] : options.environment) {
    if (value)
      setenv(name.c_str(), value->c_str(), 1);
    else
      unsetenv(name.c_str());
  }
  struct sigaction before {};
  if (options.ignores_usr2 && sigaction(SIGUSR2, nullptr, &before) == 0 &&
      before.sa_handler == SIG_DFL)
    signal(SIGUSR2, SIG_IGN);
  std::vector<char*> words;
  for (const std::string& word : options.command) words.push_back(const_cast<char*>(word.c_str()));
  words.push_back(nullptr);
  execvp(words[0], words.data());
  const int error = errno;
  static_cast<void>(!write(pipe, &error, sizeof error));
  _exit(127);
}

// As shells have it: 127 where there is no such program, 126 where it can't be run.
Ending not_started(const std::string& program, int error) {
  Ending ending;
  ending.exit_code = error == ENOENT || error == ENOTDIR ? 127 : 126;
  ending.not_started =
      ending.exit_code == 127 && program.find('/') == std::string::npos
          ? fmt::format("There is no program '{}' in PATH.", program)
          : fmt::format("'{}' can't be started: {}.", program, std::strerror(error));
  return ending;
}

// What the terminal sends reaches the whole process group: the program has it already.
void pass_on(pid_t child, int descriptor) {
  signalfd_siginfo info{};
  while (read(descriptor, &info, sizeof info) == sizeof info) {
    const int signal = static_cast<int>(info.ssi_signo);
    if (signal != SIGCHLD && info.ssi_code != SI_KERNEL) kill(child, signal);
  }
}

}  // namespace

Ending run_in_foreground(const ForegroundOptions& options) {
  std::array<int, 2> failure{-1, -1};
  if (pipe2(failure.data(), O_CLOEXEC) != 0) fail_with_errno("pipe2");
  const BlockedSignals signals;
  const pid_t child = fork();
  if (child < 0) fail_with_errno("fork");
  if (child == 0) {
    signals.restore();
    become(options, failure[1]);
  }
  close(failure[1]);
  int error = 0;
  const bool failed = read(failure[0], &error, sizeof error) == sizeof error;
  close(failure[0]);

  std::array<pollfd, 2> sources{pollfd{signals.descriptor(), POLLIN, 0},
                                pollfd{options.watched, POLLIN, 0}};
  int status = 0;
  for (;;) {
    const pid_t done = waitpid(child, &status, WNOHANG);
    if (done == child) break;
    if (done < 0 && errno != EINTR) fail_with_errno("waitpid");
    if (poll(sources.data(), sources.size(), -1) < 0) continue;
    if (sources[0].revents) pass_on(child, signals.descriptor());
    if (sources[1].revents && options.on_readable) options.on_readable();
  }
  if (options.on_readable) options.on_readable();  // what it said just before its end
  if (failed) return not_started(options.command.front(), error);
  Ending ending;
  if (WIFSIGNALED(status)) ending.signal = WTERMSIG(status);
  ending.exit_code = ending.signal ? 128 + ending.signal : WEXITSTATUS(status);
  return ending;
}

}  // namespace reel::cli
