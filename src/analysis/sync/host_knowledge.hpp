// host_knowledge.hpp - when the host may have learned that earlier commands were done.
//
// By the names of its calls: whatever sounds like a wait, or like asking whether something is over,
// counts, for all that was enqueued before. A false alarm is worse than a silence. Where a document
// has what the host saw done as orders, the calls are left that tell it something else. Copies what
// it needs of the trace.
#pragma once

#include <cstdint>
#include <vector>

#include "reel/trace.hpp"

namespace reel::analysis {

class HostKnowledge {
 public:
  enum class By : std::uint8_t {
    any_call,
    events  // those that set or ask for events, values of semaphores and results of queries
  };
  explicit HostKnowledge(const Trace& trace, By by = By::any_call);

  // False: the document doesn't have such calls, so nothing can be told of them.
  bool has_any() const noexcept { return !returned_ns_.empty(); }
  // A call of this kind came back after `earlier` was enqueued and before `later` was.
  bool came_between(const TraceCommand& earlier, const TraceCommand& later) const;

 private:
  std::vector<std::uint64_t> returned_ns_;  // sorted
};

}  // namespace reel::analysis
