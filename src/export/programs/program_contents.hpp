// program_contents.hpp - which bytes a program puts in place and compares, and when.
#pragma once

#include <map>
#include <vector>

#include "export/programs/program_names.hpp"
#include "export/programs/program_plan.hpp"

namespace reel::program {

// Fills in inputs, steps and checks. Throws unsupported where bytes that a command needs are not
// in the document.
void plan_contents(ProgramPlan& plan);

}  // namespace reel::program
