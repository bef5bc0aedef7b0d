// watched_run.hpp - work in a process of its own, which may crash or take too much memory without
// harm to the one that asked for it.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <string>

namespace reel::cli {

struct WatchedRun {
  std::string document;            // whose commands are at work
  std::uint64_t memory_bytes = 0;  // 0: without a bound
  // A second run in which commands go one by one tells which of them crashed.
  bool can_run_twice = false;
};

// What the work is told. `at_work` is seen by the process that watches.
struct WatchedWork {
  std::atomic<std::uint32_t>* at_work;
  bool one_by_one;
};

// The work's exit code, from the process that did it; where that did not end by itself, a sentence
// on stderr and `cannot`. The work must not have begun with anything that doesn't survive a fork:
// no thread, no driver. In the process that works this returns, and throws, as the work does.
int run_watched(const WatchedRun& run, const std::function<int(const WatchedWork&)>& work);

// Three quarters of the memory that there is.
std::uint64_t default_memory_bytes();

}  // namespace reel::cli
