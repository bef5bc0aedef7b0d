// copied_ranges.hpp - which ranges hold the same bytes since one was copied to the other.
//
// What the bytes are nobody needs to know: it holds until a command writes either of them. Not for
// memory that the host sees, which may change without a command.
#pragma once

#include <cstdint>
#include <vector>

#include "base/range_map.hpp"
#include "document/trace/ranges.hpp"
#include "reel/trace.hpp"

namespace reel::analysis {

class CopiedRanges {
 public:
  explicit CopiedRanges(const Trace& trace) : trace_(trace), copies_(trace.buffers().size()) {}

  // Commands come in order. Whether this one copies what its target has from its source already.
  bool is_known_to_be_there(std::uint32_t command) const {
    const TraceWork& work = trace_.work_of(trace_.commands()[command]);
    if (!is_one_copy(work)) return false;
    const auto arguments = trace_.arguments(work);
    const std::uint64_t* source = of(arguments[0]);
    const std::uint64_t* target = of(arguments[1]);
    return source && target && *source == *target;
  }
  // It ran.
  void after(std::uint32_t command) {
    const TraceWork& work = trace_.work_of(trace_.commands()[command]);
    if (work.kind == WorkKind::opaque) return copies_.assign(copies_.size(), {});
    std::uint64_t copied = next_;
    if (is_one_copy(work)) {
      const TraceArgument& source = trace_.arguments(work)[0];
      if (const std::uint64_t* known = of(source)) copied = *known;
      if (copied == next_) set(source, next_++);
    }
    for_each_range(trace_, work, [&](const TraceArgument& range, Access access) {
      if (!writes(access)) return;
      if (is_one_copy(work))
        set(range, copied);
      else
        forget(range);
    });
  }
  // Recorded as an input: something that isn't a command may have written it.
  void forget(const TraceContents& contents) {
    copies_[contents.buffer].forget(contents.offset_bytes,
                                    contents.offset_bytes + contents.size_bytes);
  }

 private:
  bool is_one_copy(const TraceWork& work) const {
    if (work.kind != WorkKind::copy || work.argument_count != 2) return false;
    const auto arguments = trace_.arguments(work);
    return arguments[0].buffer != no_index && arguments[1].buffer != no_index &&
           arguments[0].size_bytes == arguments[1].size_bytes;
  }
  const std::uint64_t* of(const TraceArgument& range) const {
    return copies_[range.buffer].of(range.offset_bytes, range.offset_bytes + range.size_bytes);
  }
  void set(const TraceArgument& range, std::uint64_t copied) {
    copies_[range.buffer].set(range.offset_bytes, range.offset_bytes + range.size_bytes, copied);
  }
  void forget(const TraceArgument& range) {
    copies_[range.buffer].forget(range.offset_bytes, range.offset_bytes + range.size_bytes);
  }

  const Trace& trace_;
  std::vector<RangeMap<std::uint64_t>> copies_;  // by buffer; equal numbers: equal bytes
  std::uint64_t next_ = 0;
};

}  // namespace reel::analysis
