#include "reel/units.hpp"

#include <fmt/format.h>

#include <string_view>

namespace reel {
namespace {

std::string with_commas(std::uint64_t number) {
  std::string digits = std::to_string(number);
  for (std::size_t at = digits.size(); at > 3; at -= 3) digits.insert(at - 3, ",");
  return digits;
}

}  // namespace

std::string size_text(std::uint64_t bytes) {
  constexpr double kib = 1024, mib = kib * 1024, gib = mib * 1024;
  const auto size = static_cast<double>(bytes);
  if (size >= gib) return fmt::format("{:.1f} GiB", size / gib);
  if (size >= mib) return fmt::format("{:.1f} MiB", size / mib);
  if (size >= kib) return fmt::format("{:.1f} KiB", size / kib);
  return fmt::format("{} B", bytes);
}

std::string time_text(std::uint64_t ns) {
  const auto time = static_cast<double>(ns);
  if (ns >= 1'000'000'000) return fmt::format("{:.3f} s", time / 1e9);
  if (ns >= 1'000'000) return fmt::format("{:.2f} ms", time / 1e6);
  if (ns >= 1'000) return fmt::format("{:.1f} µs", time / 1e3);
  return fmt::format("{} ns", ns);
}

std::string count_text(std::uint64_t count, const char* one_of) {
  const std::string_view one = one_of;
  const bool hisses = one.ends_with("s") || one.ends_with("ch") || one.ends_with("sh");
  return fmt::format("{} {}{}", with_commas(count), one, count == 1 ? "" : hisses ? "es" : "s");
}

std::string share_text(std::uint64_t part, std::uint64_t whole) {
  if (whole == 0) return "-";
  return fmt::format("{:.1f}%", 100.0 * static_cast<double>(part) / static_cast<double>(whole));
}

std::string grid_text(const Dim3& groups) {
  if (groups.count() == 0) return "-";
  if (groups.z > 1) return fmt::format("{}x{}x{}", groups.x, groups.y, groups.z);
  if (groups.y > 1) return fmt::format("{}x{}", groups.x, groups.y);
  return std::to_string(groups.x);
}

}  // namespace reel
