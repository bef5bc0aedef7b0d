// steps.hpp - a program as text: one step a line, each of one thread; what both interpreters share.
//
//   0 buffer 3 0 64 copy seed=7
//   1 run 0 0 slow 64 b3 v5 wait=2,4 event=9
//
// A line is a thread, an operation, its words and its options. Lines that begin with | belong to
// the step above. Threads begin together, each does its own steps in order; `signal` and `await`
// are how they wait for each other. What steps have to say is printed at the end, in the order of
// the file, so that threads can't mix it up.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

namespace oracle {

struct Step {
  std::size_t number = 0;
  int thread = 0;
  std::string operation;
  std::vector<std::string> words;
  std::map<std::string, std::string> options;
  std::string text;  // the lines below it

  std::int64_t number_at(std::size_t word) const;
  const std::string& word(std::size_t at) const { return words.at(at); }
  bool has(const std::string& option) const { return options.count(option) != 0; }
  std::int64_t option(const std::string& name, std::int64_t otherwise) const;
  std::vector<int> list(const std::string& name) const;  // 2,4,9
};

std::vector<Step> read_steps(const std::string& path);

// Set by one thread or callback, awaited by another.
class Flags {
 public:
  void set(std::size_t flag) { flags_[flag].store(true); }
  void await(std::size_t flag) const;

 private:
  std::atomic<bool> flags_[4096] = {};
};

// What steps have to say, each its own line.
class Said {
 public:
  explicit Said(std::size_t steps) : lines_(steps) {}
  void say(const Step& step, const std::string& line) { lines_[step.number] += line + "\n"; }
  void print() const;

 private:
  std::vector<std::string> lines_;
};

using Operations = std::map<std::string, void (*)(const Step&)>;
// The one of the step's name; ends the process where there is none.
void operate(const Operations& operations, const Step& step);

// All of an interpreter: reads a program, lets `begin` open what so many steps need, does them by
// `one` in their threads, those of thread 0 on the calling one, and leaves as the program says.
// 2: it couldn't begin.
int run_program(const std::string& path, const std::function<Said&(std::size_t steps)>& begin,
                const std::function<void(const Step&)>& one);
// The same by a table, of the program that main() is given.
int run_program(int count, char** words, const std::function<Said&(std::size_t steps)>& begin,
                const Operations& operations);

// The number i of the numbers that `seed` stands for: the generator knows the same ones.
inline std::uint32_t pattern(std::uint32_t seed, std::uint32_t i) {
  std::uint32_t x = seed * 2654435761U + i * 2246822519U + 374761393U;
  x = (x ^ (x >> 15)) * 2654435761U;
  return x ^ (x >> 13);
}
std::vector<std::uint32_t> patterns(std::uint32_t seed, std::size_t count);

std::string digest(const void* bytes, std::size_t size);  // FNV-1a

}  // namespace oracle
