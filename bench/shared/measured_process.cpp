#include "measured_process.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <stdexcept>

namespace bench {
namespace {

std::vector<char*> pointers(std::vector<std::string>& texts) {
  std::vector<char*> result;
  for (std::string& text : texts) result.push_back(text.data());
  result.push_back(nullptr);
  return result;
}

double to_ns(const timeval& time) {
  return static_cast<double>(time.tv_sec) * 1e9 + static_cast<double>(time.tv_usec) * 1e3;
}

std::string read_all(int from) {
  std::string all;
  std::array<char, 4096> part;
  for (ssize_t size; (size = read(from, part.data(), part.size())) > 0;)
    all.append(part.data(), static_cast<std::size_t>(size));
  return all;
}

}  // namespace

ProcessResult run_process(const std::vector<std::string>& words,
                          const std::vector<std::string>& environment) {
  std::vector<std::string> arguments = words, settings = environment;
  for (char** setting = environ; *setting; ++setting) settings.emplace_back(*setting);
  int out[2];
  if (pipe2(out, O_CLOEXEC) != 0) throw std::runtime_error("There is no pipe to be had.");
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, out[1], STDOUT_FILENO);
  posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  const double begin = spent_so_far().wall_ns;
  pid_t process = -1;
  const int failed = posix_spawn(&process, words.front().c_str(), &actions, nullptr,
                                 pointers(arguments).data(), pointers(settings).data());
  posix_spawn_file_actions_destroy(&actions);
  close(out[1]);
  ProcessResult result;
  if (!failed) result.output = read_all(out[0]);
  close(out[0]);
  int status = -1;
  rusage usage{};
  if (failed || wait4(process, &status, 0, &usage) != process || status != 0)
    throw std::runtime_error(fmt::format("'{}' can't be started, or failed (status {}).",
                                         fmt::join(words, " "), status));
  result.spent = {to_ns(usage.ru_utime) + to_ns(usage.ru_stime), spent_so_far().wall_ns - begin};
  return result;
}

}  // namespace bench
