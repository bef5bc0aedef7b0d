// pool.hpp - threads that help whoever has many groups to run.
//
// The caller works too and never waits for a thread that has not started: it takes every piece
// that nobody else has taken (a static split was 600 times slower on a loaded machine).
#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

namespace reel::host {

class Pool {
 public:
  explicit Pool(unsigned threads);
  ~Pool();

  // Runs body(begin, end) over [0, count) in pieces, on this thread and idle ones. Returns when
  // all is done; throws the first exception of a body.
  void run(std::uint64_t count, std::uint64_t piece,
           const std::function<void(std::uint64_t, std::uint64_t)>& body);

  unsigned threads() const noexcept { return static_cast<unsigned>(threads_.size()) + 1; }

 private:
  struct Job;
  void work();

  std::mutex mutex_;
  std::condition_variable wake_;
  std::deque<std::shared_ptr<Job>> jobs_;
  bool stopping_ = false;
  std::vector<std::thread> threads_;
};

}  // namespace reel::host
