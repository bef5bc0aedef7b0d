#include "document/columns/numbers.hpp"

#include <algorithm>
#include <cstring>
#include <limits>

namespace reel::document {
namespace {

// The smallest value, taken as signed (a step back in time is a small negative number), and how
// far the largest is from it.
struct Extent {
  std::int64_t least = 0;
  std::uint64_t span = 0;
};

template <class Value>
Extent extent_of(std::size_t count, Value&& value) {
  std::int64_t least = std::numeric_limits<std::int64_t>::max();
  std::int64_t most = std::numeric_limits<std::int64_t>::min();
  for (std::size_t i = 0; i < count; ++i) {
    const auto v = static_cast<std::int64_t>(value(i));
    least = std::min(least, v);
    most = std::max(most, v);
  }
  return {least, static_cast<std::uint64_t>(most) - static_cast<std::uint64_t>(least)};
}

int width_of(std::uint64_t span) {
  if (span == 0) return 0;
  if (span <= std::numeric_limits<std::uint8_t>::max()) return 1;
  if (span <= std::numeric_limits<std::uint16_t>::max()) return 2;
  if (span <= std::numeric_limits<std::uint32_t>::max()) return 4;
  return 8;
}

template <class T, class Value>
flatbuffers::Offset<flatbuffers::Vector<T>> store(flatbuffers::FlatBufferBuilder& builder,
                                                  std::size_t count, std::uint64_t least,
                                                  Value&& value) {
  std::uint8_t* place = nullptr;
  const auto vector = builder.CreateUninitializedVector(count, sizeof(T), &place);
  T* out = reinterpret_cast<T*>(place);  // NOLINT: aligned by the builder
  for (std::size_t i = 0; i < count; ++i) out[i] = static_cast<T>(value(i) - least);
  return vector;
}

template <class Value>
flatbuffers::Offset<schema::Numbers> encode_as(flatbuffers::FlatBufferBuilder& builder,
                                               std::size_t count, const Extent& extent, bool delta,
                                               std::uint64_t first, Value&& value) {
  const auto least = static_cast<std::uint64_t>(extent.least);
  flatbuffers::Offset<flatbuffers::Vector<std::uint8_t>> w1;
  flatbuffers::Offset<flatbuffers::Vector<std::uint16_t>> w2;
  flatbuffers::Offset<flatbuffers::Vector<std::uint32_t>> w4;
  flatbuffers::Offset<flatbuffers::Vector<std::uint64_t>> w8;
  switch (width_of(extent.span)) {
    case 0:
      break;
    case 1:
      w1 = store<std::uint8_t>(builder, count, least, value);
      break;
    case 2:
      w2 = store<std::uint16_t>(builder, count, least, value);
      break;
    case 4:
      w4 = store<std::uint32_t>(builder, count, least, value);
      break;
    default:
      w8 = store<std::uint64_t>(builder, count, least, value);
      break;
  }
  return schema::CreateNumbers(builder, static_cast<std::uint32_t>(count), extent.least, delta,
                               static_cast<std::int64_t>(first), w1, w2, w4, w8);
}

template <class T>
bool load(const flatbuffers::Vector<T>& stored, std::size_t count, std::uint64_t* out) {
  if (stored.size() != count) return false;
  for (std::size_t i = 0; i < count; ++i) out[i] = stored.Get(static_cast<std::uint32_t>(i));
  return true;
}

}  // namespace

flatbuffers::Offset<schema::Numbers> encode(flatbuffers::FlatBufferBuilder& builder,
                                            std::span<const std::uint64_t> values) {
  const std::size_t count = values.size();
  if (count == 0) return schema::CreateNumbers(builder);
  const auto plain = [&](std::size_t i) { return values[i]; };
  // Most columns of what loops do hold one number: comparing bytes with those behind them takes a
  // quarter of looking for the smallest.
  const bool is_one = std::memcmp(values.data(), &values[0] + 1, values.size_bytes() - 8) == 0;
  const Extent as_plain =
      is_one ? Extent{static_cast<std::int64_t>(values[0]), 0} : extent_of(count, plain);
  if (as_plain.span != 0) {
    // Steps from the second row on; the first row is made to be the smallest step from `first`.
    const Extent as_steps =
        extent_of(count - 1, [&](std::size_t i) { return values[i + 1] - values[i]; });
    const std::uint64_t first = values[0] - static_cast<std::uint64_t>(as_steps.least);
    if (width_of(as_steps.span) < width_of(as_plain.span))
      return encode_as(builder, count, as_steps, true, first,
                       [&](std::size_t i) { return values[i] - (i ? values[i - 1] : first); });
  }
  return encode_as(builder, count, as_plain, false, 0, plain);
}

bool decode(const schema::Numbers* column, std::size_t count, std::vector<std::uint64_t>& values) {
  values.clear();
  if (!column) return count == 0;
  if (column->count() != count) return false;
  const int vectors = (column->w1() != nullptr) + (column->w2() != nullptr) +
                      (column->w4() != nullptr) + (column->w8() != nullptr);
  if (vectors > 1) return false;
  values.resize(count);
  std::uint64_t* out = values.data();
  if (column->w1() && !load(*column->w1(), count, out)) return false;
  if (column->w2() && !load(*column->w2(), count, out)) return false;
  if (column->w4() && !load(*column->w4(), count, out)) return false;
  if (column->w8() && !load(*column->w8(), count, out)) return false;
  const auto least = static_cast<std::uint64_t>(column->least());
  auto before = static_cast<std::uint64_t>(column->first());
  for (std::size_t i = 0; i < count; ++i) {
    out[i] += least + (column->delta() ? before : 0);
    before = out[i];
  }
  return true;
}

}  // namespace reel::document
