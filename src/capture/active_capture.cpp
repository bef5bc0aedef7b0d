#include "capture/active_capture.hpp"

#include <pthread.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <mutex>

#include "base/fail.hpp"
#include "base/log.hpp"
#include "capture/facts.hpp"
#include "runtime/recorder.hpp"

namespace reel::capture {

namespace {

std::mutex mutex;                      // of the two
std::unique_ptr<Recording> recording;  // the one under way
std::string recording_path;
std::atomic<std::uint32_t> captures{0};

std::string selection(const CaptureOptions& options) {
  std::string text;
  if (options.device) text += "device " + options.device.info().id;
  if (options.stream) text += (text.empty() ? "" : ", ") + ("stream " + options.stream.label());
  if (!options.scope.empty()) text += (text.empty() ? "" : ", ") + ("scope " + options.scope);
  return text;
}

document::Facts facts_of(const CaptureOptions& options) {
  auto facts = process_facts(options.contents, options.limit_bytes, selection(options));
  facts.insert(options.facts.begin(), options.facts.end());
  return facts;
}

// A forked child has none of the other threads: it goes on without a recording, and the parent's
// document is the parent's.
void in_child() {
  forget_recorder();
  static_cast<void>(recording.release());
  mutex.unlock();
}

// A program that ends without stopping has its document closed, while drivers are still there:
// what was registered later, runs first.
void at_exit() {
  try {
    if (const auto report = end_recording())
      log(LogLevel::warn, fmt::format("the program ended; captured {} commands to {}",
                                      report->commands, report->path));
  } catch (...) {
  }
}

void register_handlers() {
  static std::once_flag once;
  std::call_once(once, [] {
    pthread_atfork([] { mutex.lock(); }, [] { mutex.unlock(); }, in_child);
    std::atexit(at_exit);
  });
}

}  // namespace

std::unique_ptr<DocumentThread> open_document(const std::string& path,
                                              const CaptureOptions& options) {
  if (path.empty()) fail(Code::invalid_argument, "A capture needs a path for its document.");
  if (!options.overwrite && std::filesystem::exists(std::filesystem::symlink_status(path)))
    fail(Code::io_failed,
         "{} exists already; remove it, choose another path (%p and %n in it become numbers), or "
         "allow overwriting.",
         path);
  return std::make_unique<DocumentThread>(path, facts_of(options),
                                          document::DocumentOptions{.overwrite = options.overwrite},
                                          options.limit_bytes);
}

void begin_recording(const std::string& path, std::unique_ptr<DocumentThread> document,
                     const CaptureOptions& options) {
  register_handlers();
  const std::lock_guard lock(mutex);
  if (recording)
    fail(Code::invalid_argument, "A capture to {} is under way; stop it before another begins.",
         recording_path);
  const std::uint32_t number = captures.fetch_add(1, std::memory_order_relaxed) + 1;
  recording = std::make_unique<Recording>(number, path, std::move(document), options);
  recording_path = path;
  set_recorder(recording.get());
}

std::optional<CaptureReport> end_recording() {
  const std::lock_guard lock(mutex);
  if (!recording) return std::nullopt;
  remove_recorder();
  CaptureReport report = recording->finish();
  recording.reset();
  return report;
}

void record_region(TraceRegion::Kind kind, std::uint32_t number, std::string_view name,
                   std::uint64_t begin_ns) noexcept {
  const std::lock_guard lock(mutex);
  if (recording) recording->region(kind, number, name, begin_ns);
}

bool is_recording() noexcept {
  return reel::detail::active_recorder.load(std::memory_order_relaxed) != nullptr;
}

}  // namespace reel::capture
