// recording.hpp - one capture of the layer: what the hooks tell becomes a document.
//
// The hot way is start() – the driver's own call – finish(), with the queue's lock held: number the
// command, look at its bytes, take its event for the stamps, append one entry to the queue's log.
// Nothing throws out of here; what goes wrong ends the recording and nothing else.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "layers/control/settings.hpp"
#include "layers/opencl/objects/command_buffer.hpp"
#include "layers/opencl/recording/own_reads.hpp"
#include "layers/opencl/recording/queue_record.hpp"
#include "layers/opencl/work.hpp"
#include "recording/call_recording.hpp"

namespace reel::layer {

// One command on its way. Everything but `event` is the recording's own.
struct Ticket {
  Queue* queue = nullptr;
  QueueRecord* record = nullptr;  // null: not recorded
  QueueRecord* place = nullptr;   // the same, also where it is not recorded; null: no capture
  bool is_followed = false;       // not recorded, and noted as something that orders others
  std::vector<Point> after;       // then: the recorded commands it comes after
  Work* work = nullptr;
  std::unique_ptr<Work> own_work;  // in a call within a call
  std::uint32_t id = no_index, lane = 0;
  std::uint64_t begin_ns = 0;
  // What the driver is to be given.
  cl_uint wait_count = 0;
  const cl_event* waits = nullptr;
  cl_event* event = nullptr;
  cl_event taken = nullptr;  // where the program wants no event
  cl_event* program_event = nullptr;
  std::vector<cl_event> more_waits;  // with reads of ours
  std::vector<HeldEvent> own_waits;  // those
  CommandBuffer* buffer = nullptr;   // that it launches
  std::shared_ptr<Trial> trial;      // of results that are read before it

  Ticket() = default;
  Ticket(const Ticket&) = delete;
  Ticket& operator=(const Ticket&) = delete;
  ~Ticket() {
    if (trial) trial->answered(false);
  }

  // Not so many events without a list: a driver refuses that. A list of none some of them take.
  bool has_list() const noexcept { return wait_count == 0 || waits; }
  // The driver is to wait for reads of ours as well. A list that it refuses stays as it is.
  void wait_for(std::vector<HeldEvent> reads) {
    for (HeldEvent& read : reads) {
      own_waits.push_back(std::move(read));
      if ((wait_count == 0) != (waits == nullptr)) continue;
      if (more_waits.empty()) more_waits.assign(waits, waits + wait_count);
      more_waits.push_back(own_waits.back().get());
      wait_count = static_cast<cl_uint>(more_waits.size());
      waits = more_waits.data();
    }
  }
  // It goes on unrecorded.
  void give_up() noexcept {
    if (record && !own_work) record->is_busy = false;
    record = nullptr;
  }
};

class Recording final : public capture::CallRecording {
 public:
  Recording(std::uint32_t number, std::string path,
            std::unique_ptr<capture::DocumentThread> document, const Settings& settings);
  ~Recording() override;

  // --- commands: with the queue's lock held, in this order

  // `ticket.work` is then to be filled, unless there is no record.
  void start(Ticket& ticket, Queue& queue, cl_uint wait_count, const cl_event* waits,
             cl_event* program_event) noexcept;
  // Looks at the bytes the work needs. False: it isn't wanted, and goes on unrecorded.
  bool before(Ticket& ticket) noexcept;
  // Of a command that is not wanted, after the driver has it.
  void followed(Ticket& ticket, cl_int status) noexcept;
  // In place of before(): a buffer of commands, each of which is recorded.
  void launch(Ticket& ticket, CommandBuffer& buffer) noexcept;
  // What a write or a long fill gives, in the order of its ranges.
  void written(Ticket& ticket, ByteSource& bytes) noexcept;
  void finish(Ticket& ticket, cl_int status) noexcept;
  // Reads these ranges, in the queue's order, as results of the command, or as what the host gave.
  void check(Ticket& ticket, std::span<const WorkArgument> ranges,
             ContentRole role = ContentRole::check) noexcept;
  // The command lets the host write these bytes: nothing of ours may still read them.
  void before_host_writes(Ticket& ticket, std::span<const Range> ranges) noexcept;
  // What is there before the command, as results of all that came before it.
  void check_before(Ticket& ticket) noexcept;
  // The bytes of these ranges as they are before the command, there once `read` is done. Null: they
  // can't be had.
  std::shared_ptr<capture::Block> copy_before(
      Ticket& ticket, std::span<const Range> ranges,
      std::shared_ptr<const capture::UnderWay>& read) noexcept;

  // --- the rest ----------------------------------------------------------------------------------
  // The host has seen these done.
  using CallRecording::host_waited;
  void host_waited(const Event& event) noexcept;
  // The program has waited for something: nothing of ours reads what it may write now. Not from a
  // callback of the driver.
  void settle_reads() noexcept;
  // In a callback, which can't wait: what the program may write now is not checked.
  void call_off_reads() noexcept;
  // … without a wait: it asked for the status, or was called back.
  using CallRecording::host_saw;
  void host_saw(const Event& event) noexcept;
  // The last that the queue was given, and after a wait for the queue: all of that is done. Others
  // may have given it more meanwhile.
  std::vector<Point> given_to(Queue& queue) noexcept;
  void finished(Queue& queue, const std::vector<Point>& given) noexcept;
  // No object of the program has these bytes any more; before the driver is told.
  void freed(const std::shared_ptr<Storage>& storage) noexcept;
  void queue_released(Queue& queue) noexcept;
  // All that is under way, as long as some of it gets done within `patience`.
  void wait_for_work(std::chrono::milliseconds patience) noexcept;
  // Waits in the same way; 0: not at all.
  CaptureReport end(std::chrono::milliseconds patience);
  // After end(): whether nobody comes back to it. A driver that has not read all yet will.
  bool may_be_destroyed() const noexcept { return is_read_; }

 private:
  std::vector<std::shared_ptr<Queue>> queues();
  QueueRecord& record_of(Queue& queue);
  void add_lane(Queue& queue, QueueRecord& record);
  void place(Ticket& ticket);  // chooses its lane
  void follow(Ticket& ticket, const Work& work);
  void check_before_unrecorded(Ticket& ticket, const Range& range);
  OwnReads::Writer writer_of(const Ticket& ticket, bool in_order) const;
  // It may overwrite what we still read. `in_order`: it comes after all that its queue was given.
  void guard(Ticket& ticket, const Work& work, bool in_order);
  bool collect(Queue& queue, QueueRecord& record);
  // Until all of it is done; false when nothing gets done for so long.
  bool wait_until_done(Queue& queue, QueueRecord& record, std::chrono::milliseconds most);
  void let_go(QueueRecord& record);

  std::uint32_t note_device(cl_device_id device);
  std::uint32_t device_of(const capture::TrackedBuffer& buffer) override;
  void note_kernel(capture::TrackedKernel& kernel, capture::QueueLog& queue) override;
  template <class F>
  void for_each_wait(const Ticket& ticket, F&& visit) const;  // visit(Point), of this capture
  Call call_of(const Ticket& ticket, std::uint64_t end_ns = 0) const;

  // Contents.
  void read_inputs(Ticket& ticket, bool in_order);
  // What the commands of a buffer left, each where no later one of them wrote.
  void check_nodes(Ticket& ticket, cl_event launched);
  // In the order of the record's queue. `after` is the event of the command whose results they are;
  // `waiter` has to wait for the reads.
  struct ReadOrder {
    cl_uint wait_count = 0;
    const cl_event* waits = nullptr;
    cl_event after = nullptr;
    Ticket* waiter = nullptr;
    Ticket* ahead_of = nullptr;
  };
  // Before the command, which waits for the reads where its queue has no order.
  static ReadOrder before(Ticket& ticket, bool in_order) {
    return {ticket.wait_count, ticket.waits, nullptr, in_order ? nullptr : &ticket, &ticket};
  }
  // Behind the command whose event it is; `waits`: only that puts them there.
  static ReadOrder behind(const cl_event& event, bool waits) {
    return {waits && event ? 1u : 0u, waits && event ? &event : nullptr, event, nullptr, nullptr};
  }
  void settle_trial(Ticket& ticket, cl_int status);  // what was read before it counts, or doesn't
  void read_pieces(QueueRecord& record, ContentRole role, std::uint32_t command,
                   std::span<const capture::Piece> pieces, const ReadOrder& order);
  void wait_for_all(const std::vector<HeldEvent>& events);
  void when_done(QueueRecord& record, cl_event event, std::unique_ptr<DriverReading> reading);
  static void CL_CALLBACK read_done(cl_event event, cl_int status, void* data);
  bool keep_waiting(capture::QueueLog* queue) override;
  bool is_read_whole(const BufferResource& buffer) const override;
  void read_results();

  std::shared_ptr<capture::MemoryBudget> map_memory_;
  std::atomic<std::uint64_t> being_read_{0};  // bytes of memory_ that drivers read into
  OwnReads own_reads_;

  std::mutex mutex_;  // of what follows
  std::map<cl_device_id, std::uint32_t> devices_;
  std::vector<std::shared_ptr<Object>> queues_;  // that gave something
  bool is_read_ = true;
  std::atomic<bool> is_ending_{false};  // commands of the program pass by
};

// The recording of now, kept from going away.
class RecordingUse {
 public:
  RecordingUse() noexcept;
  ~RecordingUse();
  RecordingUse(const RecordingUse&) = delete;
  RecordingUse& operator=(const RecordingUse&) = delete;
  explicit operator bool() const noexcept { return recording_ != nullptr; }
  Recording* operator->() const noexcept { return recording_; }

 private:
  Recording* recording_;
};

}  // namespace reel::layer
