#include "page/page_frame.hpp"

#include <fmt/format.h>

#include "graph/commands/text.hpp"

namespace reel::page {

std::string html_text(std::string_view text) {
  std::string result;
  for (const char c : valid_utf8(text)) switch (c) {
      case '&':
        result += "&amp;";
        break;
      case '<':
        result += "&lt;";
        break;
      case '>':
        result += "&gt;";
        break;
      case '"':
        result += "&quot;";
        break;
      default:
        result += static_cast<unsigned char>(c) < 0x20 ? ' ' : c;
    }
  return result;
}

std::string served_frame(std::string_view title, std::string_view mark) {
  return fmt::format(R"(<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>{}</title>
<meta name="viewport" content="width=device-width">
<link rel="icon" href="data:,">
<link rel="stylesheet" href="page.css">
</head>
<body {}>
<div id="app"></div>
<script src="page.js"></script>
</body>
</html>
)",
                     html_text(title), mark);
}

}  // namespace reel::page
