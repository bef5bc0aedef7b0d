// peak_memory.hpp - the most memory that this process ever had.
#pragma once

#include <fstream>
#include <string>

namespace bench {

inline double peak_bytes() {
  std::ifstream status("/proc/self/status");
  for (std::string word; status >> word;)
    if (double kib = 0; word == "VmHWM:" && status >> kib) return kib * 1024;
  return 0;
}

}  // namespace bench
