#include "cli/showing/progress.hpp"

#include <fmt/core.h>
#include <unistd.h>

#include <chrono>

#include "cli/showing/terminal.hpp"

namespace reel::cli {

Progress::Progress(std::string what) : what_(std::move(what)) {
  if (isatty(STDERR_FILENO) != 1) return;
  thread_ = std::thread([this] {
    std::unique_lock lock(mutex_);
    const auto is_done = [this] { return done_; };
    if (changed_.wait_for(lock, std::chrono::seconds(1), is_done)) return;
    for (int seconds = 1; !done_; ++seconds) {
      fmt::print(stderr, "\r{} … {} s\033[K", printable(what_), seconds);
      changed_.wait_for(lock, std::chrono::seconds(1), is_done);
    }
    fmt::print(stderr, "\r\033[K");
  });
}

void Progress::show(std::string what) {
  if (!thread_.joinable()) return;
  const std::lock_guard lock(mutex_);
  what_ = std::move(what);
}

Progress::~Progress() {
  if (!thread_.joinable()) return;
  {
    const std::lock_guard lock(mutex_);
    done_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

}  // namespace reel::cli
