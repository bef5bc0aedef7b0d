// executable.hpp - what can be told of a program from its file.
#pragma once

#include <string>

namespace reel::cli {

// Where the shell would find it; empty: nowhere.
std::string find_program(const std::string& name);

// Why the OpenCL layer can't get into this program: a sentence; empty where nothing speaks against
// it.
std::string why_no_layer(const std::string& path);

}  // namespace reel::cli
