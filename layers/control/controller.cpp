#include "layers/control/controller.hpp"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <thread>

#include "base/log.hpp"
#include "layers/control/launcher.hpp"
#include "layers/control/name_pattern.hpp"
#include "layers/session/session.hpp"
#include "recording/opening/announce.hpp"

namespace reel::layer {
namespace {

// How long the end of the process waits for a thread that is closing the document.
constexpr std::chrono::seconds exit_patience{30};

bool exists(const std::string& path) {
  struct stat status {};
  return ::lstat(path.c_str(), &status) == 0;
}

Outcome refusal(std::string why) {
  Outcome outcome;
  outcome.why = std::move(why);
  return outcome;
}

}  // namespace

Controller::Controller(Settings settings, bool same_run, Clock clock)
    : settings_(std::move(settings)),
      clock_(clock),
      same_run_(same_run || !settings_.launcher.empty()),
      window_(settings_),
      names_(settings_.path, same_run_),
      armed_(!settings_.refused) {
  refresh();
}

// What the hooks ask without a lock follows from the window.
void Controller::refresh() {
  first_wanted_.store(window_.first_command(), std::memory_order_relaxed);
  // A program that captures by itself may do so again.
  const bool by_itself = settings_.path.empty() && !settings_.refused;
  armed_.store(by_itself || window_.is_capturing() || !window_.is_over(),
               std::memory_order_relaxed);
  session::set_attention(!closed_ && window_.wants_commands());
}

void Controller::first_call() {
  tell_launcher(settings_.launcher, "call");
  const std::lock_guard lock(mutex_);
  if (closed_) return;
  window_.first_call(clock_());
  act(window_.look({clock_(), std::nullopt, 0}));
  refresh();
}

bool Controller::before_command() {
  const std::uint64_t number = commands_.fetch_add(1, std::memory_order_relaxed);
  if (number < first_wanted_.load(std::memory_order_relaxed) &&
      !triggered_.load(std::memory_order_relaxed))
    return false;
  if (ending_.load(std::memory_order_acquire)) return false;
  const std::lock_guard lock(mutex_);
  if (closed_) return false;
  const bool acted = act_on_request();
  const Wish wish = window_.look({clock_(), number, session::recorded_commands()});
  act(wish);
  return acted || wish != Wish::nothing;
}

bool Controller::before_submission(std::uint64_t count) {
  const std::uint64_t first = commands_.fetch_add(count, std::memory_order_relaxed);
  const std::uint64_t submission = submissions_.fetch_add(1, std::memory_order_relaxed);
  if (ending_.load(std::memory_order_acquire)) return false;
  const std::lock_guard lock(mutex_);
  if (closed_) return false;
  const bool acted = act_on_request();
  // The first of them that a window of commands cares for.
  const std::uint64_t last = first + std::max<std::uint64_t>(count, 1) - 1;
  const std::uint64_t command = std::max(first, std::min(window_.first_command(), last));
  Moment moment{clock_(), command, session::recorded_commands(), submission};
  if (count == 0) moment.command.reset();
  const Wish wish = window_.look(moment);
  act(wish);
  return acted || wish != Wish::nothing;
}

void Controller::look() {
  const std::lock_guard lock(mutex_);
  if (closed_) return;
  act_on_request();
  const std::uint64_t recorded = window_.is_capturing() ? session::recorded_commands() : 0;
  act(window_.look({clock_(), std::nullopt, recorded}));
}

bool Controller::act_on_request() {
  if (!triggered_.exchange(false, std::memory_order_acq_rel)) return false;
  act(window_.trigger());
  return true;
}

Outcome Controller::trigger() {
  const std::lock_guard lock(mutex_);
  if (closed_) return refusal("The program is ending.");
  return act(window_.trigger());
}

Outcome Controller::act(Wish wish) {
  Outcome outcome;
  if (wish == Wish::nothing) return outcome;
  if (wish == Wish::begin) outcome = begin(names_, Voice::aloud, false);
  if (wish == Wish::end) outcome = end(Voice::aloud);
  if (wish == Wish::renew) renew();
  refresh();
  return outcome;
}

Outcome Controller::start(const std::string& path) {
  const std::lock_guard lock(mutex_);
  if (closed_) return refusal("The program is ending.");
  if (window_.is_capturing())
    return refusal(
        fmt::format("A capture to {} is under way; stop it before another begins.", path_));
  Outcome outcome;
  if (path.empty()) {
    outcome = begin(names_, Voice::silent, true);
  } else {
    DocumentNames own(path, false);
    outcome = begin(own, Voice::silent, true);
  }
  refresh();
  return outcome;
}

Outcome Controller::stop() {
  const std::lock_guard lock(mutex_);
  if (!window_.is_capturing()) return refusal("No capture is under way, so there is none to stop.");
  if (!window_.is_open())
    return refusal(fmt::format(
        "The capture to {} was not begun by start(), so it is not the program's to stop.", path_));
  Outcome outcome = end(Voice::silent);
  refresh();
  return outcome;
}

void Controller::set_path(const std::string& path) {
  const std::lock_guard lock(mutex_);
  names_ = DocumentNames(path, same_run_);
}

// Finds a name that is free, and begins there. The document is created under its final name or not
// at all, so of two processes that want the same one the slower steps aside.
bool Controller::open_document(DocumentNames& names, Outcome& outcome) {
  if (names.pattern().empty()) {
    outcome.why = "No path was set for the document: name one, or set REEL_LAYER_CAPTURE.";
    return false;
  }
  for (bool tried = false;;) {
    const std::string path = names.next();
    const bool is_taken = exists(path) || (settings_.last_s > 0 && exists(before_name(path)));
    if (is_taken && !settings_.overwrite) {
      if (names.step_aside()) continue;
      outcome.why = fmt::format(
          "{} exists already; remove it, choose another path (%p and %n in it become numbers), or "
          "allow overwriting.",
          path);
      return false;
    }
    outcome.path = path;
    if (session::begin(path, names.pattern(), settings_, outcome.why)) return true;
    if (tried || settings_.overwrite || !exists(path) || !names.step_aside()) return false;
    tried = true;
  }
}

Outcome Controller::begin(DocumentNames& names, Voice voice, bool open) {
  Outcome outcome;
  tried_ = true;
  try {
    if (open_document(names, outcome)) outcome.kind = Outcome::Kind::started;
  } catch (const std::exception& error) {
    outcome.why = error.what();
  }
  if (!outcome) {
    window_.failed_to_begin();
    if (!tell_launcher(settings_.launcher, "refused", {outcome.why}) && voice == Voice::aloud)
      log(LogLevel::error, fmt::format("capture: {}", outcome.why));
    return outcome;
  }
  names.taken();
  path_ = outcome.path;
  before_.reset();
  window_.began(clock_(), open);
  const bool told = tell_launcher(settings_.launcher, "begin", {path_});
  if ((voice == Voice::aloud && !told) || is_logged(LogLevel::info))
    capture::announce_begin(path_, settings_.contents, 0);
  return outcome;
}

Outcome Controller::end(Voice voice) {
  Outcome outcome;
  outcome.kind = Outcome::Kind::stopped;
  ending_.store(true, std::memory_order_release);
  const bool was_there = session::end(outcome.report);
  ending_.store(false, std::memory_order_release);
  window_.ended();
  if (!was_there) return refusal(fmt::format("The capture to {} had ended by itself.", path_));
  outcome.report.path = path_;
  keep_what_was_done(outcome.report);
  outcome.path = path_;
  tell_ended(outcome.report);
  const bool told = !settings_.launcher.empty();
  if ((voice == Voice::aloud && !told) || is_logged(LogLevel::info)) {
    capture::announce_end(outcome.report, true);
    if (before_)
      log(LogLevel::warn, fmt::format("capture: the part before it is {} ({} commands)",
                                      before_->path, before_->commands));
  }
  return outcome;
}

// --last: when the final part has nothing in it, the one before it is the final part.
void Controller::keep_what_was_done(CaptureReport& report) {
  if (!before_ || report.commands > 0) return;
  if (std::rename(before_->path.c_str(), path_.c_str()) != 0) return;
  report = *before_;
  report.path = path_;
  before_.reset();
}

void Controller::tell_ended(const CaptureReport& report) const {
  tell_launcher(settings_.launcher, "end",
                {report.path, std::to_string(report.commands),
                 std::to_string(report.document_bytes), report.lost});
}

// --last: what was recorded becomes the part before, in place of the one that was; commands wait
// meanwhile, so that the next part has them.
void Controller::renew() {
  CaptureReport report;
  if (!session::end(report)) {
    window_.ended();
    return;
  }
  report.path = path_;
  Outcome next;
  const std::string aside = before_name(path_);
  if (std::rename(path_.c_str(), aside.c_str()) == 0) {
    report.path = aside;
    if (!before_) tell_launcher(settings_.launcher, "begin", {aside});
    tell_ended(report);
    before_ = report;
    if (session::begin(path_, names_.pattern(), settings_, next.why)) {
      window_.began(clock_());
      return;
    }
  } else {
    next.why = fmt::format("{} can't be renamed to {}.", path_, aside);
  }
  window_.ended();
  tell_ended(report);
  if (!tell_launcher(settings_.launcher, "refused", {next.why}))
    log(LogLevel::error, fmt::format("capture: ended early: {}", next.why));
}

// `reel capture` says it by itself.
void Controller::say_what_never_happened() const {
  if (settings_.path.empty() || settings_.refused || !settings_.launcher.empty()) return;
  std::string why = "the program ended before it began";
  if (settings_.commands)
    why = fmt::format("commands {} to {} were asked for, and the program gave {}",
                      settings_.commands->first, settings_.commands->last, commands_.load());
  else if (settings_.trigger)
    why = "it was never triggered";
  else if (settings_.after_s > 0)
    why =
        fmt::format("the program ended before REEL_CAPTURE_AFTER={} had passed", settings_.after_s);
  log(LogLevel::warn,
      fmt::format("REEL_LAYER_CAPTURE={}: {}; there is no document.", settings_.path, why));
}

void Controller::process_ends() {
  // Not for ever: the thread that has the lock may be the one that was interrupted to exit.
  std::unique_lock lock(mutex_, std::try_to_lock);
  const auto until = std::chrono::steady_clock::now() + exit_patience;
  while (!lock.owns_lock() && std::chrono::steady_clock::now() < until) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    static_cast<void>(lock.try_lock());
  }
  if (!lock.owns_lock() || closed_) return;
  closed_ = true;
  if (window_.is_capturing()) end(Voice::aloud);
  if (!tried_) say_what_never_happened();
  refresh();
  tell_launcher(settings_.launcher, "exit", {std::to_string(commands_.load())});
}

bool Controller::selects(std::string_view kernel) const {
  if (settings_.kernel.empty()) return true;
  return !kernel.empty() && name_matches(settings_.kernel, kernel);
}

std::optional<std::uint64_t> Controller::next_look_ns() const {
  const std::lock_guard lock(mutex_);
  return closed_ ? std::nullopt : window_.next_look_ns(clock_());
}

}  // namespace reel::layer
