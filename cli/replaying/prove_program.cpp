#include "cli/replaying/prove_program.hpp"

#include <fmt/format.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <vector>

#include "base/os/descriptors.hpp"
#include "base/os/process.hpp"
#include "cli/running/spawn.hpp"
#include "reel/error.hpp"

namespace reel::cli {
namespace {

constexpr int look_for_stop_every_ms = 100;  // whether it should stop

// Its standard output; nothing else of it is seen.
struct Program {
  pid_t process = 0;
  int output = -1;
};

Program start(std::vector<std::string> words) {
  std::array<int, 2> ends{-1, -1};
  if (!os::make_pipe(ends))
    throw Error(Code::io_failed, fmt::format("No pipe can be made: {}.", std::strerror(errno)));
  Program program{.output = ends[0]};
  const int error =
      spawn_apart(os::program_to_start().c_str(), std::move(words), ends[1], program.process);
  close(ends[1]);
  if (error == 0) return program;
  close(ends[0]);
  throw Error(Code::io_failed, fmt::format("No process can be started: {}.", std::strerror(error)));
}

// Until it closes its output; false: it was told to stop.
bool hand_on(int output, const std::function<void(const std::string&)>& tell,
             const std::function<bool()>& should_stop) {
  std::string received;
  std::array<char, 4096> bytes{};
  while (!should_stop()) {
    pollfd ready{output, POLLIN, 0};
    if (poll(&ready, 1, look_for_stop_every_ms) <= 0) continue;
    const ssize_t got = read(output, bytes.data(), bytes.size());
    if (got == 0) return true;
    if (got < 0) {
      if (errno == EINTR) continue;
      return true;
    }
    received.append(bytes.data(), static_cast<std::size_t>(got));
    take_lines(received, tell);
  }
  return false;
}

}  // namespace

ProveFindings prove_by_program(const std::string& document) {
  return [path = std::filesystem::absolute(document).string()](
             const std::function<void(const std::string&)>& tell,
             const std::function<bool()>& should_stop) {
    const Program program = start({"reel", "insights", path, "--prove", "--json-lines"});
    bool ended = false;
    std::string error;
    try {
      ended = hand_on(program.output, tell, should_stop);
    } catch (const std::exception& thrown) {
      error = thrown.what();
    }
    close(program.output);
    if (!ended) kill(program.process, SIGTERM);
    const int status = wait_until_gone(program.process);
    if (!error.empty()) throw Error(Code::io_failed, error);
    if (ended && !(WIFEXITED(status) && WEXITSTATUS(status) == 0))
      throw Error(
          Code::io_failed,
          fmt::format("The experiments ended early; reel insights {} --prove says why.", path));
  };
}

}  // namespace reel::cli
