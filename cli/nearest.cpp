#include "nearest.hpp"

#include <algorithm>
#include <numeric>

namespace reel::cli {
namespace {

// Letters to insert, remove or replace to get from one to the other (Levenshtein).
std::size_t edits_between(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i + 1;
    for (std::size_t j = 0; j < b.size(); ++j) {
      const std::size_t replaced = diagonal + (a[i] == b[j] ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({row[j] + 1, row[j + 1] + 1, replaced});
    }
  }
  return row.back();
}

}  // namespace

std::optional<std::string> nearest(std::string_view typed,
                                   const std::vector<std::string>& candidates) {
  std::optional<std::string> best;
  std::size_t fewest = 0;
  for (const std::string& candidate : candidates) {
    // Who typed only the start of it made no mistake so far.
    const bool start_of_it = typed.size() >= 2 && candidate.starts_with(typed);
    const std::size_t edits = start_of_it ? 0 : edits_between(typed, candidate);
    // Of a short word few letters are left that could be meant: 'nope' is no 'scopes'.
    if (edits > 1 + std::min(typed.size(), candidate.size()) / 3) continue;
    if (!best || edits < fewest) {
      best = candidate;
      fewest = edits;
    }
  }
  return best;
}

}  // namespace reel::cli
