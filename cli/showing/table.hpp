// table.hpp - rows of text in columns as wide as they need to be.
#pragma once

#include <string>
#include <vector>

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
  bool empty() const noexcept { return rows_.empty(); }

  // Titles, then the rows; each line ends in a newline and in no blanks.
  std::string text() const;

 private:
  std::vector<Column> columns_;
  std::vector<std::vector<std::string>> rows_;
};

}  // namespace reel::cli
