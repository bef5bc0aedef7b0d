// capture_state.hpp - what a Capture holds: the document until it is begun, then which of the
// process's recordings it is.
#pragma once

#include <memory>
#include <string>

#include "base/process/forks.hpp"
#include "capture/environment.hpp"
#include "recording/writing/document_thread.hpp"
#include "recording/writing/ending_document.hpp"
#include "reel/capture.hpp"

namespace reel {

class CaptureState {
 public:
  static constexpr std::string_view handle = "Capture";
  static constexpr std::string_view gone = "after the Capture was moved from";

  CaptureState(const std::string& pattern, CaptureOptions wanted);
  ~CaptureState();
  CaptureState(const CaptureState&) = delete;
  CaptureState& operator=(const CaptureState&) = delete;

  void begin();  // does nothing when it is begun; throws when it has ended, or can't begin
  const CaptureReport& end();
  std::shared_ptr<capture::EndingDocument> end_later();
  // By a forked child: it is the parent's.
  bool is_inherited() const noexcept { return birth_.is_inherited(); }

  const std::string path;
  const CaptureOptions options;
  std::optional<capture::PassRange> passes;  // only work of these, and of passes within them
  bool begun = false, ended = false;
  bool from_environment = false;  // then it says on standard error what it does, and never throws
  std::uint64_t estimate_bytes = 0;  // of contents, at most
  CaptureReport report;

 private:
  void take_away();  // of a document that was never begun

  std::unique_ptr<capture::DocumentThread> document_;  // until it is begun
  std::shared_ptr<capture::EndingDocument> ending_;    // once it has ended, where nobody waited
  const Birth birth_;
  std::uint32_t number_ = 0;  // of the recording
};

}  // namespace reel
