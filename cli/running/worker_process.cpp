#include "cli/running/worker_process.hpp"

#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <new>

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

std::uint64_t memory_of(pid_t process) {
  std::ifstream status(fmt::format("/proc/{}/status", process));
  std::uint64_t total = 0;
  for (std::string name; status >> name; status.ignore(4096, '\n')) {
    if (name != "RssAnon:" && name != "RssShmem:" && name != "VmSwap:") continue;
    std::uint64_t kilobytes = 0;
    status >> kilobytes;
    total += kilobytes * 1024;
  }
  return total;
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
  prctl(PR_SET_PDEATHSIG, SIGKILL);  // whoever stops `reel` stops all of it
  if (getppid() != parent) _exit(cannot);
  sigprocmask(SIG_SETMASK, &signals, nullptr);
  return 0;
}

}  // namespace reel::cli
