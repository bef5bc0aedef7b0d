#include "recording/calls/held_back.hpp"

#include <atomic>
#include <mutex>
#include <set>

namespace reel::capture::held_back {

namespace {

struct UserEvents {
  std::mutex mutex;
  std::set<std::uint64_t> not_set;
};

UserEvents& user_events() {
  static UserEvents& one = *new UserEvents;  // never destroyed: programs go on past destructors
  return one;
}

std::atomic<std::uint64_t> count{0};
// Work may wait for what we could not note, or for functions: then nothing is free.
std::atomic<bool> is_unknown{false};

}  // namespace

std::uint64_t made() noexcept {
  try {
    UserEvents& events = user_events();
    const std::lock_guard lock(events.mutex);
    const std::uint64_t number = count.load(std::memory_order_relaxed) + 1;
    events.not_set.insert(number);
    count.store(number, std::memory_order_release);
    return number;
  } catch (...) {
    is_unknown = true;
    return 0;
  }
}

void set(std::uint64_t user_event) noexcept {
  UserEvents& events = user_events();
  const std::lock_guard lock(events.mutex);
  events.not_set.erase(user_event);
}

void native_given() noexcept { is_unknown.store(true, std::memory_order_relaxed); }

std::uint64_t now() noexcept { return count.load(std::memory_order_acquire); }

bool is_free(std::uint64_t moment) noexcept {
  if (is_unknown.load(std::memory_order_relaxed)) return false;
  if (count.load(std::memory_order_acquire) == 0) return true;
  UserEvents& events = user_events();
  const std::lock_guard lock(events.mutex);
  return events.not_set.empty() || *events.not_set.begin() > moment;
}

bool is_any_event_unset() noexcept {
  if (count.load(std::memory_order_acquire) == 0) return false;
  UserEvents& events = user_events();
  const std::lock_guard lock(events.mutex);
  return !events.not_set.empty();
}

}  // namespace reel::capture::held_back
