// document_answer.hpp - what every page is asked for: its frame, its script, its style and its
// data.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "page/embedded_page.hpp"
#include "page/page_frame.hpp"
#include "page/server/http_request.hpp"

namespace reel::page {

// `path` is what follows the page's address; `data` has get().
template <class Data>
HttpAnswer page_answer(const Data& data, std::string_view path, std::string_view title,
                       std::string_view mark) {
  if (path.empty()) return {200, "text/html; charset=utf-8", served_frame(title, mark)};
  if (path == "page.js") return {200, "text/javascript", std::string(embedded_page()->script)};
  if (path == "page.css") return {200, "text/css", std::string(embedded_page()->style)};
  if (path.starts_with("data/"))
    if (auto resource = data.get(path.substr(5)))
      return {200, std::move(resource->media_type), std::move(resource->bytes)};
  return error_answer({404, "The document has nothing of this name."});
}

}  // namespace reel::page
