// measured_process.hpp - any program run to its end, and what that took.
#pragma once

#include <string>
#include <vector>

#include "harness.hpp"

namespace bench {

struct ProcessResult {
  std::string output;  // what it wrote to stdout
  Spent spent;  // from before its start until after its end; CPU of it and what it waited for
};

// `environment` is added, as "NAME=value". What it says on stderr is dropped. Throws where it
// doesn't end with 0.
ProcessResult run_process(const std::vector<std::string>& words,
                          const std::vector<std::string>& environment = {});

}  // namespace bench
