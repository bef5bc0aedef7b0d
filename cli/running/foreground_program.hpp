// foreground_program.hpp - runs a program as the shell would have run it, and waits for it.
//
// It shares the terminal, the standard streams and the process group, so keys like Ctrl-C reach it
// by themselves; signals that somebody sends to us alone are passed on to it.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace reel::cli {

struct ForegroundOptions {
  std::vector<std::string> command;
  // Variables to set for it, or to take away.
  std::vector<std::pair<std::string, std::optional<std::string>>> environment = {};
  // SIGUSR2 would end a program that has no handler yet.
  bool ignores_usr2 = false;
  // Called whenever this descriptor can be read.
  int watched = -1;
  std::function<void()> on_readable = {};
};

struct Ending {
  int exit_code = 0;        // 128 + the signal where one ended it; 126, 127: it was never started
  int signal = 0;           // that ended it
  std::string not_started;  // why
};

Ending run_in_foreground(const ForegroundOptions& options);

}  // namespace reel::cli
