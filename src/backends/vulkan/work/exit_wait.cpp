#include "backends/vulkan/work/exit_wait.hpp"

#include <chrono>
#include <mutex>
#include <vector>

#include "backends/vulkan/work/line.hpp"
#include "base/process/exit_watch.hpp"
#include "base/process/forks.hpp"

namespace reel::vulkan {
namespace {

using namespace std::chrono;

// Longer than a large shader compiles; a kernel that never ends doesn't keep a program from ending.
constexpr seconds longest_wait{2};

struct Lines {
  std::mutex mutex;
  std::vector<std::weak_ptr<Line>> all;

  std::vector<std::shared_ptr<Line>> alive() {
    const std::lock_guard lock(mutex);
    std::vector<std::shared_ptr<Line>> result;
    for (const auto& line : all)
      if (auto strong = line.lock()) result.push_back(std::move(strong));
    return result;
  }
};

// Never destroyed: exit() looks at it.
Lines& lines() {
  static Lines& it = *new Lines;
  return it;
}

void exit_begins(bool) {
  if (is_forked()) return;  // the driver's threads are the parent's
  try {
    const auto until = steady_clock::now() + longest_wait;
    for (const auto& line : lines().alive()) line->wait_for_device(until);
  } catch (...) {  // no memory for the list: the program ends as it would have
  }
}

}  // namespace

void wait_at_exit(const std::shared_ptr<Line>& line) {
  on_exit_begin(ExitStep::wait_for_devices, exit_begins);
  const std::lock_guard lock(lines().mutex);
  std::erase_if(lines().all, [](const auto& other) { return other.expired(); });
  lines().all.push_back(line);
}

}  // namespace reel::vulkan
