// base64.hpp - bytes as text (RFC 4648), and back.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace reel {

std::string base64(std::string_view bytes);
// None where it is not base64.
std::optional<std::vector<std::byte>> bytes_of_base64(std::string_view text);

}  // namespace reel
