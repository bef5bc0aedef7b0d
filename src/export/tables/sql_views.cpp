#include "export/tables/sql_views.hpp"

#include <fmt/format.h>

#include <string_view>

namespace reel {
namespace {

std::string expanded(std::string_view mark) {
  if (mark.empty()) return "document, ";
  if (mark.starts_with("by ")) return fmt::format("{}.document, ", mark.substr(3));
  const bool is_where = mark.starts_with("where ");
  if (is_where) mark.remove_prefix(6);
  const std::size_t equals = mark.find('=');
  if (equals == std::string_view::npos) return fmt::format("{}.document AS document, ", mark);
  return fmt::format("{}{}.document = {}.document{}", is_where ? " WHERE " : "",
                     mark.substr(0, equals), mark.substr(equals + 1), is_where ? "" : " AND ");
}

}  // namespace

std::string SqlView::text(bool has_documents) const {
  std::string result;
  std::string_view rest = select;
  for (std::size_t at = 0; (at = rest.find('{')) != std::string_view::npos;) {
    const std::size_t end = rest.find('}', at);
    result += rest.substr(0, at);
    if (has_documents) result += expanded(rest.substr(at + 1, end - at - 1));
    rest.remove_prefix(end + 1);
  }
  return result += rest;
}

}  // namespace reel
