#include "layers/vulkan/objects/queue.hpp"

#include <algorithm>

#include "base/clock.hpp"
#include "base/process/forks.hpp"
#include "layers/control/control.hpp"
#include "layers/session/recording_use.hpp"
#include "layers/vulkan/objects/kept_results.hpp"
#include "layers/vulkan/stamps/ticks.hpp"
#include "layers/vulkan/vulkan_api.hpp"

namespace reel::layer::vk {

// --- points in a queue --------------------------------------------------------------------------

Done::~Done() {
  if (fence && !device->is_gone) device->next.DestroyFence(device->handle, fence, nullptr);
}

void Done::over(int why) noexcept {
  state = State::over;
  result = why;
  seen_ns = monotonic_ns();
  if (why == 0)
    for (const auto& run : runs) run->copy_out();
  for (const auto& one : kept) why == 0 ? one->copy_out() : one->call_off();
  kept.clear();
  if (why == 0)
    for (const auto& batch : stamps) batch->read();
  else
    stamps.clear();
  runs.clear();
}

int Done::status() noexcept {
  const std::lock_guard lock(mutex);
  if (state == State::open) return 1;
  if (state == State::over) return result;
  const VkResult result_now =
      device->is_gone ? VK_SUCCESS : device->next.GetFenceStatus(device->handle, fence);
  if (result_now == VK_NOT_READY) return 1;
  if (result_now == VK_ERROR_DEVICE_LOST) device->is_lost = true;
  // Whoever says that a device is lost may still be at work on what it was given.
  if (result_now < 0) device->keep_for_good(*this);
  over(result_now < 0 ? result_now : 0);
  return result;
}

void Done::wait(std::uint64_t timeout_ns) noexcept {
  VkFence waited = VK_NULL_HANDLE;
  {
    const std::lock_guard lock(mutex);
    if (state != State::submitted || device->is_gone) return;
    waited = fence;  // ours: nobody else destroys it while we have a reference
  }
  device->next.WaitForFences(device->handle, 1, &waited, VK_TRUE, timeout_ns);
  static_cast<void>(status());
}

Done* make_done(Queue& queue) noexcept {
  Device& device = *queue.owner;
  VkFenceCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO;
  VkFence fence = VK_NULL_HANDLE;
  if (device.next.CreateFence(device.handle, &info, nullptr, &fence) != VK_SUCCESS) return nullptr;
  Done* done = nullptr;
  quietly([&] { done = new Done(device.share()); });
  if (done)
    done->fence = fence;
  else
    device.next.DestroyFence(device.handle, fence, nullptr);
  return done;
}

Done* mark(Queue& queue, Done* done) noexcept {
  Device& device = *queue.owner;
  if (!done) done = make_done(queue);
  if (!done) return nullptr;
  const VkResult result = device.next.QueueSubmit(queue.handle, 0, nullptr, done->fence);
  {
    const std::lock_guard lock(done->mutex);
    if (result == VK_SUCCESS) {
      done->state = Done::State::submitted;
    } else {
      // Commands of ours may be under way, and nobody tells when they are done.
      device.keep_for_good(*done);
      done->over(result);
    }
  }
  queue.set_last(done);
  quietly([&] { device.keep(done); });
  return done;
}

void Device::keep(Done* done) {
  std::vector<Done*> over;
  {
    const std::lock_guard lock(mutex);
    done->retain();
    given.push_back(done);
    // Fences are signalled in order, queue by queue: a few at the front are looked at.
    constexpr std::size_t looked_at = 4;
    for (std::size_t i = 0; i < std::min(looked_at, given.size() - 1);)
      if (given[i]->status() <= 0) {
        over.push_back(given[i]);
        given.erase(given.begin() + static_cast<std::ptrdiff_t>(i));
      } else {
        ++i;
      }
  }
  for (Done* one : over) one->release();
}

void Device::keep_for_good(Done& done) noexcept {
  try {
    const std::lock_guard lock(never_done_mutex);
    for (auto& run : done.runs) never_done.push_back(std::shared_ptr<void>(std::move(run)));
    for (auto& batch : done.stamps) never_done.push_back(std::shared_ptr<void>(std::move(batch)));
    for (const auto& one : done.kept) never_done.push_back(one);
  } catch (const std::bad_alloc&) {
    for (auto& run : done.runs) static_cast<void>(run.release());  // rather than taken away
    for (auto& batch : done.stamps) static_cast<void>(batch.release());
  }
  for (const auto& one : done.kept) one->call_off();
  done.kept.clear();
  done.runs.clear();
  done.stamps.clear();
}

void Device::settle_copies() noexcept {
  constexpr std::uint64_t patience_ns = 1'000'000'000;
  quietly([&] {
    std::vector<Done*> copying;
    {
      const std::lock_guard lock(mutex);
      for (Done* one : given) {
        const std::lock_guard its(one->mutex);
        if (one->state != Done::State::submitted || one->runs.empty()) continue;
        copying.push_back(one);
        one->retain();
      }
    }
    for (Done* one : copying) {
      one->wait(patience_ns);
      one->release();
    }
  });
}

// --- queues -------------------------------------------------------------------------------------

Queue::Queue(Device& of) : TrackedQueue(vulkan_api()), owner(of.share()) { is_ordered = false; }

void Queue::set_last(Done* done) noexcept {
  if (done) done->retain();
  if (last) last->release();
  last = done;
}

void Queue::set_held(Done* done) noexcept {
  if (done) done->retain();
  if (held) held->release();
  held = done;
}

bool Queue::is_idle() noexcept {
  if (last && last->status() <= 0) set_last(nullptr);
  return !last && !has_unseen;
}

bool is_idle(Device& device, Queue& queue) noexcept {
  if (!queue.is_idle()) return false;
  const std::lock_guard lock(device.mutex);
  for (const auto& other : device.queues) {
    if (other.get() == &queue) continue;
    const std::unique_lock its(other->mutex, std::try_to_lock);
    if (!its || !other->is_idle()) return false;
  }
  return true;
}

std::shared_ptr<Queue> queue_of(VkQueue handle) { return queues().share(handle); }

void device_goes(Device& device) {
  std::vector<std::shared_ptr<Queue>> all;
  {
    const std::lock_guard lock(device.mutex);
    all.swap(device.queues);
  }
  {
    const RecordingUse use;
    for (const auto& queue : all)
      if (use) use->queue_released(*queue);
  }
  // All that was submitted has to be done by now; so is what stands behind it.
  constexpr std::uint64_t patience_ns = 2'000'000'000;
  for (const auto& queue : all) {
    queues().remove(queue->handle);
    const std::lock_guard lock(queue->mutex);
    if (queue->last) queue->last->wait(patience_ns);
    queue->set_last(nullptr);
    queue->set_held(nullptr);
  }
  for (Done* done : device.take_given()) {
    done->wait(patience_ns);
    {
      const std::lock_guard lock(done->mutex);
      if (done->state != Done::State::over) done->over(VK_ERROR_DEVICE_LOST);
      if (done->fence) device.next.DestroyFence(device.handle, done->fence, nullptr);
      done->fence = VK_NULL_HANDLE;
    }
    done->release();
  }
  std::vector<std::shared_ptr<void>> never_done;
  {
    const std::lock_guard lock(device.never_done_mutex);
    never_done.swap(device.never_done);
  }
  never_done.clear();
  destroy_spares(device);
  device.is_gone = true;
}

// A driver that runs on the host may compile when exit() destroys what its compiler needs. Programs
// that leave with work under way are lucky most of the time; a capture makes them late, and would
// make them less so.
void wait_at_exit(bool /*others*/) {
  if (is_forked()) return;  // the driver's threads are the parent's
  constexpr std::uint64_t patience_ns = 2'000'000'000;
  quietly([] {
    std::vector<std::shared_ptr<Device>> all;
    devices().for_each([&](Device& device) { all.push_back(device.share()); });
    for (const auto& device : all) {
      std::vector<std::shared_ptr<Queue>> its;
      {
        const std::lock_guard lock(device->mutex);
        its = device->queues;
      }
      for (const auto& queue : its) {
        const std::unique_lock lock(queue->mutex, std::try_to_lock);
        // A device that is lost answers at once.
        if (!lock || queue->is_idle()) continue;
        Done* done = mark(*queue);
        if (!done) continue;
        done->wait(patience_ns);
        done->release();
      }
    }
  });
}

// --- semaphores ---------------------------------------------------------------------------------

void Semaphore::signal(std::uint64_t value, const Signal& what) {
  constexpr std::size_t most = 64;
  const std::lock_guard lock(mutex);
  is_signalled_by_us = true;
  submitted_value = std::max(submitted_value, value);
  if (!is_timeline) recorded.clear();
  recorded.emplace_back(value, what);
  if (recorded.size() <= most) return;
  // Who waits for the first then comes after the second as well: an order too many hides something,
  // one too few would be a false alarm.
  const capture::RecordedEvent first = std::move(recorded.front().second.event);
  recorded.pop_front();
  capture::RecordedEvent& next = recorded.front().second.event;
  if (first.capture != next.capture) return;
  first.for_each_done([&](const capture::Point& point) { capture::add_point(next.after, point); });
}

// The counter grows: who waits for a value comes after all smaller ones, and where nobody signals
// just that value, after the next larger one.
capture::RecordedEvent Semaphore::waited(std::uint64_t value) const {
  capture::RecordedEvent found;
  for (const auto& [signalled, what] : recorded) {
    const capture::RecordedEvent& event = what.event;
    if (event.capture != found.capture) found = {{}, event.capture, 0, no_index};
    event.for_each_done(
        [&](const capture::Point& point) { capture::add_point(found.after, point); });
    if (is_timeline && signalled >= value) break;
  }
  return found;
}

}  // namespace reel::layer::vk
