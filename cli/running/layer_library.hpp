// layer_library.hpp - where the library is that loaders of OpenCL and Vulkan put into a program,
// and how they are told.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace reel::cli {

// $REEL_LAYER, else beside this program: in the lib folder of the build or of the
// installation. Throws Error, with the places that were tried.
std::string find_layer();

// LD_PRELOAD with the libraries that record calls of MPI, which lie beside the layer. Throws Error
// where none was built.
std::string with_mpi_libraries(const std::string& layer);

// What loaders are to find in the environment, with what the user has there already.
std::vector<std::pair<std::string, std::string>> layer_variables(const std::string& layer);

}  // namespace reel::cli
