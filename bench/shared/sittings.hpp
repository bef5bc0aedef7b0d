// sittings.hpp - the benchmark of a device in several processes, one after the other.
//
// Where memory and threads lie is the same in all rounds of a process, and can double a time. So
// the median of what a process finds is one sample here, and more processes are started while an
// aim is open. A process is this program once more, told by its environment what to measure.
#pragma once

#include <string>
#include <vector>

#include "harness.hpp"

namespace bench {

struct RunOptions;

// In such a process: what it is told in place of what the command line says.
void take_orders(RunOptions& options);

// Throws where a process fails.
std::vector<GroupResult> measure_in_sittings(const std::string& device, const RunOptions& options);

}  // namespace bench
