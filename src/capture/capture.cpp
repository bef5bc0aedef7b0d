#include "reel/capture.hpp"

#include "base/fail.hpp"
#include "base/log.hpp"
#include "capture/active_capture.hpp"
#include "capture/announce.hpp"
#include "capture/capture_state.hpp"
#include "capture/path_pattern.hpp"
#include "capture/preflight.hpp"
#include "runtime/device_state.hpp"

namespace reel {

namespace {
std::atomic<std::uint32_t> next_number{1};
}

CaptureState::CaptureState(const std::string& pattern, CaptureOptions wanted)
    : path(capture::expand_path(pattern, next_number.load(std::memory_order_relaxed))),
      options(std::move(wanted)) {
  document = capture::open_document(path, options);
  next_number.fetch_add(1, std::memory_order_relaxed);
  const std::uint64_t live = options.device ? options.device.state()->live_bytes.load()
                                            : DeviceState::all_live_bytes.load();
  const auto told = capture::preflight(path, options, live);
  estimate_bytes = told.estimate_bytes;
  if (!told.warning.empty()) log(LogLevel::warn, told.warning);
}

void CaptureState::begin() {
  if (begun) return;
  capture::begin_recording(path, std::move(document), options);
  begun = true;
}

CaptureReport CaptureState::end() {
  if (ended) return report;
  ended = true;
  if (!begun) {
    // Opened for nothing: no document is better than one without a single command.
    if (document) document->discard();
    document.reset();
    report.path = path;
    return report;
  }
  if (auto done = capture::end_recording()) report = *done;
  return report;
}

Capture::Capture(const std::string& path, const CaptureOptions& options)
    : state_(std::make_unique<CaptureState>(path, options)) {}
Capture::Capture(std::unique_ptr<CaptureState> state) : state_(std::move(state)) {}
Capture::Capture(Capture&&) noexcept = default;
Capture& Capture::operator=(Capture&&) noexcept = default;

Capture::~Capture() {
  if (!state_) return;
  try {
    end();
  } catch (const std::exception& error) {
    log(LogLevel::error, error.what());
  }
}

void Capture::begin() { state_->begin(); }
bool Capture::is_begun() const noexcept { return state_->begun; }
const std::string& Capture::path() const noexcept { return state_->path; }

CaptureReport Capture::end() {
  if (state_->ended) return state_->report;
  CaptureReport report = state_->end();
  if (state_->announce) capture::announce_end(report, state_->begun);
  return report;
}

// --- start and stop ----------------------------------------------------------------------------

namespace {
std::mutex started_mutex;
std::optional<Capture> started;
}  // namespace

void start_capture(const std::string& path, const CaptureOptions& options) {
  const std::lock_guard lock(started_mutex);
  if (started)
    fail(Code::invalid_argument,
         "start_capture(): a capture to {} is under way; call stop_capture() first.",
         started->path());
  if (is_capturing())
    fail(Code::invalid_argument, "start_capture(): another capture of this process is under way.");
  Capture fresh(path, options);
  fresh.begin();
  started.emplace(std::move(fresh));
}

CaptureReport stop_capture() {
  const std::lock_guard lock(started_mutex);
  if (!started)
    fail(Code::invalid_argument, "stop_capture(): no capture was started by start_capture().");
  Capture ending = std::move(*started);
  started.reset();
  CaptureReport report = ending.end();
  if (!report.lost.empty()) fail(Code::io_failed, "{} is incomplete: {}", report.path, report.lost);
  return report;
}

bool is_capturing() noexcept { return capture::is_recording(); }

}  // namespace reel
