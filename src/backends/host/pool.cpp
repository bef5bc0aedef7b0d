#include "backends/host/pool.hpp"

#include <algorithm>
#include <atomic>
#include <exception>

#include "runtime/callback.hpp"

namespace reel::host {

struct Pool::Job {
  Job(std::uint64_t n, std::uint64_t p, const std::function<void(std::uint64_t, std::uint64_t)>& b)
      : count(n), piece(p), body(b), callback(Callback::current()) {}

  // Takes one piece. False when none is left to take.
  bool take_one() {
    const std::uint64_t begin = next.fetch_add(piece, std::memory_order_relaxed);
    if (begin >= count) return false;
    const std::uint64_t end = std::min(begin + piece, count);
    try {
      body(begin, end);
    } catch (...) {
      const std::lock_guard lock(mutex);
      if (!error) error = std::current_exception();
    }
    if (done.fetch_add(end - begin, std::memory_order_acq_rel) + (end - begin) == count) {
      const std::lock_guard lock(mutex);
      finished.notify_all();
    }
    return true;
  }

  void wait() {
    std::unique_lock lock(mutex);
    finished.wait(lock, [&] { return done.load(std::memory_order_acquire) == count; });
    if (error) std::rethrow_exception(error);
  }

  const std::uint64_t count, piece;
  // The caller's; used only between taking a piece and counting it done, while the caller waits.
  const std::function<void(std::uint64_t, std::uint64_t)>& body;
  const CallbackFrame* const callback;  // what the caller is in: its helpers are in it too
  std::atomic<std::uint64_t> next{0}, done{0};
  std::mutex mutex;
  std::condition_variable finished;
  std::exception_ptr error;
};

Pool::Pool(unsigned threads) {
  for (unsigned i = 0; i < threads; ++i) threads_.emplace_back([this] { work(); });
}

Pool::~Pool() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  wake_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

void Pool::work() {
  for (;;) {
    std::shared_ptr<Job> job;
    {
      std::unique_lock lock(mutex_);
      wake_.wait(lock, [&] { return stopping_ || !jobs_.empty(); });
      if (jobs_.empty()) return;
      job = jobs_.front();
    }
    {
      const Callback::Entered inside(job->callback);
      while (job->take_one()) {
      }
    }
    const std::lock_guard lock(mutex_);
    std::erase(jobs_, job);
  }
}

void Pool::run(std::uint64_t count, std::uint64_t piece,
               const std::function<void(std::uint64_t, std::uint64_t)>& body) {
  if (count == 0) return;
  if (threads_.empty() || count <= piece) return body(0, count);
  auto job = std::make_shared<Job>(count, piece, body);
  {
    const std::lock_guard lock(mutex_);
    jobs_.push_back(job);
  }
  wake_.notify_all();
  while (job->take_one()) {
  }
  {
    const std::lock_guard lock(mutex_);
    std::erase(jobs_, job);
  }
  job->wait();
}

}  // namespace reel::host
