// encodings.hpp - values of a page as Parquet writes them.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace reel::parquet {

// Bits that a number takes.
unsigned width_of(std::uint64_t value) noexcept;

// RLE and bit packing, mixed: numbers of `width` bits, at most 32; runs of equal ones are short.
void append_hybrid(std::string& out, std::span<const std::uint32_t> numbers, unsigned width);

// DELTA_BINARY_PACKED: only what differs from the number before, in as few bits as 32 of them need.
void append_deltas(std::string& out, std::span<const std::uint64_t> numbers);

// PLAIN: 8 bytes each, one bit each, or the length in 4 bytes and the text.
void append_plain(std::string& out, std::span<const std::uint64_t> numbers);
void append_bits(std::string& out, std::span<const std::uint64_t> flags);
void append_plain(std::string& out, std::string_view text);

}  // namespace reel::parquet
