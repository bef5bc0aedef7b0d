// option_values.hpp - what people write after an option or a variable: passes, sizes, contents.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "reel/capture_report.hpp"

namespace reel::capture {

// Passes first..last, numbered from 1.
struct PassRange {
  std::uint32_t first = 1, last = 1;
  friend bool operator==(const PassRange&, const PassRange&) = default;
};

// "3", "2-4", "*" (all); none for anything else.
std::optional<PassRange> parse_passes(std::string_view text);
// "512", "64k", "10M", "2G", with or without B; powers of 1000, or of 1024 with i: "64Ki".
std::optional<std::uint64_t> parse_bytes(std::string_view text);
std::optional<Contents> parse_contents(std::string_view text);

}  // namespace reel::capture
