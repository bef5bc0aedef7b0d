// prove_program.hpp - findings tried by another `reel`, for a process that has threads and must
// live.
#pragma once

#include <string>

#include "reel/page.hpp"

namespace reel::cli {

// Runs `reel insights DOCUMENT --prove --json-lines` and hands its lines on.
ProveFindings prove_by_program(const std::string& document);

}  // namespace reel::cli
