#include "recording/opening/option_values.hpp"

#include <charconv>
#include <limits>

namespace reel::capture {

namespace {

std::optional<std::uint64_t> parse_number(std::string_view text, std::string_view* rest = nullptr) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{}) return std::nullopt;
  const auto left = text.substr(static_cast<std::size_t>(end - text.data()));
  if (rest) *rest = left;
  if (!rest && !left.empty()) return std::nullopt;
  return value;
}

}  // namespace

std::optional<PassRange> parse_passes(std::string_view text) {
  constexpr std::uint32_t most = std::numeric_limits<std::uint32_t>::max();
  if (text == "*") return PassRange{1, most};
  const auto dash = text.find('-');
  const auto first = parse_number(text.substr(0, dash));
  const auto last = dash == std::string_view::npos ? first : parse_number(text.substr(dash + 1));
  if (!first || !last || *first == 0 || *last < *first || *last > most) return std::nullopt;
  return PassRange{static_cast<std::uint32_t>(*first), static_cast<std::uint32_t>(*last)};
}

std::optional<std::uint64_t> parse_bytes(std::string_view text) {
  std::string_view unit;
  const auto number = parse_number(text, &unit);
  if (!number) return std::nullopt;
  if (unit.ends_with('B')) unit.remove_suffix(1);
  std::uint64_t base = 1000;
  if (unit.ends_with('i')) {
    base = 1024;
    unit.remove_suffix(1);
  }
  constexpr std::string_view letters = "kMGT";
  std::uint64_t factor = 1;
  if (!unit.empty()) {
    const auto power = letters.find(unit == "K" ? 'k' : unit[0]);
    if (unit.size() != 1 || power == std::string_view::npos) return std::nullopt;
    for (std::size_t i = 0; i <= power; ++i) factor *= base;
  } else if (base == 1024) {
    return std::nullopt;
  }
  if (*number > std::numeric_limits<std::uint64_t>::max() / factor) return std::nullopt;
  return *number * factor;
}

std::optional<Contents> parse_contents(std::string_view text) {
  for (const Contents one : {Contents::none, Contents::hashes, Contents::inputs, Contents::all})
    if (text == to_string(one)) return one;
  return std::nullopt;
}

}  // namespace reel::capture

namespace reel {

const char* to_string(Contents contents) noexcept {
  switch (contents) {
    case Contents::none:
      return "none";
    case Contents::hashes:
      return "hashes";
    case Contents::inputs:
      return "inputs";
    case Contents::all:
      return "all";
  }
  return "?";
}

}  // namespace reel
