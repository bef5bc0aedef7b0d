// rounds.hpp - one run of a benchmark: its options, the devices it goes through, what it found.
//
// Results are printed as they come, and once more in sum at the end. One thread.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "harness.hpp"
#include "reel/device.hpp"

namespace CLI {
class App;
}

namespace bench {

struct RunOptions {
  std::vector<std::string> devices = {};  // empty: all that can be opened
  HarnessOptions harness = {};
  HarnessOptions quick_harness{.rounds = 3, .batch_ms = 2};
  bool quick = false;
  std::string json = {};
  int sittings = 1;         // processes, one after the other; 1: this one
  bool is_sitting = false;  // this one is of several
};

// Every program has these.
void add_run_options(CLI::App& app, RunOptions& options);

class Run {
 public:
  explicit Run(RunOptions options);

  const HarnessOptions& harness() const noexcept { return options_.harness; }
  bool is_quick() const noexcept { return options_.quick; }

  // Says what a time in the tables is one of: "per node".
  void begin(const std::string& unit) const;
  void add(GroupResult result);
  // So many rounds as asked for, or at most `most_rounds`.
  void measure(const Group& group, int most_rounds = 1000);
  // `visit` in each of the processes, `visit_once` in this one, whose rounds say enough.
  using Visit = std::function<void(const reel::Device&)>;
  void for_each_device(const Visit& visit, const Visit& visit_once = {});
  // The sum of it; the exit code of the program. 1: something was wrong, not slow.
  int end() const;

 private:
  RunOptions options_;
  std::vector<GroupResult> results_;
};

// The rest of a main(): reads the arguments, and says what `run` failed with.
int run_program(CLI::App& app, int argc, char** argv, const char* name,
                const std::function<int()>& run);

}  // namespace bench
