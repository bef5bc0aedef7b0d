// environment_table.hpp - the variables that programs and `reel` read: the table of
// docs/environment.md, which is built into `reel`.
#pragma once

#include <string>
#include <vector>

namespace reel::cli {

struct VariableFacts {
  std::string name, meaning, default_text;  // plain text: no markup of the document
};
std::vector<VariableFacts> environment_table();

// What stands above the table.
std::string environment_rules();

}  // namespace reel::cli
