// worker_process.hpp - what is needed to watch a process that works for this one.
#pragma once

#include <signal.h>
#include <sys/types.h>

#include <atomic>
#include <cstdint>
#include <memory>

namespace reel::cli {

// Memory that a process and those that it forks see alike.
struct SharedPage {
  std::atomic<std::uint32_t> at_work;  // the command that is running; no_index: none
};
struct UnmapPage {
  void operator()(SharedPage* page) const noexcept;
};
std::unique_ptr<SharedPage, UnmapPage> make_shared_page();

// By somebody outside, not by what it did.
bool is_asked_for(int signal) noexcept;

// Forks: 0 in the new process, which has `signals` as its mask, and ends with this one. No command
// is at work then. Throws where no process can be started.
pid_t start_worker(SharedPage& page, const sigset_t& signals);

}  // namespace reel::cli
