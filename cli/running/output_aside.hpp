// output_aside.hpp - standard output goes to standard error while this lives.
//
// Kernels may print, and their driver does so on standard output, which is the report's.
#pragma once

#include <unistd.h>

#include <cstdio>

namespace reel::cli {

class OutputAside {
 public:
  OutputAside() {
    std::fflush(stdout);
    saved_ = dup(STDOUT_FILENO);
    if (saved_ >= 0) dup2(STDERR_FILENO, STDOUT_FILENO);
  }
  ~OutputAside() {
    std::fflush(stdout);
    if (saved_ < 0) return;
    dup2(saved_, STDOUT_FILENO);
    close(saved_);
  }
  OutputAside(const OutputAside&) = delete;
  OutputAside& operator=(const OutputAside&) = delete;

 private:
  int saved_ = -1;
};

}  // namespace reel::cli
