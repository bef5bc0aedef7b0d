#include "capture/active_capture.hpp"

#include <pthread.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <mutex>

#include "base/fail.hpp"
#include "base/log.hpp"
#include "base/process/exit_watch.hpp"
#include "capture/pass.hpp"
#include "recording/opening/facts.hpp"
#include "recording/opening/run_facts.hpp"
#include "runtime/callback.hpp"
#include "runtime/recorder.hpp"

namespace reel::capture {

namespace {

std::mutex mutex;                      // of the three
std::unique_ptr<Recording> recording;  // the one under way
std::string recording_path;
std::vector<std::shared_ptr<EndingDocument>> unwaited;  // of captures that have ended
std::atomic<std::uint32_t> captures{0};

std::string selection(const CaptureOptions& options) {
  std::string text;
  if (options.device) text += "device " + options.device.info().id;
  if (options.stream) text += (text.empty() ? "" : ", ") + ("stream " + options.stream.label());
  if (!options.scope.empty()) text += (text.empty() ? "" : ", ") + ("scope " + options.scope);
  return text;
}

// A forked child has none of the other threads: it goes on without a recording, and the parent's
// document is the parent's.
void in_child() {
  forget_recorder();
  static_cast<void>(recording.release());
  new (std::nothrow)
      std::vector(std::move(unwaited));  // never destroyed: their threads aren't here
  mutex.unlock();
  forget_passes();
}

constexpr std::uint64_t patience_ns = 6'000'000'000, hurried_patience_ns = 200'000'000;

// With the mutex held: ends the recording. False: somebody is stuck in a driver's call, inside of
// it, so that it must stay.
bool end_recorder() {
  recording->settle();
  return remove_recorder(Recording::is_hurried() ? hurried_patience_ns : patience_ns);
}

CaptureReport end_now() {
  const bool nobody_inside = end_recorder();
  CaptureReport report = recording->close();
  if (!nobody_inside) static_cast<void>(recording.release());
  recording.reset();
  return report;
}

std::shared_ptr<EndingDocument> end_later() {
  if (!end_recorder()) {
    auto closed = std::make_shared<EndingDocument>(nullptr, recording->close());
    static_cast<void>(recording.release());
    return closed;
  }
  auto document = recording->close_later();
  recording.reset();
  unwaited.push_back(document);
  return document;
}

// What a document that is being written takes: some hundred MiB of memory, a thread, a file.
constexpr std::size_t most_unwaited = 2;

// With the mutex held: those that a document at `path` has to wait for. One that takes the place of
// another must not be overtaken by it.
std::vector<std::shared_ptr<EndingDocument>> in_the_way_of(const std::string& path) {
  const auto place = [](const std::string& at) {
    std::error_code ignored;
    return std::filesystem::weakly_canonical(at, ignored);
  };
  std::vector<std::shared_ptr<EndingDocument>> found;
  for (std::size_t i = 0; i < unwaited.size(); ++i)
    if (i + most_unwaited < unwaited.size() || place(unwaited[i]->path()) == place(path))
      found.push_back(unwaited[i]);
  return found;
}

// A program that ends without stopping has its document closed.
void end_all() {
  try {
    end_passes();
    const std::lock_guard lock(mutex);
    for (const auto& document : unwaited) document->wait();
    if (!recording) return;
    const CaptureReport report = end_now();
    log(LogLevel::warn,
        fmt::format("the program ended; captured {} commands to {}", report.commands, report.path));
  } catch (...) {
  }
}

// Handlers of the driver may have run, while threads of it go on compiling: who waits for those
// lets them crash.
void at_exit() {
  Recording::hurry();
  end_all();
}

}  // namespace

void register_handlers() {
  static std::once_flag once;
  std::call_once(once, [] {
    pthread_atfork(
        [] {
          lock_passes();
          mutex.lock();
        },
        [] {
          mutex.unlock();
          unlock_passes();
        },
        in_child);
    on_exit_begin(ExitStep::end_captures, [](bool) {
      if (!Callback::current()) end_all();  // a host call that exits would wait for itself
    });
    close_at_exit();
  });
}

namespace {

// A path that can't be looked at (too long, no permission) is told by whoever opens it.
bool is_something_at(const std::string& path) {
  std::error_code ignored;
  return std::filesystem::exists(std::filesystem::symlink_status(path, ignored));
}

}  // namespace

std::unique_ptr<DocumentThread> open_document(const std::string& path,
                                              const CaptureOptions& options) {
  if (path.empty()) fail(Code::invalid_argument, "A capture needs a path for its document.");
  if (!options.overwrite && is_something_at(path))
    fail(Code::io_failed,
         "{} exists already; remove it, choose another path (%p and %n in it become numbers), or "
         "allow overwriting.",
         path);
  std::vector<std::shared_ptr<EndingDocument>> in_the_way;
  {
    const std::lock_guard lock(mutex);
    std::erase_if(unwaited, [](const auto& document) { return document->is_finished(); });
    in_the_way = in_the_way_of(path);
  }
  for (const auto& document : in_the_way) document->wait();
  check_facts(options.facts);
  RunFacts run = run_facts(options.facts);
  auto document = std::make_unique<DocumentThread>(
      path, process_facts(options.contents, options.limit_bytes, selection(options)),
      document::DocumentOptions{.overwrite = options.overwrite, .run_facts = std::move(run.facts)},
      options.limit_bytes);
  document->note("fact", run.notes);
  return document;
}

std::uint32_t begin_recording(const std::string& path, std::unique_ptr<DocumentThread>& document,
                              const CaptureOptions& options, std::optional<PassRange> passes) {
  register_handlers();
  watch_exit();
  const std::lock_guard lock(mutex);
  if (recording)
    fail(Code::invalid_argument, "A capture to {} is under way; stop it before another begins.",
         recording_path);
  const std::uint32_t number = captures.fetch_add(1, std::memory_order_relaxed) + 1;
  recording = std::make_unique<Recording>(number, path, std::move(document), options, passes);
  recording_path = path;
  set_recorder(recording.get());
  recording->open();
  return number;
}

std::optional<CaptureReport> end_recording(std::uint32_t number) {
  const std::lock_guard lock(mutex);
  if (!recording || recording->number != number) return std::nullopt;
  return end_now();
}

std::shared_ptr<EndingDocument> end_recording_later(std::uint32_t number) {
  const std::lock_guard lock(mutex);
  if (!recording || recording->number != number) return nullptr;
  return end_later();
}

void cut_recording_behind(StreamState& stream) noexcept {
  const std::lock_guard lock(mutex);
  if (recording) recording->cut_behind(stream);
}

bool is_recorded_work_done() noexcept {
  const std::lock_guard lock(mutex);
  return !recording || recording->is_work_done();
}

std::string path_of_recording() {
  const std::lock_guard lock(mutex);
  return recording ? recording_path : std::string();
}

void close_at_exit() noexcept { static_cast<void>(std::atexit(at_exit)); }

// Not under the lock: a pass that ends must not wait for a capture that does.
void record_region(TraceRegion::Kind kind, std::uint32_t number, std::string_view name,
                   std::uint64_t begin_ns) noexcept {
  if (const RecorderUse recorder; recorder)
    static_cast<Recording&>(*recorder.operator->()).region(kind, number, name, begin_ns);
}

void record_foreign_call(const CallMessage& call) noexcept {
  if (const RecorderUse recorder; recorder)
    static_cast<Recording&>(*recorder.operator->()).foreign_call(call);
}

bool is_recording() noexcept {
  return reel::detail::active_recorder.load(std::memory_order_relaxed) != nullptr;
}

}  // namespace reel::capture
