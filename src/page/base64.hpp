// base64.hpp - bytes as text (RFC 4648), for HTML files.
#pragma once

#include <string>
#include <string_view>

namespace reel::page {

std::string base64(std::string_view bytes);

}  // namespace reel::page
