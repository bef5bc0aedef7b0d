// replay_report.hpp - what a replay found, for people and for programs.
#pragma once

#include "cli/trace_input.hpp"
#include "reel/replay.hpp"

namespace reel::cli {

inline constexpr int cannot = 4;  // exit code: it can't be replayed, or not proved, here

// 0 equal or within tolerance, 1 a difference, 4 not all could be checked.
int exit_code_of(const ReplayReport& report);

void print_replay(const Trace& trace, const ReplayReport& report, bool each_command);
Json json_of(const Trace& trace, const ReplayReport& report);

}  // namespace reel::cli
