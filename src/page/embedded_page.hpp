// embedded_page.hpp - the page itself, as the build bundled it from viewer/.
#pragma once

#include <string_view>

namespace reel::page {

struct EmbeddedPage {
  std::string_view script, style;
  std::string_view script_sha256, style_sha256;  // 32 bytes each
};

// Null where the library was built without it (REEL_PAGE=OFF).
const EmbeddedPage* embedded_page() noexcept;

}  // namespace reel::page
