#include "cli/running/worker_process.hpp"

#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <new>

#include "base/os/process.hpp"
#include "cli/showing/replay_report.hpp"
#include "reel/error.hpp"
#include "reel/trace.hpp"

namespace reel::cli {

void UnmapPage::operator()(SharedPage* page) const noexcept { munmap(page, sizeof *page); }

std::unique_ptr<SharedPage, UnmapPage> make_shared_page() {
  void* page =
      mmap(nullptr, sizeof(SharedPage), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (page == MAP_FAILED)
    throw Error(Code::out_of_memory,
                fmt::format("No memory can be shared with a process: {}", std::strerror(errno)));
  return std::unique_ptr<SharedPage, UnmapPage>(new (page) SharedPage{no_index});
}

bool is_asked_for(int signal) noexcept {
  return signal == SIGINT || signal == SIGTERM || signal == SIGHUP || signal == SIGQUIT ||
         signal == SIGPIPE;
}

pid_t start_worker(SharedPage& page, const sigset_t& signals) {
  std::fflush(nullptr);
  page.at_work = no_index;
  const pid_t parent = getpid();
  const pid_t process = fork();
  if (process < 0)
    throw Error(Code::io_failed,
                fmt::format("No process can be started: {}", std::strerror(errno)));
  if (process > 0) return process;
  os::end_with_parent(parent, SIGKILL);  // whoever stops `reel` stops all of it
  sigprocmask(SIG_SETMASK, &signals, nullptr);
  return 0;
}

}  // namespace reel::cli
