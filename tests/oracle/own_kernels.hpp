// own_kernels.hpp - the kernels of random programs of Reel's own API, in three languages.
#pragma once

#include <vector>

#include "reel/kernel.hpp"

namespace oracle {

// As kernels.py has them: scale, advance, add, slow. Groups of 64 items.
std::vector<reel::KernelSource> own_kernels();

}  // namespace oracle
