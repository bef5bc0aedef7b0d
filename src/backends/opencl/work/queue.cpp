#include "backends/opencl/work/queue.hpp"

#include <cstring>
#include <utility>
#include <variant>
#include <vector>

#include "backends/opencl/device/buffer.hpp"
#include "backends/opencl/device/image.hpp"
#include "backends/opencl/kernels/kernel.hpp"
#include "backends/opencl/work/transfer.hpp"
#include "base/fail.hpp"
#include "runtime/callback.hpp"

namespace reel::opencl {
namespace {

// Copies of written data that the device has not taken yet, at most.
constexpr std::size_t most_kept_bytes = std::size_t{64} << 20;
// Of a write to an image, beside its bytes: commands, events and a buffer of the driver.
constexpr std::size_t image_write_bytes = 8192;

// A host call on its way: from the queue to the driver's callback to the worker.
struct PendingCall {
  std::function<void()> function;
  std::shared_ptr<Failures> failures;
  HostWorker* worker;  // the queue's destructor waits, so the worker outlives the call
  EventHandle gate;    // a user event; what follows in the queue waits for it
  std::string name;
  std::shared_ptr<CallTimes> times;  // null: nobody asks
  const DeviceContext* context;      // the queue's, which outlives the call

  void run() noexcept {
    if (times) times->started_ns.store(context->now_ns(), std::memory_order_release);
    try {
      function();
    } catch (const Error& error) {
      failures->add(error.code(), error.what());
    } catch (const std::exception& error) {  // of the library's own: no memory, say
      failures->add(Code::driver_failed, error.what());
    }
    if (times) times->ended_ns.store(context->now_ns(), std::memory_order_release);
    // First the gate: the function may hold the last handle of its own stream, whose end waits.
    api().set_user_event_status(gate.get(), CL_COMPLETE);
    function = nullptr;
  }
};

// A function that a thread of the driver runs.
struct NativeCall {
  std::function<void()> function;
  std::shared_ptr<Failures> failures;

  static void CL_CALLBACK run(void* data) {
    NativeCall* const call = *static_cast<NativeCall**>(data);
    try {
      call->function();
    } catch (const Error& error) {
      call->failures->add(error.code(), error.what());
    } catch (const std::exception& error) {
      call->failures->add(Code::driver_failed, error.what());
    }
  }
};

void CL_CALLBACK reached(cl_event, cl_int status, void* data) {
  std::shared_ptr<PendingCall> call(static_cast<PendingCall*>(data));
  if (status < 0) {
    call->failures->add(Code::device_lost,
                        fmt::format("Work before host call '{}' failed with {} ({}).", call->name,
                                    status_name(status), status));
    call->function = [] {};
  }
  HostWorker& worker = *call->worker;
  worker.post([call = std::move(call)] { call->run(); });
}

cl_event* first_of(CommandEvents* events) { return events ? events->first.out() : nullptr; }

class ReadyEnqueue final : public ReadyDispatch {
 public:
  explicit ReadyEnqueue(CommandQueue& queue) : queue_(queue) {}
  void prepare(const Dispatch& like) override {
    kernel_ = static_cast<BuiltKernel*>(like.kernel);
    grid_ = make_grid(like);
    is_empty_ = grid_.empty();
  }
  void give(std::span<const Argument> arguments) override {
    const CommandQueue::Enqueueing enqueueing{queue_};
    if (!is_empty_) kernel_->enqueue(queue_.get(), grid_, arguments, nullptr);
  }
  void give_stamped(const Command& command, std::uint64_t ticket) override {
    if (is_empty_) return queue_.submit_stamped(command, ticket);
    queue_.enqueue_stamped(*kernel_, grid_, std::get_if<Dispatch>(&command.work)->arguments,
                           ticket);
  }

 private:
  CommandQueue& queue_;
  BuiltKernel* kernel_ = nullptr;
  Grid grid_;
  bool is_empty_ = false;
};

}  // namespace

CommandQueue::CommandQueue(std::shared_ptr<DeviceContext> context, StreamPriority priority)
    : context_(std::move(context)),
      stamps_(context_->info().can_stamp_time),
      priority_(priority),
      plain_(context_->make_queue(priority, Stamped::no)),
      queue_(plain_.get()) {}

CommandQueue::~CommandQueue() {
  if (!known_idle()) api().finish(get());
}

cl_command_queue CommandQueue::get_stamping() {
  if (stamping_ || !context_->info().can_stamp_time) return get();
  QueueHandle next = context_->make_queue(priority_, Stamped::yes);
  if (!known_idle()) {
    EventHandle before;
    check(api().enqueue_marker(get(), 0, nullptr, before.out()), "clEnqueueMarkerWithWaitList");
    flush();  // or what waits for it might wait for ever
    const cl_event event = before.get();
    check(api().enqueue_barrier(next.get(), 1, &event, nullptr), "clEnqueueBarrierWithWaitList");
  }
  stamping_ = std::move(next);
  queue_.store(stamping_.get(), std::memory_order_release);
  return get();
}

void CommandQueue::run(const Command& command, CommandEvents* events) {
  const Enqueueing enqueueing{*this};
  std::visit(overloaded{
                 [&](const Dispatch& c) {
                   if (c.groups.count() == 0 && c.items == unset_dim) return;
                   static_cast<BuiltKernel*>(c.kernel)->enqueue(get(), make_grid(c), c.arguments,
                                                                first_of(events));
                 },
                 [&](const Copy& c) {
                   if (c.target.size_bytes == 0) return;
                   if (names_image(command.work)) [[unlikely]]
                     enqueue_image_copy(*context_, get(), c, events);
                   else
                     enqueue_copy(get(), c, first_of(events));
                 },
                 [&](const Fill& c) { fill(c, events); }, [&](const Write& c) { write(c, events); },
                 [&](const Read& c) {
                   if (c.source.size_bytes == 0) return;
                   if (c.source.buffer->image) [[unlikely]]
                     enqueue_image_read(*context_, get(), c, events);
                   else
                     enqueue_read(get(), c, first_of(events));
                 },
                 [&](const HostCall& c) {
                   call(
                       [function = c.function, label = std::string(command.label),
                        context = context_.get()] {  // which outlives the call, as the queue does
                         run_host_call(*function, label, context->info());
                       },
                       command.label, events);
                 },
                 [](const Barrier&) {},  // the queue is in order
             },
             command.work);
}

std::unique_ptr<ReadyDispatch> CommandQueue::make_ready_dispatch() {
  return std::make_unique<ReadyEnqueue>(*this);
}

void CommandQueue::enqueue_stamped(BuiltKernel& kernel, const Grid& grid,
                                   std::span<const Argument> arguments, std::uint64_t ticket) {
  const std::uint64_t queued_ns = context_->info().can_stamp_time ? 0 : context_->now_ns();
  const cl_command_queue queue = get_stamping();
  EventHandle event;
  {
    const Enqueueing enqueueing{*this};
    kernel.enqueue(queue, grid, arguments, event.out());
  }
  stamps_.add(ticket, queued_ns, std::move(event));
}

void CommandQueue::submit_stamped(const Command& command, std::uint64_t ticket) {
  // Where events have times, this is one of them.
  const std::uint64_t queued_ns = context_->info().can_stamp_time ? 0 : context_->now_ns();
  get_stamping();
  CommandEvents events;
  run(command, &events);
  if (events.first)
    stamps_.add(ticket, queued_ns, std::move(events));
  else
    stamps_.add_empty(ticket, queued_ns ? queued_ns : context_->now_ns());
}

void CommandQueue::fill(const Fill& command, CommandEvents* events) {
  if (command.target.buffer->image) {
    // A colour would have to be worked out from the pattern; bytes are what it stands for.
    std::vector<std::byte> bytes(command.target.size_bytes);
    for (std::size_t i = 0; i < bytes.size(); ++i)
      bytes[i] = static_cast<std::byte>(command.pattern >> (8 * (i % command.pattern_bytes)));
    write({command.target, bytes}, events);
    return;
  }
  for_each_fill_part(command, [&](const FillPart& part) {
    cl_event* event = nullptr;
    if (events) event = events->first ? events->last.out() : events->first.out();
    const cl_int status = api().enqueue_fill_buffer(
        get(), device_buffer(command.target).memory(), &part.pattern, part.pattern_bytes,
        part.offset_bytes, part.size_bytes, 0, nullptr, event);
    if (status != CL_SUCCESS)
      fail_status(status, "clEnqueueFillBuffer",
                  fmt::format("buffer '{}'", command.target.buffer->label));
  });
}

void CommandQueue::write(const Write& command, CommandEvents* events) {
  if (command.data.empty()) return;
  const bool is_image = command.target.buffer->image.has_value();
  if (!is_image && is_fill_sized(command)) {
    enqueue_write_as_fill(get(), command, first_of(events));
    return;
  }
  // A blocking write would wait for all that is before it; a copy of 1 MiB takes 0.1 ms.
  // An image's takes as much again in the driver, and some commands more. A host call of this queue
  // may be what the oldest waits for.
  const std::size_t held_bytes =
      is_image ? 2 * command.data.size() + image_write_bytes : command.data.size();
  while (!kept_.empty() && kept_bytes_ + held_bytes > most_kept_bytes &&
         !Callback::of(context_->info())) {
    const cl_event oldest = kept_.front().event.get();
    check(api().wait_for_events(1, &oldest), "clWaitForEvents");
    let_go_of_finished();
  }
  let_go_of_finished();
  const std::shared_ptr<std::byte[]> copy(new std::byte[command.data.size()]);
  std::memcpy(copy.get(), command.data.data(), command.data.size());
  Kept kept{{}, copy, held_bytes};
  if (is_image) {
    CommandEvents parts;
    enqueue_image_write(*context_, get(), command.target, copy.get(), &parts);
    const bool is_one = !parts.last;
    kept.event = std::move(is_one ? parts.first : parts.last);
    if (events && !is_one) {
      check(api().retain_event(kept.event.get()), "clRetainEvent");
      events->first = std::move(parts.first);
      events->last = EventHandle(kept.event.get());
      events = nullptr;
    }
  } else {
    enqueue_write(get(), command, copy.get(), kept.event.out());
  }
  if (events) {
    check(api().retain_event(kept.event.get()), "clRetainEvent");
    events->first = EventHandle(kept.event.get());
  }
  kept_bytes_ += kept.bytes;
  kept_.push_back(std::move(kept));
}

void CommandQueue::call(std::function<void()> function, std::string_view name,
                        CommandEvents* events) {
  host_worker_.start();
  cl_int status = CL_SUCCESS;
  EventHandle gate(api().create_user_event(context_->get(), &status));
  check(status, "clCreateUserEvent");
  const cl_event opened = gate.get();
  check(api().retain_event(opened), "clRetainEvent");
  auto times = events ? std::make_shared<CallTimes>() : nullptr;
  auto call = std::make_unique<PendingCall>(PendingCall{std::move(function), failures_,
                                                        &host_worker_, EventHandle(opened),
                                                        std::string(name), times, context_.get()});
  EventHandle before;
  check(api().enqueue_marker(get(), 0, nullptr, before.out()), "clEnqueueMarkerWithWaitList");
  // First the barrier, then the callback: once the callback is set, nothing can fail any more.
  check(api().enqueue_barrier(get(), 1, &opened, events ? events->last.out() : nullptr),
        "clEnqueueBarrierWithWaitList");
  status = api().set_event_callback(before.get(), CL_COMPLETE, reached, call.get());
  if (status != CL_SUCCESS) {
    api().set_user_event_status(opened, CL_COMPLETE);
    fail_status(status, "clSetEventCallback");
  }
  static_cast<void>(call.release());  // the callback's now
  if (events) {
    events->first = std::move(before);
    events->call = std::move(times);
  }
  flush();  // or a driver that waits for a flush would never get to it
}

// What calls nothing may run on a thread of the driver: a command like any other, without a marker,
// a callback, a thread of ours and a gate.
void CommandQueue::run_in_order(std::function<void()> function, InOrder calls) {
  const Enqueueing enqueueing{*this};
  if (calls != InOrder::nothing || !context_->why_not_native().empty()) {
    call(std::move(function), "a graph that decides", nullptr);
    return;
  }
  auto native = std::make_shared<NativeCall>(NativeCall{std::move(function), failures_});
  NativeCall* raw = native.get();
  check(api().enqueue_native_kernel(get(), &NativeCall::run, &raw, sizeof raw, 0, nullptr, nullptr,
                                    0, nullptr, nullptr),
        "clEnqueueNativeKernel");
  try {
    // What it holds may be kernels and memory of the driver, which a thread of ours lets go.
    keep_until_done(native);
  } catch (...) {
    api().finish(get());
    throw;
  }
  flush();
}

std::shared_ptr<Signal> CommandQueue::mark(Stamped stamped) {
  if (known_idle()) {
    std::optional<std::uint64_t> now_ns;
    if (stamped == Stamped::yes) now_ns = context_->now_ns();
    return std::make_shared<EventSignal>(context_, now_ns, failures_);
  }
  EventHandle event;
  const cl_command_queue queue = stamped == Stamped::yes ? get_stamping() : get();
  check(api().enqueue_marker(queue, 0, nullptr, event.out()), "clEnqueueMarkerWithWaitList");
  flush();  // so that another queue can wait for it
  check(api().retain_event(event.get()), "clRetainEvent");
  marker_ = EventHandle(event.get());
  return std::make_shared<EventSignal>(context_, std::move(event), failures_);
}

void CommandQueue::wait_for(const std::shared_ptr<Signal>& signal) {
  const cl_event event = static_cast<EventSignal&>(*signal).event();
  if (!event || is_done(event)) return;
  const Enqueueing enqueueing{*this};
  check(api().enqueue_barrier(get(), 1, &event, nullptr), "clEnqueueBarrierWithWaitList");
}

void CommandQueue::flush() { check(api().flush(get()), "clFlush"); }

bool CommandQueue::wait() {
  const std::uint64_t given = given_.load(std::memory_order_acquire);
  const bool is_under_way = finished_.load(std::memory_order_acquire) < given;
  if (is_under_way) {
    check(api().finish(get()), "clFinish");
    finished(given);
  }
  failures_->throw_once();
  return is_under_way;
}

void CommandQueue::finished(std::uint64_t given) noexcept {
  std::uint64_t before = finished_.load(std::memory_order_relaxed);
  while (before < given &&
         !finished_.compare_exchange_weak(before, given, std::memory_order_acq_rel)) {
  }
}

bool CommandQueue::idle() {
  if (known_idle()) return true;
  if (!marker_) {
    check(api().enqueue_marker(get(), 0, nullptr, marker_.out()), "clEnqueueMarkerWithWaitList");
    flush();
  }
  return settle();
}

// Where native replay may touch a buffer's bytes, so may we.
void CommandQueue::fetch(const BufferRange& source, std::span<std::byte> target) {
  const std::byte* const bytes = source.buffer ? device_buffer(source).address() : nullptr;
  if (source.buffer && !bytes) return fetch_by_read(source, target);
  wait();
  if (bytes) std::memcpy(target.data(), bytes + source.offset_bytes, target.size());
}

bool CommandQueue::settle() {
  if (known_idle()) return true;
  if (!marker_ || !is_done(marker_.get())) return false;
  finished(given_.load(std::memory_order_relaxed));
  marker_.reset();
  let_go_of_finished();
  return true;
}

void CommandQueue::keep_until_done(std::shared_ptr<const void> thing) {
  let_go_of_finished();
  Kept kept{{}, std::move(thing), 0};
  check(api().enqueue_marker(get(), 0, nullptr, kept.event.out()), "clEnqueueMarkerWithWaitList");
  kept_.push_back(std::move(kept));
}

void CommandQueue::let_go_of_finished() {
  while (!kept_.empty() && is_done(kept_.front().event.get())) {
    kept_bytes_ -= kept_.front().bytes;
    kept_.pop_front();
  }
}

}  // namespace reel::opencl
