// Queues, and what is submitted to them.
//
// While a capture is under way each batch of a submission is read, command by command; what the
// recording wants to know of memory before it is copied by commands of ours that go ahead, in the
// same batch, so that what the program waits for orders them as well.
#include <algorithm>
#include <optional>

#include "layers/control/control.hpp"
#include "layers/control/scope_stack.hpp"
#include "layers/session/exit_watch.hpp"
#include "layers/session/recording_use.hpp"
#include "layers/vulkan/hooks/hooks.hpp"
#include "layers/vulkan/objects/device_row.hpp"
#include "layers/vulkan/objects/queue.hpp"
#include "layers/vulkan/stamps/ticks.hpp"
#include "layers/vulkan/submission.hpp"
#include "layers/vulkan/vulkan_api.hpp"
#include "recording/writing/call_meter.hpp"

namespace reel::layer::vk {

namespace {

// --- queues -------------------------------------------------------------------------------------

void note_queue(Device& device, VkQueue handle, std::uint32_t family) {
  if (!handle || queues().find(handle)) return;
  auto made = std::make_shared<Queue>(device);
  made->handle = handle;
  made->family = family;
  made->device = identity_of_device(device);
  const char* why = why_no_stamps(device, family);
  if (!why && control::stamps() == StampDetail::none) why = "No timestamps were asked for.";
  if (why)
    made->why_no_stamps = why;
  else
    made->can_stamp = true;
  {
    const std::lock_guard lock(device.mutex);
    device.queues.push_back(made);
  }
  queues().add(handle, std::move(made));
}

void VKAPI_CALL get_queue(VkDevice handle, std::uint32_t family, std::uint32_t index,
                          VkQueue* queue) {
  Device& device = *device_of(handle);
  device.next.GetDeviceQueue(handle, family, index, queue);
  quietly([&] { note_queue(device, *queue, family); });
}

void VKAPI_CALL get_queue2(VkDevice handle, const VkDeviceQueueInfo2* info, VkQueue* queue) {
  Device& device = *device_of(handle);
  device.next.GetDeviceQueue2(handle, info, queue);
  quietly([&] { note_queue(device, *queue, info->queueFamilyIndex); });
}

// --- what a submission has, of either generation ------------------------------------------------

struct SemaphoreUse {
  VkSemaphore handle;
  std::uint64_t value;
};
struct SemaphoreWait : SemaphoreUse {
  std::uint64_t stages;  // that wait (TraceOrder::stages)
};
struct BatchView {
  std::vector<VkCommandBuffer> commands;
  std::vector<SemaphoreWait> waits;
  std::vector<SemaphoreUse> signals;
  bool may_be_added_to = true;
};

// 0: all of them; so says the top of the pipe, which all come behind. None at all is said by its
// bottom.
std::uint64_t waiting_stages(VkPipelineStageFlags2 mask) {
  if (mask & (VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT | VK_PIPELINE_STAGE_2_TOP_OF_PIPE_BIT)) return 0;
  return mask ? mask : VK_PIPELINE_STAGE_2_BOTTOM_OF_PIPE_BIT;
}

BatchView view_of(const VkSubmitInfo& info) {
  BatchView view;
  const auto* values = find_in<VkTimelineSemaphoreSubmitInfo>(
      info.pNext, VK_STRUCTURE_TYPE_TIMELINE_SEMAPHORE_SUBMIT_INFO);
  view.commands.assign(info.pCommandBuffers, info.pCommandBuffers + info.commandBufferCount);
  for (std::uint32_t i = 0; i < info.waitSemaphoreCount; ++i)
    view.waits.push_back(
        {{info.pWaitSemaphores[i],
          values && i < values->waitSemaphoreValueCount ? values->pWaitSemaphoreValues[i] : 0},
         waiting_stages(info.pWaitDstStageMask[i])});
  for (std::uint32_t i = 0; i < info.signalSemaphoreCount; ++i)
    view.signals.push_back(
        {info.pSignalSemaphores[i],
         values && i < values->signalSemaphoreValueCount ? values->pSignalSemaphoreValues[i] : 0});
  // Its masks count command buffers.
  view.may_be_added_to =
      !find_in<VkDeviceGroupSubmitInfo>(info.pNext, VK_STRUCTURE_TYPE_DEVICE_GROUP_SUBMIT_INFO) &&
      !find_in<VkProtectedSubmitInfo>(info.pNext, VK_STRUCTURE_TYPE_PROTECTED_SUBMIT_INFO);
  return view;
}

BatchView view_of(const VkSubmitInfo2& info) {
  BatchView view;
  for (std::uint32_t i = 0; i < info.commandBufferInfoCount; ++i)
    view.commands.push_back(info.pCommandBufferInfos[i].commandBuffer);
  for (std::uint32_t i = 0; i < info.waitSemaphoreInfoCount; ++i)
    view.waits.push_back(
        {{info.pWaitSemaphoreInfos[i].semaphore, info.pWaitSemaphoreInfos[i].value},
         waiting_stages(info.pWaitSemaphoreInfos[i].stageMask)});
  for (std::uint32_t i = 0; i < info.signalSemaphoreInfoCount; ++i)
    view.signals.push_back(
        {info.pSignalSemaphoreInfos[i].semaphore, info.pSignalSemaphoreInfos[i].value});
  view.may_be_added_to = !(info.flags & VK_SUBMIT_PROTECTED_BIT);
  return view;
}

// With commands of ours around the program's. They must not run before what it waits for.
struct Ours {
  std::vector<VkCommandBuffer> ahead;
  std::vector<std::pair<std::size_t, VkCommandBuffer>> between;  // ahead of this one of its own
  const BatchStamps* stamps = nullptr;  // between the program's and behind them; null: none

  bool are_any() const noexcept { return !ahead.empty() || !between.empty(); }
  // add(ours) and give(number of its own), in order.
  template <class Add, class Give>
  void for_each(std::size_t count, Add&& add, Give&& give) const {
    for (const VkCommandBuffer commands : ahead) add(commands);
    for (std::size_t i = 0; i < count; ++i) {
      for (const auto& [place, commands] : between)
        if (place == i) add(commands);
      if (const VkCommandBuffer stamp = stamps && i > 0 ? stamps->before_buffer(i) : VK_NULL_HANDLE)
        add(stamp);
      give(i);
    }
    if (stamps) add(stamps->last());
  }
};
struct Extended {
  std::vector<VkCommandBuffer> commands;
  std::vector<VkPipelineStageFlags> stages;
  std::vector<VkCommandBufferSubmitInfo> command_infos;
  std::vector<VkSemaphoreSubmitInfo> wait_infos;
};

void put_around(VkSubmitInfo& info, const Ours& ours, Extended& lists) {
  ours.for_each(
      info.commandBufferCount,
      [&](VkCommandBuffer commands) { lists.commands.push_back(commands); },
      [&](std::size_t i) { lists.commands.push_back(info.pCommandBuffers[i]); });
  info.pCommandBuffers = lists.commands.data();
  info.commandBufferCount = static_cast<std::uint32_t>(lists.commands.size());
  for (std::uint32_t i = 0; i < info.waitSemaphoreCount; ++i)
    lists.stages.push_back(info.pWaitDstStageMask[i] | VK_PIPELINE_STAGE_TRANSFER_BIT);
  if (!lists.stages.empty()) info.pWaitDstStageMask = lists.stages.data();
}

void put_around(VkSubmitInfo2& info, const Ours& ours, Extended& lists) {
  const auto add = [&](VkCommandBuffer commands) {
    VkCommandBufferSubmitInfo one{};
    one.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_SUBMIT_INFO;
    one.commandBuffer = commands;
    lists.command_infos.push_back(one);
  };
  ours.for_each(info.commandBufferInfoCount, add,
                [&](std::size_t i) { lists.command_infos.push_back(info.pCommandBufferInfos[i]); });
  info.pCommandBufferInfos = lists.command_infos.data();
  info.commandBufferInfoCount = static_cast<std::uint32_t>(lists.command_infos.size());
  lists.wait_infos.assign(info.pWaitSemaphoreInfos,
                          info.pWaitSemaphoreInfos + info.waitSemaphoreInfoCount);
  for (VkSemaphoreSubmitInfo& wait : lists.wait_infos)
    wait.stageMask |= VK_PIPELINE_STAGE_2_ALL_TRANSFER_BIT;
  if (!lists.wait_infos.empty()) info.pWaitSemaphoreInfos = lists.wait_infos.data();
}

// --- one submission -----------------------------------------------------------------------------

struct Batch {
  Ticket ticket;
  BatchView view;
  capture::Submission list;
  Extended lists;
  std::unique_ptr<BatchStamps> stamps;  // null: it is not timed
  std::optional<SubmissionReader> reader;
  capture::RecordedEvent event;
};

// How many commands a document would have of it, for windows of commands.
std::uint64_t count_commands(const CommandBuffer& commands) {
  std::uint64_t count = 0;
  commands.ops.for_each([&](const OpHeader& header, const void* op) {
    switch (header.kind) {
      case OpKind::bind_pipeline:
      case OpKind::bind_sets:
      case OpKind::push_constants:
      case OpKind::push_set:
      case OpKind::begin_label:
      case OpKind::end_label:
      case OpKind::stamp:
        return;
      case OpKind::execute: {
        const auto& execute = *static_cast<const ExecuteOp*>(op);
        for (const VkCommandBuffer handle : list_behind<VkCommandBuffer>(&execute, execute.count))
          if (const CommandBuffer* secondary = command_buffers().find(handle))
            if (secondary->is_secondary) count += count_commands(*secondary);
        return;
      }
      default:
        ++count;
    }
  });
  return count;
}

class Submitting {
 public:
  Submitting(Queue& queue, const char* function) : queue_(queue), function_(function) {}

  // Before the driver is told; the queue's lock is held.
  void prepare(const RecordingUse& use, BatchView view) {
    const bool is_behind_others = !batches_.empty();
    Batch& batch = *batches_.emplace_back(std::make_unique<Batch>());
    batch.ticket.is_behind_others = is_behind_others;
    batch.view = std::move(view);
    batch.ticket.at = &queue_;
    find_waits(use, batch);
    use->start(batch.ticket, queue_);
    if (!batch.ticket.record) {
      for (const VkCommandBuffer handle : batch.view.commands)
        if (const CommandBuffer* commands = command_buffers().find(handle))
          follow_layouts(*queue_.owner, *commands);
      return;
    }
    if (!done_) done_ = make_done(queue_);
    if (batch.view.may_be_added_to) batch.ticket.behind = done_;
    batch.list.call = function_;
    Scope scope = current_scope();
    for (const std::string& label : queue_.labels) scope = scope.child(label);
    if (batch.ticket.behind && is_timed_)
      batch.stamps = std::make_unique<BatchStamps>(queue_.owner, queue_.family, *done_);
    const Moment moment{&queue_, use.operator->(), batch.ticket.may_start_late, is_behind_others};
    batch.reader.emplace(*queue_.owner, batch.list, scope, batch.stamps.get(), moment);
    const bool may_cut = cuts(batch.view);
    for (std::size_t i = 0; i < batch.view.commands.size(); ++i) {
      if (batch.stamps && may_cut) batch.stamps->begin_buffer(i);
      batch.reader->read(command_buffer(batch.view.commands[i]), static_cast<std::uint32_t>(i));
    }
    batch.ticket.layouts = batch.reader->take_layouts();
    if (batch.reader->has_broken_list()) {
      use->note("not_recorded",
                "A submission is missing: no memory was left to note its commands.");
      use->order_unknown();
      batch.ticket.give_up();
      return;
    }
    for (const capture::Submission::Given& one : batch.list.all()) forget_rows(use, one.work);
    const auto is_wanted = [](const capture::Submission::Given& one) {
      return control::selects(one.work.kernel ? std::string_view(one.work.kernel->name) : "");
    };
    if (!done_ && batch.list.count > 0)
      use->note(
          "not_recorded",
          "A submission is missing: the driver had no memory for the fence that tells when it "
          "is done.");
    if (batch.list.count == 0 || (done_ && std::ranges::any_of(batch.list.all(), is_wanted)))
      use->submit(batch.ticket, batch.list);
    else
      leave_out(use, batch);
    batch.ticket.follow_layouts(no_index);
    for (const SemaphoreUse& signal : batch.view.signals)
      signals_.push_back({signal, will_stand_for(use, batch)});
  }

  // The commands of ours that are to go with batch `i`.
  Ours ours(std::size_t i) {
    Batch& batch = *batches_[i];
    Ours ours;
    if (done_) {  // no memory may be missing once they run
      std::size_t runs = 0;
      for (const auto& one : batches_) runs += one->ticket.runs.size();
      done_->runs.reserve(runs);
      done_->stamps.reserve(batches_.size());
    }
    for (std::size_t part = 0; part < batch.ticket.runs.size(); ++part)
      if (const auto& run = batch.ticket.runs[part])
        if (const VkCommandBuffer copies = run->close()) {
          if (part == 0)
            ours.ahead.push_back(copies);
          else
            ours.between.emplace_back(part, copies);
        }
    if (!batch.stamps || !batch.ticket.submission || !batch.stamps->close(batch.ticket.id))
      return ours;
    ours.ahead.push_back(batch.stamps->first());
    ours.stamps = batch.stamps.get();
    return ours;
  }
  Extended& lists(std::size_t i) { return batches_[i]->lists; }
  // The batches go as the program gave them: queries of ours hold what was there before.
  void forget_stamps() noexcept {
    for (const auto& batch : batches_) batch->stamps.reset();
  }

  void finish(const RecordingUse& use, VkResult result, VkFence fence) {
    if (done_) stand_behind(result);
    for (const auto& batch : batches_) {
      batch->ticket.is_overtaken = batch != batches_.back();
      capture::Completion completion;
      if (done_) completion = capture::Completion::of(vulkan_api(), done_);
      if (batch->ticket.submission || batch->ticket.is_followed)
        batch->event = use->submitted(batch->ticket, result, std::move(completion));
      if (result != VK_SUCCESS) continue;
      for (const SemaphoreUse& signal : batch->view.signals)
        if (Semaphore* known = queue_.owner->semaphores.find(signal.handle))
          known->signal(signal.value, {batch->event, behind(*batch)});
    }
    if (result == VK_SUCCESS && fence) set_fence(use, fence);
    if (done_) done_->release();
    done_ = nullptr;
  }

 private:
  // A signal of a batch on its way, which batches behind it may wait for.
  struct EarlierSignal : SemaphoreUse {
    capture::RecordedEvent event;
  };
  static capture::RecordedEvent will_stand_for(const RecordingUse& use, const Batch& batch) {
    const Ticket& ticket = batch.ticket;
    if (ticket.is_followed) return {ticket.after, use->number, 0, no_index};
    if (!ticket.record || !ticket.submission) return {};
    return {{},
            use->number,
            ticket.record->lanes[ticket.lane].stream,
            ticket.id + static_cast<std::uint32_t>(batch.list.count) - 1};
  }

  void find_waits(const RecordingUse& use, Batch& batch) {
    const auto add = [&](capture::RecordedEvent event, const SemaphoreWait& wait) {
      batch.ticket.waits.push_back(std::move(event));
      batch.ticket.wait_stages.push_back(wait.stages);
    };
    for (const SemaphoreWait& wait : batch.view.waits) {
      Semaphore* known = queue_.owner->semaphores.find(wait.handle);
      if (!known) {
        batch.ticket.has_open_waits = true;
        continue;
      }
      const std::lock_guard lock(known->mutex);
      bool is_submitted =
          known->is_timeline ? known->submitted_value >= wait.value : known->is_signalled_by_us;
      add(known->waited(wait.value), wait);
      for (const EarlierSignal& signal : signals_) {
        if (signal.handle != wait.handle) continue;
        is_submitted = is_submitted || !known->is_timeline || signal.value >= wait.value;
        add(signal.event, wait);
      }
      batch.ticket.has_open_waits = batch.ticket.has_open_waits || !is_submitted;
    }
    if (batch.ticket.has_open_waits || queue_.owner->has_unknown_orders) use->order_unknown();
    // What is behind work that waits for the host waits for it as well.
    if (queue_.held && queue_.held->status() <= 0) queue_.set_held(nullptr);
    batch.ticket.has_open_waits = batch.ticket.has_open_waits || queue_.held || waits_for_host_;
    waits_for_host_ = batch.ticket.may_start_late = batch.ticket.has_open_waits;
    batch.ticket.program_waits = static_cast<std::uint32_t>(batch.ticket.waits.size());
  }

  // The host may have written to an image that it sees as rows with others between: what is there
  // is read again.
  static void forget_rows(const RecordingUse& use, const capture::CallWork& work) {
    for (const capture::WorkArgument& argument : work.arguments) {
      if (!argument.is_bytes()) continue;
      const auto& storage = static_cast<const Storage&>(*argument.range.storage);
      if (storage.rows && !storage.is_contiguous() && storage.held && storage.held->was_mapped)
        use->forget({&argument.range, 1});
    }
  }

  // None of its kernels is wanted: what it writes is not known.
  static void leave_out(const RecordingUse& use, Batch& batch) {
    capture::CallWork& work = *batch.ticket.work;
    work.clear();
    for (const capture::Submission::Given& one : batch.list.all())
      for (const capture::WorkArgument& argument : one.work.arguments)
        if (argument.is_written()) work.arguments.push_back(argument);
    use->before(batch.ticket, false);
    use->order_unknown();  // its barriers are not in the document
  }

  void stand_behind(VkResult result) {
    for (const auto& batch : batches_) {
      for (auto& run : batch->ticket.runs)
        if (run) done_->runs.push_back(std::move(run));
      if (batch->stamps) done_->stamps.push_back(std::move(batch->stamps));
    }
    if (result == VK_SUCCESS) {
      mark(queue_, done_);
      if (waits_for_host_) queue_.set_held(done_);
      return;
    }
    const std::lock_guard lock(done_->mutex);
    done_->over(result);
  }

  // Of the last batch: what stands behind all of them waits for what others may wait for.
  capture::Completion behind(const Batch& batch) const {
    if (!done_ || &batch != batches_.back().get()) return {};
    return capture::Completion::of(vulkan_api(), done_);
  }

  void set_fence(const RecordingUse& use, VkFence handle) {
    Fence* fence = queue_.owner->fences.find(handle);
    if (!fence) return;
    capture::RecordedEvent event;
    if (!batches_.empty()) event = batches_.back()->event;
    if (event.capture == 0) event = {use->given_to(queue_), use->number, 0, no_index};
    const std::lock_guard lock(fence->mutex);
    fence->signal = {std::move(event),
                     batches_.empty() ? capture::Completion() : behind(*batches_.back())};
  }

  // Between its buffers a timestamp may stand, unless one goes on with what the last one draws.
  bool cuts(const BatchView& view) const {
    return stamps_ != StampDetail::submits &&
           std::ranges::none_of(view.commands, [](VkCommandBuffer handle) {
             const CommandBuffer* commands = command_buffers().find(handle);
             return commands && commands->has_split_rendering;
           });
  }

  Queue& queue_;
  const char* const function_;
  const StampDetail stamps_ = control::stamps();
  const bool is_timed_ = queue_.can_stamp && stamps_ != StampDetail::none;
  std::vector<std::unique_ptr<Batch>> batches_;
  Done* done_ = nullptr;
  std::vector<EarlierSignal> signals_;  // of batches before
  bool waits_for_host_ = false;         // or for something else that nobody has submitted yet
};

// Nothing is recorded: what has to be known later is noted all the same.
void note_unrecorded(Queue& queue, const BatchView& view) {
  if (!view.commands.empty()) queue.has_unseen = true;
  for (const SemaphoreUse& signal : view.signals)
    if (Semaphore* known = queue.owner->semaphores.find(signal.handle))
      known->signal(signal.value, Signal{});
  if (!queue.owner->has_images) return;
  for (const VkCommandBuffer handle : view.commands)
    if (const CommandBuffer* commands = command_buffers().find(handle))
      follow_layouts(*queue.owner, *commands);
}

template <class Info, class Call>
VkResult submit(VkQueue handle, std::uint32_t count, const Info* infos, VkFence fence,
                const char* function, Call&& call) {
  const std::shared_ptr<Queue> queue = queue_of(handle);
  if (!queue) {
    device_of(handle)->has_unknown_orders = true;
    return call(infos);
  }
  const std::uint32_t mode = session::mode();
  capture::CallMeter meter;
  if (mode & session::recording) meter.begin();
  if (mode & session::attention)
    quietly([&] {
      std::uint64_t given = 0;
      for (std::uint32_t i = 0; i < count; ++i)
        for (const VkCommandBuffer commands : view_of(infos[i]).commands)
          if (const CommandBuffer* known = command_buffers().find(commands))
            given += count_commands(*known);
      control::before_submission(given);
    });
  const RecordingUse use;
  if (!use && session::mode() & session::ending) session::stray_command();
  const std::lock_guard lock(queue->mutex);
  if (!use) {
    for (std::uint32_t i = 0; i < count; ++i)
      quietly([&] { note_unrecorded(*queue, view_of(infos[i])); });
    return call(infos);
  }
  watch_exit();
  Submitting submitting(*queue, function);
  std::vector<Info> changed;
  bool is_prepared = false;
  quietly([&] {
    for (std::uint32_t i = 0; i < count; ++i) submitting.prepare(use, view_of(infos[i]));
    changed.assign(infos, infos + count);
    for (std::uint32_t i = 0; i < count; ++i)
      if (const Ours ours = submitting.ours(i); ours.are_any())
        put_around(changed[i], ours, submitting.lists(i));
    is_prepared = true;
  });
  if (!is_prepared) submitting.forget_stamps();
  meter.driver_begins();
  const VkResult result = call(is_prepared ? changed.data() : infos);
  meter.driver_ends();
  if (result == VK_ERROR_DEVICE_LOST) queue->owner->is_lost = true;
  quietly([&] { submitting.finish(use, result, fence); });
  if (const std::uint64_t ns = meter.end()) use->add_command_time(ns);
  return result;
}

VkResult VKAPI_CALL queue_submit(VkQueue queue, std::uint32_t count, const VkSubmitInfo* infos,
                                 VkFence fence) {
  return submit(queue, count, infos, fence, "vkQueueSubmit", [&](const VkSubmitInfo* given) {
    return device_of(queue)->next.QueueSubmit(queue, count, given, fence);
  });
}

VkResult VKAPI_CALL queue_submit2(VkQueue queue, std::uint32_t count, const VkSubmitInfo2* infos,
                                  VkFence fence) {
  return submit(queue, count, infos, fence, "vkQueueSubmit2", [&](const VkSubmitInfo2* given) {
    return device_of(queue)->next.QueueSubmit2(queue, count, given, fence);
  });
}

VkResult VKAPI_CALL bind_sparse(VkQueue handle, std::uint32_t count, const VkBindSparseInfo* infos,
                                VkFence fence) {
  const auto queue = queue_of(handle);
  device_of(handle)->has_unknown_orders = true;  // it waits and signals as submissions do
  if (!queue) return device_of(handle)->next.QueueBindSparse(handle, count, infos, fence);
  const std::lock_guard lock(queue->mutex);
  queue->has_unseen = true;
  return queue->owner->next.QueueBindSparse(handle, count, infos, fence);
}

VkResult VKAPI_CALL present(VkQueue handle, const VkPresentInfoKHR* info) {
  const auto queue = queue_of(handle);
  device_of(handle)->has_unknown_orders = true;  // what shows images signals semaphores, too
  if (!queue) return device_of(handle)->next.QueuePresentKHR(handle, info);
  const std::lock_guard lock(queue->mutex);
  return queue->owner->next.QueuePresentKHR(handle, info);
}

}  // namespace

std::span<const Hook> queue_hooks() {
  static const Hook hooks[] = {
      {"vkGetDeviceQueue", get_queue},      {"vkGetDeviceQueue2", get_queue2},
      {"vkQueueSubmit", queue_submit},      {"vkQueueSubmit2", queue_submit2},
      {"vkQueueSubmit2KHR", queue_submit2}, {"vkQueueBindSparse", bind_sparse},
      {"vkQueuePresentKHR", present},
  };
  return hooks;
}

}  // namespace reel::layer::vk
