// source_reads.hpp - whether the text of a kernel only reads through a pointer.
#pragma once

#include <string_view>

namespace reel::analysis {

// True where `parameter` occurs in the body of `kernel` and only as something read: p[i] in a
// value, *p, an argument of vload. Anything less plain (handed to a function, its address taken,
// kept in another pointer, macros) counts as written.
bool only_reads(std::string_view source, std::string_view kernel, std::string_view parameter);

}  // namespace reel::analysis
