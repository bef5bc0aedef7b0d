// capture_summary.hpp - what `reel capture` says when the program has ended.
#pragma once

#include <string>
#include <vector>

#include "cli/running/captured_run.hpp"
#include "cli/running/foreground_program.hpp"

namespace reel::cli {

struct CaptureSummary {
  const std::vector<std::string>& command;
  const Ending& ending;
  const CapturedRun& run;
  std::vector<std::string> why_nothing;  // sentences; where no command was recorded
};

// To standard error: the standard output is the program's. `quiet`: only what went wrong.
void print_summary(const CaptureSummary& summary, bool quiet);
// As JSON, to a file. What keeps it from being written is one line on standard error.
void write_summary(const CaptureSummary& summary, const std::string& path);

}  // namespace reel::cli
