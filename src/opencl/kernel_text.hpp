// kernel_text.hpp - which part of an OpenCL program's text a kernel is made of.
//
// Programs hold many kernels in one text. Whether one of them changed is asked of its own words:
// its definition, and every function, type, constant and macro that it may use. Pure functions.
#pragma once

#include <string>
#include <string_view>

namespace reel {

// Words of that part, in the order of the text and without comments; equal for two texts that give
// the kernel the same code. All words of the text where it can't be taken apart: a macro makes the
// kernel or pastes names together, or braces don't match.
std::string opencl_kernel_text(std::string_view text, std::string_view kernel);

}  // namespace reel
