#include "export/tables/parquet/column_chunk.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

#include "base/fail.hpp"
#include "export/tables/parquet/encodings.hpp"

namespace reel::parquet {
namespace {

using tables::Type;

// More distinct numbers than this, and their differences take less.
constexpr std::size_t most_numbers = 4096;
constexpr std::size_t slot_count = 4 * most_numbers;
// A longer text is no good bound to skip by.
constexpr std::size_t longest_bound = 64;

std::string plain_of(std::uint64_t number) {
  std::string bytes;
  append_plain(bytes, std::span(&number, 1));
  return bytes;
}

template <class Value, class From>
void add_bounds(ColumnChunk& chunk, const NumberRows& rows, const From& from) {
  std::optional<Value> least, most;
  for (std::size_t i = 0; i < rows.values.size(); ++i) {
    if (!rows.known[i]) continue;
    const Value value = from(rows.values[i]);
    if (value != value) return;  // not a number: the order of the others tells nothing
    if (!least || value < *least) least = value;
    if (!most || value > *most) most = value;
  }
  if (!least) return;
  if constexpr (std::is_same_v<Value, double>) {
    // Readers may take the two zeros for different ones.
    if (*least == 0) least = -0.0;
    if (*most == 0) most = 0.0;
  }
  if constexpr (std::is_same_v<Value, bool>) {
    chunk.least = std::string(1, *least ? '\1' : '\0');
    chunk.most = std::string(1, *most ? '\1' : '\0');
  } else {
    chunk.least = plain_of(std::bit_cast<std::uint64_t>(*least));
    chunk.most = plain_of(std::bit_cast<std::uint64_t>(*most));
  }
}

void add_bounds(ColumnChunk& chunk, Type type, const NumberRows& rows) {
  switch (type) {
    case Type::flag:
      return add_bounds<bool>(chunk, rows, [](std::uint64_t bits) { return bits != 0; });
    case Type::real:
      return add_bounds<double>(chunk, rows, std::bit_cast<double, std::uint64_t>);
    case Type::natural:
      return add_bounds<std::uint64_t>(chunk, rows, [](std::uint64_t bits) { return bits; });
    default:
      return add_bounds<std::int64_t>(chunk, rows, std::bit_cast<std::int64_t, std::uint64_t>);
  }
}

// The smallest and the largest text so far, by bytes.
class TextBounds {
 public:
  void add(std::string_view text) {
    if (text.size() > longest_bound) is_told_ = false;
    if (!is_told_) return;
    if (!least_ || text < *least_) least_ = text;
    if (!most_ || text > *most_) most_ = text;
  }
  void tell(ColumnChunk& chunk) const {
    if (!is_told_) return;
    chunk.least = least_;
    chunk.most = most_;
  }

 private:
  bool is_told_ = true;
  std::optional<std::string> least_, most_;
};

}  // namespace

PhysicalType physical_type(Type type) noexcept {
  switch (type) {
    case Type::flag:
      return PhysicalType::boolean;
    case Type::real:
      return PhysicalType::real;
    case Type::text:
      return PhysicalType::bytes;
    default:
      return PhysicalType::int64;
  }
}

ChunkWriter::ChunkWriter(Sink& sink, std::uint64_t page_rows)
    : sink_(sink), page_rows_(page_rows), zstd_(ZSTD_createCCtx(), ZSTD_freeCCtx) {
  if (!zstd_) fail(Code::out_of_memory, "There is no memory to compress an export.");
}

void ChunkWriter::add_page(ColumnChunk& chunk, Page kind, std::uint64_t values, Encoding encoding,
                           std::string_view bytes) {
  packed_.resize(ZSTD_compressBound(bytes.size()));
  // Level 1: the encodings have done the most already.
  const std::size_t size =
      ZSTD_compressCCtx(zstd_.get(), packed_.data(), packed_.size(), bytes.data(), bytes.size(), 1);
  if (ZSTD_isError(size))
    fail(Code::out_of_memory, "Can't compress a page of an export: {}.", ZSTD_getErrorName(size));
  ThriftWriter head;
  head.begin();
  head.i32(1, static_cast<std::int32_t>(kind));
  head.i32(2, static_cast<std::int32_t>(bytes.size()));
  head.i32(3, static_cast<std::int32_t>(size));
  head.begin(kind == Page::data ? 5 : 7);
  head.i32(1, static_cast<std::int32_t>(values));
  head.i32(2, static_cast<std::int32_t>(encoding));
  if (kind == Page::data) {
    head.i32(3, static_cast<std::int32_t>(Encoding::rle));  // of levels
    head.i32(4, static_cast<std::int32_t>(Encoding::rle));
  }
  head.end();
  head.end();
  auto& begin = kind == Page::data ? chunk.data_begin : chunk.dictionary_begin;
  if (!begin) begin = sink_.size();
  chunk.packed_bytes += head.bytes().size() + size;
  chunk.unpacked_bytes += head.bytes().size() + bytes.size();
  if (std::ranges::find(chunk.encodings, encoding) == chunk.encodings.end())
    chunk.encodings.push_back(encoding);
  sink_.write(head.bytes());
  sink_.write(std::string_view(packed_).substr(0, size));
}

// 1 where there is a value, 0 where there is none.
void ChunkWriter::append_levels(std::string& page, std::uint64_t begin, std::uint64_t end) {
  std::string levels;
  const auto first = rows_.known.begin() + static_cast<std::ptrdiff_t>(begin);
  const auto last = rows_.known.begin() + static_cast<std::ptrdiff_t>(end);
  if (rows_.unknown == 0) {
    append_varint(levels, (end - begin) << 1);
    levels += '\1';
  } else {
    page_places_.assign(first, last);
    append_hybrid(levels, page_places_, 1);
  }
  const auto size = static_cast<std::uint32_t>(levels.size());
  for (int i = 0; i < 4; ++i) page += static_cast<char>(size >> (8 * i));
  page += levels;
}

bool ChunkWriter::number_dictionary() {
  dictionary_.clear();
  slots_.assign(slot_count, 0);
  places_.resize(rows_.values.size());
  for (std::size_t i = 0; i < rows_.values.size(); ++i) {
    if (!rows_.known[i]) continue;
    const std::uint64_t value = rows_.values[i];
    std::size_t slot = (value * 0x9e3779b97f4a7c15u) >> 50;  // 14 bits
    while (slots_[slot] && dictionary_[slots_[slot] - 1] != value) slot = (slot + 1) % slot_count;
    if (!slots_[slot]) {
      if (dictionary_.size() == most_numbers) return false;
      dictionary_.push_back(value);
      slots_[slot] = dictionary_.size();
    }
    places_[i] = static_cast<std::uint32_t>(slots_[slot] - 1);
  }
  return !dictionary_.empty() && dictionary_.size() * 2 <= rows_.values.size();
}

ColumnChunk ChunkWriter::write_numbers(Type type, NumberColumn& column, std::uint64_t begin,
                                       std::uint64_t end) {
  static_assert(slot_count == 1u << 14);
  column.read(begin, end, rows_);
  ColumnChunk chunk;
  chunk.rows = end - begin;
  chunk.unknown = rows_.unknown;
  chunk.begin = sink_.size();
  add_bounds(chunk, type, rows_);
  const bool has_dictionary = type != Type::flag && number_dictionary();
  if (has_dictionary) {
    page_.clear();
    append_plain(page_, dictionary_);
    add_page(chunk, Page::dictionary, dictionary_.size(), Encoding::plain, page_);
  }
  for (std::uint64_t at = 0; at < chunk.rows; at += page_rows_) {
    const std::uint64_t until = std::min(chunk.rows, at + page_rows_);
    page_.clear();
    append_levels(page_, at, until);
    page_numbers_.clear();
    page_places_.clear();
    for (std::uint64_t i = at; i < until; ++i) {
      if (!rows_.known[i]) continue;
      if (has_dictionary)
        page_places_.push_back(places_[i]);
      else
        page_numbers_.push_back(rows_.values[i]);
    }
    Encoding encoding = Encoding::plain;
    if (has_dictionary) {
      const unsigned width = std::max(1U, width_of(dictionary_.size() - 1));
      page_ += static_cast<char>(width);
      append_hybrid(page_, page_places_, width);
      encoding = Encoding::dictionary;
    } else if (type == Type::flag) {
      append_bits(page_, page_numbers_);
    } else if (type == Type::real) {
      append_plain(page_, page_numbers_);
    } else {
      append_deltas(page_, page_numbers_);
      encoding = Encoding::deltas;
    }
    add_page(chunk, Page::data, until - at, encoding, page_);
  }
  return chunk;
}

ColumnChunk ChunkWriter::write_texts(TextColumn& column, std::uint64_t begin, std::uint64_t end) {
  ColumnChunk chunk;
  chunk.rows = end - begin;
  chunk.begin = sink_.size();
  TextBounds bounds;
  column.forget();
  const bool has_dictionary = column.read(begin, end, places_);
  rows_.known.resize(chunk.rows);
  rows_.unknown = 0;
  if (has_dictionary) {
    page_.clear();
    for (const std::string& text : column.texts()) {
      append_plain(page_, text);
      bounds.add(text);
    }
    add_page(chunk, Page::dictionary, column.texts().size(), Encoding::plain, page_);
    for (std::uint64_t i = 0; i < chunk.rows; ++i) {
      rows_.known[i] = places_[i] != TextColumn::no_text;
      rows_.unknown += !rows_.known[i];
    }
  }
  const unsigned width = has_dictionary && !column.texts().empty()
                             ? std::max(1U, width_of(column.texts().size() - 1))
                             : 1;
  std::string values;
  for (std::uint64_t at = 0; at < chunk.rows;) {
    std::uint64_t until = std::min(chunk.rows, at + page_rows_);
    page_.clear();
    values.clear();
    if (has_dictionary) {
      append_levels(page_, at, until);
      page_places_.clear();
      for (std::uint64_t i = at; i < until; ++i)
        if (rows_.known[i]) page_places_.push_back(places_[i]);
      values += static_cast<char>(width);
      append_hybrid(values, page_places_, width);
    } else {
      // Long texts make short pages.
      std::uint64_t i = at, unknown = 0;
      for (; i < until && values.size() < TextColumn::most_bytes; ++i) {
        const auto text = column.text_at(begin + i);
        rows_.known[i] = text.has_value();
        unknown += !text;
        if (!text) continue;
        append_plain(values, *text);
        bounds.add(*text);
      }
      until = i;
      rows_.unknown = unknown;
      append_levels(page_, at, until);
      chunk.unknown += unknown;
    }
    page_ += values;
    add_page(chunk, Page::data, until - at, has_dictionary ? Encoding::dictionary : Encoding::plain,
             page_);
    at = until;
  }
  if (has_dictionary) chunk.unknown = rows_.unknown;
  bounds.tell(chunk);
  return chunk;
}

}  // namespace reel::parquet
