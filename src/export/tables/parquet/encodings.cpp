#include "export/tables/parquet/encodings.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <utility>

#include "export/tables/parquet/thrift_writer.hpp"

namespace reel::parquet {
namespace {

static_assert(std::endian::native == std::endian::little, "numbers are written as they lie");

template <class Number>
void append_bytes(std::string& out, Number number, std::size_t bytes = sizeof(Number)) {
  char raw[sizeof(Number)];
  std::memcpy(raw, &number, sizeof(Number));
  out.append(raw, bytes);
}

// `count` numbers of `width` bits, the low ones first; the last byte is filled with zeros.
template <class Number>
void append_packed(std::string& out, const Number* numbers, std::size_t count, unsigned width) {
  __extension__ using Wide = unsigned __int128;
  Wide bits = 0;
  unsigned held = 0;
  for (std::size_t i = 0; i < count; ++i) {
    bits |= static_cast<Wide>(numbers[i]) << held;
    held += width;
    if (held >= 64) {
      append_bytes(out, static_cast<std::uint64_t>(bits));
      bits >>= 64;
      held -= 64;
    }
  }
  append_bytes(out, static_cast<std::uint64_t>(bits), (held + 7) / 8);
}

}  // namespace

unsigned width_of(std::uint64_t value) noexcept {
  return 64U - static_cast<unsigned>(std::countl_zero(value));
}

void append_hybrid(std::string& out, std::span<const std::uint32_t> numbers, unsigned width) {
  const std::size_t count = numbers.size();
  // Where a run of equal numbers ends.
  const auto end_of_run = [&](std::size_t at) {
    std::size_t end = at + 1;
    while (end < count && numbers[end] == numbers[at]) ++end;
    return end;
  };
  const auto append_run = [&](std::size_t begin, std::size_t end) {
    append_varint(out, (end - begin) << 1);
    append_bytes(out, numbers[begin], (width + 7) / 8);
  };
  // Packed numbers come in eights; only the last eight may be filled up.
  const auto append_eights = [&](std::size_t begin, std::size_t end) {
    const std::size_t groups = (end - begin + 7) / 8;
    append_varint(out, groups << 1 | 1);
    const std::size_t whole = (end - begin) / 8 * 8;
    append_packed(out, numbers.data() + begin, whole, width);
    if (whole < end - begin) {
      std::array<std::uint32_t, 8> last{};
      std::copy(numbers.begin() + static_cast<std::ptrdiff_t>(begin + whole),
                numbers.begin() + static_cast<std::ptrdiff_t>(end), last.begin());
      append_packed(out, last.data(), last.size(), width);
    }
  };
  std::size_t packed_from = 0;
  for (std::size_t at = 0; at < count;) {
    const std::size_t end = end_of_run(at);
    // What fills up the eight that was begun stays there; a run has to be worth its head.
    const std::size_t from = at + (8 - (at - packed_from) % 8) % 8;
    if (end >= from + 16) {
      if (from > packed_from) append_eights(packed_from, from);
      append_run(from, end);
      packed_from = end;
    }
    at = end;
  }
  if (packed_from < count) append_eights(packed_from, count);
}

void append_deltas(std::string& out, std::span<const std::uint64_t> numbers) {
  constexpr std::size_t block = 128, part = 32;
  append_varint(out, block);
  append_varint(out, block / part);
  append_varint(out, numbers.size());
  append_varint(out, zigzag(numbers.empty() ? 0 : static_cast<std::int64_t>(numbers[0])));
  for (std::size_t at = 1; at < numbers.size(); at += block) {
    const std::size_t count = std::min(block, numbers.size() - at);
    // All of it modulo 2^64; the smallest difference is one with a sign.
    std::array<std::uint64_t, block> deltas{};
    std::int64_t least = 0;
    for (std::size_t i = 0; i < count; ++i) {
      deltas[i] = numbers[at + i] - numbers[at + i - 1];
      const auto delta = static_cast<std::int64_t>(deltas[i]);
      least = i == 0 ? delta : std::min(least, delta);
    }
    append_varint(out, zigzag(least));
    std::array<unsigned, block / part> widths{};
    for (std::size_t i = 0; i < count; ++i) {
      deltas[i] -= static_cast<std::uint64_t>(least);
      widths[i / part] = std::max(widths[i / part], width_of(deltas[i]));
    }
    for (const unsigned width : widths) out += static_cast<char>(width);
    for (std::size_t p = 0; p < widths.size() && p * part < count; ++p)
      append_packed(out, deltas.data() + p * part, part, widths[p]);
  }
}

void append_plain(std::string& out, std::span<const std::uint64_t> numbers) {
  out.append(reinterpret_cast<const char*>(numbers.data()), numbers.size_bytes());
}

void append_bits(std::string& out, std::span<const std::uint64_t> flags) {
  append_packed(out, flags.data(), flags.size(), 1);
}

void append_plain(std::string& out, std::string_view text) {
  append_bytes(out, static_cast<std::uint32_t>(text.size()));
  out += text;
}

}  // namespace reel::parquet
