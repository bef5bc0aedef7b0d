#include "runtime/graphs/session_state.hpp"

#include <fmt/format.h>

#include "base/handles.hpp"
#include "graph/commands/dispatch_command.hpp"
#include "graph/order/validate.hpp"
#include "runtime/check.hpp"
#include "runtime/device_state.hpp"
#include "runtime/graphs/graph_exec_state.hpp"
#include "runtime/stream_state.hpp"

namespace reel {

bool PendingPassState::done() { return end->done(); }

PassReport PendingPassState::wait() {
  const std::lock_guard lock(mutex_);
  if (!waited_) wait_since(monotonic_ns());
  return report;
}

PassReport PendingPassState::finish(std::uint64_t begin_ns) {
  wait_since(begin_ns);
  return std::move(report);
}

void PendingPassState::wait_since(std::uint64_t begin_ns) {
  if (end) {
    const HostWaits waits(end_point);
    end->wait();
  } else {
    state_of(executor->stream)->synchronize("GraphSession::finish()");
  }
  report.wait_ns = monotonic_ns() - begin_ns;
  waited_ = true;
  if (begin && end) {
    const auto first = begin->time_ns(), last = end->time_ns();
    // Stamps of two queries may be a tick apart the wrong way round.
    if (first && last) report.gpu_ns = *last > *first ? *last - *first : 0;
  }
  if (timed) report.node_times = timed->wait();
  if (recorded) recorded->ended();
  recorded.reset();
}

SessionState::SessionState(std::shared_ptr<ExecutorState> executor, bool recording,
                           const SessionOptions& options)
    : executor_(std::move(executor)),
      stream_(*state_of(executor_->stream)),
      recording_(recording),
      stamped_(options.timing ? Stamped::yes : Stamped::no) {
  const std::string& name = options.name.empty() ? executor_->name : options.name;
  if (recording_) {
    is_plain_ = false;
    name_ = name;
    line_ = executor_->take_line();
    latest_ = executor_->known_passes.latest();
    if (latest_) line_->begin(latest_->named());
    return;
  }
  recorded_ = pass_begins(PassKind::direct, state_of(executor_->device), name, began_ns_);
  is_plain_ = !recorded_ && stamped_ == Stamped::no;
  tracker_ = stream_.start_tracking();
}

SessionState::~SessionState() {
  stop_tracking();  // what was given runs or not
  if (line_) executor_->give_back(std::move(line_));
}

void SessionState::mark_begin() {
  if (begin_ || stamped_ == Stamped::no || !executor_->device.info().can_stamp_time) return;
  begin_ = stream_.mark(stamped_, "a session with timing");
}

void SessionState::dispatch(const Kernel& kernel, const Launch& launch,
                            std::span<const Argument> arguments) {
  if (is_plain_ && stream_.dispatch_quickly(kernel, launch, arguments)) [[likely]]
    ++quick_dispatches_;
  else
    give(dispatch_command(kernel, launch, arguments));
}

void SessionState::give(Command&& command) {
  const bool is_dispatch = std::holds_alternative<Dispatch>(command.work);
  if (command.scope == Scope()) command.scope = scope();
  if (recording_) {
    record(std::move(command));
  } else {
    mark_begin();
    if (recorded_) [[unlikely]] {
      const GivingPass giving(recorded_.get());
      stream_.enqueue(std::move(command));
    } else {
      stream_.enqueue(std::move(command));
    }
  }
  ++commands_;
  dispatches_ += is_dispatch;
}

void SessionState::record(Command&& command) {
  check(command, *state_of(executor_->device));
  if (auto* dispatch = std::get_if<Dispatch>(&command.work)) {
    const Dim3 size = resolve_group_size(command, *dispatch->kernel, dispatch->group_size);
    if (size != dispatch->group_size) {
      dispatch->group_size = size;
      validate(command);
    }
  }
  line_->add(std::move(command));
}

const Graph& SessionState::graph() {
  if (line_)
    for (const Command& command : line_->commands().subspan(graph_.node_count()))
      graph_.add(command);
  return graph_;
}

// Barriers count where they have something to separate, as in a direct session.
HazardTracker& SessionState::tracker_of_all() {
  if (!line_) return *tracker_;
  if (!tracker_) tracker_ = std::make_unique<HazardTracker>();
  for (const auto commands = line_->commands(); tracked_ < commands.size(); ++tracked_)
    tracker_->needs_barrier(commands[tracked_].work);
  return *tracker_;
}

std::size_t SessionState::barriers() { return tracker_of_all().barriers(); }

void SessionState::barrier() {
  if (recording_) {
    line_->add({Barrier{}, {}, scope()});
  } else {
    const GivingPass giving(recorded_.get());
    stream_.enqueue({Barrier{}});
  }
}

bool SessionState::barrier_between(std::span<const BufferRange> reads,
                                   std::span<const BufferRange> writes) {
  if (!recording_) return stream_.barrier_between(*tracker_, reads, writes);
  if (!tracker_of_all().between(reads, writes)) return false;
  line_->add({Barrier{}, {}, scope()});
  return true;
}

Scope SessionState::enter(std::string_view name) {
  if (!scope_) scope_ = std::make_shared<Scope>();
  const Scope before = *scope_;
  *scope_ = before.child(name);
  return before;
}

// Why the report will have no gpu_ns although somebody asked for it; empty where it will, or nobody
// did.
std::string SessionState::why_not_timed(const FinishOptions& options) const {
  if (stamped_ == Stamped::no && !options.timing) return {};
  if (!executor_->device.info().can_stamp_time)
    return fmt::format("Device {} can't stamp time.", executor_->device.info().id);
  if (commands_ + quick_dispatches_ == 0) return "The pass has no commands.";
  if (!recording_ && stamped_ == Stamped::no)
    return "A direct session's commands are given before finish() can ask for their time; begin it "
           "with SessionOptions::timing.";
  return {};
}

std::shared_ptr<PendingPassState> SessionState::commit(const FinishOptions& options) {
  auto pass = std::make_shared<PendingPassState>();
  submit(options, *pass);
  pass->end_point = stream_.recorded_point();
  pass->end = stream_.mark(stamped_, "GraphSession::commit()");
  stream_.flush();
  pass->report.encode_ns = monotonic_ns() - began_ns_;
  if (pass->recorded) pass->recorded->given(stream_);
  return pass;
}

std::uint64_t SessionState::finish(const FinishOptions& options, PendingPassState& pass) {
  submit(options, pass);
  // Without a mark where nobody wants its time: it is a command of its own on OpenCL.
  if (stamped_ == Stamped::yes) {
    pass.end_point = stream_.recorded_point();
    pass.end = stream_.mark(stamped_, "GraphSession::finish()");
  }
  stream_.flush();
  const std::uint64_t now_ns = monotonic_ns();
  pass.report.encode_ns = now_ns - began_ns_;
  return now_ns;
}

PassReport SessionState::finish_plainly(const FinishOptions& options) {
  PassReport report;
  count_direct(report);
  if (options.timing) report.gpu_ns_missing = why_not_timed(options);
  const StreamState::Finished finished = stream_.finish(tracker_, "GraphSession::finish()");
  report.encode_ns = finished.given_ns - began_ns_;
  if (finished.has_waited) report.wait_ns = monotonic_ns() - finished.given_ns;
  return report;
}

void SessionState::count_direct(PassReport& report) const {
  report.commands = commands_ + quick_dispatches_;
  report.dispatches = dispatches_ + quick_dispatches_;
  report.barriers = tracker_->barriers();
  report.barriers_avoided = tracker_->avoided();
  report.group_sizes = tracker_->group_sizes();
}

// The stream goes on without this session's bookkeeping.
void SessionState::stop_tracking() {
  if (!recording_ && tracker_) stream_.stop_tracking(std::move(tracker_));
}

void SessionState::submit(const FinishOptions& options, PendingPassState& pass) {
  pass.executor = executor_;
  PassReport& report = pass.report;
  if (recording_) {
    report.commands = commands_;
    report.dispatches = dispatches_;
  } else {
    count_direct(report);
  }
  report.gpu_ns_missing = why_not_timed(options);
  if (recording_)
    recorded_ = pass_begins(PassKind::recorded, state_of(executor_->device), name_, began_ns_);
  if (recording_ && !line_->empty()) launch_recorded(options, pass);
  pass.begin = begin_;
  pass.recorded = std::move(recorded_);
  stop_tracking();
}

// A pass like one before it takes that one's plan. Not where somebody wants to know of it: then
// each pass is a graph of its own, as it was given.
void SessionState::launch_recorded(const FinishOptions& options, PendingPassState& pass) {
  const GivingPass giving(recorded_.get());
  PassReport& report = pass.report;
  // A host call may hold anything, such as this executor; and what is written again and again must
  // not be kept twice.
  constexpr std::uint64_t most_written_bytes = 1 << 20;
  const bool may_be_kept = !is_recorder_there() && !recorded_ && !stream_.capture() &&
                           !detail::launches_are_passes.load(std::memory_order_relaxed) &&
                           !line_->has_host_calls() && line_->written_bytes() <= most_written_bytes;
  const bool ends_with_barrier = line_->ends_with_barrier();
  std::vector<std::uint32_t> changed;
  std::shared_ptr<KnownPass> known;
  if (may_be_kept) known = executor_->known_passes.take(*line_, options.reorder, changed);
  report.reused = known != nullptr;
  if (known)
    known->take_over(*line_, changed, name_);
  else
    known = std::make_shared<KnownPass>(*line_, graph(), state_of(executor_->device),
                                        options.reorder, name_);
  const PlannedBarriers& planned = known->barriers();
  // One that the pass ends with is no step's, and the plan doesn't know it.
  report.barriers = planned.barriers + (ends_with_barrier ? 1 : 0);
  report.barriers_avoided = planned.avoided;
  report.group_sizes = planned.group_sizes;
  report.reordered = planned.reordered;
  if (options.timing) stamped_ = Stamped::yes;
  mark_begin();
  if (options.timing)
    pass.timed = known->exec().launch_timed(executor_->stream);
  else
    known->exec().launch(executor_->stream);
  pass.known = known;
  if (!may_be_kept) return;
  if (report.reused)
    executor_->known_passes.give_back(std::move(known));
  else
    executor_->known_passes.add(std::move(known));
}

}  // namespace reel
