#include "layers/vulkan/vulkan_api.hpp"

#include <fmt/format.h>

#include <cstring>

#include "base/clock.hpp"
#include "layers/vulkan/objects/device_row.hpp"
#include "layers/vulkan/objects/kept_results.hpp"
#include "layers/vulkan/objects/memory.hpp"
#include "layers/vulkan/objects/names.hpp"
#include "layers/vulkan/objects/pipeline.hpp"
#include "layers/vulkan/objects/queue.hpp"
#include "recording/calls/call_recording.hpp"

namespace reel::layer::vk {

namespace {

using capture::Completion;
using capture::HandleKind;

// How long somebody waits for a device that only the program may be able to let go on.
constexpr std::uint64_t patience_ns = 5'000'000'000;

Done* done_of(void* completion) noexcept { return static_cast<Done*>(completion); }
Queue* queue_at(void* queue) noexcept { return static_cast<Queue*>(queue); }
Storage& storage_of(const BufferRange& range) noexcept {
  return static_cast<Storage&>(*range.buffer);
}

// Stands for what is done already.
Done* nothing_to_wait_for() {
  static Done& one = []() -> Done& {
    auto* done = new Done(nullptr);
    done->state = Done::State::over;
    return *done;
  }();
  one.retain();
  return &one;
}

// By a submission of ours, behind all that the queue was given.
std::string copy_behind(Queue& queue, const BufferRange& range, std::span<std::byte> target,
                        Done*& done) {
  auto run = CopyRun::begin(queue);
  if (!run) return "the driver gives no command buffer to read them";
  if (std::string why = run->add(storage_of(range), range.offset_bytes, target); !why.empty())
    return why;
  const VkCommandBuffer commands = run->close();
  if (!commands) return "the driver could not record their copy";
  const auto release = [](Done* one) { one->release(); };
  std::unique_ptr<Done, decltype(release)> fresh(make_done(queue), release);
  if (!fresh) return "the driver has no memory for a fence";
  fresh->runs.push_back(std::move(run));
  VkSubmitInfo info{};
  info.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO;
  info.commandBufferCount = 1;
  info.pCommandBuffers = &commands;
  const VkResult result = queue.owner->next.QueueSubmit(queue.handle, 1, &info, VK_NULL_HANDLE);
  if (result != VK_SUCCESS) return answered(result);
  done = mark(queue, fresh.release());
  return {};
}

// For what copy_behind() gave; the same kind of answer.
std::string wait_for(Done* done) {
  if (!done) return "the driver could not be asked when they are there";
  done->wait(patience_ns);
  const int status = done->status();
  done->release();
  if (status > 0) return "the device did not get to it in time";
  return status < 0 ? answered(status) : std::string();
}

// Of devices that nothing is under way on.
class IdleReader final : public capture::DirectReader {
 public:
  bool hold(capture::TrackedBuffer& buffer) override {
    auto& storage = static_cast<Storage&>(buffer);
    held_ = {};                                    // it may be the same one
    held_ = std::unique_lock(storage.life_mutex);  // its end waits for us
    if (!storage.is_gone && !storage.owner->is_gone) return true;
    held_.unlock();
    return false;
  }
  std::string read(const BufferRange& range, std::span<std::byte> target) override {
    Storage& storage = storage_of(range);
    if (const std::byte* bytes = storage.host_bytes()) {
      std::memcpy(target.data(), bytes + range.offset_bytes, target.size());
      return {};
    }
    std::shared_ptr<Queue> queue;
    {
      const std::lock_guard lock(storage.owner->mutex);
      if (!storage.owner->queues.empty()) queue = storage.owner->queues.front();
    }
    if (!queue) return "no queue could be had to read them";
    Done* done = nullptr;
    {
      const std::lock_guard lock(queue->mutex);
      if (std::string why = copy_behind(*queue, range, target, done); !why.empty()) return why;
    }
    return wait_for(done);
  }

 private:
  std::unique_lock<std::mutex> held_;
};

class VulkanApi final : public capture::ApiAdapter {
 public:
  std::string_view name() const noexcept override { return "vulkan"; }

  // --- handles
  void retain(HandleKind kind, void* handle) noexcept override {
    if (kind == HandleKind::completion) {
      done_of(handle)->retain();
      return;
    }
    Queue& queue = *queue_at(handle);
    const std::lock_guard lock(queue.held_mutex);
    if (queue.holds++ == 0) queue.kept = queue.Object::shared_from_this();
  }
  void release(HandleKind kind, void* handle) noexcept override {
    if (kind == HandleKind::completion) {
      done_of(handle)->release();
      return;
    }
    Queue& queue = *queue_at(handle);
    std::shared_ptr<Object> last;  // let go of when the lock is
    const std::lock_guard lock(queue.held_mutex);
    if (--queue.holds == 0) last = std::move(queue.kept);
  }
  int status(void* completion) noexcept override { return done_of(completion)->status(); }
  void wait(std::span<void* const> completions) noexcept override {
    for (void* one : completions) done_of(one)->wait(patience_ns);
  }
  void flush(void*) noexcept override {}
  void finish(void* handle) noexcept override {
    Queue& queue = *queue_at(handle);
    if (queue.last) queue.last->wait(patience_ns);
  }

  // --- what is done
  std::string words(int status) const override {
    return fmt::format("{} ({})", result_name(status), status);
  }
  // All that the program gives is given together.
  bool stamps(void*, document::StampRow&) noexcept override { return false; }
  void times(void* completion, std::uint32_t first,
             capture::SubmissionTimes& times) noexcept override {
    Done& done = *done_of(completion);
    const std::lock_guard lock(done.mutex);
    times.seen_ns = done.seen_ns;
    for (const auto& batch : done.stamps)
      if (batch->first_command() == first) quietly([&] { times.commands = batch->times(); });
  }
  // Copies of ours go with the program's own batch.
  bool stamps_reads() const noexcept override { return false; }
  bool tell_when_done(void*, capture::ReadUnderWay*) noexcept override { return false; }
  const capture::RecordedEvent* waited_for(const capture::Ticket& ticket,
                                           std::uint32_t index) noexcept override {
    return &static_cast<const Ticket&>(ticket).waits[index];
  }

  // --- bytes
  bool may_use(const capture::TrackedQueue& queue,
               const capture::TrackedBuffer& buffer) const noexcept override {
    return static_cast<const Queue&>(queue).owner == static_cast<const Storage&>(buffer).owner;
  }
  bool is_read_whole(const capture::TrackedBuffer& buffer) const noexcept override {
    return buffer.image.has_value();
  }
  std::string read(void* handle, const BufferRange& range, std::span<std::byte> target,
                   const capture::ReadOrder& order, Completion& done,
                   std::shared_ptr<void>&) override {
    Queue& queue = *queue_at(handle);
    Storage& storage = storage_of(range);
    auto* ticket = static_cast<Ticket*>(order.ahead_of);
    if (ticket && ticket->read_behind != no_index) {
      if (!ticket->behind) return "nobody tells when they are there";
      bool is_kept = false;
      for (const Ticket::Kept& one : ticket->kept)
        if (one.command == ticket->read_behind - ticket->id && one.image == &storage)
          is_kept = one.results->ask(one.number, range.offset_bytes, target) || is_kept;
      if (!is_kept) return "they were not kept";
      done = Completion::of(*this, ticket->behind);
      return {};
    }
    const std::uint32_t part = ticket ? ticket->read_part : 0;
    const bool may_look = (!ticket || (!ticket->has_open_waits && !ticket->is_behind_others)) &&
                          part == 0 && is_idle(*queue.owner, queue);
    if (std::byte* bytes = may_look ? storage.host_bytes() : nullptr) {
      std::memcpy(target.data(), bytes + range.offset_bytes, target.size());
      done = Completion(*this, nothing_to_wait_for());
      return {};
    }
    // An image that the device has not had yet is the host's until this is submitted.
    const bool is_hosts = !storage.layouts.empty() &&
                          storage.layouts[0] == VK_IMAGE_LAYOUT_PREINITIALIZED &&
                          !(ticket && ticket->has_open_waits) && part == 0;
    if (is_hosts && storage.copy_rows(target)) {
      done = Completion(*this, nothing_to_wait_for());
      return {};
    }
    if (!ticket) {
      Done* behind = nullptr;
      std::string why = copy_behind(queue, range, target, behind);
      if (behind) done = Completion(*this, behind);
      return why;
    }
    if (!ticket->behind) return "nothing can be put ahead of what was submitted";
    if (ticket->runs.size() <= part) ticket->runs.resize(part + 1);
    std::unique_ptr<CopyRun>& run = ticket->runs[part];
    if (!run) run = CopyRun::begin(queue);
    if (!run) return "the driver gives no command buffer to read them";
    ticket->follow_layouts(part);
    std::string why = run->add(storage, range.offset_bytes, target);
    if (why.empty()) done = Completion::of(*this, ticket->behind);
    return why;
  }
  std::unique_ptr<capture::DirectReader> open_reader() override {
    return std::make_unique<IdleReader>();
  }

  // --- what documents tell of things
  const void* device_of(const capture::TrackedBuffer& buffer) override {
    return identity_of_device(*static_cast<const Storage&>(buffer).owner);
  }
  document::DeviceRow device_row(const void* device, std::uint32_t number) override {
    return vk::device_row(device, number);
  }
  std::optional<std::uint64_t> now_ns(const void* device) noexcept override {
    return device_now_ns(device);
  }
  std::shared_ptr<capture::KernelIdentity> identity_of(
      const capture::TrackedKernel& kernel) override {
    return vk::identity_of(static_cast<const Pipeline&>(kernel));
  }
  document::KernelRow kernel_row(capture::TrackedKernel& kernel, const void*,
                                 std::uint32_t number) override {
    return vk::kernel_row(static_cast<Pipeline&>(kernel), number);
  }

  // --- the process
  bool label(const void* handle, std::string_view name) override { return name_any(handle, name); }
  void before_fork() noexcept override {
    instances().lock_for_fork();
    devices().lock_for_fork();
    queues().lock_for_fork();
    command_buffers().lock_for_fork();
  }
  void after_fork() noexcept override {
    command_buffers().unlock_after_fork();
    queues().unlock_after_fork();
    devices().unlock_after_fork();
    instances().unlock_after_fork();
  }
};

}  // namespace

std::string read_at_once(Queue& queue, const capture::Range& range, std::span<std::byte> target) {
  Done* done = nullptr;
  std::string why = copy_behind(queue, range.of_buffer(), target, done);
  return why.empty() ? wait_for(done) : why;
}

void Ticket::follow_layouts(std::uint32_t part) {
  for (; layouts_done < layouts.size() && layouts[layouts_done].part < part; ++layouts_done) {
    const LayoutChange& change = layouts[layouts_done];
    set_layout(*change.image, change.range, change.layout);
  }
}

capture::ApiAdapter& vulkan_api() noexcept { return forever<VulkanApi>(); }

}  // namespace reel::layer::vk
