// pass_capture.cpp - passes of GraphExecutors: counted, recorded as regions, and captured when the
// environment asks for one of them.
#include <fmt/format.h>

#include <atomic>
#include <mutex>

#include "base/clock.hpp"
#include "base/log.hpp"
#include "capture/active_capture.hpp"
#include "capture/announce.hpp"
#include "capture/capture_state.hpp"
#include "capture/environment.hpp"
#include "capture/path_pattern.hpp"
#include "runtime/recorder.hpp"

namespace reel {

namespace {

std::atomic<std::uint32_t> passes{0};

// What the environment wants, and how far it has come. Read when the first pass begins.
class EnvironmentCapture {
 public:
  // Whether there is nothing to do for any pass from now on; without a lock.
  bool is_over() const noexcept { return over_.load(std::memory_order_acquire); }

  // The capture of pass `number`, begun by the caller; none for other passes.
  std::optional<std::unique_ptr<CaptureState>> take(std::uint32_t number, const Device& device) {
    const std::lock_guard lock(mutex_);
    if (!read_) {
      read_ = true;
      wish_ = capture::read_environment();
    }
    if (!wish_ || over_) {
      over_ = true;
      return std::nullopt;
    }
    const capture::PassRange& wanted = wish_->passes;
    if (number < wanted.first) return std::nullopt;
    const bool each = capture::has_number(wish_->path);
    if (!each || number >= wanted.last) over_ = true;  // even when it can't be opened
    if (number > wanted.last) return std::nullopt;
    CaptureOptions options = wish_->options;
    options.device = device;
    try {
      auto state = std::make_unique<CaptureState>(wish_->path, options);
      state->announce = true;
      last_pass_ = each ? number : wanted.last;
      return state;
    } catch (const std::exception& error) {
      log(LogLevel::error, fmt::format("REEL_CAPTURE={} ignored: {}", wish_->path, error.what()));
      return std::nullopt;
    }
  }
  std::uint32_t last_pass() const noexcept { return last_pass_; }

  void reset() {
    const std::lock_guard lock(mutex_);
    read_ = over_ = false;
    wish_.reset();
  }

 private:
  std::mutex mutex_;
  bool read_ = false;
  std::atomic<bool> over_{false};
  std::optional<capture::EnvironmentWish> wish_;
  std::atomic<std::uint32_t> last_pass_{0};
};

EnvironmentCapture environment;

// A capture of several passes stays here from the first to the last of them.
std::mutex held_mutex;
std::unique_ptr<CaptureState> held;

void end_held() noexcept {
  std::unique_ptr<CaptureState> ending;
  {
    const std::lock_guard lock(held_mutex);
    ending = std::move(held);
  }
  if (!ending) return;
  try {
    capture::announce_end(ending->end(), ending->begun);
  } catch (const std::exception& error) {
    log(LogLevel::error, fmt::format("capture: {}", error.what()));
  }
}

class Pass {
 public:
  Pass(std::uint32_t number, bool is_last) : number_(number), ends_capture_(is_last) {}
  ~Pass() {
    capture::record_region(TraceRegion::Kind::pass, number_, "pass", begin_ns_);
    if (ends_capture_) end_held();
  }

 private:
  const std::uint32_t number_;
  const bool ends_capture_;
  const std::uint64_t begin_ns_ = monotonic_ns();
};

}  // namespace

std::shared_ptr<void> pass_begins(const Device& device) noexcept {
  const std::uint32_t number = passes.fetch_add(1, std::memory_order_relaxed) + 1;
  if (environment.is_over() && !is_capturing()) [[likely]]
    return nullptr;
  try {
    bool ends = false;
    if (!environment.is_over() && !is_capturing())
      if (auto state = environment.take(number, device)) {
        (*state)->begin();
        capture::announce_begin((*state)->path, (*state)->options.contents,
                                (*state)->estimate_bytes);
        const std::lock_guard lock(held_mutex);
        held = std::move(*state);
      }
    {
      const std::lock_guard lock(held_mutex);
      ends = held && number >= environment.last_pass();
    }
    if (!is_capturing()) return nullptr;
    return std::make_shared<Pass>(number, ends);
  } catch (const std::exception& error) {
    log(LogLevel::error, fmt::format("capture: {}", error.what()));
    return nullptr;
  }
}

std::optional<Capture> Capture::from_env(const Device& device) noexcept {
  if (environment.is_over()) return std::nullopt;
  const std::uint32_t number = passes.fetch_add(1, std::memory_order_relaxed) + 1;
  try {
    if (auto state = environment.take(number, device)) {
      capture::announce_begin((*state)->path, (*state)->options.contents, (*state)->estimate_bytes);
      return Capture(std::move(*state));
    }
  } catch (const std::exception& error) {
    log(LogLevel::error, fmt::format("capture: {}", error.what()));
  }
  return std::nullopt;
}

void detail::reset_environment_capture_for_test() noexcept {
  end_held();
  passes = 0;
  environment.reset();
}

}  // namespace reel
