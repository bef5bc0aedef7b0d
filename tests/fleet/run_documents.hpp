// run_documents.hpp - small documents of runs, with facts and times that are given.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace reel::test {

struct RunKernel {
  std::string name, scope;
  std::vector<std::uint64_t> run_ns;  // a dispatch each
};
struct Run {
  std::map<std::string, std::string> facts;
  std::string started;  // UTC; empty: not told
  std::vector<RunKernel> kernels;
};
std::string write_run(const std::string& path, const Run& run);

}  // namespace reel::test
