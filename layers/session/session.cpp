#include "layers/session/session.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <filesystem>
#include <mutex>
#include <thread>

#include "base/fail.hpp"
#include "base/process/forks.hpp"
#include "layers/control/scope_stack.hpp"
#include "layers/session/recording_use.hpp"
#include "recording/calls/held_back.hpp"
#include "recording/opening/facts.hpp"
#include "recording/opening/path_pattern.hpp"
#include "recording/opening/run_facts.hpp"

namespace reel::layer {

using capture::CallRecording;
namespace held_back = capture::held_back;

namespace {

// Those that the process calls, in the order in which it came to them; null after the last. Without
// a lock: whoever names a handle may be who a capture that ends waits for.
std::array<std::atomic<capture::ApiAdapter*>, 8> apis{};

template <class F>
void for_each_api(F&& visit) {
  for (const auto& place : apis)
    if (capture::ApiAdapter* api = place.load(std::memory_order_acquire)) visit(*api);
}

// Of what follows. Never destroyed: a program may go on past its last destructor.
std::mutex& mutex = *new std::mutex;
std::atomic<CallRecording*> current{nullptr};
std::atomic<CallRecording*> reads_results{nullptr};  // and ends after that
std::atomic<std::uint64_t> users{0}, users_of_ending{0};
std::atomic<std::uint32_t> captures{0}, strays{0};
std::atomic<bool> is_hurried{false};

// How long a capture waits for a device that gets nothing done. What only the program can release
// will not be released while it waits for us.
std::chrono::milliseconds patience() {
  if (is_hurried.load()) return std::chrono::milliseconds(0);
  return held_back::is_free(held_back::now()) ? std::chrono::milliseconds(5000)
                                              : std::chrono::milliseconds(200);
}

std::string selection(const Settings& settings) {
  std::string text;
  const auto add = [&](std::string part) {
    if (!text.empty()) text += ", ";
    text += part;
  };
  if (settings.first) add(fmt::format("the first {} commands", settings.first));
  if (settings.commands)
    add(fmt::format("commands {} to {}", settings.commands->first, settings.commands->last));
  if (settings.submits)
    add(fmt::format("submissions {} to {}", settings.submits->first, settings.submits->last));
  if (!settings.kernel.empty()) add("kernels " + settings.kernel);
  if (settings.after_s > 0) add(fmt::format("after {} s", settings.after_s));
  if (settings.for_s > 0) add(fmt::format("for {} s", settings.for_s));
  if (settings.last_s > 0) add(fmt::format("the last {} s", settings.last_s));
  return text;
}

std::string names_of_apis() {
  std::string text;
  for_each_api([&](const capture::ApiAdapter& api) {
    if (!text.empty()) text += ", ";
    text += api.name();
  });
  return text;
}

}  // namespace

RecordingUse::RecordingUse() noexcept : recording_(nullptr) {
  if (!(session::mode() & session::recording)) return;
  users.fetch_add(1, std::memory_order_seq_cst);
  recording_ = current.load(std::memory_order_seq_cst);
  if (!recording_) users.fetch_sub(1, std::memory_order_release);
}

RecordingUse::RecordingUse(OrEnding) noexcept : RecordingUse() {
  if (recording_ || !(session::mode() & session::ending)) return;
  users_of_ending.fetch_add(1, std::memory_order_seq_cst);
  recording_ = reads_results.load(std::memory_order_seq_cst);
  is_ending_ = recording_ != nullptr;
  if (!recording_) users_of_ending.fetch_sub(1, std::memory_order_release);
}

RecordingUse::~RecordingUse() {
  if (recording_) (is_ending_ ? users_of_ending : users).fetch_sub(1, std::memory_order_release);
}

namespace session {

void add(capture::ApiAdapter& api) noexcept {
  for (auto& place : apis) {
    capture::ApiAdapter* none = nullptr;
    if (place.compare_exchange_strong(none, &api) || none == &api) return;
  }
}

void set_attention(bool on) noexcept {
  if (on)
    detail::mode_bits.fetch_or(attention, std::memory_order_relaxed);
  else
    detail::mode_bits.fetch_and(~attention, std::memory_order_relaxed);
}

void wait_for_work() noexcept {
  const RecordingUse use;
  if (use) use->wait_for_work(patience());
}

void hurry() noexcept { is_hurried.store(true); }

void stray_command() noexcept { strays.fetch_add(1, std::memory_order_seq_cst); }
std::uint32_t stray_commands() noexcept { return strays.load(std::memory_order_seq_cst); }

bool begin(const std::string& path, const std::string& pattern, const Settings& settings,
           std::string& why) noexcept {
  try {
    const std::lock_guard lock(mutex);
    if (is_forked()) fail(Code::unsupported, "A forked process can't be captured.");
    if (const CallRecording* under_way = current.load())
      fail(Code::invalid_argument, "A capture to {} is under way; stop it before another begins.",
           under_way->path);
    if (path.empty()) fail(Code::invalid_argument, "A capture needs a path for its document.");
    if (!settings.overwrite && std::filesystem::exists(std::filesystem::symlink_status(path)))
      fail(Code::io_failed,
           "{} exists already; remove it, choose another path, or allow "
           "overwriting.",
           path);
    auto facts =
        capture::process_facts(settings.contents, settings.limit_bytes, selection(settings));
    facts["api"] = names_of_apis();
    capture::RunFacts run = capture::run_facts();
    auto document = std::make_unique<capture::DocumentThread>(
        path, std::move(facts),
        document::DocumentOptions{.overwrite = settings.overwrite,
                                  .run_facts = std::move(run.facts)},
        settings.limit_bytes);
    document->note("fact", run.notes);
    document->note("fact", capture::unknown_in(pattern));
    const std::uint32_t number = captures.fetch_add(1, std::memory_order_relaxed) + 1;
    auto recording_now = std::make_unique<CallRecording>(number, path, std::move(document),
                                                         settings.contents, strays);
    current.store(recording_now.release(), std::memory_order_seq_cst);
    detail::mode_bits.fetch_or(recording, std::memory_order_seq_cst);
    return true;
  } catch (const std::exception& error) {
    why = error.what();
  } catch (...) {
    why = "An unknown error occurred.";
  }
  return false;
}

bool end(CaptureReport& report) noexcept {
  try {
    const std::lock_guard lock(mutex);
    std::unique_ptr<CallRecording> recording_now(current.load());
    if (!recording_now) return false;
    strays.store(0, std::memory_order_seq_cst);
    recording_now->will_end();
    reads_results.store(recording_now.get(), std::memory_order_seq_cst);
    detail::mode_bits.fetch_or(ending, std::memory_order_seq_cst);
    detail::mode_bits.fetch_and(~recording, std::memory_order_seq_cst);
    current.store(nullptr, std::memory_order_seq_cst);
    // A thread that the driver does not let go of would keep the process from ending.
    const auto give_up =
        std::chrono::steady_clock::now() + std::max(2 * patience(), std::chrono::milliseconds(200));
    while (users.load(std::memory_order_seq_cst) != 0) {
      if (std::chrono::steady_clock::now() > give_up) {
        report.path = recording_now->path;
        reads_results.store(nullptr, std::memory_order_seq_cst);
        static_cast<void>(recording_now.release());
        fail(Code::unsupported,
             "A thread is stuck in a driver's call; the document is as it was last written.");
      }
      std::this_thread::yield();
    }
    report = recording_now->end(patience(), [] {
      reads_results.store(nullptr, std::memory_order_seq_cst);
      while (users_of_ending.load(std::memory_order_seq_cst) != 0) std::this_thread::yield();
    });
    if (!recording_now->may_be_destroyed()) static_cast<void>(recording_now.release());
    detail::mode_bits.fetch_and(~ending, std::memory_order_seq_cst);
    return true;
  } catch (const std::exception& error) {
    report.lost = error.what();
  } catch (...) {
    report.lost = "An unknown error occurred.";
  }
  detail::mode_bits.fetch_and(~(recording | ending), std::memory_order_seq_cst);
  return true;
}

void foreign_call(const capture::CallMessage& call) noexcept {
  const RecordingUse use;
  if (use) use->foreign_call(call);
}

bool is_capturing() noexcept { return current.load(std::memory_order_relaxed) != nullptr; }

std::uint64_t recorded_commands() noexcept {
  const RecordingUse use;
  return use ? use->commands() : 0;
}

void push_scope(std::string_view name) noexcept {
  try {
    layer::push_scope(name);
  } catch (...) {  // out of memory: the scope is then that of the parent
  }
}

void pop_scope() noexcept { layer::pop_scope(); }

bool label(const void* handle, std::string_view name) noexcept {
  try {
    bool is_known = false;
    for_each_api([&](capture::ApiAdapter& api) { is_known = is_known || api.label(handle, name); });
    return is_known;
  } catch (...) {
    return false;
  }
}

void prepare_fork() noexcept {
  mutex.lock();
  for_each_api([](capture::ApiAdapter& api) { api.before_fork(); });
}

void after_fork_in_parent() noexcept {
  for_each_api([](capture::ApiAdapter& api) { api.after_fork(); });
  mutex.unlock();
}

void after_fork_in_child() noexcept {
  current.store(nullptr);  // left as it is: its threads are the parent's
  reads_results.store(nullptr);
  users = users_of_ending = 0;
  detail::mode_bits = 0;
  after_fork_in_parent();
}

}  // namespace session
}  // namespace reel::layer
