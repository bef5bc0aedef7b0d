// call_tickets.cpp - the part of a CallRecording that has the way of one command: from the hook's
// first line to what the host knows of it in the end.
#include <fmt/format.h>

#include "recording/calls/call_recording.hpp"

namespace reel::capture {

namespace {

// Stamps are fetched from the driver this often. Some drivers take each completion from the heap:
// given back in small numbers they are at hand for the next ones.
constexpr std::uint32_t collect_every = 16;

std::mutex& being_seen = *new std::mutex;  // there is one recording at a time

}  // namespace

void CallRecording::start(Ticket& ticket, TrackedQueue& queue) noexcept {
  ticket.queue = &queue;
  quietly([&] {
    CallQueue& record = record_of(queue);
    if (record.is_busy) {
      ticket.own_work = std::make_unique<CallWork>();
      ticket.work = ticket.own_work.get();
    } else {
      // Here, and not behind the last one: its hook may still have needed its completion.
      if (record.since_collected >= collect_every && queue.in_order) collect(queue, record);
      record.is_busy = true;
      ticket.work = &record.work;  // as the last command left it
    }
    ticket.record = ticket.place = &record;
  });
  ticket.begin_ns = monotonic_ns();
}

bool CallRecording::before(Ticket& ticket, bool wanted) noexcept {
  quietly([&] {
    const CallWork& work = *ticket.work;
    guard(ticket, work, ticket.record->in_order);
    if (!wanted) {
      follow(ticket, work);
      leave_out(work);
      return;
    }
    ticket.id = next_command_.fetch_add(1, std::memory_order_relaxed);
    place(ticket);
    read_inputs(ticket, ticket.record->in_order);
  });
  if (ticket.id != no_index) return true;
  ticket.give_up();
  return false;
}

void CallRecording::launch(Ticket& ticket, CommandList& list, std::string_view label) noexcept {
  quietly([&] {
    const std::lock_guard lock(list.mutex);
    const auto count = static_cast<std::uint32_t>(list.works.size());
    ticket.id = next_command_.fetch_add(count + 1, std::memory_order_relaxed);
    ticket.work->clear();
    ticket.work->row.kind = WorkKind::launch;
    ticket.work->label = label;
    once(list.recorded_in, list.graph, [&](auto&& add_edge) {
      for (std::uint32_t to = 0; to < count; ++to)
        for (const std::uint32_t from : list.works[to].after) add_edge(from, to);
    });
    place(ticket);
    for (const BufferedWork& one : list.works) guard(ticket, one.work, false);
    ticket.list = &list;
    read_inputs(ticket, false);
  });
  if (ticket.id == no_index) ticket.give_up();
}

template <class F>
void CallRecording::for_each_wait(const Ticket& ticket, F&& visit) const {
  for (std::uint32_t i = 0; i < ticket.program_waits; ++i)
    if (const RecordedEvent* event = ticket.place->api.waited_for(ticket, i);
        event && event->capture == number)
      event->for_each_done([&](const Point& point) {
        visit(point, i < ticket.wait_stages.size() ? ticket.wait_stages[i] : 0);
      });
}

void CallRecording::place(Ticket& ticket) {
  CallQueue& record = *ticket.record;
  const CallWork& work = *ticket.work;
  record.after.clear();
  record.staged.clear();
  for_each_wait(ticket, [&](const Point& point, std::uint64_t stages) {
    if (point.command >= ticket.id) return;
    record.after.push_back(point.command);
    if (!record.is_ordered) record.staged.push_back({point.command, stages});
  });
  ticket.lane = RecordingCore::place(
      record, {ticket.id, work.waits_for_all, work.holds_back_later},
      [&] { collect(*ticket.queue, record); }, [&] { add_lane(*ticket.queue, record); });
}

void CallRecording::guard(Ticket& ticket, const CallWork& work, bool in_order) {
  for (const WorkArgument& argument : work.arguments)
    if (argument.is_written()) {
      argument.range.storage->changes.fetch_add(1, std::memory_order_relaxed);
      own_reads_.before_write(argument.range, {ticket, in_order, number}, ticket.own_waits);
    }
}

void CallRecording::before_host_writes(Ticket& ticket, std::span<const Range> ranges) noexcept {
  quietly([&] {
    for (const Range& range : ranges)
      own_reads_.before_write(range, {ticket, ticket.place->in_order, number}, ticket.own_waits);
    if (!ticket.is_followed) return;
    for (const Range& range : ranges) check_results_before(ticket, range);
    host_has(ranges, false);
  });
}

// A command that is not recorded still puts others in order, and may overwrite results.
void CallRecording::follow(Ticket& ticket, const CallWork& work) {
  for_each_wait(ticket, [&](const Point& point, std::uint64_t) { add_point(ticket.after, point); });
  ticket.record->add_before(ticket.after, work.waits_for_all);
  ticket.is_followed = true;
  for (const WorkArgument& argument : work.arguments)
    if (argument.is_bytes() && argument.is_written()) check_results_before(ticket, argument.range);
}

// Results that a command will overwrite which is not recorded, or that can't be read after it.
void CallRecording::check_results_before(Ticket& ticket, const Range& range) {
  const TrackedBuffer& buffer = *range.storage;
  if (contents == Contents::none || buffer.address || buffer.is_strange ||
      ticket.is_refused_for_sure)
    return;
  const std::vector<Piece> pieces = ledger_.device_written(range.of_buffer());
  if (pieces.empty()) return;
  Place place = ahead_of(ticket, ticket.place->in_order);
  place.moment = CheckMoment::unknown;
  read_pieces(*ticket.place, ContentRole::check,
              buffer.writer_command.load(std::memory_order_relaxed), pieces, place);
}

RecordedEvent CallRecording::followed(Ticket& ticket, int status) noexcept {
  RecordedEvent event;
  quietly([&] {
    settle_trial(ticket, status);
    if (status != 0) return;
    std::vector<Point> waited;
    // A queue that orders nothing by itself: only what it waits for comes before what is next.
    if (!ticket.place->is_ordered)
      for_each_wait(ticket, [&](const Point& point, std::uint64_t) { add_point(waited, point); });
    carry(*ticket.place, ticket.place->is_ordered ? ticket.after : waited,
          ticket.work && ticket.work->holds_back_later);
    event = {ticket.after, number, 0, no_index};
  });
  return event;
}

RecordedEvent CallRecording::finish(Ticket& ticket, int status, Completion done,
                                    const void* scope) noexcept {
  RecordedEvent event;
  if (!ticket.record) return event;
  const std::uint64_t end_ns = monotonic_ns();
  CallQueue& record = *ticket.record;
  quietly([&] {
    settle_trial(ticket, status);
    const CallWork& work = *ticket.work;
    Lane& lane = record.lanes[ticket.lane];
    const Call call = call_of(ticket, scope, end_ns);
    if (status != 0) {
      refused(record, call, fmt::format("{} answered {}.", work.label, record.api.words(status)));
      return;
    }
    taken(record, call);
    event = {{}, number, lane.stream, lane.last_command};  // a launch is done when its last node is
    if (shared_writes_.are_any())
      shared_writes_.given(ticket.id, lane.last_command, done, !record.lanes.is_crowded);
    ticket.done = done.get();
    if (done) {
      record.pending.push_back({ticket.id, ticket.lane, std::move(done), ticket.begin_ns, end_ns});
      ++lane.pending;
    }
    ++record.since_collected;
    if (contents != Contents::all || work.row.kind == WorkKind::write ||
        work.row.kind == WorkKind::read)
      return;
    std::vector<WorkArgument> checks;
    for (const WorkArgument& argument : work.arguments)
      if (argument.is_bytes() && argument.is_written()) checks.push_back(argument);
    check(ticket, checks);
    if (ticket.list) check_nodes(ticket);
  });
  if (!ticket.own_work) record.is_busy = false;
  return event;
}

// --- what the host knows ------------------------------------------------------------------------

void CallRecording::host_waited(std::uint32_t stream, std::uint32_t command) noexcept {
  quietly([&] {
    polled_.waited(stream, command);
    saw_done(stream, command);
  });
}

void CallRecording::host_waited(const RecordedEvent& event) noexcept {
  if (event.capture != number) return;
  // Looked at once for all of them, and where there is none: what is not recorded tells of work
  // before it, too, which it may not be known to come after.
  quietly([&] {
    event.for_each_done([&](const Point& point) {
      polled_.waited(point.stream, point.command);
      host_waits_.saw_done(point.stream, point.command);
    });
    take_shared_done();
  });
}

void CallRecording::host_saw(std::uint32_t stream, std::uint32_t command) noexcept {
  quietly([&] {
    if (!host_waits_.is_done(stream, command)) polled_.saw(stream, command);
    saw_done(stream, command);
  });
}

void CallRecording::host_saw(const RecordedEvent& event) noexcept {
  if (event.capture != number) return;
  quietly([&] {
    event.for_each_done([&](const Point& point) {
      if (!host_waits_.is_done(point.stream, point.command))
        polled_.saw(point.stream, point.command);
      host_waits_.saw_done(point.stream, point.command);
    });
    take_shared_done();
  });
}

// What the device has finished in memory that the host sees is not the host's.
void CallRecording::saw_done(std::uint32_t stream, std::uint32_t command) {
  host_waits_.saw_done(stream, command);
  take_shared_done();
}

void CallRecording::take_shared_done() {
  // Another thread may be looking at what this one was told is done: it may write there only
  // when that has been seen.
  const std::lock_guard lock(being_seen);
  for (const SharedWrites::Done& done : shared_writes_.take_done(
           [&](const Point& point) { return host_waits_.is_done(point.stream, point.command); })) {
    const HostWindow window = window_of(*done.buffer);
    if (!window.size_bytes) continue;
    if (done.is_whole())
      host_pages_.refresh(done.buffer.get(), window.address, window.size_bytes);
    else
      check_seen(done, window);
  }
  // Behind that: what devices wrote is known then.
  for (const SharedReads::Read& read : shared_reads_.take_done(
           [&](const Point& point) { return host_waits_.is_done(point.stream, point.command); }))
    note_early_writes(read);
}

std::vector<Point> CallRecording::given_to(TrackedQueue& queue) noexcept {
  std::vector<Point> points;
  quietly([&] {
    const std::lock_guard lock(queue.mutex);
    if (queue.record && queue.record->capture == number) queue.record->add_given(points);
  });
  return points;
}

void CallRecording::finished(TrackedQueue& queue, const std::vector<Point>& given) noexcept {
  quietly([&] {
    // Who ends it may have the lock for as long as another queue works.
    if (is_ending_.load(std::memory_order_acquire)) {
      for (const Point& point : given) host_waits_.saw_done(point.stream, point.command);
      take_shared_done();
      return;
    }
    {
      const std::lock_guard lock(queue.mutex);
      if (!queue.record || queue.record->capture != number) return;
      collect(queue, *queue.record);
    }
    for (const Point& point : given) host_waited(point.stream, point.command);
  });
}

}  // namespace reel::capture
