// queue_sync.hpp - do barriers and waits put commands of unordered queues in the order that their
// memory needs?
//
// The queues of Vulkan start commands in the order of submission and end them in any: what one
// command wrote, another one sees only by a barrier (BarrierChains), a semaphore, or a wait of the
// host (QueueClocks). Every byte remembers who wrote it last and who has read it since, so the work
// is near linear in commands and the pieces of memory they name. A pure function of the trace.
#pragma once

#include <cstdint>
#include <vector>

#include "reel/trace.hpp"

namespace reel::analysis {

// Two commands that touch the same bytes, of which one writes.
struct SyncFault {
  enum class Kind : std::uint8_t {
    missing,    // nothing orders the two
    visibility  // they run in order, but no barrier names what the later does with the bytes
  } kind{};
  std::uint32_t from = no_index, to = no_index;  // commands
  std::uint32_t buffer = no_index;               // as `to` names it
  std::uint64_t offset_bytes = 0, bytes = 0;     // the first, and how many in all
  bool from_writes = false, to_reads = false, to_writes = false;
  // Both are known to touch these bytes: they are copies, fills or writes. Of a dispatch only the
  // binding is known, not which of its bytes a shader touches.
  bool is_exact = false;
};

// What a barrier of an unordered queue is good for.
struct BarrierUse {
  std::uint32_t command = no_index;
  std::uint64_t pairs = 0;                       // of uses that it keeps in order
  std::uint32_t buffer = no_index;               // of all of them; none: of several, or no pair
  std::uint64_t begin_bytes = 0, end_bytes = 0;  // in that buffer
  std::uint32_t from = no_index, to = no_index;  // the first pair
  bool is_between_uses = false;   // recorded commands touch memory before it and after it
  bool is_wide = false;           // all stages and all memory
  bool has_other_reason = false;  // for the host, for another queue family, for an image's layout
};

struct QueueSync {
  std::vector<SyncFault> faults;  // the first ones, by `to`
  std::uint64_t fault_count = 0;
  std::vector<BarrierUse> barriers;          // by command; of unordered queues
  std::uint32_t incomplete_from = no_index;  // too much to follow from this command on
};

bool has_unordered_queues(const Trace& trace);
// Whether the document has every order of its queues: by semaphores, between submissions to one
// queue too, and what the host learned by waiting or asking.
enum class OrdersKept : std::uint8_t {
  between_queues,  // it doesn't say: semaphores of one queue with itself are missing
  some,            // one could not be known
  all
};
OrdersKept orders_kept(const Trace& trace);
QueueSync find_queue_sync(const Trace& trace);

}  // namespace reel::analysis
