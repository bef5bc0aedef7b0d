// page_frame.hpp - the HTML around the page.
#pragma once

#include <string>
#include <string_view>

namespace reel::page {

// `text` between tags or in quotes.
std::string html_text(std::string_view text);

// A page that loads page.js and page.css from beside it.
std::string served_frame(std::string_view title, bool can_prove);

}  // namespace reel::page
