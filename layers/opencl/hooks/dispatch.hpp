// dispatch.hpp - a launch of a kernel, with the arguments it has now.
#pragma once

#include "layers/opencl/work.hpp"

namespace reel::layer {

void fill_dispatch(Work& work, Kernel& kernel, const char* function, cl_uint dimensions,
                   const size_t* offset, const size_t* global, const size_t* local);

}  // namespace reel::layer
