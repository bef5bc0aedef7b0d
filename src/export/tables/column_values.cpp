#include "export/tables/column_values.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "graph/commands/text.hpp"

namespace reel {
namespace {

using tables::Cell;
using tables::Type;

constexpr std::uint32_t not_made = TextColumn::no_text - 1;

bool is_ascii(std::string_view text) {
  return std::ranges::all_of(text, [](char c) { return static_cast<unsigned char>(c) < 0x80; });
}

}  // namespace

NumberColumn::NumberColumn(const tables::Column& column, tables::Source& source)
    : column_(column), source_(source) {
  if (!column.sharing) return;
  shared_.resize(column.sharing->keys(source));
  state_.resize(shared_.size());
}

std::optional<std::uint64_t> NumberColumn::cell_at(std::uint64_t row) {
  const Cell cell = column_.cell(source_, row);
  const auto* number = std::get_if<std::uint64_t>(&cell);
  if (column_.type == Type::real) {
    if (const auto* real = std::get_if<double>(&cell)) return std::bit_cast<std::uint64_t>(*real);
    if (number) return std::bit_cast<std::uint64_t>(static_cast<double>(*number));
    return std::nullopt;
  }
  if (!number) return std::nullopt;
  if (column_.type == Type::flag) return *number != 0;
  if (column_.type == Type::integer &&
      *number > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max())) {
    ++too_large_;
    return std::nullopt;
  }
  return *number;
}

void NumberColumn::read(std::uint64_t begin, std::uint64_t end, NumberRows& rows) {
  const std::size_t count = end - begin;
  rows.values.resize(count);
  rows.known.resize(count);
  rows.unknown = 0;
  for (std::size_t i = 0; i < count; ++i) {
    std::uint64_t value = 0;
    bool is_known = false;
    if (column_.sharing) {
      const std::uint32_t key = column_.sharing->key(source_, begin + i);
      if (state_[key] == 0) {
        const auto made = cell_at(begin + i);
        shared_[key] = made.value_or(0);
        state_[key] = made ? 1 : 2;
      }
      value = shared_[key];
      is_known = state_[key] == 1;
    } else {
      const auto made = cell_at(begin + i);
      value = made.value_or(0);
      is_known = made.has_value();
    }
    rows.values[i] = value;
    rows.known[i] = is_known;
    rows.unknown += !is_known;
  }
}

void tell_too_large(const tables::Table& table, const tables::Column& column,
                    const NumberColumn& numbers, std::vector<std::string>& left_out) {
  if (numbers.too_large() > 0)
    left_out.push_back(
        fmt::format("{} cells of {}.{} hold a number of 2^63 or more, which is NULL in the file.",
                    numbers.too_large(), table.name, column.name));
}

TextColumn::TextColumn(const tables::Column& column, tables::Source& source)
    : column_(column), source_(source) {
  if (column.sharing) shared_.assign(column.sharing->keys(source), not_made);
}

void TextColumn::forget() {
  places_.clear();
  texts_.clear();
  bytes_ = 0;
  std::ranges::fill(shared_, not_made);
}

std::optional<std::string> TextColumn::text_at(std::uint64_t row) {
  Cell cell = column_.cell(source_, row);
  if (auto* text = std::get_if<std::string>(&cell))
    return is_ascii(*text) ? std::move(*text) : valid_utf8(*text);
  if (const auto* view = std::get_if<std::string_view>(&cell))
    return is_ascii(*view) ? std::string(*view) : valid_utf8(*view);
  return std::nullopt;
}

std::uint32_t TextColumn::place_at(std::uint64_t row) {
  const Cell cell = column_.cell(source_, row);
  std::string_view view;
  if (const auto* text = std::get_if<std::string>(&cell))
    view = *text;
  else if (const auto* borrowed = std::get_if<std::string_view>(&cell))
    view = *borrowed;
  else
    return no_text;
  std::string changed;
  if (!is_ascii(view)) view = changed = valid_utf8(view);
  if (const auto found = places_.find(view); found != places_.end()) return found->second;
  const auto place = static_cast<std::uint32_t>(texts_.size());
  places_.emplace(texts_.emplace_back(view), place);
  bytes_ += view.size();
  return place;
}

bool TextColumn::read(std::uint64_t begin, std::uint64_t end, std::vector<std::uint32_t>& places) {
  places.resize(end - begin);
  for (std::uint64_t row = begin; row < end; ++row) {
    std::uint32_t& place = places[row - begin];
    if (column_.sharing) {
      std::uint32_t& shared = shared_[column_.sharing->key(source_, row)];
      if (shared == not_made) shared = place_at(row);
      place = shared;
    } else {
      place = place_at(row);
    }
    if (texts_.size() > most_texts || bytes_ > most_bytes) return false;
  }
  return true;
}

}  // namespace reel
