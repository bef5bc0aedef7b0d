// truth_programs.hpp - programs of which one knows what is wrong with them, recorded.
//
// Each runs in a process of its own, as those that people compare do, and says when it did what it
// shouldn't: the host's clock is that of the document.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace bench {

struct Injected {
  std::uint64_t begin_ns = 0, end_ns = 0;
};

struct TruthProgram {
  std::string name = "pass";  // one of truth_names, or "pass", "two_devices"
  std::string device = "host";
  int passes = 20;
  std::uint32_t rounds = 100'000;  // of the busy loop of a kernel of 100 µs
  double slowdown = 1;             // of the kernel 'work', which has half of the time
};

// What is injected, and which causes of idle time tell it, or which finding.
struct Truth {
  const char* name;
  const char* what;                 // for people
  std::vector<std::string> causes;  // empty: `finding` tells it
  const char* finding = "";
};
const std::vector<Truth>& truths();

// How many rounds of the busy loop a kernel of 100 µs takes on this device, now.
std::uint32_t calibrate(const std::string& device);

// Runs it, with a capture into `document`; returns when it did what was injected.
std::vector<Injected> record(const TruthProgram& program, const std::string& document);

}  // namespace bench
