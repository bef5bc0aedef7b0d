// buffer_ledger.hpp - which bytes of which buffers a capture has, and which a device wrote in it.
//
// Bytes are known when the document can tell what they were: they were read, or written whole by
// something recorded, or the buffer was made within the capture and is zero. A dispatch may leave
// some bytes of what it writes as they were, so it needs them known like those it reads.
//
// Each byte of a buffer is in one of three states; `known` and `written` of an Entry are sets of
// ranges, and what is in neither is unknown:
//
//                    use() adds it to `unknown`: it is read as an input first
//      +---------+ ------------------------------------------> +--------------+
//      | unknown |      overwrite() by the host; allocated()   | known:       |
//      +---------+ ------------------------------------------> | the host's   |
//        ^  ^  |                                               +--------------+
//        |  |  |  use() for writing (read first),                |          ^
//        |  |  |  overwrite() by a device                         | the same | settle():
//        |  |  v                                                  v          | checked, or
//        |  |  +----------------------------------------------------------+  | never will be
//        |  |  | known and written: a device's, to be checked at the end  |--+
//        |  |  +----------------------------------------------------------+
//        |  |     |  forget(): something that isn't recorded writes it
//        |  +-----+  forget_device_written(): the device failed
//        +-- forget() of what is the host's
//
// undo() takes a use or an overwrite back, of a command that the driver refused.
//
// Any thread; most uses end at the two numbers that a BufferResource carries.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <vector>

#include "base/range_set.hpp"
#include "graph/commands/resource.hpp"
#include "reel/command.hpp"

namespace reel::capture {

struct Piece {
  BufferResource* buffer;
  std::uint64_t offset_bytes, size_bytes;
};
inline BufferRange range_of(BufferResource& buffer, std::uint64_t offset_bytes,
                            std::uint64_t size_bytes) {
  BufferRange range;
  range.buffer = &buffer;
  range.offset_bytes = offset_bytes;
  range.size_bytes = size_bytes;
  return range;
}
inline BufferRange range_of(const Piece& piece) {
  return range_of(*piece.buffer, piece.offset_bytes, piece.size_bytes);
}

class BufferLedger {
 public:
  explicit BufferLedger(std::uint32_t capture) : capture_(capture) {}

  // Bytes that came into a set of an Entry, or went out of it.
  struct Change {
    BufferResource* buffer;
    std::uint64_t begin, end;
    enum class Set : std::uint8_t { known, written } set;
    bool was_in;
    std::uint64_t before, after;  // versions of the Entry

    // Not to what was known before: nobody knows.
    static Change to_unknown(const BufferRange& range) {
      return {range.buffer,
              range.offset_bytes,
              range.offset_bytes + range.size_bytes,
              Set::known,
              false,
              0,
              never};
    }
  };
  using Changes = std::vector<Change>;  // in the order in which they were made

  // use() of any range of it would change nothing, and find nothing to be read.
  bool is_settled(const BufferResource& buffer, Access access) const noexcept {
    return buffer.known_in.load(std::memory_order_acquire) == capture_ &&
           (!writes(access) || buffer.written_in.load(std::memory_order_acquire) == capture_);
  }
  // `range` is about to be used. Adds what must be read before to `unknown`, and returns true when
  // the buffer is named for the first time. What changed is added to `changes`.
  bool use(const BufferRange& range, Access access, std::vector<Piece>& unknown,
           Changes* changes = nullptr);
  // Written whole: by a device (a fill, a copy), or by the host.
  bool overwrite(const BufferRange& range, bool by_host, Changes* changes = nullptr);
  // It was not used after all. Where others changed the same buffer meanwhile, what is there is
  // unknown.
  void undo(const Changes& changes);
  // Something that isn't recorded writes it.
  void forget(const BufferRange& range);
  // A device failed: nothing that devices wrote is known any more.
  void forget_device_written();

  // What a device wrote there has been checked, or will never be.
  void settle(const BufferRange& range);

  bool is_device_written(const BufferRange& range);
  std::vector<Piece> device_written(const BufferRange& range);

  bool allocated(BufferResource& buffer);  // within the capture
  // What a device wrote of a buffer that is going away; the ledger doesn't know it any more.
  std::vector<Piece> release(BufferResource& buffer);
  // The same of all that live still. Each is held by the second.
  std::vector<std::pair<Piece, std::shared_ptr<BufferResource>>> device_written();

 private:
  static constexpr std::uint64_t never = ~std::uint64_t{0};
  struct Entry {
    std::weak_ptr<BufferResource> buffer;
    RangeSet known, written;
    std::uint64_t version = 0;  // another one after each change
  };
  // What removing from a set, or adding to it, will change: what was in it, or not.
  static void add_changes(const RangeSet& set, Change change, bool was_in, Changes* changes);
  Entry& entry_of(BufferResource& buffer, bool& is_new);  // with the lock held
  // After a change of it.
  void changed(BufferResource& buffer, Entry& entry);
  void update_numbers(BufferResource& buffer, const Entry& entry) const;

  const std::uint32_t capture_;
  std::mutex mutex_;
  std::unordered_map<BufferResource*, Entry> entries_;
  std::uint64_t changes_ = 0;
};

}  // namespace reel::capture
