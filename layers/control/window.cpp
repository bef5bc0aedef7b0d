#include "layers/control/window.hpp"

#include <algorithm>

namespace reel::layer {
namespace {

// How soon a capture of so many commands ends when the program gives no further one.
constexpr std::uint64_t idle_look_ns = 20'000'000;

std::uint64_t ns_of(double seconds) { return static_cast<std::uint64_t>(seconds * 1e9); }

}  // namespace

Window::Window(const Settings& settings)
    : first_(settings.first),
      after_ns_(ns_of(settings.after_s)),
      for_ns_(ns_of(settings.for_s)),
      last_ns_(ns_of(settings.last_s)),
      commands_(settings.commands),
      submits_(settings.submits),
      trigger_(settings.trigger),
      over_(settings.path.empty()) {}

Wish Window::look(const Moment& moment) {
  if (is_capturing()) return look_at_capture(moment);
  if (over_ || trigger_ || !first_call_ns_) return Wish::nothing;
  if (submits_) {
    if (!moment.submission || *moment.submission < submits_->first) return Wish::nothing;
    if (*moment.submission <= submits_->last) return Wish::begin;
    over_ = true;
    return Wish::nothing;
  }
  if (commands_) {
    if (!moment.command || *moment.command < commands_->first) return Wish::nothing;
    if (*moment.command <= commands_->last) return Wish::begin;
    over_ = true;
    return Wish::nothing;
  }
  return moment.now_ns >= *first_call_ns_ + after_ns_ ? Wish::begin : Wish::nothing;
}

Wish Window::look_at_capture(const Moment& moment) const {
  if (open_) return Wish::nothing;
  // A part in which nothing was done is not worth the one before it: it goes on.
  if (last_ns_ && moment.now_ns >= *began_ns_ + last_ns_ && moment.recorded > 0) return Wish::renew;
  const bool is_full = first_ && moment.recorded >= first_;
  const bool is_late = for_ns_ && moment.now_ns >= *began_ns_ + for_ns_;
  const bool is_past_submits = submits_ && moment.submission && *moment.submission > submits_->last;
  const bool is_past = commands_ && ((moment.command && *moment.command > commands_->last) ||
                                     moment.recorded > commands_->last - commands_->first);
  return is_full || is_late || is_past || is_past_submits ? Wish::end : Wish::nothing;
}

void Window::began(std::uint64_t now_ns, bool open) {
  began_ns_ = now_ns;
  open_ = open;
}

void Window::ended() {
  began_ns_.reset();
  if (!trigger_ && !open_) over_ = true;
  open_ = false;
}

void Window::failed_to_begin() {
  if (!trigger_) over_ = true;
}

bool Window::wants_commands() const {
  if (is_capturing()) return !open_ && (first_ || commands_ || submits_ || last_ns_);
  return !over_ && (commands_ || submits_);
}

std::uint64_t Window::first_command() const {
  return !is_capturing() && commands_ ? commands_->first : 0;
}

std::optional<std::uint64_t> Window::next_look_ns(std::uint64_t now_ns) const {
  if (is_capturing()) {
    if (open_) return std::nullopt;
    std::optional<std::uint64_t> next;
    const auto at = [&](std::uint64_t ns) { next = std::min(next.value_or(ns), ns); };
    if (for_ns_) at(*began_ns_ + for_ns_);
    if (last_ns_) at(std::max(*began_ns_ + last_ns_, now_ns + idle_look_ns));
    if (first_ || commands_) at(now_ns + idle_look_ns);
    return next;
  }
  if (over_ || trigger_ || !after_ns_ || !first_call_ns_) return std::nullopt;
  return *first_call_ns_ + after_ns_;
}

bool Window::needs_time() const {
  return trigger_ ||
         (!over_ && (first_ || after_ns_ || for_ns_ || last_ns_ || commands_ || submits_));
}

}  // namespace reel::layer
