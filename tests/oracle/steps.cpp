#include "steps.hpp"

#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <thread>

namespace oracle {

std::int64_t Step::number_at(std::size_t at) const { return std::stoll(words.at(at)); }

std::int64_t Step::option(const std::string& name, std::int64_t otherwise) const {
  const auto found = options.find(name);
  return found == options.end() ? otherwise : std::stoll(found->second);
}

std::vector<int> Step::list(const std::string& name) const {
  std::vector<int> numbers;
  const auto found = options.find(name);
  if (found == options.end()) return numbers;
  std::istringstream from(found->second);
  for (std::string one; std::getline(from, one, ',');) numbers.push_back(std::stoi(one));
  return numbers;
}

std::vector<Step> read_steps(const std::string& path) {
  std::ifstream file(path);
  if (!file) throw std::runtime_error("There is no program " + path + ".");
  std::vector<Step> steps;
  for (std::string line; std::getline(file, line);) {
    if (line.empty() || line[0] == '#') continue;
    if (line[0] == '|') {
      steps.back().text += line.substr(1) + "\n";
      continue;
    }
    std::istringstream from(line);
    Step step;
    step.number = steps.size();
    from >> step.thread >> step.operation;
    for (std::string word; from >> word;) {
      const std::size_t equals = word.find('=');
      if (equals == std::string::npos || word[0] == '-')
        step.words.push_back(word);
      else
        step.options[word.substr(0, equals)] = word.substr(equals + 1);
    }
    steps.push_back(step);
  }
  return steps;
}

void Flags::await(std::size_t flag) const {
  while (!flags_[flag].load()) std::this_thread::sleep_for(std::chrono::microseconds(50));
}

void Said::print() const {
  for (std::size_t i = 0; i < lines_.size(); ++i)
    if (!lines_[i].empty()) std::printf("%zu: %s", i, lines_[i].c_str());
  std::fflush(stdout);
}

std::vector<std::uint32_t> patterns(std::uint32_t seed, std::size_t count) {
  std::vector<std::uint32_t> numbers(count);
  for (std::size_t i = 0; i < count; ++i) numbers[i] = pattern(seed, static_cast<std::uint32_t>(i));
  return numbers;
}

std::string digest(const void* bytes, std::size_t size) {
  std::uint64_t hash = 14695981039346656037ULL;
  for (std::size_t i = 0; i < size; ++i)
    hash = (hash ^ static_cast<const unsigned char*>(bytes)[i]) * 1099511628211ULL;
  char text[17];
  std::snprintf(text, sizeof text, "%016llx", static_cast<unsigned long long>(hash));
  return text;
}

void operate(const Operations& operations, const Step& step) {
  const auto found = operations.find(step.operation);
  if (found == operations.end()) {
    std::fprintf(stderr, "There is no operation '%s'.\n", step.operation.c_str());
    std::_Exit(2);
  }
  found->second(step);
}

namespace {

// All steps but `leave`.
void run_threads(const std::vector<Step>& steps, const std::function<void(const Step&)>& one) {
  int last = 0;
  for (const Step& step : steps) last = std::max(last, step.thread);
  const auto steps_of = [&](int thread) {
    for (const Step& step : steps)
      if (step.thread == thread && step.operation != "leave") one(step);
  };
  std::vector<std::thread> threads;
  for (int thread = 1; thread <= last; ++thread) threads.emplace_back(steps_of, thread);
  steps_of(0);
  for (std::thread& thread : threads) thread.join();
}

// The words of its step `leave` say how.
[[noreturn]] void leave(const std::vector<Step>& steps, const Said& said) {
  said.print();
  for (const Step& step : steps) {
    if (step.operation != "leave") continue;
    const int code = static_cast<int>(step.number_at(1));
    if (step.word(0) == "quick") ::_exit(code);
    std::exit(code);
  }
  std::exit(0);
}

}  // namespace

int run_program(const std::string& path, const std::function<Said&(std::size_t)>& begin,
                const std::function<void(const Step&)>& one) {
  try {
    const std::vector<Step> steps = read_steps(path);
    const Said& said = begin(steps.size());
    run_threads(steps, one);
    leave(steps, said);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 2;
  }
}

int run_program(int count, char** words, const std::function<Said&(std::size_t)>& begin,
                const Operations& operations) {
  if (count != 2) {
    std::fprintf(stderr, "Usage: %s PROGRAM\n", words[0]);
    return 2;
  }
  return run_program(words[1], begin, [&](const Step& step) { operate(operations, step); });
}

}  // namespace oracle
