// run_program.hpp - runs a program and keeps what it said.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace reel::test {

struct Outcome {
  int exit_code = -1;  // -1: ended by a signal
  std::string out, err;
};

using Environment = std::vector<std::pair<std::string, std::string>>;  // set for the program alone

// The program's standard output and error are files.
Outcome run_program(const std::vector<std::string>& command, const Environment& environment = {});

// A chroot without /dev/pts has none.
bool has_pseudo_terminals();

// Both are one terminal; everything said is in Outcome::out. A terminal of 0 columns doesn't tell
// how wide it is. `typed` is what somebody typed there before the program asked.
Outcome run_on_terminal(const std::vector<std::string>& command,
                        const Environment& environment = {}, unsigned short columns = 0,
                        const std::string& typed = {});

}  // namespace reel::test
