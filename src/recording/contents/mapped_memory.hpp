// mapped_memory.hpp - finds what the host wrote to mapped buffers, where it needs no call to write.
//
// A copy is kept of what was last known to be there. Before a command uses such a buffer, bytes
// that differ from the copy were written by the host, and are inputs of the command. What commands
// write gets into the copy by reads in the order of their stream: as long as such a read isn't done
// the bytes are the device's, and nobody looks at them. So it doesn't matter how the program
// learned that the device is done.
//
// Any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/range_set.hpp"
#include "reel/command.hpp"

namespace reel::capture {

class MappedMemory {
 public:
  using Ranges = std::vector<std::pair<std::uint64_t, std::uint64_t>>;  // begin, end
  // Where a read of the bytes goes, and whether they are there.
  using Target = std::shared_ptr<std::vector<std::byte>>;
  using IsDone = std::function<bool()>;

  void allocated(const BufferResource& buffer);  // within the capture: zeros
  // What the host wrote in the range since the last look; it is in the copy from now on.
  Ranges take_host_writes(const BufferRange& range);
  // A command is about to write the range, or something that isn't recorded does.
  void forget(const BufferRange& range);
  // `bytes` of the range are being read behind a command that wrote them, or before one that needs
  // them.
  void expect(const BufferRange& range, Target bytes, IsDone is_done);
  void release(const BufferResource& buffer);

 private:
  struct Expected {
    std::uint64_t begin;
    Target bytes;
    IsDone is_done;
    RangeSet wanted;  // what no later command writes
    template <class F>
    void for_each_wanted(F&& visit) const {
      wanted.for_each_in(begin, begin + bytes->size(), visit);
    }
  };
  struct Copy {
    std::vector<std::byte> bytes;
    RangeSet known;                  // of them
    std::vector<Expected> expected;  // in the order that they were given
  };
  // With the lock:
  Copy& copy_of(const BufferResource& buffer);
  static void take_expected(Copy& copy);

  std::mutex mutex_;
  std::unordered_map<const BufferResource*, Copy> copies_;
};

}  // namespace reel::capture
