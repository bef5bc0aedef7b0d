#include "layers/opencl/recording/recording.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "base/clock.hpp"
#include "layers/control/control.hpp"
#include "layers/control/scope_stack.hpp"
#include "layers/opencl/objects/device_row.hpp"
#include "layers/opencl/objects/held.hpp"
#include "layers/opencl/objects/kernel_row.hpp"

namespace reel::layer {

using capture::add_point;
using capture::Lane;
using capture::Piece;

namespace {

// Stamps are fetched from the driver this often. Some drivers take each event from the heap: given
// back in small numbers they are at hand for the next ones.
constexpr std::uint32_t collect_every = 16;
// Copies of what is mapped for writing, all together; a single one may be of any size.
constexpr std::size_t map_memory_bytes = std::size_t{1} << 30;
constexpr std::size_t kept_map_bytes = std::size_t{256} << 20;
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
  record->device = queue.device;
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

// --- things, each written when it is first named ------------------------------------------------

std::uint32_t Recording::note_device(cl_device_id device) {
  std::uint32_t id = 0;
  {
    const std::lock_guard lock(mutex_);
    const auto [it, is_new] = devices_.try_emplace(device, u32(devices_.size()));
    if (!is_new) return it->second;
    id = it->second;
  }
  document_.push(device_row(device, id));
  return id;
}

// Memory belongs to a context; its first device stands for it.
std::uint32_t Recording::device_of(const capture::TrackedBuffer& buffer) {
  const auto devices = devices_of(static_cast<const Storage&>(buffer).context);
  return devices.empty() ? 0 : note_device(devices[0]);
}

void Recording::note_kernel(capture::TrackedKernel& tracked, capture::QueueLog& queue) {
  const cl_device_id device = static_cast<QueueRecord&>(queue).device;
  auto& kernel = static_cast<Kernel&>(tracked);
  if (!kernel.identity) kernel.identity = identity_of(kernel);
  once(kernel.identity->recorded_in,
       [&] { document_.push(kernel_row(kernel, device, note_device(device))); });
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
    ticket.id = next_command_.fetch_add(1, std::memory_order_relaxed);
    place(ticket);
    read_inputs(ticket, ticket.record->in_order);
    if (!ticket.program_event) ticket.event = &ticket.taken;
  });
  if (!wanted || ticket.id == no_index) {
    ticket.give_up();
    return false;
  }
  return true;
}

template <class F>
void Recording::for_each_wait(const Ticket& ticket, F&& visit) const {
  for (cl_uint i = 0; i < ticket.wait_count && ticket.waits; ++i)
    if (const auto* event = find<Event>(ticket.waits[i]); event && event->capture == number)
      event->for_each_done(visit);
}

void Recording::place(Ticket& ticket) {
  QueueRecord& record = *ticket.record;
  const Work& work = *ticket.work;
  record.after.clear();
  for_each_wait(ticket, [&](const Point& point) {
    if (point.command < ticket.id) record.after.push_back(point.command);
  });
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
  std::vector<HeldEvent> waits;
  for (const WorkArgument& argument : work.arguments)
    if (argument.is_written()) {
      argument.range.storage->changes.fetch_add(1, std::memory_order_relaxed);
      own_reads_.before_write(argument.range, writer, waits);
    }
  ticket.wait_for(std::move(waits));
}

void Recording::before_host_writes(Ticket& ticket, std::span<const Range> ranges) noexcept {
  quietly([&] {
    const OwnReads::Writer writer = writer_of(ticket, ticket.place->in_order);
    std::vector<HeldEvent> waits;
    for (const Range& range : ranges) own_reads_.before_write(range, writer, waits);
    ticket.wait_for(std::move(waits));
    if (!ticket.is_followed) return;
    for (const Range& range : ranges) check_before_unrecorded(ticket, range);
    host_has(ranges, false);
  });
}

// A command that is not recorded still puts others in order, and may overwrite results.
void Recording::follow(Ticket& ticket, const Work& work) {
  QueueRecord& record = *ticket.record;
  for_each_wait(ticket, [&](const Point& point) { add_point(ticket.after, point); });
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
  read_pieces(*ticket.place, ContentRole::check,
              storage.writer_command.load(std::memory_order_relaxed), pieces,
              before(ticket, ticket.place->in_order));
}

void Recording::followed(Ticket& ticket, cl_int status) noexcept {
  quietly([&] {
    settle_trial(ticket, status);
    if (status != CL_SUCCESS) return;
    carry(*ticket.place, ticket.after, ticket.work && ticket.work->holds_back_later);
    if (!ticket.program_event || !*ticket.program_event) return;
    auto known = std::make_shared<Event>();
    known->capture = number;
    known->command = no_index;
    known->after = ticket.after;
    add(*ticket.program_event, std::move(known));
  });
}

capture::CallRecording::Call Recording::call_of(const Ticket& ticket, std::uint64_t end_ns) const {
  Call call{ticket.id, ticket.lane, ticket.work, {}, 0, nullptr, ticket.begin_ns, end_ns};
  if (ticket.buffer) call.nodes = ticket.buffer->works;
  if (ticket.buffer) call.graph = ticket.buffer->graph;
  return call;
}

void Recording::finish(Ticket& ticket, cl_int status) noexcept {
  if (!ticket.record) return;
  const std::uint64_t end_ns = monotonic_ns();
  QueueRecord& record = *ticket.record;
  quietly([&] {
    settle_trial(ticket, status);
    const Work& work = *ticket.work;
    Lane& lane = record.lanes[ticket.lane];
    Call call = call_of(ticket, end_ns);
    call.scope = current_scope().key();
    if (status != CL_SUCCESS) {
      refused(record, call,
              fmt::format("{} answered {} ({})", work.label, status_name(status), status));
      return;
    }
    taken(record, call);
    HeldEvent event(ticket.taken);
    if (ticket.program_event && *ticket.program_event) {
      event = HeldEvent::of(*ticket.program_event);
      auto known = std::make_shared<Event>();
      known->capture = number;
      known->stream = lane.stream;
      known->command = lane.last_command;  // a launch is done when its last node is
      add(event.get(), std::move(known));
    }
    if (shared_writes_.are_any())
      shared_writes_.given(ticket.id, lane.last_command,
                           event ? std::make_shared<HeldEvent>(event) : nullptr,
                           !record.lanes.is_crowded);
    const cl_event given = event.get();
    if (event) {
      record.pending.push_back({ticket.id, ticket.lane, std::move(event), ticket.begin_ns, end_ns});
      ++lane.pending;
    }
    if (contents == Contents::all && work.row.kind != WorkKind::write &&
        work.row.kind != WorkKind::read) {
      std::vector<WorkArgument> checks;
      for (const WorkArgument& argument : work.arguments)
        if (argument.is_bytes() && argument.is_written()) checks.push_back(argument);
      check(ticket, checks);
      if (ticket.buffer) check_nodes(ticket, given);
    }
    // Of a queue without order the hook may still need the event: its next command collects.
    if (++record.since_collected >= collect_every && !ticket.queue->out_of_order)
      collect(*ticket.queue, record);
  });
  if (!ticket.own_work) record.is_busy = false;
}

void Recording::launch(Ticket& ticket, CommandBuffer& buffer) noexcept {
  quietly([&] {
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
    for (const BufferedWork& one : buffer.works) guard(ticket, one.work, false);
    ticket.buffer = &buffer;
    read_inputs(ticket, false);
    if (!ticket.program_event) ticket.event = &ticket.taken;
  });
  if (ticket.id == no_index) ticket.give_up();
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

}  // namespace reel::layer
