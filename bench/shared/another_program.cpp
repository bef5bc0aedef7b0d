#include "another_program.hpp"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <stdexcept>

namespace bench {

AnotherProgram::AnotherProgram(const std::vector<std::string>& arguments,
                               const std::vector<std::string>& environment) {
  int in[2], out[2];
  if (pipe2(in, O_CLOEXEC) != 0) throw std::runtime_error("There is no pipe to be had.");
  if (pipe2(out, O_CLOEXEC) != 0) {
    close(in[0]), close(in[1]);
    throw std::runtime_error("There is no pipe to be had.");
  }
  std::vector<std::string> words{"capture"}, settings = environment;
  words.insert(words.end(), arguments.begin(), arguments.end());
  for (char** setting = environ; *setting; ++setting) settings.emplace_back(*setting);
  const auto pointers = [](std::vector<std::string>& texts) {
    std::vector<char*> result;
    for (std::string& text : texts) result.push_back(text.data());
    result.push_back(nullptr);
    return result;
  };
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, in[0], STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&actions, out[1], STDOUT_FILENO);
  const int status = posix_spawn(&process_, "/proc/self/exe", &actions, nullptr,
                                 pointers(words).data(), pointers(settings).data());
  posix_spawn_file_actions_destroy(&actions);
  close(in[0]);
  close(out[1]);
  to_ = fdopen(in[1], "w");
  from_ = fdopen(out[0], "r");
  if (status != 0) throw std::runtime_error("This program can't be started once more.");
}

AnotherProgram::~AnotherProgram() {
  std::fclose(to_);
  std::fclose(from_);
  waitpid(process_, nullptr, 0);
}

void AnotherProgram::say(const std::string& line) {
  std::fprintf(to_, "%s\n", line.c_str());
  std::fflush(to_);
}

std::string AnotherProgram::line() {
  std::string result;
  for (int c; (c = std::fgetc(from_)) != EOF && c != '\n';) result += static_cast<char>(c);
  return result;
}

}  // namespace bench
