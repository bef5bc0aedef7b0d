// replay_options.hpp - what `reel replay` and `reel extract` have in common.
#pragma once

#include <string>
#include <vector>

#include "cli/running/watched_run.hpp"
#include "cli/trace_input.hpp"
#include "reel/replay.hpp"

namespace reel::cli {

struct RunOptions : TraceOptions {
  std::string device;
  std::vector<std::string> host_kernels;  // libraries that register some
  std::uint32_t time_limit_s = 60;
  std::uint64_t memory_bytes = 0;
};
void add_run_options(Verb verb, RunOptions& options);

// Registers the kernels of ops/ and of the libraries.
void load_host_kernels(const std::vector<std::string>& libraries);

// Runs it in a process of its own, within the bounds of the options; what makes a replay impossible
// here becomes a sentence on stderr and exit code 4. A kernel that hangs ends the process: its
// driver would wait for it at exit.
int run_guarded(const RunOptions& options, bool can_run_twice,
                const std::function<int(const WatchedWork&)>& work);

}  // namespace reel::cli
