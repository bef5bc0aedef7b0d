// capture_state.hpp - what a Capture holds.
#pragma once

#include <memory>
#include <string>

#include "capture/document_thread.hpp"
#include "reel/capture.hpp"

namespace reel {

class CaptureState {
 public:
  CaptureState(const std::string& pattern, CaptureOptions wanted);

  void begin();
  CaptureReport end();

  const std::string path;
  const CaptureOptions options;
  std::unique_ptr<capture::DocumentThread> document;  // until it is begun
  bool begun = false, ended = false;
  bool announce = false;             // on standard error: the environment asked for it
  std::uint64_t estimate_bytes = 0;  // of contents, at most
  CaptureReport report;
};

}  // namespace reel
