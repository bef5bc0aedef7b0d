#include "life.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <map>
#include <thread>

namespace lives {
namespace {

using oracle::Step;

// Never destroyed: threads go on while the process leaves.
struct Life {
  Work& work;
  char** words;
  std::vector<Step> steps;
  std::atomic<std::size_t> turn{0};
  std::map<std::int64_t, int> files;
};
Life* life = nullptr;
int leave_code = 0;

// What a program does that is run by another one: as small as can be.
constexpr const char* small = "small";

std::vector<Step> small_steps() {
  std::vector<Step> steps(4);
  const char* const operations[] = {"open", "give", "finish", "leave"};
  for (std::size_t i = 0; i < steps.size(); ++i) {
    steps[i].number = i;
    steps[i].operation = operations[i];
  }
  steps[1].words = {"2"};
  steps[3].words = {"return", "3"};
  return steps;
}

void run_small() {
  char* const words[] = {life->words[0], life->words[1], const_cast<char*>(small), nullptr};
  execv("/proc/self/exe", words);
  _exit(99);
}

void print_descriptors() {
  std::vector<int> numbers;
  DIR* folder = opendir("/proc/self/fd");
  if (!folder) return;
  while (const dirent* entry = readdir(folder))
    if (entry->d_name[0] != '.' && std::atoi(entry->d_name) != dirfd(folder))
      numbers.push_back(std::atoi(entry->d_name));
  closedir(folder);
  std::sort(numbers.begin(), numbers.end());
  for (const int number : numbers) std::printf(" %d", number);
  std::printf("\n");
}

std::string line_of(std::int64_t file, std::size_t step) {
  return "file " + std::to_string(file) + ", step " + std::to_string(step) + "\n";
}

void write_line(std::int64_t file, std::size_t step) {
  const std::string line = line_of(file, step);
  const ssize_t written = ::write(life->files[file], line.data(), line.size());
  if (written != static_cast<ssize_t>(line.size()))
    std::printf("%zu: file %d: %s\n", step, static_cast<int>(file), std::strerror(errno));
}

void open_file(const Step& step) {
  const std::int64_t file = step.number_at(0);
  const int number = static_cast<int>(step.number_at(1));
  const std::string name = "own" + std::to_string(file);
  const int opened = ::open(name.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  if (opened < 0) std::printf("%zu: %s: %s\n", step.number, name.c_str(), std::strerror(errno));
  if (opened >= 0 && opened != number) {
    ::dup2(opened, number);
    ::close(opened);
  }
  life->files[file] = number;
  write_line(file, step.number);
}

void be_child(const Step& step) {
  const std::string& way = step.word(0);
  const int code = static_cast<int>(step.number_at(1));
  if (way == "exit") std::exit(code);
  if (way == "_exit") ::_exit(code);
  if (way == "abort") std::abort();
  if (way == "exec") run_small();
  if (way == "fresh") {
    life->work.open();
    life->work.give(2);
    std::printf("child: %s\n", life->work.finish().c_str());
    std::exit(code);
  }
  ::_exit(98);
}

void fork_child(const Step& step) {
  const pid_t child = fork();
  if (child == 0) be_child(step);
  if (child < 0 || (step.words.size() > 2 && step.word(2) == "free")) return;
  int status = 0;
  for (int tenths = 0; waitpid(child, &status, WNOHANG) == 0; ++tenths) {
    usleep(10'000);
    if (tenths < 3000) continue;
    std::printf("%zu: the child hangs\n", step.number);
    kill(child, SIGKILL);
    waitpid(child, &status, 0);
    break;
  }
  if (WIFSIGNALED(status))
    std::printf("%zu: the child was ended by signal %d\n", step.number, WTERMSIG(status));
  else
    std::printf("%zu: the child ended with %d\n", step.number, WEXITSTATUS(status));
}

void close_descriptors(const Step& step) {
  const int first = static_cast<int>(step.number_at(0));
  if (step.operation == "close") {
    ::close(first);
  } else if (step.operation == "closefrom") {
    for (int i = first; i < 1024; ++i) ::close(i);
  } else {
    ::syscall(SYS_close_range, static_cast<unsigned>(first), ~0u, 0u);
  }
}

void leave_now(const Step& step) {
  const std::string& way = step.word(0);
  const int code = static_cast<int>(step.number_at(1));
  if (way == "exit") std::exit(code);
  if (way == "_exit") ::_exit(code);
  if (way == "quick_exit") std::quick_exit(code);
  if (way == "abort") std::abort();
  if (way == "exec") run_small();
  if (way == "kill") ::raise(code);
  if (way == "callback") {
    leave_code = code;
    life->work.call_back([] { std::exit(leave_code); });
  }
  for (;;) pause();
}

void one(const Step& step) {
  Work& work = life->work;
  const std::string& what = step.operation;
  if (what == "open") work.open();
  if (what == "give") work.give(static_cast<int>(step.number_at(0)));
  if (what == "pass") work.pass(static_cast<int>(step.number_at(0)));
  if (what == "hold") work.hold();
  if (what == "release") work.release();
  if (what == "finish") std::printf("%zu: %s\n", step.number, work.finish().c_str());
  if (what == "busy") std::thread([&work] { work.give_on(); }).detach();
  if (what == "file") open_file(step);
  if (what == "write") write_line(step.number_at(0), step.number);
  if (what == "close" || what == "closefrom" || what == "range") close_descriptors(step);
  if (what == "descriptors") print_descriptors();
  if (what == "fork") fork_child(step);
  if (what == "capture") work.capture(step.word(0) == "start");
  if (what == "unload") work.unload();
  if (what == "sleep") usleep(static_cast<useconds_t>(step.number_at(0)) * 1000);
}

// The steps of one thread. What main() returns, or -1: the thread ended.
int steps_of(int thread) {
  for (const Step& step : life->steps) {
    if (step.thread != thread) continue;
    while (life->turn.load() != step.number) usleep(50);
    if (step.operation == "leave") {
      if (step.word(0) == "return") return static_cast<int>(step.number_at(1));
      leave_now(step);
    }
    if (step.operation == "end") {
      life->turn.store(step.number + 1);
      return -1;
    }
    try {
      one(step);
    } catch (const std::exception& error) {
      std::printf("%zu: %s failed\n", step.number, step.operation.c_str());
      std::fprintf(stderr, "step %zu: %s\n", step.number, error.what());
    }
    life->turn.store(step.number + 1);
  }
  for (;;) pause();
}

}  // namespace

int live(Work& work, char** words, const std::string& program) {
  life =
      new Life{work, words, program == small ? small_steps() : oracle::read_steps(program), {}, {}};
  int last = 0;
  for (const Step& step : life->steps) last = std::max(last, step.thread);
  for (int thread = 1; thread <= last; ++thread)
    std::thread([thread] { steps_of(thread); }).detach();
  const int code = steps_of(0);
  if (code < 0) pthread_exit(nullptr);
  return code;
}

}  // namespace lives
