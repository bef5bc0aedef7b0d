// recording_use.hpp - the recording of now, as the hooks have it.
#pragma once

#include "layers/session/session.hpp"
#include "recording/calls/call_recording.hpp"

namespace reel::layer {

// The recording of now, kept from going away.
class RecordingUse {
 public:
  RecordingUse() noexcept;
  // Also one that ends and has not read its last results: for who learns that work is done, since
  // the host may then write where they are.
  struct OrEnding {};
  explicit RecordingUse(OrEnding) noexcept;
  ~RecordingUse();
  RecordingUse(const RecordingUse&) = delete;
  RecordingUse& operator=(const RecordingUse&) = delete;
  explicit operator bool() const noexcept { return recording_ != nullptr; }
  capture::CallRecording* operator->() const noexcept { return recording_; }

 private:
  capture::CallRecording* recording_;
  bool is_ending_ = false;
};
inline constexpr RecordingUse::OrEnding or_ending;

}  // namespace reel::layer
