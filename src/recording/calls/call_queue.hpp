// call_queue.hpp - what a CallRecording keeps with a queue of the program and with a command on its
// way, under the queue's lock.
#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <memory>
#include <memory_resource>
#include <mutex>
#include <optional>
#include <span>
#include <vector>

#include "base/process/own_memory.hpp"
#include "recording/calls/api_adapter.hpp"
#include "recording/calls/call_work.hpp"
#include "recording/order/queue_log.hpp"
#include "recording/writing/messages.hpp"

namespace reel::capture {

class CallRecording;
struct CallQueue;
struct OwnRead;

// Results that are read before a command overwrites them. The program puts the command after those
// that left them; where the driver refuses it, nothing was put in order, and what was read counts
// for nothing. Any thread.
class Trial {
 public:
  // True: the bytes count. Else they are dropped, or kept until the driver has answered.
  bool admits(Reading& arrived) {
    const std::lock_guard lock(mutex_);
    if (state_ == State::open) kept_.push_back(std::move(arrived));
    return state_ == State::taken;
  }
  // Returns what came before the answer and counts.
  std::vector<Reading> answered(bool is_taken) {
    const std::lock_guard lock(mutex_);
    state_ = is_taken ? State::taken : State::refused;
    std::vector<Reading> kept = std::move(kept_);
    if (!is_taken) kept.clear();
    return kept;
  }

 private:
  enum class State : std::uint8_t { open, taken, refused };
  std::mutex mutex_;
  State state_ = State::open;
  std::vector<Reading> kept_;
};

// How the clocks of host and device stand, where the driver doesn't tell. The call that gave a
// command, on the host's clock, holds the moment that the driver stamped it queued: the shortest
// call of each second tells best. A first call may take milliseconds, so whoever tells at least
// twice as well as the one before is told at once.
struct CallClock {
  std::uint64_t tightest_ns = ~std::uint64_t{0}, next_ns = 0, told_error_ns = 0;
  document::ClockRow row{};

  void look_at(std::uint64_t begin_ns, std::uint64_t end_ns, std::uint64_t queued_ns) noexcept {
    if (queued_ns == 0 || end_ns - begin_ns >= tightest_ns) return;
    tightest_ns = end_ns - begin_ns;
    row = {0, begin_ns + tightest_ns / 2, queued_ns, (tightest_ns + 1) / 2};
  }
  // What ran from `started_ns` to `ended_ns` was given at `begin_ns`, and seen to be done at
  // `seen_ns`: the clocks may differ by as much as is left of that.
  void bracket(std::uint64_t begin_ns, std::uint64_t started_ns, std::uint64_t ended_ns,
               std::uint64_t seen_ns) noexcept {
    if (started_ns == 0 || ended_ns < started_ns || seen_ns < begin_ns) return;
    const std::uint64_t ran_ns = ended_ns - started_ns, held_ns = seen_ns - begin_ns;
    if (ran_ns > held_ns || held_ns - ran_ns >= tightest_ns) return;
    tightest_ns = held_ns - ran_ns;
    row = {0, begin_ns + tightest_ns / 2, started_ns, (tightest_ns + 1) / 2};
  }
  // What was written of this device last.
  void told(const document::ClockRow& last) noexcept {
    constexpr std::uint64_t second = 1'000'000'000;
    next_ns = last.host_ns + second;
    told_error_ns = last.error_ns;
  }
  bool is_due() const noexcept {
    return row.device_ns != 0 && (row.host_ns >= next_ns || row.error_ns * 2 <= told_error_ns);
  }
};

// Bytes that the driver is reading for us. Where it tells when it is done, nothing of the program's
// is held longer than that.
struct ReadUnderWay {
  ReadUnderWay(CallRecording& by, const CallQueue& in);

  CallRecording& recording;
  ApiAdapter& api;
  const std::shared_ptr<std::atomic<std::uint32_t>> count;  // of its queue's
  bool is_timed;
  Completion done;                   // until the driver is asked to tell
  void* completion = nullptr;        // that it tells of
  std::optional<Reading> contents;   // for the document
  std::shared_ptr<void> scratch;     // that the driver reads by way of
  std::shared_ptr<const void> kept;  // what the driver reads into
  std::shared_ptr<OwnRead> own;      // that nobody may overwrite; null: nobody will
  std::shared_ptr<Trial> trial;      // null: the bytes count whatever comes next
};

struct CallQueue : QueueLog {
  explicit CallQueue(ApiAdapter& of, void* driver_queue)
      : api(of), handle(HeldQueue::of(of, driver_queue)) {}

  struct Pending {
    std::uint32_t command, lane;
    Completion done;
    std::uint64_t begin_ns, end_ns;  // of the call
    bool is_submission = false;      // commands that were given together
  };
  struct Asked {  // a read that its driver doesn't tell of
    Completion done;
    std::unique_ptr<ReadUnderWay> read;
  };

  ApiAdapter& api;
  HeldQueue handle;  // empty: the program let go of it, and all of it is done
  bool is_timed = false;
  bool has_clock = false;  // the driver tells what its device's clock says
  std::deque<Pending, OwnAllocator<Pending>> pending;
  std::deque<Asked> asked;
  std::shared_ptr<std::atomic<std::uint32_t>> readings =
      std::make_shared<std::atomic<std::uint32_t>>(0);  // of bytes, under way
  bool is_busy = false;                                 // a command is on its way: `work` is in use
  CallClock clock;
  OwnVector<document::StampRow> stamps;  // reused
  SubmissionTimes times;                 // reused
  CallWork work;                         // reused

  std::size_t under_way() const noexcept {
    return pending.size() + readings->load(std::memory_order_acquire);
  }
};

inline ReadUnderWay::ReadUnderWay(CallRecording& by, const CallQueue& in)
    : recording(by),
      api(in.api),
      count(in.readings),
      is_timed(in.is_timed && in.api.stamps_reads()) {}

// Commands that a program records once and gives again and again.
struct CommandList {
  std::mutex mutex;  // of what follows
  std::vector<BufferedWork> works;
  std::uint32_t recorded_in = 0, graph = 0;
};

// Commands that one call gives to a queue together. There may be tens of thousands of them, so they
// and their lists lie side by side in memory that is given back at once.
struct Submission {
  struct Given {
    explicit Given(std::pmr::memory_resource* memory) : work(memory), kept(memory) {}

    CallWork work;
    const void* scope = nullptr;
    std::vector<std::byte> data;                  // of a write, what it writes
    std::uint32_t part = 0;                       // reads can go ahead of each part of a submission
    std::pmr::vector<const TrackedBuffer*> kept;  // what it leaves in these can be had behind it
    bool hands_over = false;  // what it names is not ours to read behind it: results are read ahead
  };
  static constexpr std::size_t first_bytes = 8 << 10;
  std::pmr::monotonic_buffer_resource memory{first_bytes};
  std::pmr::deque<Given> works{&memory};
  std::size_t count = 0;                       // of them
  std::vector<document::BarrierRow> barriers;  // of all; commands count from the first, buffers
                                               // are ids
  std::vector<TrackedBuffer*> named;           // that those rows are about
  std::string_view call;                       // the function; lives as long as the process

  Given& add() {
    Given& one = works.emplace_back(&memory);
    ++count;
    return one;
  }
  std::pmr::deque<Given>& all() { return works; }
};

// One command on its way; an API's own adds what its driver is given.
struct Ticket {
  TrackedQueue* queue = nullptr;
  CallQueue* record = nullptr;  // null: not recorded
  CallQueue* place = nullptr;   // the same, also where it is not recorded; null: no capture
  bool is_followed = false;     // not recorded, and noted as something that orders others
  std::vector<Point> after;     // then: the recorded commands it comes after
  CallWork* work = nullptr;
  std::unique_ptr<CallWork> own_work;  // in a call within a call
  std::uint32_t id = no_index, lane = 0;
  std::uint64_t begin_ns = 0;
  std::uint32_t program_waits = 0;         // ApiAdapter::waited_for() of each
  std::vector<std::uint64_t> wait_stages;  // of each, that wait; none: all (TraceOrder::stages)
  bool is_refused_for_sure = false;        // for its waits: so would be reads ahead of it
  bool is_overtaken = false;               // later commands were given before it is finished
  bool may_start_late = false;             // it may wait for the host, which writes what it reads
  bool may_meet_unseen = false;            // work that isn't recorded may be under way
  std::vector<Completion> own_waits;       // reads of ours that the driver is to wait for as well
  CommandList* list = nullptr;             // that it launches
  Submission* submission = nullptr;        // that it is
  std::uint32_t read_part = 0;           // of which: what is read now goes ahead of this; ascending
  std::uint32_t read_behind = no_index;  // of which: what this command left, which is kept
  std::shared_ptr<Trial> trial;          // of results that are read before it
  void* done = nullptr;                  // its completion, while the lock of the queue is held

  Ticket() = default;
  Ticket(const Ticket&) = delete;
  Ticket& operator=(const Ticket&) = delete;
  ~Ticket() {
    if (trial) trial->answered(false);
  }

  // It goes on unrecorded.
  void give_up() noexcept {
    if (record && !own_work) record->is_busy = false;
    record = nullptr;
  }
};

}  // namespace reel::capture
