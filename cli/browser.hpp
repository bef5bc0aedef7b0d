// browser.hpp - opens an address in the user's browser.
#pragma once

#include <string>

namespace reel::cli {

// Empty when a browser was asked to; otherwise a sentence: why there was none.
std::string open_in_browser(const std::string& url);

}  // namespace reel::cli
