// line.hpp - the batches of one queue, from being handed over to being done.
//
// Each batch has a value, one more than the one before; the line's timeline semaphore counts the
// batches the device has done. A VkQueue runs what it gets in order, and all streams share it:
// a batch that waited there for the host would stop the others, and could wait for one behind it.
// So a batch is held back here until the host steps before it are done and the batches it waits
// for are submitted. Host steps run on a thread of the line, started when first needed, and some on
// the thread that waits for them: two threads that wake each other cost more than a small launch.
//
// "Done" means that targets of reads are filled too, here and in the lines waited for. Any thread.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "backends/vulkan/device/context.hpp"
#include "backends/vulkan/work/batch.hpp"
#include "reel/error.hpp"

namespace reel::vulkan {

class Line : public std::enable_shared_from_this<Line> {
 public:
  Line(std::shared_ptr<Context> context, std::string label);
  ~Line();
  Line(const Line&) = delete;
  Line& operator=(const Line&) = delete;

  // A batch used before, or none.
  std::unique_ptr<Batch> take_free();
  // Hands it over and returns its value.
  std::uint64_t push(std::unique_ptr<Batch> batch);
  // Of the last batch handed over; 0 when there was none.
  std::uint64_t last() const noexcept { return last_.load(std::memory_order_acquire); }
  std::uint64_t finished() const noexcept { return finished_.load(std::memory_order_acquire); }

  bool done(std::uint64_t value);
  void wait(std::uint64_t value);
  // Somebody needs what is there, and won't wait for it: a step that was left to whoever does is
  // for the line's own thread.
  void hurry();
  // For what the device has by now, host steps aside. Finishes nothing.
  void wait_for_device(std::chrono::steady_clock::time_point until);
  // Throws, once, what a host step up to `value` failed with; always when the device is lost.
  void throw_failure(std::uint64_t value);
  // Waits for the oldest batch if the device has very many.
  void limit_in_flight();

  // Stamps come with the batch that is done, or from whoever did the work elsewhere.
  void keep_stamps(const TicketStamps& stamps);
  void collect_stamps(StampList& into);

  // Waits for everything and ends the thread. Nothing may be pushed afterwards.
  void close();

 private:
  struct Failure {
    std::uint64_t value;
    Error error;
  };

  // With submit_mutex held:
  Batch* next_to_start();  // the first batch neither submitted nor run
  bool advance();          // starts what can start; true when anything did
  void advance_others();
  bool can_submit(const Batch& batch) const;
  void submit(Batch& batch);
  void give_up(const Error& error);
  void set_held(bool held);

  void finish(std::uint64_t value);               // the device, or the host step, is done
  bool has_step();                                // for the line's own thread
  bool may_run_step_before(std::uint64_t value);  // a thread that waits
  void leave_step_to_waiters();
  void run_host_step(std::unique_lock<std::mutex>& lock);
  void work();

  const std::shared_ptr<Context> context_;
  const std::string label_;
  const VkQueue queue_;
  VkSemaphore semaphore_ = VK_NULL_HANDLE;

  // Guarded by context_->submit_mutex, the atomics for writing.
  std::deque<std::unique_ptr<Batch>> batches_;  // not done, by value
  std::vector<std::unique_ptr<Batch>> free_;
  std::atomic<std::uint64_t> last_ = 0, finished_ = 0;
  std::uint64_t submitted_ = 0;  // or run by the host
  std::uint64_t on_device_ = 0;  // the last one submitted, host steps aside
  std::vector<Failure> failures_;
  std::optional<Error> lost_;  // the device took no more; nothing will be done
  bool held_ = false, stopping_ = false;
  bool step_runs_ = false;                  // the next host step, on some thread
  std::atomic<bool> step_is_left_ = false;  // to whoever waits, and it is the last batch
  bool looks_ = false;                      // the thread does, now and then, whether one is left
  std::uint64_t steps_left_ = 0;            // so far
  std::condition_variable progress_, work_to_do_;
  std::thread worker_;

  std::mutex finish_mutex_;  // batches are finished in order
  std::mutex stamps_mutex_;
  StampList stamps_;  // not collected
};

}  // namespace reel::vulkan
