// environment.hpp - what the environment asks to be captured.
#pragma once

#include <optional>
#include <string>

#include "recording/opening/option_values.hpp"
#include "reel/capture.hpp"

namespace reel::capture {

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
