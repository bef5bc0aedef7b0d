#include "backends/vulkan/work/line.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "backends/vulkan/device/clock.hpp"
#include "backends/vulkan/device/result.hpp"

namespace reel::vulkan {
namespace {

// At least so long a host step that a waiting thread may run is left to it, and twice that at most.
constexpr auto step_is_left_for = std::chrono::microseconds(250);

}  // namespace

Line::Line(std::shared_ptr<Context> context, std::string label)
    : context_(std::move(context)), label_(std::move(label)), queue_(context_->next_queue()) {
  VkSemaphoreTypeCreateInfo type{};
  type.sType = VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO;
  type.semaphoreType = VK_SEMAPHORE_TYPE_TIMELINE;
  VkSemaphoreCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO;
  info.pNext = &type;
  check(context_->vk.vkCreateSemaphore(context_->device, &info, nullptr, &semaphore_),
        "vkCreateSemaphore");
}

Line::~Line() { context_->vk.vkDestroySemaphore(context_->device, semaphore_, nullptr); }

std::unique_ptr<Batch> Line::take_free() {
  const std::lock_guard lock(context_->submit_mutex);
  if (free_.empty()) return nullptr;
  std::unique_ptr<Batch> batch = std::move(free_.back());
  free_.pop_back();
  return batch;
}

std::uint64_t Line::push(std::unique_ptr<Batch> batch) {
  const std::lock_guard lock(context_->submit_mutex);
  const std::uint64_t value = last_.load(std::memory_order_relaxed) + 1;
  batch->value = value;
  batches_.push_back(std::move(batch));
  last_.store(value, std::memory_order_release);
  if (advance() && !context_->held_lines.empty()) advance_others();
  return value;
}

// --- starting ----------------------------------------------------------------------------------

Batch* Line::next_to_start() {
  if (batches_.empty() || batches_.back()->value <= submitted_) return nullptr;
  return batches_[submitted_ + 1 - batches_.front()->value].get();
}

bool Line::advance() {
  bool started = false;
  for (;;) {
    Batch* batch = lost_ ? nullptr : next_to_start();
    if (!batch) {
      set_held(false);
      return started;
    }
    if (batch->is_host_step()) {
      set_held(false);  // whoever runs it sees to it
      if (step_runs_) return started;
      if (!worker_.joinable() && !stopping_)
        worker_ = std::thread([self = shared_from_this()] { self->work(); });
      if (batch->waiter_may_run && batch == batches_.back().get()) {
        leave_step_to_waiters();
      } else {
        step_is_left_ = false;
        work_to_do_.notify_one();
      }
      return started;
    }
    if (!can_submit(*batch)) {
      set_held(true);
      return started;
    }
    submit(*batch);
    started = true;
  }
}

// A line that was held may, once it goes, let others go.
void Line::advance_others() {
  for (bool any = true; any;) {
    any = false;
    const std::vector<Line*> held = context_->held_lines;
    for (Line* line : held) any = line->advance() || any;
  }
}

void Line::set_held(bool held) {
  if (held_ == held) return;
  held_ = held;
  if (held)
    context_->held_lines.push_back(this);
  else
    std::erase(context_->held_lines, this);
}

bool Line::can_submit(const Batch& batch) const {
  return std::all_of(batch.waits.begin(), batch.waits.end(), [](const Dependency& wait) {
    return wait.line->submitted_ >= wait.value || wait.line->lost_;
  });
}

void Line::submit(Batch& batch) {
  std::vector<VkSemaphore> semaphores;
  std::vector<std::uint64_t> values;
  std::vector<VkPipelineStageFlags> stages;
  for (const Dependency& wait : batch.waits) {
    // On one VkQueue what was submitted first comes first, by the barrier it ends with; besides,
    // llvmpipe 22.3 now and then crashes over such a wait. A host step has no value on the
    // semaphore, but is finished by the time it counts as submitted.
    if (wait.line->queue_ == queue_ || wait.line->finished() >= wait.value || wait.line->lost_)
      continue;
    semaphores.push_back(wait.line->semaphore_);
    values.push_back(wait.value);
    stages.push_back(VK_PIPELINE_STAGE_ALL_COMMANDS_BIT);
  }
  VkTimelineSemaphoreSubmitInfo timeline{};
  timeline.sType = VK_STRUCTURE_TYPE_TIMELINE_SEMAPHORE_SUBMIT_INFO;
  timeline.waitSemaphoreValueCount = static_cast<std::uint32_t>(values.size());
  timeline.pWaitSemaphoreValues = values.data();
  timeline.signalSemaphoreValueCount = 1;
  timeline.pSignalSemaphoreValues = &batch.value;
  VkSubmitInfo info{};
  info.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO;
  info.pNext = &timeline;
  info.waitSemaphoreCount = static_cast<std::uint32_t>(semaphores.size());
  info.pWaitSemaphores = semaphores.data();
  info.pWaitDstStageMask = stages.data();
  info.commandBufferCount = static_cast<std::uint32_t>(batch.commands.size());
  info.pCommandBuffers = batch.commands.data();
  info.signalSemaphoreCount = 1;
  info.pSignalSemaphores = &semaphore_;
  if (!batch.stamped.empty()) batch.submitted_ns = context_->clock->quick_now_ns();
  const VkResult result = context_->vk.vkQueueSubmit(queue_, 1, &info, VK_NULL_HANDLE);
  submitted_ = on_device_ = batch.value;
  if (result < 0)
    give_up(Error(code_of(result), fmt::format("Stream '{}': the Vulkan driver answered "
                                               "vkQueueSubmit with {}; its work is lost.",
                                               label_, name_of(result))));
  else
    progress_.notify_all();
}

void Line::give_up(const Error& error) {
  if (!lost_) lost_ = error;
  progress_.notify_all();
  work_to_do_.notify_all();
}

// --- finishing ---------------------------------------------------------------------------------

void Line::finish(std::uint64_t value) {
  std::vector<Dependency> first;
  {
    const std::lock_guard lock(context_->submit_mutex);
    for (const auto& batch : batches_) {
      if (batch->value > value) break;
      first.insert(first.end(), batch->waits.begin(), batch->waits.end());
    }
  }
  // With no lock of this line: two lines may wait for each other's earlier batches.
  for (const Dependency& wait : first)
    if (wait.line->finished() < wait.value) wait.line->finish(wait.value);

  std::vector<std::unique_ptr<Batch>> done;
  {
    const std::lock_guard in_order(finish_mutex_);
    {
      const std::lock_guard lock(context_->submit_mutex);
      while (!batches_.empty() && batches_.front()->value <= value) {
        done.push_back(std::move(batches_.front()));
        batches_.pop_front();
      }
    }
    for (const auto& batch : done)
      for (const ReadBack& read : batch->read_backs)
        std::memcpy(read.target.data(), read.source, read.target.size());
    {
      const std::lock_guard lock(stamps_mutex_);
      for (const auto& batch : done) batch->append_stamps(stamps_);
    }
    for (const auto& batch : done)
      for (const auto& run : batch->runs) run->batches.fetch_sub(1, std::memory_order_release);
    const std::lock_guard lock(context_->submit_mutex);
    if (finished_.load(std::memory_order_relaxed) < value)
      finished_.store(value, std::memory_order_release);
    progress_.notify_all();
  }
  // Dropping what batches held may destroy anything, streams included: no lock may be held.
  for (const auto& batch : done) batch->clear();
  const std::lock_guard lock(context_->submit_mutex);
  for (auto& batch : done)
    if (free_.size() < 16) free_.push_back(std::move(batch));
}

void Line::keep_stamps(const TicketStamps& stamps) {
  const std::lock_guard lock(stamps_mutex_);
  stamps_.push_back(stamps);
}

void Line::collect_stamps(StampList& into) {
  done(last());  // finishes what is done by now
  const std::lock_guard lock(stamps_mutex_);
  into.insert(into.end(), stamps_.begin(), stamps_.end());
  stamps_.clear();
}

bool Line::done(std::uint64_t value) {
  if (finished() >= value) return true;
  hurry();
  std::uint64_t reached = 0;
  if (context_->counter(semaphore_, reached) < 0) return false;
  if (reached > finished()) finish(std::min(reached, value));
  return finished() >= value;
}

void Line::wait(std::uint64_t value) {
  while (finished() < value) {
    std::uint64_t target = 0;
    {
      std::unique_lock lock(context_->submit_mutex);
      // Nothing signals the value of a host step: only what the device has can be waited for there.
      progress_.wait(lock, [&] {
        return finished() >= value || on_device_ > finished() || may_run_step_before(value) ||
               lost_;
      });
      if (lost_ || finished() >= value) return;
      if (on_device_ <= finished()) {
        run_host_step(lock);
        continue;
      }
      target = std::min(value, on_device_);
    }
    const VkResult result = context_->wait_semaphore(semaphore_, target);
    if (result < 0) {
      const std::lock_guard lock(context_->submit_mutex);
      give_up(Error(code_of(result),
                    fmt::format("Stream '{}': the Vulkan driver answered vkWaitSemaphores with {}.",
                                label_, name_of(result))));
      return;
    }
    finish(target);
  }
}

void Line::wait_for_device(std::chrono::steady_clock::time_point until) {
  std::uint64_t value = 0;
  {
    const std::lock_guard lock(context_->submit_mutex);
    if (lost_ || on_device_ <= finished()) return;
    value = on_device_;
  }
  const auto left = std::chrono::nanoseconds(until - std::chrono::steady_clock::now());
  if (left.count() > 0)
    static_cast<void>(
        context_->wait_semaphore(semaphore_, value, static_cast<std::uint64_t>(left.count())));
}

void Line::throw_failure(std::uint64_t value) {
  const std::lock_guard lock(context_->submit_mutex);
  if (lost_) throw *lost_;
  if (failures_.empty() || failures_.front().value > value) return;
  const Error error = failures_.front().error;
  std::erase_if(failures_, [&](const Failure& failure) { return failure.value <= value; });
  throw error;
}

void Line::limit_in_flight() {
  std::uint64_t oldest = 0;
  {
    const std::lock_guard lock(context_->submit_mutex);
    // 64 batches are some 16 000 commands: enough to keep any device busy.
    if (batches_.size() < 64 || batches_.front()->value > submitted_) return;
    oldest = batches_.front()->value;
  }
  wait(oldest);
}

// --- host steps --------------------------------------------------------------------------------

// Whoever gives work and waits for it finds the step there. Others may never wait, so that the
// thread looks after it; it does so for as long as steps keep coming, and need not be woken for
// each.
void Line::leave_step_to_waiters() {
  step_is_left_ = true;
  ++steps_left_;
  if (!looks_) {
    looks_ = true;
    work_to_do_.notify_one();
  }
  progress_.notify_all();
}

bool Line::has_step() {
  Batch* next = lost_ || step_runs_ || step_is_left_ ? nullptr : next_to_start();
  return next && next->is_host_step();
}

bool Line::may_run_step_before(std::uint64_t value) {
  if (lost_ || step_runs_ || !step_is_left_) return false;
  Batch* next = next_to_start();
  return next && next->is_host_step() && next->value <= value;
}

void Line::hurry() {
  if (!step_is_left_.load(std::memory_order_relaxed)) return;
  const std::lock_guard lock(context_->submit_mutex);
  if (step_is_left_.exchange(false)) work_to_do_.notify_one();
}

void Line::run_host_step(std::unique_lock<std::mutex>& lock) {
  step_runs_ = true;
  step_is_left_ = false;
  Batch& batch = *next_to_start();
  const std::uint64_t value = batch.value;
  std::function<void()> function = batch.host;
  const std::vector<Dependency> waits = batch.waits;
  const bool stamped = !batch.stamped.empty();
  lock.unlock();
  wait(value - 1);
  for (const Dependency& dependency : waits) dependency.line->wait(dependency.value);
  lock.lock();
  if (lost_) {
    step_runs_ = false;
    return;
  }
  lock.unlock();
  std::optional<Error> failure;
  const std::uint64_t begin_ns = stamped ? context_->clock->quick_now_ns() : 0;
  try {
    function();
  } catch (const Error& error) {
    failure = error;
  } catch (const std::exception& error) {  // of our own steps: no memory, say
    failure.emplace(Code::driver_failed,
                    fmt::format("A step of stream '{}' failed: {}", label_, error.what()));
  }
  const std::uint64_t end_ns = stamped ? context_->clock->quick_now_ns() : 0;
  lock.lock();
  batch.submitted_ns = batch.host_begin_ns = begin_ns;
  batch.host_end_ns = end_ns;
  if (failure) failures_.push_back({value, std::move(*failure)});
  failure.reset();  // whoever waits for it has it now, and alone
  submitted_ = value;
  lock.unlock();
  finish(value);
  lock.lock();
  step_runs_ = false;
  advance();
  advance_others();
  lock.unlock();
  function = nullptr;  // may destroy this line's queue, and so come back through close()
  lock.lock();
}

void Line::work() {
  std::unique_lock lock(context_->submit_mutex);
  for (;;) {
    while (!stopping_ && !has_step()) {
      if (!looks_) {
        work_to_do_.wait(lock);
        continue;
      }
      const std::uint64_t before = steps_left_;
      if (work_to_do_.wait_for(lock, step_is_left_for) == std::cv_status::no_timeout) continue;
      if (steps_left_ != before) continue;  // in the meantime, and maybe just now
      if (step_is_left_)
        step_is_left_ = false;  // nobody came for it
      else
        looks_ = false;
    }
    if (!has_step()) return;
    run_host_step(lock);
  }
}

void Line::close() {
  const bool on_worker = worker_.get_id() == std::this_thread::get_id();
  if (on_worker) {
    // The last handle of the stream was owned by its own host call. Nobody else runs its steps.
    std::unique_lock lock(context_->submit_mutex);
    for (Batch* next = next_to_start(); next && !lost_; next = next_to_start()) {
      if (next->is_host_step() && !step_runs_) {
        run_host_step(lock);
      } else {
        progress_.wait(lock, [&] { return next != next_to_start() || lost_; });
      }
    }
  }
  wait(last());
  {
    const std::lock_guard lock(context_->submit_mutex);
    stopping_ = true;
    work_to_do_.notify_all();
  }
  if (!worker_.joinable()) return;
  if (on_worker)
    worker_.detach();
  else
    worker_.join();
}

}  // namespace reel::vulkan
