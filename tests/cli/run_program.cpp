#include "run_program.hpp"

#include <fcntl.h>
#include <pty.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <stdexcept>

namespace reel::test {
namespace {

[[noreturn]] void become(const std::vector<std::string>& command, const Environment& environment) {
  for (const auto& [name, value] : environment) setenv(name.c_str(), value.c_str(), 1);
  std::vector<char*> words;
  for (const std::string& word : command) words.push_back(const_cast<char*>(word.c_str()));
  words.push_back(nullptr);
  execv(words[0], words.data());
  std::perror(words[0]);
  std::_Exit(127);
}

int exit_code_of(pid_t child) {
  int status = 0;
  if (waitpid(child, &status, 0) != child) throw std::runtime_error("waitpid failed");
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

std::string text_of(std::FILE* file) {
  std::string text;
  std::array<char, 4096> part{};
  std::rewind(file);
  while (const std::size_t count = std::fread(part.data(), 1, part.size(), file))
    text.append(part.data(), count);
  std::fclose(file);
  return text;
}

}  // namespace

Outcome run_program(const std::vector<std::string>& command, const Environment& environment) {
  std::FILE* out = std::tmpfile();
  std::FILE* err = std::tmpfile();
  if (!out || !err) throw std::runtime_error("no temporary file");
  const pid_t child = fork();
  if (child < 0) throw std::runtime_error("fork failed");
  if (child == 0) {
    dup2(fileno(out), STDOUT_FILENO);
    dup2(fileno(err), STDERR_FILENO);
    become(command, environment);
  }
  const int exit_code = exit_code_of(child);
  return {exit_code, text_of(out), text_of(err)};
}

bool has_pseudo_terminals() {
  const int terminal = posix_openpt(O_RDWR | O_NOCTTY);
  const bool works = terminal >= 0 && grantpt(terminal) == 0 && unlockpt(terminal) == 0 &&
                     access(ptsname(terminal), R_OK | W_OK) == 0;
  if (terminal >= 0) close(terminal);
  return works;
}

Outcome run_on_terminal(const std::vector<std::string>& command, const Environment& environment,
                        unsigned short columns, const std::string& typed) {
  int terminal = -1;
  const winsize size{.ws_row = 24, .ws_col = columns, .ws_xpixel = 0, .ws_ypixel = 0};
  const pid_t child = forkpty(&terminal, nullptr, nullptr, &size);
  if (child < 0) throw std::runtime_error("forkpty failed");
  if (child == 0) become(command, environment);
  if (!typed.empty() && write(terminal, typed.data(), typed.size()) < 0)
    throw std::runtime_error("nothing can be typed");
  Outcome outcome;
  std::array<char, 4096> part{};
  // Reading fails with EIO when the program has closed its side.
  for (ssize_t count = 0; (count = read(terminal, part.data(), part.size())) > 0;)
    outcome.out.append(part.data(), static_cast<std::size_t>(count));
  close(terminal);
  outcome.exit_code = exit_code_of(child);
  return outcome;
}

}  // namespace reel::test
