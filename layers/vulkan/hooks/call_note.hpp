// call_note.hpp - a call that gives no work, and may take the host long: its name and its time.
#pragma once

#include "base/clock.hpp"
#include "layers/session/recording_use.hpp"

namespace reel::layer::vk {

// For as long as the call takes; `name` stays where it is until the process ends.
class CallNote {
 public:
  explicit CallNote(const char* name) noexcept
      : name_(name), begin_ns_(session::mode() ? monotonic_ns() : 0) {}
  ~CallNote() {
    if (!begin_ns_) [[likely]]
      return;
    if (const RecordingUse use; use) use->called(name_, begin_ns_);
  }
  CallNote(const CallNote&) = delete;
  CallNote& operator=(const CallNote&) = delete;

 private:
  const char* name_;
  std::uint64_t begin_ns_;
};

}  // namespace reel::layer::vk
