#include "reel/capture.hpp"

#include "base/fail.hpp"
#include "base/handles.hpp"
#include "base/log.hpp"
#include "capture/active_capture.hpp"
#include "capture/capture_state.hpp"
#include "recording/opening/announce.hpp"
#include "recording/opening/path_pattern.hpp"
#include "recording/opening/preflight.hpp"
#include "runtime/device_state.hpp"
#include "runtime/live.hpp"
#include "runtime/recorder.hpp"

namespace reel {

namespace {

std::atomic<std::uint32_t> next_number{1};

CaptureReport whole(CaptureReport report) {
  if (!report.lost.empty()) fail(Code::io_failed, "{} is incomplete: {}", report.path, report.lost);
  return report;
}

}  // namespace

CaptureState::CaptureState(const std::string& pattern, CaptureOptions wanted)
    : path(
          capture::expand_path(pattern, next_number.load(std::memory_order_relaxed), wanted.facts)),
      options(std::move(wanted)) {
  document_ = capture::open_document(path, options);
  document_->note("fact", capture::unknown_in(pattern, options.facts));
  next_number.fetch_add(1, std::memory_order_relaxed);
  const std::uint64_t live = options.device ? state_of(options.device)->live_bytes.load()
                                            : DeviceState::all_live_bytes.load();
  const auto told = capture::preflight(path, options.contents, options.limit_bytes, live);
  estimate_bytes = told.estimate_bytes;
  if (!told.warning.empty()) log(LogLevel::warn, told.warning);
}

CaptureState::~CaptureState() { take_away(); }

void CaptureState::begin() {
  if (begun && !ended) return;
  if (ended)
    fail(Code::invalid_argument,
         "Capture::begin() after the capture to {} has ended; a Capture is begun once, so make "
         "another.",
         path);
  if (!document_)
    fail(Code::invalid_argument,
         "Capture::begin() can't begin the capture to {} again: its document was lost when it "
         "began before. Make another Capture.",
         path);
  number_ = capture::begin_recording(path, document_, options, passes);
  begun = true;
}

const CaptureReport& CaptureState::end() {
  if (ending_) report = ending_->wait();
  if (std::exchange(ended, true)) return report;
  report.path = path;
  if (!begun)
    take_away();
  else if (auto done = capture::end_recording(number_))
    report = *done;
  return report;
}

std::shared_ptr<capture::EndingDocument> CaptureState::end_later() {
  if (!ending_ && begun && !ended && (ending_ = capture::end_recording_later(number_)))
    ended = true;
  if (!ending_) ending_ = std::make_shared<capture::EndingDocument>(nullptr, end());
  return ending_;
}

// Opened for nothing: no document is better than one without a single command. A forked child
// leaves the parent's alone.
void CaptureState::take_away() {
  if (document_) document_->discard();
  document_.reset();
}

Capture::Capture(const std::string& path, const CaptureOptions& options)
    : state_(std::make_unique<CaptureState>(path, options)) {}
Capture::Capture(std::unique_ptr<CaptureState> state) : state_(std::move(state)) {}
Capture::Capture(Capture&&) noexcept = default;

Capture& Capture::operator=(Capture&& other) noexcept {
  if (this == &other) return *this;
  drop();
  state_ = std::move(other.state_);
  return *this;
}

Capture::~Capture() { drop(); }

void Capture::drop() noexcept {
  if (!state_) return;
  try {
    if (!state_->ended) end();
  } catch (const std::exception& error) {
    log(LogLevel::error, error.what());
  }
  state_.reset();
}

void Capture::begin() {
  CaptureState& state = live(state_, "begin()");
  try {
    state.begin();
  } catch (const std::exception& error) {
    if (!state.from_environment) throw;
    // Whoever runs the program asked for it, and the program can't know: it goes on without.
    log(LogLevel::error, fmt::format("REEL_CAPTURE={} ignored: {}", state.path, error.what()));
  }
}

bool Capture::is_begun() const noexcept { return state_ && state_->begun; }

const std::string& Capture::path() const noexcept {
  static const std::string none;
  return state_ ? state_->path : none;
}

CaptureReport Capture::end() {
  CaptureState& state = live(state_, "end()");
  const bool is_told = state.ended || !state.from_environment || state.is_inherited();
  state.end();
  if (!is_told) capture::announce_end(state.report, state.begun, state.options.scope);
  return state.report;
}

EndingCapture Capture::end_async() {
  CaptureState& state = live(state_, "end_async()");
  if (state.from_environment) end();  // which says what is in the document
  return {state.end_later(), false};
}

CaptureReport EndingCapture::report() const {
  CaptureReport report = document_->wait();
  return is_demanded_ ? whole(std::move(report)) : report;
}

bool EndingCapture::is_finished() const noexcept { return document_->is_finished(); }

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
  settle_passes();
  if (is_capturing())
    fail(Code::invalid_argument, "start_capture(): another capture of this process is under way.");
  Capture fresh(path, options);
  fresh.begin();
  started.emplace(std::move(fresh));
}

namespace {

// With the lock held.
Capture take_started(std::string_view call) {
  if (!started)
    fail(Code::invalid_argument, "{}: no capture was started by start_capture().", call);
  Capture ending = std::move(*started);
  started.reset();
  return ending;
}

}  // namespace

CaptureReport stop_capture() {
  const std::lock_guard lock(started_mutex);
  return whole(take_started("stop_capture()").end());
}

EndingCapture stop_capture_async() {
  const std::lock_guard lock(started_mutex);
  EndingCapture ending = take_started("stop_capture_async()").end_async();
  ending.is_demanded_ = true;
  return ending;
}

bool is_capturing() noexcept { return capture::is_recording(); }

}  // namespace reel
