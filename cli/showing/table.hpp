// table.hpp - rows of text in columns as wide as they need to be, and as the terminal is.
#pragma once

#include <string>
#include <vector>

#include "cli/showing/terminal.hpp"

namespace reel::cli {

class Table {
 public:
  enum class Align { left, right };
  struct Column {
    std::string title;
    Align align = Align::left;
  };

  explicit Table(std::vector<Column> columns) : columns_(std::move(columns)) {}
  // One cell a column; control characters in it are replaced.
  void add(std::vector<std::string> cells);
  void tone(std::size_t column, Tone tone);  // of that cell of the row added last
  bool empty() const noexcept { return rows_.empty(); }

  // Titles, then the rows; each line ends in a newline and in no blanks. On a terminal no line is
  // wider than it: long texts lose their middle, and where that isn't enough, a row goes on in the
  // next line. Numbers are never cut.
  std::string text() const { return text(terminal_columns()); }
  std::string text(std::size_t room) const;  // 0: as wide as it needs to be

 private:
  struct Row {
    std::vector<std::string> cells;
    std::vector<Tone> tones;
  };
  std::string line(const Row& row, const std::vector<std::size_t>& widths,
                   const std::vector<bool>& begins_line) const;

  std::vector<Column> columns_;
  std::vector<Row> rows_;
};

}  // namespace reel::cli
