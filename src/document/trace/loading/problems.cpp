#include "document/trace/loading/problems.hpp"

#include <fmt/format.h>

namespace reel::document {
namespace {

// What a damaged file is worth in sentences; the rest is a number.
constexpr std::size_t most_damages = 20;

}  // namespace

void Problems::left_out(std::string_view table, std::string_view reason, std::uint64_t rows) {
  if (rows > 0) left_out_[{table, reason}] += rows;
}

void Problems::damage(std::string sentence) { damages_.push_back(std::move(sentence)); }

void Problems::missing(std::string sentence) {
  (expects_losses_ ? remarks_ : damages_).push_back(std::move(sentence));
}

std::vector<std::string> Problems::sentences() const {
  std::vector<std::string> all(
      damages_.begin(),
      damages_.begin() + static_cast<std::ptrdiff_t>(std::min(damages_.size(), most_damages)));
  if (damages_.size() > most_damages)
    all.push_back(
        fmt::format("There are {} more damages like these.", damages_.size() - most_damages));
  for (const auto& [kind, rows] : left_out_)
    all.push_back(
        fmt::format("{} of {} left out: {}.", rows == 1 ? "1 row" : fmt::format("{} rows", rows),
                    fmt::format("{} {}", kind.first, rows == 1 ? "is" : "are"), kind.second));
  all.insert(all.end(), remarks_.begin(), remarks_.end());
  return all;
}

}  // namespace reel::document
