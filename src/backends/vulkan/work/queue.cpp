#include "backends/vulkan/work/queue.hpp"

#include <cstring>

#include "backends/vulkan/device/clock.hpp"
#include "backends/vulkan/device/result.hpp"
#include "backends/vulkan/work/exit_wait.hpp"
#include "backends/vulkan/work/recording.hpp"

namespace reel::vulkan {
namespace {

// So that the device starts early in a long line. A submit costs 15 µs on llvmpipe, so that a batch
// grows on while the device has work: it is asked every 64 commands.
constexpr std::size_t commands_per_batch = 256, most_commands_per_batch = 2048, asked_every = 64;
// Launches of a walk that are handed over together: so many keep the device busy.
constexpr std::size_t most_gathered = 8;
// Sets that a queue keeps for bindings it may see again.
constexpr std::size_t sets_per_generation = 4096;
// From here on reads of memory that the host can see are done by the host: one copy, not two.
constexpr std::uint64_t large_read_bytes = 1u << 20;
// Writes above this wait their turn in memory of the host, not of the device.
constexpr std::uint64_t large_write_bytes = 64u << 20;

enum class Asking { sends, watches };  // what done() does to commands that are still held back

class VulkanSignal final : public Signal {
 public:
  VulkanSignal(std::shared_ptr<QueueState> queue, std::uint64_t value, std::shared_ptr<Stamp> stamp,
               Asking asking = Asking::sends)
      : queue_(std::move(queue)), value_(value), stamp_(std::move(stamp)), asking_(asking) {}

  bool done() override {
    if (asking_ == Asking::sends) queue_->flush(value_);
    return queue_->line->done(value_);
  }
  void wait() override {
    queue_->flush(value_);
    queue_->line->wait(value_);
    queue_->line->throw_failure(value_);
  }
  std::optional<std::uint64_t> time_ns() override {
    if (!stamp_ || !done()) return std::nullopt;
    return stamp_->time_ns();
  }
  Dependency as_dependency() {
    queue_->flush(value_);
    queue_->line->hurry();
    return {queue_->line, value_};
  }

 private:
  const std::shared_ptr<QueueState> queue_;
  const std::uint64_t value_;
  const std::shared_ptr<Stamp> stamp_;
  const Asking asking_;
};

}  // namespace

QueueState::QueueState(std::shared_ptr<Context> context, std::string_view label)
    : line(std::make_shared<Line>(context, std::string(label))),
      context_(std::move(context)),
      descriptors_(context_, sets_per_generation),
      recorder_(*context_) {
  if (context_->clock->can_stamp()) stamps_ = std::make_shared<StampPool>(context_);
  VkCommandPoolCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO;
  info.flags = VK_COMMAND_POOL_CREATE_RESET_COMMAND_BUFFER_BIT;
  info.queueFamilyIndex = context_->physical.queue_family;
  check(context_->vk.vkCreateCommandPool(context_->device, &info, nullptr, &pool_),
        "vkCreateCommandPool");
  if (context_->physical.info.type == "cpu") wait_at_exit(line);
}

QueueState::~QueueState() { context_->vk.vkDestroyCommandPool(context_->device, pool_, nullptr); }

// --- the open batch ----------------------------------------------------------------------------

Batch& QueueState::open() {
  if (open_) return *open_;
  line->limit_in_flight();
  if (line->finished() < line->last()) line->done(line->last());  // frees what is done by now
  open_ = line->take_free();
  if (!open_) open_ = std::make_unique<Batch>(*context_);
  holder_ = new_holder();
  recorded_ = 0;
  return *open_;
}

Batch& QueueState::record() {
  if (recording_) return *open_;
  if (has_commands()) close();  // launches: its own commands would come before them
  Batch& batch = open();
  if (!batch.own) {
    VkCommandBufferAllocateInfo info{};
    info.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO;
    info.commandPool = pool_;
    info.level = VK_COMMAND_BUFFER_LEVEL_PRIMARY;
    info.commandBufferCount = 1;
    check(context_->vk.vkAllocateCommandBuffers(context_->device, &info, &batch.own),
          "vkAllocateCommandBuffers");
  }
  const auto& generation = descriptors_.current();
  recorder_.begin(batch.own, VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT, *generation);
  batch.held.push_back(generation);
  recording_ = true;
  barrier_is_due_ = false;  // the batch before ends with one
  boundary_.reset();
  return batch;
}

void QueueState::end_recording() {
  if (!recording_) return;
  recording_ = false;
  // At the end: a copy waits for its stamp, and in between would keep the device from going on.
  for (const StampPlace& stamp : open_stamps_)
    recorder_.copy_stamps(stamp.queries, stamp.query, 1, stamp.buffer, stamp.offset);
  open_stamps_.clear();
  if (open_->queries)
    recorder_.copy_stamps(open_->stamps->queries, 0, open_->queries, open_->stamps->times.handle,
                          0);
  recorder_.end();
  open_->commands.push_back(open_->own);
}

std::uint64_t QueueState::close() {
  if (is_open_empty()) return line->last();
  end_recording();
  return line->push(std::move(open_));
}

void QueueState::command_recorded() {
  barrier_is_due_ = true;
  boundary_.reset();
  if (++recorded_ >= commands_per_batch && !may_grow()) close();
}

bool QueueState::may_grow() {
  return open_->stamped.empty() &&  // they have room for so many
         recorded_ < most_commands_per_batch &&
         (recorded_ % asked_every != 0 || !line->done(line->last()));
}

template <class Resource>
void QueueState::hold(Resource& resource) {
  if (resource.holder.load(std::memory_order_relaxed) == holder_) return;
  resource.holder.store(holder_, std::memory_order_relaxed);
  open_->held.push_back(resource.shared_from_this());
}

bool QueueState::everything_is_done() { return is_open_empty() && line->done(line->last()); }

void QueueState::host_step(std::function<void()> function, std::shared_ptr<const void> held,
                           Ticket* ticket, bool waiter_may_run) {
  // Without commands, the open batch becomes the step: what it waits for, so does it.
  if (has_commands()) close();
  Batch& batch = open();
  batch.host = std::move(function);
  batch.waiter_may_run = waiter_may_run;
  batch.held.push_back(std::move(held));
  if (ticket) {
    batch.stamped.push_back({ticket->ticket, ticket->queued_ns, 0, 0});
    ticket->placed = true;
  }
  line->push(std::move(open_));
}

// --- stamps ------------------------------------------------------------------------------------

template <class Write>
void QueueState::add(Ticket* ticket, Write&& write) {
  if (!ticket) {
    write();
    return command_recorded();
  }
  Batch& batch = *open_;
  const std::uint32_t begin = stamp_begin(batch);
  try {
    write();
  } catch (...) {
    command_recorded();  // part of it may be
    throw;
  }
  const std::uint32_t end = stamp_end(batch);
  batch.stamped.push_back({ticket->ticket, ticket->queued_ns, begin, end});
  ticket->placed = true;
  command_recorded();
  if (open_) boundary_ = end;
}

std::uint32_t QueueState::stamp_begin(Batch& batch) {
  constexpr std::uint32_t most = 2 * commands_per_batch;
  if (batch.stamped.empty()) batch.stamped.reserve(commands_per_batch);
  if (!context_->clock->can_stamp()) return 0;
  if (batch.queries == 0) {
    if (!batch.stamps) batch.stamps = std::make_unique<StampBlock>(*context_, most);
    recorder_.reset_stamps(batch.stamps->queries, 0, most);
  }
  // Behind a barrier this starts when all before it has ended, and that is stamped already: one
  // stamp costs llvmpipe as much as a small dispatch.
  if (boundary_ && !barrier_is_due_) return *boundary_;
  // Elsewhere commands overlap, and this one starts when the device gets to it.
  recorder_.stamp(
      batch.stamps->queries, batch.queries,
      barrier_is_due_ ? VK_PIPELINE_STAGE_TOP_OF_PIPE_BIT : VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT);
  return batch.queries++;
}

std::uint32_t QueueState::stamp_end(Batch& batch) {
  if (!batch.stamps) return 0;
  recorder_.stamp(batch.stamps->queries, batch.queries, VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT);
  return batch.queries++;
}

void QueueState::copy_now(std::byte* target, std::span<const std::byte> source, Ticket* ticket) {
  std::memcpy(target, source.data(), source.size());
  if (!ticket) return;
  const std::uint64_t queued_ns = ticket->queued_ns;
  line->keep_stamps(
      {ticket->ticket, {queued_ns, queued_ns, queued_ns, context_->clock->quick_now_ns()}});
  ticket->placed = true;
}

// --- commands ----------------------------------------------------------------------------------

void QueueState::submit_stamped(const Command& command, std::uint64_t number) {
  Ticket ticket{number, context_->clock->quick_now_ns()};
  submit(command, &ticket);
  if (!ticket.placed) line->keep_stamps({number, {ticket.queued_ns}});
}

void QueueState::submit(const Command& command, Ticket* ticket) {
  const BiasedLock lock(mutex_);
  if (const auto* call = std::get_if<HostCall>(&command.work))
    host_step(named_call(*call, command.label, context_->physical.info), nullptr, ticket);
  else
    std::visit([&](const auto& work) { enqueue(work, ticket); }, command.work);
}

void QueueState::enqueue(const Dispatch& dispatch, Ticket* ticket) {
  if (is_nothing(dispatch)) return;
  Batch& batch = record();
  hold(static_cast<VulkanKernel&>(*dispatch.kernel));
  for (const Argument& argument : dispatch.arguments)
    if (argument.is_memory()) hold(buffer_of(argument.range));
  if (dispatch.indirect.buffer) hold(buffer_of(dispatch.indirect));
  if (dispatch.predicate) hold(buffer_of(dispatch.predicate.word));
  add(ticket, [&] { recorder_.dispatch(dispatch, batch.staging); });
}

void QueueState::dispatch(VulkanKernel& kernel, Dim3 groups, std::span<const Argument> arguments) {
  const BiasedLock lock(mutex_);
  record();
  hold(kernel);
  for (const Argument& argument : arguments)
    if (argument.is_memory()) hold(buffer_of(argument.range));
  recorder_.dispatch_by_position(kernel, groups, arguments);
  command_recorded();
}

void QueueState::enqueue(const Copy& copy, Ticket* ticket) {
  if (copy.source.size_bytes == 0) return;
  Batch& batch = record();
  hold(buffer_of(copy.source));
  hold(buffer_of(copy.target));
  add(ticket, [&] { recorder_.copy(copy, batch.staging); });
}

void QueueState::enqueue(const Fill& fill, Ticket* ticket) {
  if (fill.target.size_bytes == 0) return;
  Batch& batch = record();
  hold(buffer_of(fill.target));
  add(ticket, [&] { recorder_.fill(fill, batch.staging); });
}

void QueueState::enqueue(const Write& write, Ticket* ticket) {
  if (write.data.empty()) return;
  VulkanBuffer& buffer = buffer_of(write.target);
  if (buffer.host) {
    std::byte* target = buffer.host + write.target.offset_bytes;
    if (everything_is_done()) return copy_now(target, write.data, ticket);
    if (write.data.size() >= large_write_bytes) {
      auto bytes =
          std::make_shared<const std::vector<std::byte>>(write.data.begin(), write.data.end());
      host_step([target, bytes] { std::memcpy(target, bytes->data(), bytes->size()); },
                buffer.shared_from_this(), ticket);
      return;
    }
  }
  Batch& batch = record();
  hold(buffer);
  add(ticket, [&] { recorder_.write(write, batch.staging); });
}

void QueueState::enqueue(const Read& read, Ticket* ticket) {
  if (read.target.empty()) return;
  VulkanBuffer& buffer = buffer_of(read.source);
  if (buffer.host) {
    const std::byte* source = buffer.host + read.source.offset_bytes;
    if (everything_is_done())
      return copy_now(read.target.data(), {source, read.target.size()}, ticket);
    if (read.target.size() >= large_read_bytes) {
      host_step(
          [source, target = read.target] { std::memcpy(target.data(), source, target.size()); },
          buffer.shared_from_this(), ticket);
      return;
    }
  }
  Batch& batch = record();
  hold(buffer);
  add(ticket, [&] { recorder_.read(read, batch.staging, batch.read_backs); });
}

void QueueState::enqueue(const HostCall&, Ticket*) {}  // submit() saw to it

void QueueState::enqueue(const Barrier&, Ticket*) {
  if (!recording_ || !barrier_is_due_) return;
  recorder_.barrier();
  barrier_is_due_ = false;
}

// --- order -------------------------------------------------------------------------------------

std::shared_ptr<Signal> QueueState::mark(const std::shared_ptr<QueueState>& self, Stamped stamped) {
  const BiasedLock lock(mutex_);
  const bool empty = is_open_empty();
  std::shared_ptr<Stamp> stamp;
  if (stamps_ && stamped == Stamped::yes) {
    stamp = stamps_->take();
    Batch& batch = record();
    recorder_.reset_stamps(stamp->place.queries, stamp->place.query, 1);
    recorder_.stamp(stamp->place.queries, stamp->place.query, VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT);
    open_stamps_.push_back(stamp->place);
    batch.held.push_back(stamp);
    command_recorded();
  }
  if (!open_) return std::make_shared<VulkanSignal>(self, line->last(), std::move(stamp));
  // A mark at the start of a batch goes with what comes next; whoever asks for it sooner sends
  // it sooner. A submit for it alone would cost as much as ten small kernels.
  const std::uint64_t value = empty && stamp ? line->last() + 1 : close();
  return std::make_shared<VulkanSignal>(self, value, std::move(stamp));
}

std::shared_ptr<Signal> QueueState::mark_aside(const std::shared_ptr<QueueState>& self) {
  const BiasedLock lock(mutex_);
  const std::uint64_t value = line->last() + (is_open_empty() ? 0 : 1);
  return std::make_shared<VulkanSignal>(self, value, nullptr, Asking::watches);
}

void QueueState::wait_for(const Dependency& dependency) {
  if (dependency.line == line || dependency.line->finished() >= dependency.value) return;
  const BiasedLock lock(mutex_);
  if (has_commands()) close();  // what came before need not wait
  open().waits.push_back(dependency);
}

void QueueState::launch(const std::shared_ptr<Recording>& recording) {
  const BiasedLock lock(mutex_);
  for (const Recording::Segment& segment : recording->segments()) {
    if (segment.commands) {
      Batch& batch = open();
      end_recording();
      batch.commands.push_back(segment.commands);
      batch.read_backs.insert(batch.read_backs.end(), segment.read_backs.begin(),
                              segment.read_backs.end());
      recording->batches.fetch_add(1, std::memory_order_relaxed);
      batch.runs.push_back(recording);
      if (!gathers_ || batch.commands.size() >= most_gathered) line->push(std::move(open_));
    }
    if (segment.host) {
      recording->batches.fetch_add(1, std::memory_order_relaxed);
      if (has_commands()) close();
      open().runs.push_back(recording);
      host_step(segment.host, nullptr);
    }
  }
}

void QueueState::gather_launches(bool gathers) {
  const BiasedLock lock(mutex_);
  gathers_ = gathers;
  if (!gathers) close();
}

void QueueState::run_in_order(std::function<void()> function, InOrder calls) {
  const BiasedLock lock(mutex_);
  host_step(std::move(function), nullptr, nullptr, calls != InOrder::anything);
}

std::uint64_t QueueState::flush(std::uint64_t value) {
  if (value <= line->last()) return line->last();
  const BiasedLock lock(mutex_);
  return close();
}

// --- the driver's face -------------------------------------------------------------------------

namespace {

class ReadyRecord final : public ReadyDispatch {
 public:
  explicit ReadyRecord(QueueState& queue) : queue_(queue) {}
  void prepare(const Dispatch& like) override {
    like_ = like;
    kernel_ = static_cast<VulkanKernel*>(like.kernel);
    is_by_position_ = !kernel_->is_declared && like.groups.count() != 0;
  }
  void give(std::span<const Argument> arguments) override {
    if (is_by_position_) [[likely]]
      return queue_.dispatch(*kernel_, like_.groups, arguments);
    Command command{like_};
    std::get<Dispatch>(command.work).arguments = arguments;
    queue_.submit(command);
  }
  void give_stamped(const Command& command, std::uint64_t ticket) override {
    queue_.submit_stamped(command, ticket);
  }

 private:
  QueueState& queue_;
  Dispatch like_;
  VulkanKernel* kernel_ = nullptr;
  bool is_by_position_ = false;
};

}  // namespace

std::unique_ptr<ReadyDispatch> VulkanQueue::make_ready_dispatch() {
  return std::make_unique<ReadyRecord>(*state_);
}

VulkanQueue::~VulkanQueue() {
  try {
    state_->flush();
  } catch (...) {  // out of memory while ending the batch: what is submitted is still waited for
  }
  state_->line->close();
}

void VulkanQueue::wait_for(const std::shared_ptr<Signal>& signal) {
  // First the other queue's lock, then, with that released, ours.
  state_->wait_for(static_cast<VulkanSignal&>(*signal).as_dependency());
}

bool VulkanQueue::wait() {
  const std::uint64_t value = state_->flush();
  state_->line->wait(value);
  state_->line->throw_failure(value);
  return true;  // it asked the driver, and that takes time
}

// What the host can see needs no command once all is done.
void VulkanQueue::fetch(const BufferRange& source, std::span<std::byte> target) {
  const std::byte* host = source.buffer ? buffer_of(source).host : nullptr;
  if (source.buffer && !host) return fetch_by_read(source, target);
  wait();
  if (host) std::memcpy(target.data(), host + source.offset_bytes, target.size());
}

bool VulkanQueue::idle() { return state_->line->done(state_->flush()); }

}  // namespace reel::vulkan
