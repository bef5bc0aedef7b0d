// units.hpp - numbers as people read them.
#pragma once

#include <cstdint>
#include <string>

#include "reel/dim3.hpp"

namespace reel {

std::string size_text(std::uint64_t bytes);                       // "1.5 MiB"
std::string time_text(std::uint64_t ns);                          // "12.3 us"
std::string count_text(std::uint64_t count, const char* one_of);  // "1 kernel", "12,345 kernels"
std::string share_text(std::uint64_t part, std::uint64_t whole);  // "12.3%"; "-" of nothing
std::string grid_text(const Dim3& groups);  // "16", "4x4", "2x1x8"; "-" of none

}  // namespace reel
