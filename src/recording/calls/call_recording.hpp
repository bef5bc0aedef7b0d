// call_recording.hpp - the recording of a process that calls APIs other than ours.
//
// There is one a capture, whichever APIs the process uses: each queue, buffer and kernel says which
// ApiAdapter is its own, and that one is asked. In: calls as CallWork, and what the program has
// waited for, mapped and let go of. Out: rows, log entries and contents, by way of RecordingCore.
// The memory is the program's: the host may change what it sees without a call, and take it back.
//
// The hot way is start() – the driver's own call – finish(), with the queue's lock held: number the
// command, look at its bytes, take its completion for the stamps, append one entry to the queue's
// log. Any thread. Nothing public throws but end(); what goes wrong ends the recording and nothing
// else.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "recording/calls/call_queue.hpp"
#include "recording/calls/call_work.hpp"
#include "recording/calls/own_reads.hpp"
#include "recording/calls/shared_reads.hpp"
#include "recording/calls/shared_writes.hpp"
#include "recording/recording_core.hpp"

namespace reel::capture {

class CallRecording final : public RecordingCore {
 public:
  // `strays` counts commands that are given while it ends, and are not recorded.
  CallRecording(std::uint32_t capture_number, std::string document_path,
                std::unique_ptr<DocumentThread> document, Contents which,
                const std::atomic<std::uint32_t>& strays);
  ~CallRecording() override;

  // --- commands: with the queue's lock held, in this order ---------------------------------------

  // `ticket.work` is then to be filled, unless there is no record.
  void start(Ticket& ticket, TrackedQueue& queue) noexcept;
  // Looks at the bytes the work needs. False: it isn't `wanted`, and goes on unrecorded.
  bool before(Ticket& ticket, bool wanted) noexcept;
  // In place of before(): a list of commands, each of which is recorded.
  void launch(Ticket& ticket, CommandList& list, std::string_view label) noexcept;
  // In place of before(): commands that are given together, on a queue in order.
  void submit(Ticket& ticket, Submission& list) noexcept;
  // In place of finish().
  RecordedEvent submitted(Ticket& ticket, int status, Completion done) noexcept;
  // What a write or a long fill gives, in the order of its ranges.
  void written(Ticket& ticket, ByteSource& bytes) noexcept;
  // The driver has answered, 0: it took it. `done` is empty where it gives nothing to ask for.
  // Returns what an event of the program then stands for.
  RecordedEvent finish(Ticket& ticket, int status, Completion done, const void* scope) noexcept;
  // In place of finish(), of a command that isn't wanted.
  RecordedEvent followed(Ticket& ticket, int status) noexcept;
  // Reads these ranges, in the queue's order, as results of the command, or as what the host gave.
  void check(Ticket& ticket, std::span<const WorkArgument> ranges,
             ContentRole role = ContentRole::check) noexcept;
  // The command lets the host write these bytes: nothing of ours may still read them.
  void before_host_writes(Ticket& ticket, std::span<const Range> ranges) noexcept;
  // What is there before the command, as results of all that came before it.
  void check_before(Ticket& ticket) noexcept;
  // The bytes of these ranges as they are before the command, there once `read` is done. Null: they
  // can't be had.
  std::shared_ptr<Block> copy_before(Ticket& ticket, std::span<const Range> ranges,
                                     Completion& read) noexcept;

  // --- what the host knows -----------------------------------------------------------------------

  // The host has seen it done: it has waited for it; or it asked for the status, or was called
  // back.
  void host_waited(std::uint32_t stream, std::uint32_t command) noexcept;
  void host_waited(const RecordedEvent& event) noexcept;
  void host_saw(std::uint32_t stream, std::uint32_t command) noexcept;
  void host_saw(const RecordedEvent& event) noexcept;
  // The last that the queue was given, and after a wait for the queue: all of that is done. Others
  // may have given it more meanwhile.
  std::vector<Point> given_to(TrackedQueue& queue) noexcept;
  void finished(TrackedQueue& queue, const std::vector<Point>& given) noexcept;
  // The program has waited for something: nothing of ours reads what it may write now. Not from a
  // callback of the driver.
  void settle_reads() noexcept;
  // In a callback, which can't wait: what the program may write now is not checked.
  void call_off_reads() noexcept;
  // Something orders commands, and nobody can tell which: the document says so.
  // The same of a moment: the host may have learned that any command is done.
  void host_may_know() noexcept { shared_reads_.forget(); }
  void order_unknown() noexcept { knows_all_orders_.store(false, std::memory_order_relaxed); }

  // --- bytes -------------------------------------------------------------------------------------

  // The host has these bytes to write to, until it gives them back. What a device wrote there is
  // checked by now; `discarding`: nobody knows what is there.
  void host_has(std::span<const Range> ranges, bool discarding) noexcept;
  // The program did something to these bytes that nobody saw.
  void forget(std::span<const Range> ranges) noexcept;
  // A command that isn't recorded may write these bytes, nobody knows until when.
  void written_unseen(const Range& range) noexcept;
  // What a blocking read found, in the order of its ranges; the queue's lock is not needed.
  void found(std::uint32_t command, std::span<const WorkArgument> ranges,
             ByteSource& bytes) noexcept;
  bool is_device_written(std::span<const WorkArgument> ranges) noexcept;
  // Of memory that the host sees: a command under way may write it.
  bool is_being_written(const Range& range) noexcept {
    return range.storage->written_unseen_in.load(std::memory_order_acquire) == number ||
           shared_writes_.are_under_way(*range.storage, range.offset_bytes,
                                        range.offset_bytes + range.size_bytes);
  }
  void allocated(TrackedBuffer& buffer) noexcept;
  // The same of one that may be named later: its row comes when it is first used.
  void made(TrackedBuffer& buffer) noexcept;
  // The host comes to see these bytes, by `buffer.address`: what a device wrote there is checked,
  // and what the host writes from now on is found.
  void became_visible(TrackedBuffer& buffer) noexcept;
  // What the host wrote through a map is recorded.
  void unmapped(const TrackedBuffer& buffer, std::span<const Range> ranges) noexcept;
  // Of what a map for writing has just given to the host, which has not seen it yet.
  std::shared_ptr<const PageHashes> hashes_of_mapped(TrackedBuffer& buffer, const Range& range,
                                                     const void* pointer) noexcept;
  // No object of the program has these bytes any more; before the driver is told.
  void freed(TrackedBuffer& buffer) noexcept;

  // --- the end -----------------------------------------------------------------------------------

  void queue_released(TrackedQueue& queue) noexcept;
  // All that is under way, as long as some of it gets done within `patience`.
  void wait_for_work(std::chrono::milliseconds patience) noexcept;
  // Waits in the same way; 0: not at all.
  // The host learns of its commands until results_read() has returned, and of none after it.
  CaptureReport end(
      std::chrono::milliseconds patience, const std::function<void()>& results_read = [] {});
  // … and from here on commands of the program may pass by.
  void will_end() noexcept { is_ending_.store(true, std::memory_order_release); }
  // After end(): whether nobody comes back to it. A driver that has not read all yet will.
  bool may_be_destroyed() const noexcept { return is_read_; }
  // An adapter's answer to tell_when_done(), once; `read` is gone then.
  static void read_done(ReadUnderWay* read, int status) noexcept;

 private:
  // --- things (call_recording.cpp)
  CallQueue& record_of(TrackedQueue& queue);
  void add_lane(const TrackedQueue& queue, CallQueue& record);
  std::uint32_t note_device(ApiAdapter& api, const void* device);
  void note_buffer(TrackedBuffer& buffer);
  void note_kernel(TrackedKernel& kernel, const TrackedQueue& queue);
  void note_clock(CallClock& clock, std::uint32_t device);  // that is due
  void look_at_clock(ApiAdapter& api, const void* device, std::uint32_t device_number);

  // --- one command (call_recording.cpp)
  // A command, or a launch with its nodes, which have the numbers that follow its own.
  struct Call {
    std::uint32_t id, lane;
    const CallWork* work;
    std::span<const BufferedWork> nodes;
    std::uint32_t graph;  // of a launch
    const void* scope;
    std::uint64_t begin_ns, end_ns;
  };
  static Call call_of(const Ticket& ticket, const void* scope = nullptr, std::uint64_t end_ns = 0);
  // Marks what it uses; returns what must be read before it runs.
  std::vector<Piece> look_at(const Ticket& ticket, const Call& call);
  void look_at(const Ticket& ticket, const Point& command, const CallWork& work,
               std::vector<Piece>& unknown);
  // Rows of what it names, where they are new.
  bool is_all_known(const CallWork& work) const noexcept;
  void note_kernel_of(const CallWork& work, const TrackedQueue& queue);
  void note_buffers_of(const WorkArgument& argument);
  // The ledger's part: what has to be read before goes to `unknown`.
  void enter(const CallWork& work, const WorkArgument& argument, BufferLedger::Changes& changes,
             std::vector<Piece>& unknown);
  // The driver has it: into the log.
  void taken(CallQueue& record, const Call& call);
  // It has not, and why.
  void refused(CallQueue& record, const Call& call, std::string_view why);
  // A command is not recorded: what it writes is not known.
  void leave_out(const CallWork& work);
  static bool is_again(const CallQueue& record, const Call& call, const CallWork& work,
                       std::string_view label);
  static bool is_bare_again(const CallQueue& record, const Call& call, const CallWork& work);
  void append(CallQueue& record, const Call& call, const CallWork& work,
              const document::CommandRow& given, bool is_refused);
  void append_all(CallQueue& record, const Call& call, bool is_refused);
  void wrote(const CallWork& work, const Point& command);

  // --- a ticket's way (call_tickets.cpp)
  void place(Ticket& ticket);  // chooses its lane
  void follow(Ticket& ticket, const CallWork& work);
  void check_results_before(Ticket& ticket, const Range& range);
  // It may overwrite what we still read. `in_order`: it comes after all that its queue was given.
  void guard(Ticket& ticket, const CallWork& work, bool in_order);
  // visit(Point, stages), of this capture.
  template <class F>
  void for_each_wait(const Ticket& ticket, F&& visit) const;
  void saw_done(std::uint32_t stream, std::uint32_t command);
  void take_shared_done();
  // What the host changed before it learned that a submission which reads it is done.
  void note_early_writes(const SharedReads::Read& read);

  // --- commands that are given together (call_submits.cpp)
  // What has to be read before a command of a submission, ahead of the part of it that it is in.
  struct LateRead {
    std::uint32_t part, command;
    std::uint32_t behind;  // the command whose results are kept; no_index: they are read
    std::vector<Piece> pieces;
  };
  void look_at_submission(Ticket& ticket, Submission& list, std::vector<Piece>& unknown,
                          std::vector<LateRead>& late);
  // What the host wrote, of what they use.
  void take_host_writes(Ticket& ticket, Submission& list);
  void take_host_writes(std::uint32_t command, const Range& range);
  void forget_host_known(const Range& range);
  // What a device left in memory that the host sees, when the host learns that it is done.
  void check_seen(const SharedWrites::Done& done, const HostWindow& window);

  // --- reads in the order of queues (call_reads.cpp)
  // `of` is the completion of the command whose results they are; `waiter` has to wait for them.
  struct Place {
    ReadOrder order;
    void* of = nullptr;
    Ticket* waiter = nullptr;
    CheckMoment moment = CheckMoment::command;
  };
  // Before the command, which waits for the reads where its queue has no order.
  static Place ahead_of(Ticket& ticket, bool in_order) {
    return {{&ticket, {}}, nullptr, in_order ? nullptr : &ticket};
  }
  // Behind the command whose completion it is; `waits`: only that puts them there.
  static Place behind(void* const& done, bool waits) {
    return {{nullptr, {&done, waits && done ? 1u : 0u}}, done, nullptr};
  }
  void read_pieces(CallQueue& record, ContentRole role, std::uint32_t command,
                   std::span<const Piece> pieces, const Place& place);
  void read_inputs(Ticket& ticket, bool in_order);
  // What the commands of a list left, each where no later one of them wrote.
  void check_nodes(Ticket& ticket);
  void settle_trial(Ticket& ticket, int status);  // what was read before it counts, or doesn't
  std::unique_ptr<ReadUnderWay> read_into(CallQueue& record, std::span<std::byte> target,
                                          const BufferRange& range, const ReadOrder& order);
  void when_done(CallQueue& record, std::unique_ptr<ReadUnderWay>& read);
  void take_asked(CallQueue& record);  // reads that are done and that no driver tells of
  void wait_for_all(std::vector<Completion> reads);
  bool keep_waiting(QueueLog* queue) override;
  bool is_read_whole(const BufferResource& buffer) const override;

  // --- bytes of the host's side (call_contents.cpp)
  // Bytes of the host's, in the order of the ranges.
  void push_ranges(ContentRole role, std::uint32_t command, std::span<const WorkArgument> ranges,
                   ByteSource& bytes, CheckMoment moment = CheckMoment::command);
  void take_host_writes(std::uint32_t command, TrackedBuffer& buffer,
                        BufferLedger::Changes& changes);
  // Results in memory that the host sees; returns how many bytes.
  std::uint64_t check_shared(const Piece& piece, std::uint32_t command, CheckMoment moment);

  // --- what is done, and the end (call_end.cpp)
  bool collect(TrackedQueue& queue, CallQueue& record);
  void take_times(CallQueue& record, const CallQueue::Pending& done);
  // What a command ended with, instead of being done. Nobody knows what it wrote before it failed,
  // nor which commands went on with that: whatever devices have written is unknown from here on, so
  // that later commands get it as inputs.
  void failed(std::uint32_t command, std::string_view status);
  // Until all of it is done; false when nothing gets done for so long.
  bool wait_until_done(TrackedQueue& queue, CallQueue& record, std::chrono::milliseconds most);
  std::vector<std::shared_ptr<TrackedQueue>> queues();
  // The one whose lane it is, with its lock; `is_busy` where another thread has that of some.
  std::pair<std::shared_ptr<TrackedQueue>, std::unique_lock<std::recursive_mutex>> queue_of_lane(
      std::uint32_t stream, const TrackedBuffer& buffer, bool& is_busy);
  // What devices wrote and nothing overwrote, once all is done.
  void read_results();
  // Nothing was given that isn't recorded, so that what is in memory are results.
  bool is_still_ours() const noexcept { return strays_.load(std::memory_order_seq_cst) == 0; }

  const std::atomic<std::uint32_t>& strays_;
  HostPages host_pages_;
  SharedWrites shared_writes_;
  SharedReads shared_reads_;
  OwnReads own_reads_;
  std::shared_ptr<MemoryBudget> map_memory_;
  std::atomic<std::uint64_t> being_read_{0};  // bytes of memory_ that drivers read into
  std::atomic<bool> is_ending_{false};        // commands of the program pass by
  std::atomic<bool> knows_all_orders_{true};  // of queues that are not ordered

  std::mutex mutex_;  // of what follows
  std::map<std::pair<ApiAdapter*, const void*>, std::uint32_t> devices_;
  std::map<std::uint32_t, document::ClockRow> clocks_;  // by device: the last that was written
  std::vector<std::shared_ptr<TrackedQueue>> queues_;   // that gave something
  std::vector<std::deque<CallQueue::Asked>> unread_;    // that a driver never said was done
  bool is_read_ = true;
};

// Memory of the program, which may be gone: read in a way that survives that. False: it is.
bool copy_if_there(const std::byte* from, std::span<std::byte> to);

}  // namespace reel::capture
