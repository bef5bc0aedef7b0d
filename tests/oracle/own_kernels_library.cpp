// own_kernels_library.cpp - what `reel replay --host-kernels` loads.
#include "own_kernels.hpp"
#include "reel/host_kernel.hpp"

namespace {

const bool registered = [] {
  for (const reel::KernelSource& source : oracle::own_kernels())
    reel::register_host_kernel(source.name, source.host);
  return true;
}();

}  // namespace
