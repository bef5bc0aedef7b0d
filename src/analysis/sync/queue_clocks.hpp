// queue_clocks.hpp - what is done for certain when a command begins, by semaphores and by what the
// host had seen done.
//
// Both count for all memory, and for everything that was given to the other stream up to the
// command that is waited for. A semaphore holds back some stages of its queue, and a barrier hands
// that on to others. In: trace.orders(), and the barriers of queues as they come. Copies nothing of
// the trace. One thread.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "analysis/order/stream_clocks.hpp"
#include "analysis/sync/sync_scopes.hpp"
#include "reel/trace.hpp"

namespace reel::analysis {

class QueueClocks {
 public:
  explicit QueueClocks(const Trace& trace);

  // Commands one after the other: what each was told to wait for counts from there on.
  void next(std::uint32_t command, std::uint32_t stream);
  // The rows of one barrier, which is the last command shown. True: stages wait for more by it.
  struct Row {
    std::uint8_t source, target;  // stages
  };
  bool hand_on(std::uint32_t stream, std::span<const Row> rows);

  // `earlier`, a command of stream `of`, is done before this stage of the next command of `stream`.
  bool is_done(std::uint32_t earlier, std::uint32_t of, std::uint32_t stream,
               std::uint8_t stage) const noexcept;
  // The host had seen `earlier` done when it gave `later`. Of commands that were shown.
  bool host_saw(std::uint32_t earlier, std::uint32_t later) const;

  bool is_too_much() const noexcept;

 private:
  struct Known {
    std::uint32_t at;  // command
    StreamClocks::Clock clock;
  };
  struct Stream {
    std::array<StreamClocks::Clock, sync_stage::count> now{};  // by stage
    // What it was ever told, and by the host alone.
    std::vector<Known> told, told_by_host;
  };
  static StreamClocks::Clock last(const std::vector<Known>& list) {
    return list.empty() ? StreamClocks::zero : list.back().clock;
  }
  static StreamClocks::Clock up_to(const std::vector<Known>& list, std::uint32_t command);
  void add(std::vector<Known>& list, std::uint32_t command, StreamClocks::Clock clock);

  const Trace& trace_;
  StreamClocks clocks_;
  std::vector<Stream> streams_;
  std::size_t at_ = 0;  // in trace.orders()
};

}  // namespace reel::analysis
