// spawn.hpp - starts a program that has nothing of ours but what it is given, and hears it out.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

namespace reel::cli {

// No signal of it is blocked, though we block those that end us; it is in a group of its own, so
// that Ctrl-C in the terminal ends us alone. Its standard output is `output`, and all else, or all
// where that is -1, /dev/null. `program` is a path, or a name that PATH has. Returns 0, or the
// errno that says why not.
int spawn_apart(const char* program, std::vector<std::string> words, int output, pid_t& process);

// Until it is gone; its status as of waitpid().
int wait_until_gone(pid_t process);

// tell(line) for each line that is whole; takes them out of what was received.
template <class Tell>
void take_lines(std::string& received, Tell&& tell) {
  for (std::size_t end = 0; (end = received.find('\n')) != std::string::npos;) {
    tell(received.substr(0, end));
    received.erase(0, end + 1);
  }
}

}  // namespace reel::cli
