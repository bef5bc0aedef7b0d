// report.hpp - runs compared with each other, as a table or as JSON.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "model.hpp"
#include "reel/device.hpp"
#include "run.hpp"

namespace forward_pass {

struct Entry {
  reel::DeviceInfo device;
  Mode mode = Mode::direct;
  Run run;
};

struct Verdict {
  bool tokens_equal = true;     // with those of the reference, the first entry
  bool bits_equal = true;       // with the logits of the same device's first mode
  double logit_difference = 0;  // the largest, from the reference
  bool within_tolerance = true;
  bool good() const { return tokens_equal && bits_equal && within_tolerance; }
};

struct Report {
  Sizes sizes;
  std::uint64_t weight_bytes = 0;
  std::vector<Entry> entries;
  std::vector<reel::DeviceInfo> unavailable;
  std::string text;  // what was generated behind a prompt, as the first entry has it

  // Between modes of one device: equal bits. Between devices: 0.001 of the largest logit.
  // Drivers that round as IEEE 754 says differ by nothing at all; OpenCL and Vulkan allow 2.5
  // units in the last place for a division or square root, which grows layer by layer.
  double tolerance() const;
  Verdict judge(const Entry& entry) const;
  bool good() const;
};

// The larger of two differences; NaN is larger than any, and above every tolerance.
double larger(double a, double b);

void print_table(const Report& report, bool colours);
void print_json(const Report& report);

}  // namespace forward_pass
