// base64.hpp - text that stands for bytes (RFC 4648), read back.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

namespace reel {

// None where it is not base64.
std::optional<std::vector<std::byte>> bytes_of_base64(std::string_view text);

}  // namespace reel
