// no_page.cpp - a library without the page (REEL_PAGE=OFF).
#include "page/embedded_page.hpp"

namespace reel::page {

const EmbeddedPage* embedded_page() noexcept { return nullptr; }

}  // namespace reel::page
