// pass_capture.cpp - passes counted, recorded as regions, and captured when the environment asks
// for some of them.
//
// One document at a time: of one pass, or of a range of them. It holds what is given for those
// passes and within them, by whatever thread, and nothing of other passes that overlap them.
#include <fmt/format.h>

#include <atomic>
#include <cstdlib>
#include <mutex>

#include "base/handles.hpp"
#include "base/log.hpp"
#include "capture/active_capture.hpp"
#include "capture/capture_state.hpp"
#include "capture/environment.hpp"
#include "capture/pass.hpp"
#include "recording/opening/announce.hpp"
#include "recording/opening/path_pattern.hpp"
#include "runtime/recorder.hpp"

namespace reel {

namespace capture {
namespace {

std::atomic<std::uint32_t> passes{0};

enum class Asked : std::uint8_t {
  nothing_yet,  // REEL_CAPTURE was not set when somebody looked
  armed,
  over,  // it is done with, or can't be done
};
std::atomic<Asked> asked{Asked::nothing_yet};

std::mutex passes_mutex;  // of what follows
std::optional<EnvironmentWish> wish;
std::uint32_t counted_before = 0;  // passes, when the wish was found
std::uint32_t captured = 0;        // passes that a document was begun for
bool was_missed = false;  // one that was asked for could not be captured, and that was said

// The document under way, from the first pass in it to the last.
struct Held {
  std::unique_ptr<CaptureState> state;
  PassRange range;
  std::uint32_t last_begun = 0;  // of the range
  std::uint32_t open = 0;        // passes of the range that are not given yet
  std::uint32_t under_way = 0;   // or not ended
  bool is_cut = false;
};
std::optional<Held> held;

std::string words(const PassRange& range) {
  if (range.first == range.last) return fmt::format("pass {}", range.first);
  if (range.last == parse_passes("*")->last) return fmt::format("passes from {} on", range.first);
  return fmt::format("passes {}-{}", range.first, range.last);
}

bool contains(const PassRange& range, std::uint32_t number) {
  return number >= range.first && number <= range.last;
}

void set_over() {
  asked = Asked::over;
  reel::detail::launches_are_passes = false;
}

// With the mutex held, until the end of this part.
void look() {
  if (asked != Asked::nothing_yet || !is_capture_asked_for()) return;
  wish = read_environment();  // says what is wrong with it
  if (!wish) return set_over();
  register_handlers();
  close_at_exit();
  asked = Asked::armed;
  counted_before = passes.load(std::memory_order_relaxed);
  reel::detail::launches_are_passes = true;
}

void end_held() noexcept {
  if (!held) return;
  Held ending = std::move(*held);
  held.reset();
  reel::detail::pass_is_unsettled = false;
  try {
    announce_end(ending.state->end(), ending.state->begun, ending.state->options.scope);
  } catch (const std::exception& error) {
    log(LogLevel::error, fmt::format("capture: {}", error.what()));
  }
}

// One line for a pass that was asked for and can't be captured; of many, for the first.
void miss(std::uint32_t number, const std::string& why) {
  if (!was_missed)
    log(LogLevel::error,
        fmt::format("REEL_CAPTURE={}: pass {} is not captured: {}", wish->path, number, why));
  was_missed = true;
}

std::unique_ptr<CaptureState> open_capture(std::uint32_t number, const Device& device) {
  CaptureOptions options = wish->options;
  options.device = device;
  try {
    auto state = std::make_unique<CaptureState>(wish->path, options);
    state->from_environment = true;
    ++captured;
    return state;
  } catch (const std::exception& error) {
    log(LogLevel::error, fmt::format("REEL_CAPTURE={} ignored: {}", wish->path, error.what()));
    if (!has_number(wish->path)) set_over();
    was_missed = true;
    static_cast<void>(number);
    return nullptr;
  }
}

// Pass `number` begins: does its document?
void begin_document(std::uint32_t number, const Device& device) {
  const bool each = has_number(wish->path);
  const PassRange range = each ? PassRange{number, number} : wish->passes;
  if (number >= range.last && (!each || number >= wish->passes.last)) set_over();
  if (const std::string other = path_of_recording(); !other.empty())
    return miss(number, fmt::format("another capture, to {}, is under way.", other));
  auto state = open_capture(number, device);
  if (!state) return;
  state->passes = range;
  state->begin();
  announce_begin(state->path, state->options.contents, state->estimate_bytes);
  held = Held{std::move(state), range};
}

void count_into_held(std::uint32_t number) {
  if (!held || !contains(held->range, number)) return;
  held->last_begun = std::max(held->last_begun, number);
  ++held->open;
  ++held->under_way;
}

// The environment's part in a pass that begins.
void consider(std::uint32_t number, const Pass* around,
              const std::shared_ptr<DeviceState>& device) {
  if (held && held->is_cut) end_held();  // waits, as long as its work gets on
  if (!wish || asked != Asked::armed || number < wish->passes.first) return;
  if (number > wish->passes.last) return set_over();
  if (!held) return begin_document(number, make_handle<Device>(device));
  if (contains(held->range, number)) {
    if (number >= wish->passes.last) set_over();
    return;
  }
  if (number >= wish->passes.last) set_over();
  if (!around || !around->is_within(held->range))
    miss(number,
         fmt::format("it overlaps pass {}, and each document holds one pass.", held->range.first));
}

}  // namespace

void pass_given(Pass& pass, StreamState& stream) noexcept {
  const std::lock_guard lock(passes_mutex);
  if (!held || !contains(held->range, pass.number())) return;
  if (held->open > 0) --held->open;
  if (held->open > 0 || held->last_begun < held->range.last || held->is_cut) return;
  cut_recording_behind(stream);
  held->is_cut = true;
  reel::detail::pass_is_unsettled = true;
}

void pass_ended(Pass& pass) noexcept {
  const std::lock_guard lock(passes_mutex);
  if (!held || !contains(held->range, pass.number())) return;
  if (held->under_way > 0) --held->under_way;
  if (held->under_way == 0 && held->last_begun >= held->range.last && !held->is_cut) end_held();
}

void end_passes() noexcept {
  const std::lock_guard lock(passes_mutex);
  const bool was_open = held.has_value();
  const std::uint32_t last = was_open ? held->last_begun : 0;
  end_held();
  const std::uint32_t count = passes.load(std::memory_order_relaxed) - counted_before;
  try {
    if (asked == Asked::armed && !captured && !was_missed)
      log(LogLevel::warn,
          fmt::format("REEL_CAPTURE={}: {} was asked for, but the program ended after {} passes "
                      "(sessions and launches of graphs); there is no document.",
                      wish->path, words(wish->passes), count));
    else if (was_open && wish && last < wish->passes.last &&
             wish->passes.last != parse_passes("*")->last)
      log(LogLevel::warn, fmt::format("REEL_CAPTURE={}: {} were asked for; the program ended after "
                                      "pass {}.",
                                      wish->path, words(wish->passes), last));
    else if (asked == Asked::nothing_yet && is_capture_asked_for())
      log(LogLevel::warn,
          "REEL_CAPTURE is set, but the program ended without a pass (a session of a "
          "GraphExecutor, "
          "a launch of a GraphExec); nothing was captured. start_capture() captures any part.");
  } catch (...) {
  }
  set_over();
}

void lock_passes() noexcept { passes_mutex.lock(); }
void unlock_passes() noexcept { passes_mutex.unlock(); }

void forget_passes() noexcept {
  if (held) static_cast<void>(held->state.release());
  held.reset();
  reel::detail::pass_is_unsettled = false;
  set_over();
  passes_mutex.unlock();
}

}  // namespace capture

std::shared_ptr<PassRecord> pass_begins(PassKind kind, const std::shared_ptr<DeviceState>& device,
                                        std::string_view name, std::uint64_t begin_ns) noexcept {
  using namespace capture;
  // A launch that belongs to a pass is none.
  if (kind == PassKind::launch && pass_of_this_thread()) return nullptr;
  const Asked before = asked.load(std::memory_order_acquire);
  const bool may_ask =
      before == Asked::armed || (before == Asked::nothing_yet && is_capture_asked_for());
  if (!may_ask && !is_capturing()) [[likely]] {
    passes.fetch_add(1, std::memory_order_relaxed);
    return nullptr;
  }
  try {
    const std::lock_guard lock(capture::passes_mutex);
    look();
    const auto around = open_pass_of_this_thread();
    const std::uint32_t number =
        passes.fetch_add(1, std::memory_order_relaxed) + 1 - counted_before;
    const bool was_held = held.has_value();
    consider(number, around.get(), device);
    if (!was_held && held) begin_ns = monotonic_ns();  // it was prepared before the document
    if (!is_capturing() && asked != Asked::armed) return nullptr;
    auto pass = std::make_shared<Pass>(kind, number, std::string(name.empty() ? "pass" : name),
                                       around, begin_ns);
    count_into_held(number);
    if (kind == PassKind::direct) opened_on_this_thread(pass);
    return pass;
  } catch (const std::exception& error) {
    log(LogLevel::error, fmt::format("capture: {}", error.what()));
    return nullptr;
  }
}

void look_for_pass_wish() noexcept {
  if (capture::asked.load(std::memory_order_relaxed) != capture::Asked::nothing_yet) return;
  try {
    const std::lock_guard lock(capture::passes_mutex);
    capture::look();
  } catch (...) {
  }
}

void expect_passes() noexcept {
  static std::once_flag once;
  try {
    std::call_once(once, [] {
      capture::register_handlers();
      capture::close_at_exit();
    });
  } catch (...) {
  }
}

void settle_passes_now() noexcept {
  const std::lock_guard lock(capture::passes_mutex);
  if (capture::held && capture::held->is_cut && capture::is_recorded_work_done())
    capture::end_held();
}

std::optional<Capture> Capture::from_env(const Device& device) noexcept {
  using namespace capture;
  if (asked.load(std::memory_order_acquire) == Asked::over) return std::nullopt;
  try {
    const std::lock_guard lock(capture::passes_mutex);
    look();
    if (asked != Asked::armed) return std::nullopt;
    const std::uint32_t number =
        passes.fetch_add(1, std::memory_order_relaxed) + 1 - counted_before;
    if (number < wish->passes.first) return std::nullopt;
    if (number >= wish->passes.last || !has_number(wish->path)) set_over();
    if (number > wish->passes.last) return std::nullopt;
    if (held && held->is_cut) end_held();
    if (const std::string other = path_of_recording(); !other.empty()) {
      miss(number, fmt::format("another capture, to {}, is under way.", other));
      return std::nullopt;
    }
    if (auto state = open_capture(number, device)) {
      announce_begin(state->path, state->options.contents, state->estimate_bytes);
      return Capture(std::move(state));
    }
  } catch (const std::exception& error) {
    log(LogLevel::error, fmt::format("capture: {}", error.what()));
  }
  return std::nullopt;
}

void detail::reset_environment_capture_for_test() noexcept {
  const std::lock_guard lock(capture::passes_mutex);
  capture::end_held();
  capture::set_over();
  capture::wish.reset();
  capture::passes = capture::counted_before = capture::captured = 0;
  capture::was_missed = false;
  capture::asked = capture::Asked::nothing_yet;
}

}  // namespace reel
