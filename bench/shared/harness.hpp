// harness.hpp - several ways to do the same work, measured side by side.
//
// On a busy machine a time means little and a ratio much, so the modes of a group take turns:
// each round runs every mode once, starting with another one each time, and ratios are formed
// within a round. While an aim lies where the median may lie, there are more rounds. Every mode is
// checked at the end; a fast wrong answer is no result.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace bench {

enum class Clock : std::uint8_t { cpu, wall };

// What a mode is meant to reach: time at most `at_most` times that of the mode `against`, or,
// where `against` is empty, at most `at_most` nanoseconds.
struct Aim {
  std::string against;
  double at_most = 1;
  Clock clock = Clock::cpu;
};

// Something found that is no time per node, and what it is meant to be at most.
struct Figure {
  std::string name;  // "bytes a command"
  double found = 0, at_most = 0;
  bool met() const { return found <= at_most; }
};

struct Spent {
  double cpu_ns = 0, wall_ns = 0;  // CPU: of all threads of the process
};
// Time that has gone by since the process, or the machine, began.
Spent spent_so_far();

struct Mode {
  std::string name;
  // Goes through all nodes `passes` times. A pass ends when its work is done.
  std::function<void(std::uint64_t passes)> run;
  // Given the number of passes since the mode was made: what is wrong, or nothing.
  std::function<std::string(std::uint64_t passes)> check;
  std::vector<Aim> aims = {};
  // Set where only part of a pass counts: the time of that part since the last call.
  std::function<Spent()> spent = {};
  std::function<std::string()> note = {};  // for people, below the row; asked for at the end
  std::function<std::vector<Figure>()> figures = {};  // asked for at the end
};

// The first mode is the baseline.
struct Group {
  std::string device, name;
  std::uint64_t nodes = 1;  // of one pass
  std::vector<Mode> modes;
};

struct Quartiles {
  double low = 0, median = 0, high = 0;
};
Quartiles quartiles(std::vector<double> values);

// Where the median of what the values are samples of lies. So sure that somebody who looks
// `most_looks` times, until an aim lies outside, is wrong about one aim of a hundred at most;
// everywhere, for fewer than twelve values.
struct Interval {
  double low = 0, high = 0;
};
constexpr int most_looks = 16;
Interval median_interval(std::vector<double> values);

struct Verdict {
  Aim aim;
  Quartiles found;
  Interval median;
  bool met() const { return found.median <= aim.at_most; }
  bool decided() const { return aim.at_most < median.low || aim.at_most > median.high; }
};
Verdict verdict_of(const Aim& aim, const std::vector<double>& values);

struct ModeResult {
  std::string name, note;
  Quartiles cpu_ns, wall_ns;        // per node
  Quartiles cpu_ratio, wall_ratio;  // to the baseline, formed round by round
  std::uint64_t passes = 0;         // in all
  std::vector<Verdict> verdicts;
  std::vector<Figure> figures;
  std::string wrong;  // empty: every counter was right
};

struct GroupResult {
  std::string device, name;
  std::uint64_t nodes = 1;
  std::vector<ModeResult> modes;
  int rounds = 0;     // that the modes took turns
  int processes = 0;  // each with so many rounds; 0: this one alone
};

struct HarnessOptions {
  int rounds = 11;
  double batch_ms = 10;  // passes are repeated until a mode's turn takes this long
  // While an aim is open, there are up to most_looks times as many rounds, for so long.
  static constexpr int most_rounds = 1000;
  double deciding_seconds = 15;
};

// So many rounds as the options say, and more of them until all_decided(), or there is no time
// left.
void measure_more_while_open(const HarnessOptions& options, const std::function<void()>& round,
                             const std::function<bool()>& all_decided);
GroupResult measure(const Group& group, const HarnessOptions& options);

}  // namespace bench
