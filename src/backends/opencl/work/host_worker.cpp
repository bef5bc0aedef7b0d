#include "backends/opencl/work/host_worker.hpp"

#include <utility>

namespace reel::opencl {

HostWorker::~HostWorker() {
  if (!thread_.joinable()) return;
  {
    const std::lock_guard lock(state_->mutex);
    state_->ending = true;
  }
  state_->wake.notify_one();
  if (thread_.get_id() == std::this_thread::get_id())
    thread_.detach();
  else
    thread_.join();
}

void HostWorker::start() {
  std::call_once(started_, [this] { thread_ = std::thread(&HostWorker::run, state_); });
}

void HostWorker::post(std::function<void()> work) {
  {
    const std::lock_guard lock(state_->mutex);
    state_->waiting.push_back(std::move(work));
  }
  state_->wake.notify_one();
}

void HostWorker::run(const std::shared_ptr<State>& state) {
  const std::shared_ptr<State> kept = state;
  std::unique_lock lock(kept->mutex);
  for (;;) {
    kept->wake.wait(lock, [&] { return kept->ending || !kept->waiting.empty(); });
    if (kept->waiting.empty()) return;
    std::function<void()> work = std::move(kept->waiting.front());
    kept->waiting.pop_front();
    lock.unlock();
    work();
    work = nullptr;  // what it holds is let go outside of the lock
    lock.lock();
  }
}

}  // namespace reel::opencl
