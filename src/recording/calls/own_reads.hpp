// own_reads.hpp - reads of ours that the driver has not done yet, so that nobody overwrites their
// bytes before.
//
// What the program learns of a command says nothing of our read after it. So whoever may overwrite
// the bytes waits for the read: a later command of the program by one more wait, the host within a
// wait of its own. Where that could wait for the program itself the read is called off: what it
// finds is not used, and the document says so. Any thread.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <vector>

#include "recording/calls/call_queue.hpp"

namespace reel::capture {

struct OwnRead {
  Range range;
  // The buffer, which the program may have let go of: no other is to be found where it was.
  std::shared_ptr<BufferResource> held;
  std::uint32_t command = no_index;  // whose results they are
  void* queue = nullptr;
  Completion done;           // of the read
  Completion after;          // of the command; only where the host sees the bytes
  std::uint64_t moment = 0;  // held_back::now() when it was given
  std::atomic<bool> called_off{false};
};

class OwnReads {
 public:
  std::shared_ptr<OwnRead> add(const Range& range, std::uint32_t command, void* queue,
                               Completion done, Completion after);
  void done(const std::shared_ptr<OwnRead>& read) noexcept;

  struct Writer {
    const Ticket& ticket;
    bool in_order;          // it comes after all that its queue was given
    std::uint32_t capture;  // this one
  };
  // A command may write `range`. Adds what it has to wait for, and calls off what can't be waited
  // for.
  void before_write(const Range& range, const Writer& writer, std::vector<Completion>& waits);

  // The host knows that some commands are done, and may write the memory that it sees: the reads
  // after them, to be waited for.
  std::vector<Completion> host_may_write();
  // The same where nobody may wait.
  void call_off_where_host_may_write() noexcept;

  // Of memory that goes away.
  std::vector<Completion> of(const TrackedBuffer& buffer);

 private:
  using List = std::vector<std::shared_ptr<OwnRead>>;
  template <class F>
  void for_each_seen(F&& visit);  // visit(read): its command is done, and the host sees the bytes

  std::mutex mutex_;
  std::unordered_map<const TrackedBuffer*, List> by_buffer_;
  std::atomic<std::uint32_t> count_{0}, seen_by_host_{0};
};

}  // namespace reel::capture
