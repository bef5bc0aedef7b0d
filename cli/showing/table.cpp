#include "cli/showing/table.hpp"

#include <algorithm>

#include "cli/showing/terminal.hpp"

namespace reel::cli {
namespace {

// Characters, not bytes: drivers put "(R)" and "®" into names.
std::size_t width(const std::string& text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U;
  }));
}

}  // namespace

void Table::add(std::vector<std::string> cells) {
  for (std::string& cell : cells) cell = printable(cell);
  rows_.push_back(std::move(cells));
}

std::string Table::text() const {
  std::vector<std::size_t> widths;
  for (std::size_t c = 0; c < columns_.size(); ++c) {
    std::size_t widest = width(columns_[c].title);
    for (const auto& row : rows_) widest = std::max(widest, width(row[c]));
    widths.push_back(widest);
  }

  const auto line = [&](const auto& cell_at) {
    std::string result;
    for (std::size_t c = 0; c < columns_.size(); ++c) {
      const std::string cell = cell_at(c);
      const std::string blanks(widths[c] - width(cell), ' ');
      if (c > 0) result += "  ";
      result += columns_[c].align == Align::right ? blanks + cell : cell + blanks;
    }
    result.erase(result.find_last_not_of(' ') + 1);
    return result;
  };

  std::string result = bold(line([&](std::size_t c) { return columns_[c].title; })) + "\n";
  for (const auto& row : rows_) result += line([&](std::size_t c) { return row[c]; }) + "\n";
  return result;
}

}  // namespace reel::cli
