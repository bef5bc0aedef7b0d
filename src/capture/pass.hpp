// pass.hpp - a pass while somebody wants to know of it, and which pass a thread gives commands for.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "capture/environment.hpp"
#include "runtime/recorder.hpp"

namespace reel::capture {

// What a thread gives to streams without a session belongs to the innermost direct session that it
// began and that is not over. Whoever ends it may be another thread.
class Pass final : public PassRecord {
 public:
  Pass(PassKind kind, std::uint32_t number, std::string name, std::shared_ptr<const Pass> around,
       std::uint64_t begin_ns);
  ~Pass() override;

  void given(StreamState& stream) noexcept override;
  void ended() noexcept override;

  std::uint32_t number() const noexcept { return number_; }
  const std::string& name() const noexcept { return name_; }
  bool is_open() const noexcept { return is_open_.load(std::memory_order_acquire); }
  // It is one of these, or within one.
  bool is_within(const PassRange& range) const noexcept;
  void record_region() noexcept;  // once

 private:
  const PassKind kind_;
  const std::uint32_t number_;
  const std::string name_;
  const std::shared_ptr<const Pass> around_;
  const std::uint64_t begin_ns_;
  std::atomic<bool> is_open_{true}, has_ended_{false}, has_region_{false};
};

// The one that this thread gives commands for; null: none.
const Pass* pass_of_this_thread() noexcept;
std::shared_ptr<const Pass> open_pass_of_this_thread() noexcept;
void opened_on_this_thread(const std::shared_ptr<const Pass>& pass);

// What this thread gives now belongs to one of these passes, or to no pass at all: that of a
// helper of the pass, or between two passes of a range.
bool gives_for(const PassRange& range) noexcept;

// --- what the environment asks for (pass_capture.cpp) -------------------------------------------
void pass_given(Pass& pass, StreamState& stream) noexcept;
void pass_ended(Pass& pass) noexcept;
// The program ends: closes what is open, and says what was asked for and never happened.
void end_passes() noexcept;
// Around a fork; the child has no capture, and says nothing of one.
void lock_passes() noexcept;
void unlock_passes() noexcept;
void forget_passes() noexcept;

}  // namespace reel::capture
