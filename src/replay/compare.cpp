#include "replay/compare.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace reel::rerun {

namespace {

// Bits as a whole number that grows with the real: the step from one to the next is one.
std::int64_t rank_of(std::span<const std::byte> bytes, ElementType type) {
  std::uint64_t bits = 0;
  std::memcpy(&bits, bytes.data(), bytes.size());
  const std::uint64_t sign = std::uint64_t{1} << (8 * size_of(type) - 1);
  const auto size = static_cast<std::int64_t>(bits & (sign - 1));
  return bits & sign ? -size : size;
}

double largest_of(std::span<const std::byte> bytes, ElementType type) {
  double largest = 0;
  const std::size_t step = size_of(type);
  for (std::size_t at = 0; at + step <= bytes.size(); at += step) {
    const double value = std::fabs(element_value(type, bytes.subspan(at, step)));
    if (std::isfinite(value)) largest = std::max(largest, value);
  }
  return largest;
}

void add_different(std::uint64_t at, std::uint64_t size, Comparison& result) {
  constexpr std::size_t most_ranges = 256;
  ++result.different_elements;
  result.different_bytes += size;
  auto& ranges = result.different;
  if (!ranges.empty() && ranges.back().end == at)
    ranges.back().end = at + size;
  else if (ranges.size() < most_ranges)
    ranges.push_back({at, at + size});
}

void compare_bytes(std::span<const std::byte> expected, std::span<const std::byte> found,
                   std::size_t from, std::size_t step, Comparison& result) {
  for (std::size_t at = from; at < expected.size(); at += step) {
    const std::size_t size = std::min(step, expected.size() - at);
    if (std::memcmp(expected.data() + at, found.data() + at, size) == 0) {
      result.equal_bytes += size;
      continue;
    }
    add_different(at, size, result);
  }
}

}  // namespace

std::uint64_t ulp_distance(std::span<const std::byte> a, std::span<const std::byte> b,
                           ElementType type) {
  const std::int64_t first = rank_of(a, type), second = rank_of(b, type);
  return first > second ? static_cast<std::uint64_t>(first) - static_cast<std::uint64_t>(second)
                        : static_cast<std::uint64_t>(second) - static_cast<std::uint64_t>(first);
}

Comparison compare(std::span<const std::byte> expected, std::span<const std::byte> found,
                   std::optional<ElementType> type, const std::optional<Tolerance>& tolerance) {
  Comparison result;
  if (!type || !is_real(*type)) {
    compare_bytes(expected, found, 0, type ? size_of(*type) : 1, result);
    return result;
  }
  const std::size_t step = size_of(*type);
  const double relative = tolerance ? tolerance->relative : 0;
  double absolute = 0;
  if (tolerance)
    absolute =
        tolerance->absolute ? *tolerance->absolute : 0.1 * relative * largest_of(expected, *type);
  std::size_t at = 0;
  for (; at + step <= expected.size(); at += step) {
    const auto e = expected.subspan(at, step), f = found.subspan(at, step);
    if (std::memcmp(e.data(), f.data(), step) == 0) {
      result.equal_bytes += step;
      continue;
    }
    const double wanted = element_value(*type, e), got = element_value(*type, f);
    bool close = false;
    if (std::isnan(wanted) || std::isnan(got)) {
      close = tolerance && std::isnan(wanted) && std::isnan(got);
    } else if (std::isinf(wanted) || std::isinf(got)) {
      close = false;  // equal ones are equal in their bytes
    } else {
      const double distance = std::fabs(got - wanted);
      close = tolerance && distance <= relative * std::fabs(wanted) + absolute;
      result.largest_absolute = std::max(result.largest_absolute, distance);
      if (wanted != 0)
        result.largest_relative = std::max(result.largest_relative, distance / std::fabs(wanted));
      result.largest_ulp = std::max(result.largest_ulp, ulp_distance(e, f, *type));
    }
    if (close) {
      result.close_bytes += step;
      continue;
    }
    add_different(at, step, result);
  }
  compare_bytes(expected, found, at, step, result);  // a rest that is no whole element
  return result;
}

}  // namespace reel::rerun
