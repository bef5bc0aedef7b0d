// queue.hpp - a stream's way to the device.
//
// Commands are recorded into an open batch, which is handed to the line when somebody marks,
// flushes or waits, or when it is large. The state is shared with Signals, which may outlive the
// queue and may hand over the batch they lie in.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "backends/vulkan/kernels/descriptor_cache.hpp"
#include "backends/vulkan/work/line.hpp"
#include "backends/vulkan/work/recorder.hpp"
#include "backends/vulkan/work/stamp.hpp"
#include "base/process/biased_mutex.hpp"
#include "runtime/driver.hpp"

namespace reel::vulkan {

class Recording;

class QueueState {
 public:
  QueueState(std::shared_ptr<Context> context, std::string_view label);
  ~QueueState();
  QueueState(const QueueState&) = delete;
  QueueState& operator=(const QueueState&) = delete;

  // Each takes the lock.
  void submit(const Command& command) { submit(command, nullptr); }
  // Of a kernel without a declared layout, of some groups, and with buffers and values.
  void dispatch(VulkanKernel& kernel, Dim3 groups, std::span<const Argument> arguments);
  void submit_stamped(const Command& command, std::uint64_t number);
  std::shared_ptr<Signal> mark(const std::shared_ptr<QueueState>& self, Stamped stamped);
  std::shared_ptr<Signal> mark_aside(const std::shared_ptr<QueueState>& self);
  void wait_for(const Dependency& dependency);
  void launch(const std::shared_ptr<Recording>& recording);
  void run_in_order(std::function<void()> function, InOrder calls);
  void gather_launches(bool gathers);
  // Hands over the open batch, if it will have a value up to `value`; returns the last value.
  std::uint64_t flush(std::uint64_t value = UINT64_MAX);

  const std::shared_ptr<Line> line;

 private:
  // A command to be stamped, on its way into a batch. Null for others.
  struct Ticket {
    std::uint64_t ticket, queued_ns;
    bool placed = false;  // somewhere its stamps will come from
  };

  void submit(const Command& command, Ticket* ticket);
  // With the lock held:
  Batch& open();    // the open batch, made when there is none
  Batch& record();  // the same, with its own command buffer begun
  bool has_commands() const { return recording_ || (open_ && !open_->commands.empty()); }
  bool is_open_empty() const { return !open_ || (!has_commands() && open_->waits.empty()); }
  std::uint64_t close();  // hands it over, if there is anything in it
  void end_recording();
  // Calls `write` to record one command, which `ticket` may want stamped.
  template <class Write>
  void add(Ticket* ticket, Write&& write);
  // Each the query that will have the time.
  std::uint32_t stamp_begin(Batch& batch);
  std::uint32_t stamp_end(Batch& batch);
  // Copies at once what the host can reach and nobody is using.
  void copy_now(std::byte* target, std::span<const std::byte> source, Ticket* ticket);
  void command_recorded();
  bool may_grow();  // the open batch, which is large
  template <class Resource>
  void hold(Resource& resource);
  bool everything_is_done();
  void host_step(std::function<void()> function, std::shared_ptr<const void> held,
                 Ticket* ticket = nullptr, bool waiter_may_run = false);

  void enqueue(const Dispatch& dispatch, Ticket* ticket);
  void enqueue(const Copy& copy, Ticket* ticket);
  void enqueue(const Fill& fill, Ticket* ticket);
  void enqueue(const Write& write, Ticket* ticket);
  void enqueue(const Read& read, Ticket* ticket);
  void enqueue(const HostCall& call, Ticket* ticket);
  void enqueue(const Barrier& barrier, Ticket* ticket);

  const std::shared_ptr<Context> context_;
  BiasedMutex mutex_;
  VkCommandPool pool_ = VK_NULL_HANDLE;
  DescriptorCache descriptors_;
  Recorder recorder_;
  std::shared_ptr<StampPool> stamps_;
  std::unique_ptr<Batch> open_;
  std::vector<StampPlace> open_stamps_;  // to be copied when the batch is closed
  bool recording_ = false;               // open_ has commands of its own
  bool gathers_ = false;                 // launches stay in open_
  bool barrier_is_due_ = false;          // the last command recorded was no barrier
  // The query at the end of the last command recorded, where that is stamped.
  std::optional<std::uint32_t> boundary_;
  std::uint64_t holder_ = 0;  // of the open batch, see VulkanBuffer::holder
  std::size_t recorded_ = 0;  // commands in the open batch
};

class VulkanQueue final : public QueueDriver {
 public:
  VulkanQueue(std::shared_ptr<Context> context, std::string_view label)
      : state_(std::make_shared<QueueState>(std::move(context), label)) {}
  ~VulkanQueue() override;

  void submit(const Command& command) override { state_->submit(command); }
  std::unique_ptr<ReadyDispatch> make_ready_dispatch() override;
  void submit_stamped(const Command& command, std::uint64_t ticket) override {
    state_->submit_stamped(command, ticket);
  }
  void collect_stamps(StampList& into) override { state_->line->collect_stamps(into); }
  std::shared_ptr<Signal> mark(Stamped stamped) override { return state_->mark(state_, stamped); }
  std::shared_ptr<Signal> mark_aside() override { return state_->mark_aside(state_); }
  void wait_for(const std::shared_ptr<Signal>& signal) override;
  void flush() override { state_->flush(); }
  bool wait() override;
  bool idle() override;
  void run_in_order(std::function<void()> function, InOrder calls) override {
    state_->run_in_order(std::move(function), calls);
  }
  void fetch(const BufferRange& source, std::span<std::byte> target) override;
  void gather_launches(bool gathers) override { state_->gather_launches(gathers); }
  void launch(const std::shared_ptr<Recording>& recording) { state_->launch(recording); }

 private:
  const std::shared_ptr<QueueState> state_;
};

}  // namespace reel::vulkan
