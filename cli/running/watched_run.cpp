#include "cli/running/watched_run.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <memory>

#include "base/os/machine.hpp"
#include "base/os/process.hpp"
#include "base/os/thread.hpp"
#include "cli/running/worker_process.hpp"
#include "cli/showing/replay_report.hpp"
#include "cli/showing/terminal.hpp"
#include "reel/error.hpp"
#include "reel/trace.hpp"
#include "reel/units.hpp"

namespace reel::cli {
namespace {

// How often its memory is looked at: at 2 GB/s that a process can touch, 40 MB.
constexpr long look_every_ns = 20'000'000;

struct End {
  int status = 0;  // as of waitpid()
  bool took_too_much = false;
};

End watch(pid_t process, std::uint64_t memory_bytes, const sigset_t& child_signal) {
  End end;
  for (;;) {
    const pid_t ended = waitpid(process, &end.status, WNOHANG);
    if (ended == process || (ended < 0 && errno != EINTR)) return end;
    if (memory_bytes && !end.took_too_much && os::memory_of(process) > memory_bytes) {
      end.took_too_much = true;
      kill(process, SIGKILL);
    }
    os::wait_for_signal(child_signal, look_every_ns);
  }
}

std::string describe(const WatchedRun& run, std::uint32_t command) {
  try {
    const Trace trace = Trace::load(run.document);
    if (command < trace.commands().size()) return printable(describe_command(trace, command));
  } catch (const Error&) {
  }
  return command_name(command);
}

class Watcher {
 public:
  Watcher(const WatchedRun& run, const std::function<int(const WatchedWork&)>& work)
      : run_(run), work_(work), page_(make_shared_page()) {
    sigemptyset(&child_signal_);
    sigaddset(&child_signal_, SIGCHLD);
    sigprocmask(SIG_BLOCK, &child_signal_, &before_);
  }
  ~Watcher() { sigprocmask(SIG_SETMASK, &before_, nullptr); }
  Watcher(const Watcher&) = delete;
  Watcher& operator=(const Watcher&) = delete;

  int run() {
    const End end = start(false);
    if (is_worker_) return code_;
    if (WIFEXITED(end.status)) return WEXITSTATUS(end.status);
    const int signal = WTERMSIG(end.status);
    if (end.took_too_much) {
      fmt::print(stderr,
                 "reel: It can't be replayed here. It took more than {} of memory, its bound{}; "
                 "--memory gives it more, --from and --to take a part.\n",
                 size_text(run_.memory_bytes), at_work_words(page_->at_work, "while"));
      return cannot;
    }
    if (is_asked_for(signal)) die_of(signal);
    tell_crash(signal);
    return is_worker_ ? code_ : cannot;
  }

 private:
  // Forks. The new process works, and has its code then.
  End start(bool one_by_one) {
    if (const pid_t process = start_worker(*page_, before_))
      return watch(process, run_.memory_bytes, child_signal_);
    is_worker_ = true;
    if (one_by_one) be_silent();
    code_ = work_({&page_->at_work, one_by_one});
    return {};
  }

  static void be_silent() {
    const int nothing = open("/dev/null", O_WRONLY | O_CLOEXEC);
    if (nothing < 0) return;
    dup2(nothing, STDOUT_FILENO);
    dup2(nothing, STDERR_FILENO);
  }

  void die_of(int signal) {
    sigprocmask(SIG_SETMASK, &before_, nullptr);
    std::signal(signal, SIG_DFL);
    raise(signal);
  }

  std::string at_work_words(std::uint32_t command, const char* when) const {
    if (command == no_index) return {};
    return fmt::format(", {} {} was running", when, describe(run_, command));
  }

  void tell_crash(int signal) {
    std::uint32_t command = page_->at_work;
    const char* when = "while, as far as is known,";
    if (run_.can_run_twice && command != no_index && signal != SIGKILL) {
      const End again = start(true);
      if (is_worker_) return;
      if (WIFSIGNALED(again.status) && page_->at_work != no_index) {
        command = page_->at_work;
        when = "while";
      }
    }
    fmt::print(stderr, "reel: It can't be replayed here. {}{}. {}\n",
               signal == SIGKILL
                   ? std::string("The process that replayed it was killed")
                   : fmt::format("The process that replayed it crashed ({})", strsignal(signal)),
               at_work_words(command, when),
               signal == SIGKILL
                   ? "The system does that when memory runs out; --memory sets a bound before."
                   : "A driver does that with a kernel that leaves its buffers or follows pointers "
                     "stored in memory, which lead elsewhere in another process.");
  }

  const WatchedRun& run_;
  const std::function<int(const WatchedWork&)>& work_;
  const std::unique_ptr<SharedPage, UnmapPage> page_;
  sigset_t child_signal_{}, before_{};
  bool is_worker_ = false;
  int code_ = 0;
};

}  // namespace

std::uint64_t default_memory_bytes() { return os::usable_memory_bytes() / 4 * 3; }

int run_watched(const WatchedRun& run, const std::function<int(const WatchedWork&)>& work) {
  return Watcher(run, work).run();
}

}  // namespace reel::cli
