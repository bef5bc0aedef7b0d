#include "replay/run/heartbeat.hpp"

#include <chrono>
#include <future>
#include <thread>

#include "base/fail.hpp"

namespace reel::rerun {

void run_with_limit(std::uint32_t limit_s, const std::shared_ptr<Heartbeat>& heart,
                    std::function<void()> work,
                    const std::function<std::string(std::uint32_t)>& describe) {
  if (limit_s == 0) {
    work();
    return;
  }
  using Clock = std::chrono::steady_clock;
  std::packaged_task<void()> task(std::move(work));
  std::future<void> result = task.get_future();
  std::thread thread(std::move(task));
  std::uint64_t seen = heart->beats();
  auto last = Clock::now();
  while (result.wait_for(std::chrono::milliseconds(50)) != std::future_status::ready) {
    const std::uint64_t beats = heart->beats();
    if (beats != seen || !heart->is_running()) {
      seen = beats;
      last = Clock::now();
    } else if (Clock::now() - last > std::chrono::seconds(limit_s)) {
      thread.detach();
      fail(Code::timed_out, "{}", describe(heart->oldest()));
    }
  }
  thread.join();
  result.get();
}

}  // namespace reel::rerun
