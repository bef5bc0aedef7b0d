// layer_library.hpp - where the library is that OpenCL's loader puts into a program.
#pragma once

#include <string>

namespace reel::cli {

// $REEL_LAYER, else beside this program: in the lib folder of the build or of the
// installation. Throws Error, with the places that were tried.
std::string find_opencl_layer();

}  // namespace reel::cli
