// page_frame.hpp - the HTML around the page.
#pragma once

#include <string>
#include <string_view>

namespace reel::page {

// `text` between tags or in quotes.
std::string html_text(std::string_view text);

// A page that loads page.js and page.css from beside it. `mark`: what its body says of it, as
// "data-prove".
std::string served_frame(std::string_view title, std::string_view mark);

}  // namespace reel::page
