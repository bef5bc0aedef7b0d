// bits.hpp - kernels of bits.cpp.
#pragma once

#include "reel/reel.hpp"

namespace reel::bits {

void register_exact_kernels();
void register_contracted_kernel();

}  // namespace reel::bits
