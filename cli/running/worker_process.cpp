#include "cli/running/worker_process.hpp"

#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
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

void end_with_parent(pid_t parent) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) _exit(cannot);
}

}  // namespace reel::cli
