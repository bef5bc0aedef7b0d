// environment.hpp - what the environment asks to be captured.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "reel/capture.hpp"

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

struct EnvironmentWish {
  std::string path;
  PassRange passes;
  CaptureOptions options;
};

// REEL_CAPTURE is there, and not empty.
bool is_capture_asked_for();
// None when REEL_CAPTURE is unset or empty. What is wrong with the other variables is said on
// standard error, and then there is none either.
std::optional<EnvironmentWish> read_environment();

}  // namespace reel::capture
