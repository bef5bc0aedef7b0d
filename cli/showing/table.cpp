#include "cli/showing/table.hpp"

#include <algorithm>
#include <numeric>

namespace reel::cli {
namespace {

constexpr std::size_t between = 2;    // blanks, from column to column
constexpr std::size_t indent = 4;     // of the lines that a row goes on in
constexpr std::size_t readable = 10;  // a text is not shortened below: ids and kinds stay whole

std::size_t total_of(const std::vector<std::size_t>& widths) {
  return std::accumulate(widths.begin(), widths.end(), std::size_t{0}) +
         between * (widths.empty() ? 0 : widths.size() - 1);
}

}  // namespace

void Table::add(std::vector<std::string> cells) {
  for (std::string& cell : cells) cell = printable(cell);
  rows_.push_back({std::move(cells), std::vector<Tone>(columns_.size(), Tone::plain)});
}

void Table::tone(std::size_t column, Tone tone) { rows_.back().tones[column] = tone; }

std::string Table::line(const Row& row, const std::vector<std::size_t>& widths,
                        const std::vector<bool>& begins_line) const {
  std::string result, blanks;  // blanks: before the next text, so that no line ends in some
  for (std::size_t c = 0; c < columns_.size(); ++c) {
    const std::string cell = shortened(row.cells[c], widths[c]);
    const std::string padding(widths[c] - width_of(cell), ' ');
    if (begins_line[c]) {
      result += "\n";
      blanks.assign(indent, ' ');
    } else if (c > 0) {
      blanks.append(between, ' ');
    }
    if (columns_[c].align == Align::right) blanks += padding;
    if (!cell.empty()) {
      result += blanks + toned(row.tones[c], cell);
      blanks.clear();
    }
    if (columns_[c].align == Align::left) blanks += padding;
  }
  return result + "\n";
}

std::string Table::text(std::size_t room) const {
  std::vector<std::size_t> widths;
  for (std::size_t c = 0; c < columns_.size(); ++c) {
    std::size_t widest = width_of(columns_[c].title);
    for (const Row& row : rows_) widest = std::max(widest, width_of(row.cells[c]));
    widths.push_back(widest);
  }
  std::vector<bool> begins_line(columns_.size(), false);
  if (room > 0 && total_of(widths) > room) {
    std::vector<std::size_t> shorter = widths;
    const auto least = [&](std::size_t c) {
      return std::min(widths[c], columns_[c].align == Align::right
                                     ? widths[c]
                                     : std::max(readable, width_of(columns_[c].title)));
    };
    while (total_of(shorter) > room) {
      std::size_t widest = columns_.size();
      for (std::size_t c = 0; c < columns_.size(); ++c)
        if (shorter[c] > least(c) && (widest == columns_.size() || shorter[c] > shorter[widest]))
          widest = c;
      if (widest == columns_.size()) break;
      --shorter[widest];
    }
    if (total_of(shorter) <= room) {
      widths = shorter;
    } else {
      std::size_t used = 0;
      for (std::size_t c = 0; c < columns_.size(); ++c) {
        if (columns_[c].align == Align::left)
          widths[c] = std::min(widths[c], room > indent ? room - indent : 1);
        begins_line[c] = c > 0 && used + between + widths[c] > room;
        used = c == 0           ? widths[c]
               : begins_line[c] ? indent + widths[c]
                                : used + between + widths[c];
      }
    }
  }

  Row titles{{}, std::vector<Tone>(columns_.size(), Tone::plain)};
  for (const Column& column : columns_) titles.cells.push_back(column.title);
  std::string head = line(titles, widths, begins_line);
  head.pop_back();
  std::string result = bold(head) + "\n";
  for (const Row& row : rows_) result += line(row, widths, begins_line);
  return result;
}

}  // namespace reel::cli
