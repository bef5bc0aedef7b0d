#include "runtime/graphs/session_state.hpp"

#include <fmt/format.h>

#include "base/handles.hpp"
#include "graph/commands/dispatch_command.hpp"
#include "runtime/check.hpp"
#include "runtime/device_state.hpp"
#include "runtime/graphs/graph_exec_state.hpp"
#include "runtime/stream_state.hpp"

namespace reel {

std::shared_ptr<HazardTracker> ExecutorState::take_tracker() {
  {
    const std::lock_guard lock(mutex_);
    if (spare_) return std::move(spare_);
  }
  return std::make_shared<HazardTracker>();
}

void ExecutorState::give_back(std::shared_ptr<HazardTracker> tracker) {
  if (tracker.use_count() != 1) return;  // a stream still counts with it
  tracker->start_over();
  const std::lock_guard lock(mutex_);
  spare_ = std::move(tracker);
}

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
    end->wait();
    host_waited(end_point);
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
      name_(options.name.empty() ? executor_->name : options.name),
      recording_(recording),
      stamped_(options.timing ? Stamped::yes : Stamped::no),
      tracker_(executor_->take_tracker()) {
  if (recording_) return;
  recorded_ = pass_begins(PassKind::direct, state_of(executor_->device), name_, began_ns_);
  stream_.track_with(tracker_);
}

SessionState::~SessionState() {
  // What was given runs or not; the stream goes on without this session's bookkeeping.
  if (!recording_ && !given_away_) stream_.stop_tracking_with(tracker_.get());
  executor_->give_back(std::move(tracker_));
}

void SessionState::mark_begin() {
  if (begin_ || stamped_ == Stamped::no || !executor_->device.info().can_stamp_time) return;
  begin_ = stream_.mark(stamped_, "a session with timing");
}

void SessionState::dispatch(const Kernel& kernel, const Launch& launch,
                            std::span<const Argument> arguments) {
  if (recording_ || recorded_ || stamped_ == Stamped::yes ||
      !stream_.dispatch_quickly(kernel, launch, arguments)) {
    give(dispatch_command(kernel, launch, arguments));
    return;
  }
  ++commands_;
  ++dispatches_;
}

void SessionState::give(Command&& command) {
  const bool is_dispatch = std::holds_alternative<Dispatch>(command.work);
  if (command.scope == Scope()) command.scope = scope();
  if (recording_) {
    check(command, *state_of(executor_->device));
    graph_.add(command);
    tracker_->needs_barrier(command.work);
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

void SessionState::barrier() {
  if (recording_) {
    // Counted where it has something to separate, as in a direct session.
    tracker_->needs_barrier(Barrier{});
    graph_.add({Barrier{}, {}, scope()});
  } else {
    const GivingPass giving(recorded_.get());
    stream_.enqueue({Barrier{}});
  }
}

bool SessionState::barrier_between(std::span<const BufferRange> reads,
                                   std::span<const BufferRange> writes) {
  if (!recording_) return stream_.barrier_between(*tracker_, reads, writes);
  if (!tracker_->between(reads, writes)) return false;
  graph_.add({Barrier{}, {}, scope()});
  return true;
}

Scope SessionState::enter(std::string_view name) {
  if (!scope_) scope_ = std::make_shared<Scope>();
  const Scope before = *scope_;
  *scope_ = before.child(name);
  return before;
}

// Barriers of a plan may be fewer than the tracker met in the order given; groups are what lies
// between them.
void SessionState::report_plan(const Plan& plan, bool ends_with_barrier, PassReport& report) {
  // One that the pass ends with is no step's, and the plan doesn't know it.
  report.barriers = plan.barriers + (ends_with_barrier ? 1 : 0);
  report.reordered = plan.reordered;
  report.barriers_avoided = 0;
  report.group_sizes.clear();
  std::size_t in_group = 0;
  const auto close = [&] {
    if (in_group == 0) return;
    report.barriers_avoided += in_group - 1;
    if (report.group_sizes.size() < in_group) report.group_sizes.resize(in_group);
    ++report.group_sizes[in_group - 1];
    in_group = 0;
  };
  for (const Step& step : plan.steps) {
    if (step.barrier_before) close();
    ++in_group;
  }
  close();
}

// Why the report will have no gpu_ns although somebody asked for it; empty where it will, or nobody
// did.
std::string SessionState::why_not_timed(const FinishOptions& options) const {
  if (stamped_ == Stamped::no && !options.timing) return {};
  if (!executor_->device.info().can_stamp_time)
    return fmt::format("Device {} can't stamp time.", executor_->device.info().id);
  if (commands_ == 0) return "The pass has no commands.";
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

void SessionState::submit(const FinishOptions& options, PendingPassState& pass) {
  pass.executor = executor_;
  PassReport& report = pass.report;
  report.commands = commands_;
  report.dispatches = dispatches_;
  report.barriers = tracker_->barriers();
  report.barriers_avoided = tracker_->avoided();
  report.group_sizes = tracker_->group_sizes();
  report.gpu_ns_missing = why_not_timed(options);
  if (recording_)
    recorded_ = pass_begins(PassKind::recorded, state_of(executor_->device), name_, began_ns_);
  if (recording_ && !graph_.empty()) {
    const GivingPass giving(recorded_.get());
    auto exec = std::make_unique<GraphExecState>(
        graph_, state_of(executor_->device),
        InstantiateOptions{.reorder = options.reorder, .name = name_});
    report_plan(exec->plan(), tracker_->ends_with_barrier(), report);
    pass.exec = make_handle<GraphExec>(std::move(exec));
    if (options.timing) stamped_ = Stamped::yes;
    mark_begin();
    if (options.timing)
      pass.timed = pass.exec->launch_timed(executor_->stream);
    else
      pass.exec->launch(executor_->stream);
  }
  pass.begin = begin_;
  pass.recorded = std::move(recorded_);
  if (!recording_) stream_.stop_tracking_with(tracker_.get());
  given_away_ = true;
}

}  // namespace reel
