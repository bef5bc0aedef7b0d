// gzip.hpp - bytes as a gzip file, which browsers unpack.
#pragma once

#include <string>
#include <string_view>

namespace reel::page {

// The same bytes give the same file: it holds no time. Throws out_of_memory.
std::string gzip(std::string_view bytes);

}  // namespace reel::page
