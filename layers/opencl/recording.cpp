#include "layers/opencl/recording.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <thread>

#include "base/clock.hpp"
#include "layers/control/control.hpp"
#include "layers/control/scope_stack.hpp"
#include "layers/opencl/held_back.hpp"
#include "layers/opencl/held_event.hpp"

namespace reel::layer {

using capture::add_point;
using capture::add_points;
using capture::Lane;
using capture::Piece;
using capture::reserve_stamps;

namespace {

// Stamps are fetched from the driver this often. Some drivers take each event from the heap: given
// back in small numbers they are at hand for the next ones.
constexpr std::uint32_t collect_every = 16;
// Copies of what is mapped for writing, all together; a single one may be of any size.
constexpr std::size_t map_memory_bytes = std::size_t{1} << 30;
constexpr std::size_t kept_map_bytes = std::size_t{256} << 20;
// Without anything getting done, while the program has not set a user event.
constexpr std::chrono::milliseconds most_for_user_event{50};

std::uint32_t u32(auto id) { return static_cast<std::uint32_t>(id); }

}  // namespace

Recording::Recording(std::uint32_t capture_number, std::string document_path,
                     std::unique_ptr<capture::DocumentThread> document, const Settings& settings)
    : CallRecording(capture_number, std::move(document_path), std::move(document),
                    settings.contents, std::chrono::seconds(1)),
      map_memory_(std::make_shared<capture::MemoryBudget>(map_memory_bytes, kept_map_bytes)) {}

Recording::~Recording() = default;

// --- queues -------------------------------------------------------------------------------------

QueueRecord& Recording::record_of(Queue& queue) {
  if (queue.record && queue.record->capture == number) [[likely]]
    return *queue.record;
  auto record = std::make_unique<QueueRecord>();
  record->capture = number;
  record->handle = static_cast<cl_command_queue>(const_cast<void*>(queue.handle));
  record->in_order = !queue.out_of_order;
  record->is_timed = queue.can_stamp;
  next().clRetainCommandQueue(record->handle);
  document_.add(record->log);
  queue.record = std::move(record);
  {
    const std::lock_guard lock(mutex_);
    queues_.push_back(queue.shared_from_this());
  }
  if (!queue.can_stamp)
    note("no_stamps",
         "A queue was made before anybody wanted to capture, so its commands have no times.");
  add_lane(queue, *queue.record);
  return *queue.record;
}

void Recording::add_lane(Queue& queue, QueueRecord& record) {
  Lane lane;
  lane.stream = next_stream_id();
  std::string label = queue.label;
  if (queue.out_of_order)
    label = fmt::format("{} lane {}", label.empty() ? "queue" : label, record.lanes.all.size());
  document_.push(document::StreamRow{lane.stream, note_device(queue.device), label});
  record.lanes.all.push_back(std::move(lane));
}

// --- one command --------------------------------------------------------------------------------

void Recording::start(Ticket& ticket, Queue& queue, cl_uint wait_count, const cl_event* waits,
                      cl_event* program_event) noexcept {
  ticket.begin_ns = monotonic_ns();
  ticket.queue = &queue;
  ticket.wait_count = wait_count;
  ticket.waits = waits;
  ticket.event = ticket.program_event = program_event;
  quietly([&] {
    QueueRecord& record = record_of(queue);
    if (record.is_busy) {
      ticket.own_work = std::make_unique<Work>();
      ticket.work = ticket.own_work.get();
    } else {
      record.is_busy = true;
      ticket.work = &record.work;  // as the last command left it
    }
    ticket.record = ticket.place = &record;
  });
}

bool Recording::before(Ticket& ticket) noexcept {
  bool wanted = false;
  quietly([&] {
    const Work& work = *ticket.work;
    wanted = control::selects(work.kernel ? std::string_view(work.kernel->name) : "");
    guard(ticket, work, ticket.record->in_order);
    if (!wanted) {
      follow(ticket, work);
      leave_out(work);
      return;
    }
    QueueRecord& record = *ticket.record;
    ticket.id = next_command_.fetch_add(1, std::memory_order_relaxed);
    place(ticket);
    if (work.kernel) note_kernel(*work.kernel, ticket.queue->device);
    std::vector<Piece> unknown;
    look_at({record.lanes[ticket.lane].stream, ticket.id}, work, unknown);
    if (!unknown.empty() && contents != Contents::none)
      read_inputs(ticket, unknown, record.in_order);
    if (!ticket.program_event) ticket.event = &ticket.taken;
  });
  if (!wanted || ticket.id == no_index) {
    ticket.give_up();
    return false;
  }
  return true;
}

void Recording::place(Ticket& ticket) {
  QueueRecord& record = *ticket.record;
  const Work& work = *ticket.work;
  record.after.clear();
  for (cl_uint i = 0; i < ticket.wait_count && ticket.waits; ++i) {
    const auto* event = find<Event>(ticket.waits[i]);
    if (!event || event->capture != number) continue;
    if (event->command < ticket.id) record.after.push_back(event->command);
    for (const Point& point : event->after)
      if (point.command < ticket.id) record.after.push_back(point.command);
  }
  ticket.lane = RecordingCore::place(
      record, {ticket.id, work.waits_for_all, work.holds_back_later},
      [&] { collect(*ticket.queue, record); }, [&] { add_lane(*ticket.queue, record); });
}

OwnReads::Writer Recording::writer_of(const Ticket& ticket, bool in_order) const {
  return {
      ticket.place->handle, in_order, number, {ticket.waits, ticket.waits ? ticket.wait_count : 0}};
}

void Recording::guard(Ticket& ticket, const Work& work, bool in_order) {
  const OwnReads::Writer writer = writer_of(ticket, in_order);
  std::vector<cl_event> waits;
  for (const WorkArgument& argument : work.arguments)
    if (argument.is_written()) {
      argument.range.storage->changes.fetch_add(1, std::memory_order_relaxed);
      own_reads_.before_write(argument.range, writer, waits);
    }
  for (cl_event event : waits) ticket.wait_for(event);
}

void Recording::before_host_writes(Ticket& ticket, std::span<const Range> ranges) noexcept {
  quietly([&] {
    const OwnReads::Writer writer = writer_of(ticket, ticket.place->in_order);
    std::vector<cl_event> waits;
    for (const Range& range : ranges) own_reads_.before_write(range, writer, waits);
    for (cl_event event : waits) ticket.wait_for(event);
    if (!ticket.is_followed) return;
    for (const Range& range : ranges) check_before_unrecorded(ticket, range);
    host_has(ranges, false);
  });
}

// A command that is not recorded still puts others in order, and may overwrite results.
void Recording::follow(Ticket& ticket, const Work& work) {
  QueueRecord& record = *ticket.record;
  for (cl_uint i = 0; i < ticket.wait_count && ticket.waits; ++i) {
    const auto* event = find<Event>(ticket.waits[i]);
    if (!event || event->capture != number) continue;
    add_points(ticket.after, event->after);
    add_point(ticket.after, {event->stream, event->command});
  }
  record.add_before(ticket.after, work.waits_for_all);
  ticket.is_followed = true;
  if (!ticket.program_event) ticket.event = &ticket.taken;
  for (const WorkArgument& argument : work.arguments)
    if (argument.is_bytes() && argument.is_written())
      check_before_unrecorded(ticket, argument.range);
}

// Results that a command which is not recorded will overwrite.
void Recording::check_before_unrecorded(Ticket& ticket, const Range& range) {
  const capture::TrackedBuffer& storage = *range.storage;
  if (contents == Contents::none || storage.address || storage.is_strange || !ticket.has_list())
    return;
  const std::vector<Piece> pieces = ledger_.device_written(range.of_buffer());
  if (pieces.empty()) return;
  std::vector<cl_event> events;
  read_pieces(*ticket.place, ContentRole::check,
              storage.writer_command.load(std::memory_order_relaxed), pieces,
              {.wait_count = ticket.wait_count,
               .waits = ticket.waits,
               .events = ticket.place->in_order ? nullptr : &events});
  for (cl_event event : events) ticket.wait_for(event);
}

void Recording::followed(Ticket& ticket, cl_int status) noexcept {
  if (status != CL_SUCCESS) return;
  quietly([&] {
    carry(*ticket.place, ticket.after, ticket.work && ticket.work->holds_back_later);
    if (!ticket.program_event || !*ticket.program_event) return;
    auto known = std::make_shared<Event>();
    known->capture = number;
    known->command = no_index;
    known->after = ticket.after;
    add(*ticket.program_event, std::move(known));
  });
}

void Recording::finish(Ticket& ticket, cl_int status) noexcept {
  if (!ticket.record) return;
  const std::uint64_t end_ns = monotonic_ns();
  QueueRecord& record = *ticket.record;
  quietly([&] {
    const Work& work = *ticket.work;
    Lane& lane = record.lanes[ticket.lane];
    Call call{ticket.id, ticket.lane, &work, {}, 0, current_scope().key(), ticket.begin_ns, end_ns};
    if (ticket.buffer) {
      call.nodes = ticket.buffer->works;
      call.graph = ticket.buffer->graph;
    }
    if (status != CL_SUCCESS) {
      refused(record, call,
              fmt::format("{} answered {} ({})", work.label, status_name(status), status));
      return;
    }
    taken(record, call);
    cl_event event = ticket.taken;
    if (ticket.program_event && *ticket.program_event) {
      event = *ticket.program_event;
      next().clRetainEvent(event);
      auto known = std::make_shared<Event>();
      known->capture = number;
      known->stream = lane.stream;
      known->command = lane.last_command;  // a launch is done when its last node is
      add(event, std::move(known));
    }
    if (event) {
      record.pending.push_back({ticket.id, ticket.lane, event, ticket.begin_ns, end_ns});
      ++lane.pending;
    }
    if (shared_writes_.are_any())
      shared_writes_.given(ticket.id, lane.last_command, HeldEvent::of(event),
                           !record.lanes.is_crowded);
    if (contents == Contents::all && work.row.kind != WorkKind::write &&
        work.row.kind != WorkKind::read) {
      std::vector<WorkArgument> checks;
      for (const WorkArgument& argument : work.arguments)
        if (argument.is_bytes() && argument.is_written()) checks.push_back(argument);
      check(ticket, checks);
      if (ticket.buffer) check_nodes(ticket, event);
    }
    // Of a queue without order the hook may still need the event: its next command collects.
    if (++record.since_collected >= collect_every && !ticket.queue->out_of_order)
      collect(*ticket.queue, record);
  });
  if (!ticket.own_work) record.is_busy = false;
}

void Recording::launch(Ticket& ticket, CommandBuffer& buffer) noexcept {
  quietly([&] {
    QueueRecord& record = *ticket.record;
    const std::lock_guard lock(buffer.mutex);
    const auto count = u32(buffer.works.size());
    ticket.id = next_command_.fetch_add(count + 1, std::memory_order_relaxed);
    ticket.work->clear();
    ticket.work->row.kind = WorkKind::launch;
    ticket.work->label = "clEnqueueCommandBufferKHR";
    once(buffer.recorded_in, buffer.graph, [&](auto&& add_edge) {
      for (std::uint32_t to = 0; to < count; ++to)
        for (const std::uint32_t from : buffer.works[to].after) add_edge(from, to);
    });
    place(ticket);
    std::vector<Piece> unknown;
    for (std::uint32_t i = 0; i < count; ++i) {
      const BufferedWork& one = buffer.works[i];
      if (one.work.kernel) note_kernel(*one.work.kernel, ticket.queue->device);
      guard(ticket, one.work, false);
      look_at({record.lanes[ticket.lane].stream, ticket.id + 1 + i}, one.work, unknown);
      if (one.pattern.empty() || contents == Contents::none) continue;
      PatternSource pattern(one.pattern);
      push_ranges(ContentRole::written, ticket.id + 1 + i, one.work.arguments, pattern);
    }
    if (!unknown.empty() && contents != Contents::none) read_inputs(ticket, unknown, false);
    if (!ticket.program_event) ticket.event = &ticket.taken;
    ticket.buffer = &buffer;
  });
  if (ticket.id == no_index) ticket.give_up();
}

// --- stamps -------------------------------------------------------------------------------------

bool Recording::collect(Queue& queue, QueueRecord& record) {
  const std::size_t before = record.pending.size() + record.readings->load();
  record.since_collected = 0;
  document_.wait_for_room(*record.log);
  auto& stamps = record.stamps;
  stamps.clear();
  while (!record.pending.empty()) {
    const QueueRecord::Pending& front = record.pending.front();
    const auto get = [&](cl_profiling_info what) {
      cl_ulong ns = 0;
      if (next().clGetEventProfilingInfo(front.event, what, sizeof ns, &ns, nullptr) != CL_SUCCESS)
        ns = 0;
      return ns;
    };
    // The status first: a command that ends between the two questions would have no times, and one
    // that failed has times, too.
    cl_int state = CL_COMPLETE;
    if (next().clGetEventInfo(front.event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof state, &state,
                              nullptr) != CL_SUCCESS)
      state = CL_COMPLETE;  // a driver that can't tell would keep it for ever
    if (state > CL_COMPLETE) break;
    const cl_ulong ended_ns = queue.can_stamp ? get(CL_PROFILING_COMMAND_END) : 0;
    if (state < 0) failed(front.command, fmt::format("{} ({})", status_name(state), state));
    if (ended_ns != 0) {
      stamps.push_back({front.command, get(CL_PROFILING_COMMAND_QUEUED),
                        get(CL_PROFILING_COMMAND_SUBMIT), get(CL_PROFILING_COMMAND_START),
                        ended_ns});
      record.clock.look_at(front.begin_ns, front.end_ns, stamps.back().queued_ns);
    }
    next().clReleaseEvent(front.event);
    --record.lanes[front.lane].pending;
    record.pending.pop_front();
  }
  if (!stamps.empty()) {
    std::copy(stamps.begin(), stamps.end(), reserve_stamps(*record.log, stamps.size()));
    record.log->commit();
    if (record.clock.is_due()) note_clock(record.clock, note_device(queue.device));
  }
  return record.pending.size() + record.readings->load() < before;
}

bool Recording::wait_until_done(Queue& queue, QueueRecord& record, std::chrono::milliseconds most) {
  if (most.count() > 0) next().clFlush(record.handle);
  // What waits for a user event waits for the program, which may be waiting for us here.
  if (held_back::is_any_event_unset()) most = std::min(most, most_for_user_event);
  auto last = std::chrono::steady_clock::now();
  for (int rounds = 0;; ++rounds) {
    const auto now = std::chrono::steady_clock::now();
    if (collect(queue, record)) last = now;
    if (record.pending.empty() && record.readings->load(std::memory_order_acquire) == 0)
      return true;
    if (now - last > most) return false;
    if (rounds < 64)
      std::this_thread::yield();
    else
      std::this_thread::sleep_for(std::chrono::microseconds(100));
  }
}

// --- what the host knows ------------------------------------------------------------------------

void Recording::host_waited(const Event& event) noexcept {
  if (event.capture != number) return;
  event.for_each_done([&](const Point& point) { host_waited(point.stream, point.command); });
}

void Recording::settle_reads() noexcept {
  quietly([&] { wait_for_all(own_reads_.host_may_write()); });
}

void Recording::call_off_reads() noexcept {
  quietly([&] { own_reads_.call_off_where_host_may_write(); });
}

void Recording::host_saw(const Event& event) noexcept {
  if (event.capture != number) return;
  event.for_each_done([&](const Point& point) { host_saw(point.stream, point.command); });
}

std::vector<Point> Recording::given_to(Queue& queue) noexcept {
  std::vector<Point> points;
  quietly([&] {
    const std::lock_guard lock(queue.mutex);
    if (!queue.record || queue.record->capture != number) return;
    queue.record->add_given(points);
  });
  return points;
}

void Recording::finished(Queue& queue, const std::vector<Point>& given) noexcept {
  quietly([&] {
    {
      const std::lock_guard lock(queue.mutex);
      if (!queue.record || queue.record->capture != number) return;
      collect(queue, *queue.record);
    }
    for (const Point& point : given) host_waited(point.stream, point.command);
  });
}

// --- ends ---------------------------------------------------------------------------------------

void Recording::let_go(QueueRecord& record) {
  if (!record.handle) return;
  next().clReleaseCommandQueue(std::exchange(record.handle, nullptr));
}

void Recording::queue_released(Queue& queue) noexcept {
  quietly([&] {
    const std::lock_guard lock(queue.mutex);
    if (!queue.record || queue.record->capture != number) return;
    // The program's context goes when its last queue does, so ours may not stay longer than it
    // must; but nobody waits for a device that waits for the program.
    if (wait_until_done(queue, *queue.record, std::chrono::milliseconds(200)))
      let_go(*queue.record);
  });
}

std::vector<std::shared_ptr<Queue>> Recording::queues() {
  std::vector<std::shared_ptr<Queue>> queues;
  const std::lock_guard lock(mutex_);
  for (const auto& queue : queues_) queues.push_back(std::static_pointer_cast<Queue>(queue));
  return queues;
}

void Recording::wait_for_work(std::chrono::milliseconds patience) noexcept {
  quietly([&] {
    for (const auto& queue : queues()) {
      const std::unique_lock lock(queue->mutex, std::try_to_lock);
      if (lock && queue->record && queue->record->capture == number && queue->record->handle)
        wait_until_done(*queue, *queue->record, patience);
    }
  });
}

CaptureReport Recording::end(std::chrono::milliseconds patience) {
  is_ending_.store(true, std::memory_order_release);
  const std::vector<std::shared_ptr<Queue>> queues = this->queues();
  bool all_done = true;
  for (const auto& queue : queues) {
    const std::lock_guard lock(queue->mutex);
    QueueRecord& record = *queue->record;
    if (!record.handle) continue;
    quietly([&] {
      if (wait_until_done(*queue, record, patience)) return;
      all_done = false;
      note("unfinished",
           fmt::format("Stream s{} was still running when the capture ended; times and results of "
                       "its last {} commands are missing.",
                       record.lanes[0].stream, record.pending.size()));
    });
  }
  const std::uint64_t begin_ns = monotonic_ns();  // waiting for the work was not capture's own
  if (all_done && contents != Contents::none) quietly([&] { read_results(); });
  for (const auto& queue : queues) {
    const std::lock_guard lock(queue->mutex);
    QueueRecord& record = *queue->record;
    for (const auto& pending : record.pending) next().clReleaseEvent(pending.event);
    record.pending.clear();
    is_read_ = is_read_ && record.readings->load(std::memory_order_acquire) == 0;
    let_go(record);
    queue->record.reset();
  }
  quietly([&] { overhead(OverheadKind::stopping, begin_ns, 0); });
  return close_document();
}

}  // namespace reel::layer
