#include "cli/manual/environment_table.hpp"

#include <sstream>

#include "cli/embedded_texts.hpp"

namespace reel::cli {
namespace {

// `code` and [words](target) as plain words.
std::string plain(const std::string& markdown) {
  std::string text;
  for (std::size_t i = 0; i < markdown.size(); ++i) {
    const char c = markdown[i];
    if (c == '`') continue;
    if (c == '[' && markdown.find("](", i) != std::string::npos) continue;
    if (c == ']' && markdown.substr(i, 2) == "](") {
      i = markdown.find(')', i);
      if (i == std::string::npos) break;
      continue;
    }
    text += c;
  }
  const auto begin = text.find_first_not_of(' '), end = text.find_last_not_of(' ');
  return begin == std::string::npos ? "" : text.substr(begin, end - begin + 1);
}

std::vector<std::string> cells_of(const std::string& row) {
  std::vector<std::string> cells;
  std::istringstream rest(row.substr(1));
  for (std::string cell; std::getline(rest, cell, '|');) cells.push_back(plain(cell));
  return cells;
}

}  // namespace

std::vector<VariableFacts> environment_table() {
  std::vector<VariableFacts> variables;
  std::istringstream lines{std::string(embedded::environment())};
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("For tests")) break;  // what follows is read by ./dev alone
    if (!line.starts_with("| `")) continue;
    std::vector<std::string> cells = cells_of(line);
    cells.resize(3);
    variables.push_back({cells[0], cells[1], cells[2]});
  }
  return variables;
}

std::string environment_rules() {
  std::istringstream lines{std::string(embedded::environment())};
  std::string text;
  for (std::string line; std::getline(lines, line) && !line.starts_with('|');)
    if (!line.empty() && !line.starts_with('#')) text += (text.empty() ? "" : " ") + plain(line);
  return text;
}

}  // namespace reel::cli
