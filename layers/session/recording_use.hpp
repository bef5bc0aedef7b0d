// recording_use.hpp - the recording of now, as the hooks have it.
#pragma once

#include "layers/session/session.hpp"
#include "recording/calls/call_recording.hpp"

namespace reel::layer {

// The recording of now, kept from going away.
class RecordingUse {
 public:
  RecordingUse() noexcept;
  ~RecordingUse();
  RecordingUse(const RecordingUse&) = delete;
  RecordingUse& operator=(const RecordingUse&) = delete;
  explicit operator bool() const noexcept { return recording_ != nullptr; }
  capture::CallRecording* operator->() const noexcept { return recording_; }

 private:
  capture::CallRecording* recording_;
};

}  // namespace reel::layer
