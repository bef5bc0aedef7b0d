// own_reads.hpp - reads of ours that the driver has not done yet, so that nobody overwrites their
// bytes before.
//
// The program's event of a command says nothing of our read after it. So whoever may overwrite the
// bytes waits for the read: a later command of the program by one more event in its wait list, the
// host within a wait of its own. Where that could wait for the program itself the read is called
// off: what it finds is not used, and the document says so. Any thread.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <unordered_map>
#include <vector>

#include "layers/opencl/objects/held.hpp"
#include "layers/opencl/work.hpp"

namespace reel::layer {

struct OwnRead {
  Range range;
  std::uint32_t command = no_index;  // whose results they are
  cl_command_queue queue = nullptr;
  bool in_order = false;     // the queue is
  HeldEvent event;           // of the read
  HeldEvent after;           // of the command; only where the host sees the bytes
  std::uint64_t moment = 0;  // held_back::now() when it was given
  std::atomic<bool> called_off{false};
};

class OwnReads {
 public:
  std::shared_ptr<OwnRead> add(const Range& range, std::uint32_t command, cl_command_queue queue,
                               bool in_order, cl_event event, cl_event after);
  void done(const std::shared_ptr<OwnRead>& read) noexcept;

  struct Writer {
    cl_command_queue queue;
    bool in_order;                    // it comes after all that the queue was given
    std::uint32_t capture;            // this one
    std::span<const cl_event> waits;  // as the program gave them
  };
  // A command may write `range`. Adds the events that it has to wait for, and calls off what can't
  // be waited for.
  void before_write(const Range& range, const Writer& writer, std::vector<HeldEvent>& waits);

  // The host knows that some commands are done, and may write the memory that it sees: the reads
  // after them, to be waited for.
  std::vector<HeldEvent> host_may_write();
  // The same where nobody may wait.
  void call_off_where_host_may_write() noexcept;

  // Of memory that goes away.
  std::vector<HeldEvent> of(const Storage& storage);

 private:
  using List = std::vector<std::shared_ptr<OwnRead>>;
  template <class F>
  void for_each_seen(F&& visit);  // visit(read): its command is done, and the host sees the bytes

  std::mutex mutex_;
  std::unordered_map<const capture::TrackedBuffer*, List> by_storage_;
  std::atomic<std::uint32_t> count_{0}, seen_by_host_{0};
};

}  // namespace reel::layer
