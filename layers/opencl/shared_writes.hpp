// shared_writes.hpp - commands under way that write memory which the host sees as well.
//
// Once such a command is done, what is there is known, and whatever changes later is the host's.
// A program learns in many ways that a command is done: by waiting for it, for one that comes after
// it, by asking, or by being called back. So whenever it learns anything the driver is asked about
// all of them, before the program goes on. Any thread.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "layers/opencl/objects.hpp"

namespace reel::layer {

class SharedWrites {
 public:
  SharedWrites() = default;
  ~SharedWrites();
  SharedWrites(const SharedWrites&) = delete;
  SharedWrites& operator=(const SharedWrites&) = delete;

  // A command that the driver is about to be given writes it.
  void begin(Storage& storage, const Point& command);
  // The driver has the commands `first` to `last`; takes a reference of its own of the event. Those
  // before them on the stream are done when they are, if `in_order`.
  void given(std::uint32_t first, std::uint32_t last, cl_event event, bool in_order);
  // It did not take them.
  void refused(std::uint32_t first, std::uint32_t last);

  bool are_under_way(const Storage& storage);
  // Memory whose writers were under way, and are done now. is_done(Point) of those without event.
  template <class F>
  std::vector<std::shared_ptr<Storage>> take_done(F&& is_done_without_event) {
    if (count_.load(std::memory_order_acquire) == 0) return {};
    Released released;
    const std::lock_guard lock(mutex_);
    std::vector<std::shared_ptr<Storage>> done;
    take(released, [&](const Write& write) {
      if (write.event ? !is_done(write.event) : !is_done_without_event(write.command)) return false;
      if (!has(done, *write.storage)) done.push_back(write.storage);
      return true;
    });
    std::erase_if(done, [&](const auto& storage) {
      for (const Write& write : writes_)
        if (write.storage == storage) return true;
      return false;
    });
    return done;
  }
  void forget(const Storage& storage);

 private:
  struct Write {
    std::shared_ptr<Storage> storage;
    Point command;
    cl_event event = nullptr;  // null: not given yet, or by a driver that gives none
  };

  static bool is_done(cl_event event) noexcept;
  static bool has(const std::vector<std::shared_ptr<Storage>>& list, const Storage& storage);
  // Events to be given back once the lock is gone: a driver may then call the program, and that us.
  struct Released {
    std::vector<cl_event> events;
    ~Released() {
      for (cl_event event : events) next().clReleaseEvent(event);
    }
  };
  // Those of which which(Write) is true; with the lock.
  template <class F>
  void take(Released& released, F&& which) {
    released.events.reserve(writes_.size());
    std::erase_if(writes_, [&](const Write& write) {
      if (!which(write)) return false;
      if (write.event) released.events.push_back(write.event);
      return true;
    });
    count_.store(writes_.size(), std::memory_order_release);
  }

  std::mutex mutex_;
  std::vector<Write> writes_;
  std::atomic<std::size_t> count_{0};
};

}  // namespace reel::layer
