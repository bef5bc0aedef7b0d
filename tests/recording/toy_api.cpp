#include "recording/toy_api.hpp"

#include <algorithm>
#include <cstring>

#include "base/clock.hpp"

namespace reel::test {

using capture::Completion;
using capture::HandleKind;

namespace {

ToyEvent* event_of(void* handle) { return static_cast<ToyEvent*>(handle); }
ToyBuffer& buffer_of(const capture::Range& range) {
  return static_cast<ToyBuffer&>(*range.storage);
}
std::byte* at(const capture::Range& range) {
  return buffer_of(range).bytes.data() + range.offset_bytes;
}

class ToyReader final : public capture::DirectReader {
 public:
  bool hold(capture::TrackedBuffer&) override { return true; }
  std::string read(const BufferRange& range, std::span<std::byte> target) override {
    const auto& buffer = static_cast<const ToyBuffer&>(*range.buffer);
    std::memcpy(target.data(), buffer.bytes.data() + range.offset_bytes, target.size());
    return {};
  }
};

}  // namespace

ToyApi::ToyApi(Options options)
    : options_(std::move(options)), random_(options_.seed), thread_([this] { run(); }) {}

ToyApi::~ToyApi() {
  {
    const std::lock_guard lock(mutex_);
    is_over_ = true;
    is_held_up_ = false;
  }
  changed_.notify_all();
  thread_.join();
}

std::shared_ptr<ToyQueue> ToyApi::queue(bool in_order, std::string label) {
  auto queue = std::make_shared<ToyQueue>(*this);
  queue->device = this;
  queue->in_order = in_order;
  queue->can_stamp = true;
  queue->label = std::move(label);
  const std::lock_guard lock(mutex_);
  queues_.push_back(queue);
  return queue;
}

std::shared_ptr<ToyBuffer> ToyApi::buffer(std::uint64_t size_bytes, std::string label) {
  auto buffer = std::make_shared<ToyBuffer>(*this, size_bytes);
  buffer->label = std::move(label);
  return buffer;
}

ToyEvent* ToyApi::submit(ToyQueue& queue, const std::vector<ToyEvent*>& waits,
                         std::function<void()> work) {
  auto* event = new ToyEvent;
  event->queued_ns = clock_ns();
  events_.fetch_add(1);
  retain(HandleKind::completion, event);  // the driver's
  for (ToyEvent* one : waits) retain(HandleKind::completion, one);
  {
    const std::lock_guard lock(mutex_);
    queue.commands.push_back({event, waits, std::move(work)});
  }
  changed_.notify_all();
  return event;
}

void ToyApi::hold_up(bool on) {
  {
    const std::lock_guard lock(mutex_);
    is_held_up_ = on;
  }
  changed_.notify_all();
}

bool ToyApi::are_done(const std::vector<ToyEvent*>& events) {
  return std::all_of(events.begin(), events.end(),
                     [](const ToyEvent* one) { return one->status.load() <= 0; });
}

// Any of those that nothing holds back: of a queue in order the first, of another any one.
bool ToyApi::run_one(std::unique_lock<std::mutex>& lock) {
  std::vector<std::pair<ToyQueue*, std::size_t>> ready;
  for (const auto& queue : queues_) {
    const std::size_t looked =
        queue->in_order ? std::min<std::size_t>(1, queue->commands.size()) : queue->commands.size();
    for (std::size_t i = 0; i < looked; ++i)
      if (are_done(queue->commands[i].waits)) ready.emplace_back(queue.get(), i);
  }
  if (ready.empty() || is_held_up_) return false;
  const auto [queue, index] = ready[random_() % ready.size()];
  ToyQueue::Command command = queue->commands[index];
  const bool is_slow = random_() % 4 == 0;
  lock.unlock();
  if (is_slow) std::this_thread::sleep_for(std::chrono::microseconds(50));
  command.event->started_ns = clock_ns();
  command.work();
  command.event->ended_ns = clock_ns() + 1;
  lock.lock();
  // Others may have been given meanwhile, behind it.
  const auto place = std::ranges::find(queue->commands, command.event, &ToyQueue::Command::event);
  queue->commands.erase(place);
  command.event->status.store(0);
  const std::vector<capture::ReadUnderWay*> told = std::move(command.event->told);
  command.event->told.clear();
  lock.unlock();
  changed_.notify_all();
  for (capture::ReadUnderWay* read : told) capture::CallRecording::read_done(read, 0);
  for (ToyEvent* one : command.waits) release(HandleKind::completion, one);
  release(HandleKind::completion, command.event);
  lock.lock();
  return true;
}

void ToyApi::run() {
  std::unique_lock lock(mutex_);
  for (;;) {
    if (run_one(lock)) continue;
    if (is_over_) return;
    changed_.wait_for(lock, std::chrono::milliseconds(1));
  }
}

std::uint64_t ToyApi::clock_ns() const {
  return monotonic_ns() + (options_.has_clock ? 3'600'000'000'000 : 0);
}

void ToyApi::retain(HandleKind kind, void* handle) noexcept {
  if (kind == HandleKind::completion)
    event_of(handle)->references.fetch_add(1);
  else
    static_cast<ToyQueue*>(handle)->holds.fetch_add(1);
}

void ToyApi::release(HandleKind kind, void* handle) noexcept {
  if (kind == HandleKind::queue) {
    static_cast<ToyQueue*>(handle)->holds.fetch_sub(1);
  } else if (event_of(handle)->references.fetch_sub(1) == 1) {
    delete event_of(handle);
    events_.fetch_sub(1);
  }
}

int ToyApi::status(void* completion) noexcept { return event_of(completion)->status.load(); }

void ToyApi::wait(std::span<void* const> completions) noexcept {
  std::unique_lock lock(mutex_);
  for (void* one : completions)
    while (event_of(one)->status.load() > 0) changed_.wait_for(lock, std::chrono::milliseconds(1));
}

void ToyApi::finish(void* queue) noexcept {
  std::unique_lock lock(mutex_);
  while (!static_cast<ToyQueue*>(queue)->commands.empty())
    changed_.wait_for(lock, std::chrono::milliseconds(1));
}

bool ToyApi::stamps(void* completion, document::StampRow& row) noexcept {
  row.started_ns = event_of(completion)->started_ns;
  row.ended_ns = event_of(completion)->ended_ns;
  // Of one that tells its clock nothing else is needed.
  row.queued_ns = row.submitted_ns = options_.has_clock ? 0 : event_of(completion)->queued_ns;
  return row.ended_ns != 0;
}

void ToyApi::times(void* completion, std::uint32_t, capture::SubmissionTimes& times) noexcept {
  const ToyEvent& event = *event_of(completion);
  times.seen_ns = monotonic_ns();
  if (event.timed_together)
    times.commands = {
        {0, event.timed_together, event.timed_together == 1, event.started_ns, event.ended_ns}};
}

bool ToyApi::tell_when_done(void* completion, capture::ReadUnderWay* read) noexcept {
  if (!options_.tells) return false;
  {
    const std::lock_guard lock(mutex_);
    if (event_of(completion)->status.load() > 0) {
      event_of(completion)->told.push_back(read);
      return true;
    }
  }
  capture::CallRecording::read_done(read, 0);
  return true;
}

const capture::RecordedEvent* ToyApi::waited_for(const capture::Ticket& ticket,
                                                 std::uint32_t index) noexcept {
  return &static_cast<const ToyTicket&>(ticket).waits[index]->recorded;
}

std::string ToyApi::read(void* queue, const BufferRange& range, std::span<std::byte> target,
                         const capture::ReadOrder& order, Completion& done,
                         std::shared_ptr<void>&) {
  std::vector<ToyEvent*> waits;
  for (void* one : order.completions) waits.push_back(event_of(one));
  if (order.ahead_of) {
    waits = static_cast<ToyTicket&>(*order.ahead_of).waits;
    for (const Completion& one : order.ahead_of->own_waits) waits.push_back(event_of(one.get()));
  }
  const auto* from = static_cast<ToyBuffer*>(range.buffer)->bytes.data() + range.offset_bytes;
  ToyEvent* event = submit(*static_cast<ToyQueue*>(queue), waits,
                           [=] { std::memcpy(target.data(), from, target.size()); });
  done = Completion(*this, event);
  return {};
}

std::unique_ptr<capture::DirectReader> ToyApi::open_reader() {
  return std::make_unique<ToyReader>();
}

document::DeviceRow ToyApi::device_row(const void*, std::uint32_t number) {
  return {number, options_.name + ":0", options_.name, "toy", "cpu", "toy", "1", "1", 0, 1, true,
          1};
}

std::optional<std::uint64_t> ToyApi::now_ns(const void*) noexcept {
  if (!options_.has_clock) return std::nullopt;
  return clock_ns();
}

document::KernelRow ToyApi::kernel_row(capture::TrackedKernel& kernel, const void*,
                                       std::uint32_t number) {
  document::KernelRow row{};
  row.id = static_cast<std::uint32_t>(kernel.identity->id);
  row.device = number;
  row.name = kernel.name;
  return row;
}

ToyEvent* give(capture::CallRecording& recording, ToyApi& api, ToyQueue& queue,
               const std::vector<ToyEvent*>& waits, const ToyWork& work) {
  const std::lock_guard lock(queue.mutex);
  ToyTicket ticket;
  ticket.waits = waits;
  ticket.program_waits = static_cast<std::uint32_t>(waits.size());
  recording.start(ticket, queue);
  ticket.work->clear();
  ticket.work->row.kind = work.kind;
  ticket.work->row.pattern = work.pattern;
  ticket.work->row.pattern_bytes = work.kind == WorkKind::fill ? 4 : 0;
  ticket.work->label = to_string(work.kind);
  if (work.source.storage) ticket.work->read(work.source);
  if (work.target.storage) ticket.work->write(work.target);
  recording.before(ticket, true);
  if (work.kind == WorkKind::write) {
    capture::BoxSource bytes(work.data.data(), capture::line(work.data.size()));
    recording.written(ticket, bytes);
  }
  if (work.is_refused) {
    recording.finish(ticket, -7, {}, nullptr);
    return nullptr;
  }
  std::vector<ToyEvent*> all = waits;
  for (const Completion& one : ticket.own_waits) all.push_back(event_of(one.get()));
  ToyEvent* event = api.submit(queue, all, [work] {
    if (work.kind == WorkKind::write)
      std::memcpy(at(work.target), work.data.data(), work.data.size());
    else if (work.kind == WorkKind::copy)
      std::memcpy(at(work.target), at(work.source), work.target.size_bytes);
    else if (work.kind == WorkKind::fill)
      for (std::uint64_t i = 0; i < work.target.size_bytes; i += 4)
        std::memcpy(at(work.target) + i, &work.pattern, 4);
  });
  event->recorded = recording.finish(ticket, 0, Completion::of(api, event), nullptr);
  return event;
}

void host_waits(capture::CallRecording& recording, ToyApi& api, ToyEvent* event) {
  void* handle = event;
  api.wait({&handle, 1});
  recording.settle_reads();
  recording.host_waited(event->recorded);
}

}  // namespace reel::test
