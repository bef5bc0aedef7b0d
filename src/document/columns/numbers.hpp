// numbers.hpp - a column of whole numbers, as narrow as its values allow.
//
// Encoding picks plain values or differences from row to row, whichever needs fewer bytes a row.
// Arithmetic is modulo 2^64 on both sides, so every 64-bit value comes back as it was.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "schema_generated.h"

namespace reel::document {

flatbuffers::Offset<schema::Numbers> encode(flatbuffers::FlatBufferBuilder& builder,
                                            std::span<const std::uint64_t> values);

// The values, written over `values`; false where the column doesn't have `count` of them or
// contradicts itself. A column that is absent is none of any length but 0.
bool decode(const schema::Numbers* column, std::size_t count, std::vector<std::uint64_t>& values);

// How many rows a column claims to have; what decode() would accept.
inline std::size_t rows_of(const schema::Numbers* column) { return column ? column->count() : 0; }

}  // namespace reel::document
