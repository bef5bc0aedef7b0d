#include "layers/vulkan/submitting.hpp"

#include <algorithm>

#include "layers/control/scope_stack.hpp"

namespace reel::layer::vk {

// Nobody knows what a submission does: whatever lies in memory of the device may be its own.
void lose_track(const RecordingUse& use, Device& device) noexcept {
  use->order_unknown();
  const auto forget = [&](const capture::Range& range) {
    if (range.storage) use->written_unseen(range);
  };
  device.buffers.for_each([&](const Buffer& one) { forget(one.range(0, VK_WHOLE_SIZE)); });
  device.images.for_each([&](const Image& one) {
    forget({one.storage.get(), 0, one.storage->size_bytes});
  });
  forget_layouts(device);
}

Submitting::Batch& Submitting::begin(const RecordingUse& use, BatchView view) {
  const bool is_behind_others = !batches_.empty();
  Batch& batch = *batches_.emplace_back(std::make_unique<Batch>());
  batch.ticket.is_behind_others = is_behind_others;
  batch.view = std::move(view);
  batch.ticket.at = &queue_;
  batch.ticket.may_meet_unseen = queue_.owner->had_unseen;
  batch.list.call = function_;
  find_waits(use, batch);
  use->start(batch.ticket, queue_);
  if (!batch.ticket.record) return batch;
  if (!done_) done_ = make_done(queue_);
  if (batch.view.may_be_added_to) batch.ticket.behind = done_;
  return batch;
}

void Submitting::prepare(const RecordingUse& use, BatchView view) {
  Batch& batch = begin(use, std::move(view));
  if (!batch.ticket.record) {
    for (const VkCommandBuffer handle : batch.view.commands)
      if (const CommandBuffer* commands = command_buffers().find(handle))
        follow_layouts(*queue_.owner, *commands);
    return;
  }
  Scope scope = current_scope();
  for (const std::string& label : queue_.labels) scope = scope.child(label);
  if (batch.ticket.behind && is_timed_)
    batch.stamps = std::make_unique<BatchStamps>(queue_.owner, queue_.family, *done_,
                                                 stamps_ == StampDetail::enough);
  const Moment moment{&queue_, use.operator->(), batch.ticket.may_start_late,
                      batch.ticket.is_behind_others};
  batch.reader.emplace(*queue_.owner, batch.list, scope, batch.stamps.get(), moment);
  const bool may_cut = cuts(batch.view);
  float since_stamp_ns = 0;  // as CommandBuffer has it
  for (std::size_t i = 0; i < batch.view.commands.size(); ++i) {
    const CommandBuffer& commands = command_buffer(batch.view.commands[i]);
    if (batch.stamps && may_cut && is_enough(since_stamp_ns)) {
      batch.stamps->begin_buffer(i);
      since_stamp_ns = 0;
    }
    if (commands.stamps) since_stamp_ns = 0;
    since_stamp_ns += commands.since_stamp_ns;
    batch.reader->read(commands, static_cast<std::uint32_t>(i));
  }
  batch.ticket.layouts = batch.reader->take_layouts();
  batch.ticket.kept = batch.reader->take_kept();
  if (batch.reader->has_broken_list() || queue_.owner->has_unnoted) {
    if (std::exchange(queue_.lost_in, use->number) != use->number)
      use->note("not_recorded",
                "Submissions are missing: no memory was left to note their commands.");
    lose_track(use, *queue_.owner);
    batch.ticket.give_up();
    return;
  }
  for (const capture::Submission::Given& one : batch.list.all()) forget_rows(use, one.work);
  const auto is_wanted = [](const capture::Submission::Given& one) {
    return control::selects(one.work.kernel ? std::string_view(one.work.kernel->name) : "");
  };
  if (!done_ && batch.list.count > 0)
    use->note("not_recorded",
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

void Submitting::prepare_present(const RecordingUse& use, BatchView view,
                                 std::span<Storage* const> images) {
  Batch& batch = begin(use, std::move(view));
  if (!batch.ticket.record) return;
  if (!done_) return batch.ticket.give_up();
  capture::Submission::Given& one = batch.list.add();
  one.work.row.kind = WorkKind::opaque;
  one.work.label = function_;
  one.scope = current_scope().key();
  one.hands_over = true;
  for (Storage* image : images)
    if (image->size_bytes) one.work.add({image, 0, image->size_bytes}, Access::read);
  if (control::selects(""))
    use->submit(batch.ticket, batch.list);
  else
    leave_out(use, batch);
}

Ours Submitting::ours(std::size_t i) {
  Batch& batch = *batches_[i];
  Ours ours;
  if (done_) {  // no memory may be missing once they run
    std::size_t runs = 0;
    for (const auto& one : batches_) runs += one->ticket.runs.size();
    done_->runs.reserve(runs);
    done_->stamps.reserve(batches_.size());
    std::size_t kept = 0;
    for (const auto& one : batches_) kept += one->ticket.kept.size();
    done_->kept.reserve(kept);
  }
  for (std::size_t part = 0; part < batch.ticket.runs.size(); ++part) {
    const auto& run = batch.ticket.runs[part];
    if (!run) continue;
    const VkCommandBuffer copies = run->close();
    if (!copies) throw std::bad_alloc();  // the driver's: what was to be read can't be
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

void Submitting::forget_stamps() noexcept {
  for (const auto& batch : batches_) batch->stamps.reset();
}

void Submitting::finish(const RecordingUse& use, VkResult result, VkFence fence, bool are_given) {
  if (done_)
    stand_behind(result, are_given);
  else if (!batches_.empty())
    queue_.has_unseen = true;
  for (const auto& batch : batches_) {
    batch->ticket.is_overtaken = batch != batches_.back();
    capture::Completion completion;
    if (done_) completion = capture::Completion::of(vulkan_api(), done_);
    if (batch->ticket.submission || batch->ticket.is_followed)
      batch->event = use->submitted(batch->ticket, result, std::move(completion));
    if (result != VK_SUCCESS) continue;
    // What it signals tells of all that came before it, be it in the same call.
    if (batch->ticket.is_followed) batch->event = {use->given_to(queue_), use->number, 0, no_index};
    for (const SemaphoreUse& signal : batch->view.signals)
      if (Semaphore* known = queue_.owner->semaphores.find(signal.handle))
        known->signal(signal.value, {batch->event, behind(*batch)});
  }
  if (result == VK_SUCCESS && fence) set_fence(use, fence);
  if (done_) done_->release();
  done_ = nullptr;
}

capture::RecordedEvent Submitting::will_stand_for(const RecordingUse& use, const Batch& batch) {
  const Ticket& ticket = batch.ticket;
  if (ticket.is_followed) return {ticket.after, use->number, 0, no_index};
  if (!ticket.record || !ticket.submission) return {};
  return {{},
          use->number,
          ticket.record->lanes[ticket.lane].stream,
          ticket.id + static_cast<std::uint32_t>(batch.list.count) - 1};
}

void Submitting::find_waits(const RecordingUse& use, Batch& batch) {
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

void Submitting::forget_rows(const RecordingUse& use, const capture::CallWork& work) {
  for (const capture::WorkArgument& argument : work.arguments) {
    if (!argument.is_bytes()) continue;
    const auto& storage = static_cast<const Storage&>(*argument.range.storage);
    if (storage.rows && !storage.is_contiguous() && storage.held && storage.held->was_mapped)
      use->forget({&argument.range, 1});
  }
}

void Submitting::leave_out(const RecordingUse& use, Batch& batch) {
  capture::CallWork& work = *batch.ticket.work;
  work.clear();
  for (const capture::Submission::Given& one : batch.list.all())
    for (const capture::WorkArgument& argument : one.work.arguments)
      if (argument.is_written()) work.arguments.push_back(argument);
  use->before(batch.ticket, false);
  use->order_unknown();  // its barriers are not in the document
}

void Submitting::stand_behind(VkResult result, bool are_given) {
  for (const auto& batch : batches_) {
    for (auto& run : batch->ticket.runs)
      if (run) done_->runs.push_back(std::move(run));
    if (batch->stamps) done_->stamps.push_back(std::move(batch->stamps));
    for (Ticket::Kept& one : batch->ticket.kept) done_->kept.push_back(std::move(one.results));
  }
  if (result == VK_SUCCESS || are_given) {
    mark(queue_, done_);
    if (waits_for_host_) queue_.set_held(done_);
    return;
  }
  const std::lock_guard lock(done_->mutex);
  done_->over(result);
}

capture::Completion Submitting::behind(const Batch& batch) const {
  if (!done_ || &batch != batches_.back().get()) return {};
  return capture::Completion::of(vulkan_api(), done_);
}

void Submitting::set_fence(const RecordingUse& use, VkFence handle) {
  Fence* fence = queue_.owner->fences.find(handle);
  if (!fence) return;
  capture::RecordedEvent event;
  if (!batches_.empty()) event = batches_.back()->event;
  if (event.capture == 0) event = {use->given_to(queue_), use->number, 0, no_index};
  const std::lock_guard lock(fence->mutex);
  fence->signal = {std::move(event),
                   batches_.empty() ? capture::Completion() : behind(*batches_.back())};
}

bool Submitting::is_enough(float since_stamp_ns) const noexcept {
  return stamps_ != StampDetail::enough || since_stamp_ns >= queue_.owner->costs.enough_ns();
}

bool Submitting::cuts(const BatchView& view) const {
  return stamps_ != StampDetail::submits &&
         std::ranges::none_of(view.commands, [](VkCommandBuffer handle) {
           const CommandBuffer* commands = command_buffers().find(handle);
           return commands && commands->has_split_rendering;
         });
}

}  // namespace reel::layer::vk
