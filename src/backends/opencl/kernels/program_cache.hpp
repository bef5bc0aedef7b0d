// program_cache.hpp - programs that a device has built, so that the same text is compiled once.
//
// PoCL takes 20 ms of CPU time to preprocess even a program that its own cache on disk has, and a
// document names the text of a program once for each kernel of it. Any thread.
#pragma once

#include <list>
#include <memory>
#include <mutex>
#include <string>

#include "backends/opencl/kernels/program.hpp"

namespace reel::opencl {

class ProgramCache {
 public:
  // One that was built before from the same text with the same options, or a new one. Throws
  // build_failed; what fails is tried anew the next time.
  std::shared_ptr<const BuiltProgram> get(const DeviceContext& context, const KernelSource& source);

 private:
  struct Entry {
    std::string key;
    std::shared_ptr<const BuiltProgram> program;
  };
  std::shared_ptr<const BuiltProgram> find(const std::string& key);

  std::mutex mutex_;
  std::list<Entry> entries_;  // the last used first
};

}  // namespace reel::opencl
