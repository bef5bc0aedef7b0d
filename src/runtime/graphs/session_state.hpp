// session_state.hpp - one pass being given: straight to the stream, or into a graph.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>

#include "graph/order/hazard_tracker.hpp"
#include "reel/executor.hpp"
#include "runtime/driver.hpp"
#include "runtime/graphs/known_pass.hpp"
#include "runtime/graphs/pass_line.hpp"
#include "runtime/recorder.hpp"

namespace reel {

class ExecutorState {
 public:
  ExecutorState(const Device& owner, const ExecutorOptions& options)
      : name(options.name.empty() ? "pass" : options.name),
        device(owner),
        stream(owner.stream(name)) {}
  const std::string name;
  const Device device;
  const Stream stream;

  ~ExecutorState() { delete spare_line_.load(std::memory_order_relaxed); }

  // That of a session that is over, with its memory, or a new one. Any thread.
  std::unique_ptr<PassLine> take_line() {
    std::unique_ptr<PassLine> line(spare_line_.exchange(nullptr, std::memory_order_acq_rel));
    return line ? std::move(line) : std::make_unique<PassLine>();
  }
  void give_back(std::unique_ptr<PassLine> line) {
    line->clear();
    delete spare_line_.exchange(line.release(), std::memory_order_acq_rel);
  }

  KnownPasses known_passes;

 private:
  // One is enough for sessions that come one after another.
  std::atomic<PassLine*> spare_line_{nullptr};
};

// A pass on its way: what to wait for, and the report as far as it is known.
class PendingPassState {
 public:
  bool done();
  PassReport wait();
  // Once, by whoever has the pass to himself. The call that waits began at `begin_ns`.
  PassReport finish(std::uint64_t begin_ns);

  std::shared_ptr<ExecutorState> executor;
  PassReport report;
  std::shared_ptr<Signal> begin;           // null where nobody asked for the time
  std::shared_ptr<Signal> end;             // null: all that is on the stream
  RecordedPoint end_point;                 // where that is in a capture
  std::shared_ptr<const KnownPass> known;  // of a recorded session
  std::optional<TimedLaunch> timed;
  std::shared_ptr<PassRecord> recorded;  // the pass, where somebody wants to know; ends with this

 private:
  void wait_since(std::uint64_t begin_ns);
  std::mutex mutex_;
  bool waited_ = false;
};

class SessionState {
 public:
  static constexpr std::string_view handle = "GraphSession";
  static constexpr std::string_view gone =
      "after the session was finished, committed or moved from";

  SessionState(std::shared_ptr<ExecutorState> executor, bool recording,
               const SessionOptions& options);
  ~SessionState();

  void give(Command&& command);
  void dispatch(const Kernel& kernel, const Launch& launch, std::span<const Argument> arguments);
  void barrier();
  bool barrier_between(std::span<const BufferRange> reads, std::span<const BufferRange> writes);
  Scope enter(std::string_view name);
  std::shared_ptr<Scope> shared_scope() const { return scope_; }  // after enter()

  std::shared_ptr<PendingPassState> commit(const FinishOptions& options);
  // To be waited for next; returns the time.
  std::uint64_t finish(const FinishOptions& options, PendingPassState& pass);
  // Commands went straight to the stream, and nobody wants to know more of them: finish_plainly()
  // does, which waits.
  bool is_plain() const noexcept { return is_plain_; }
  PassReport finish_plainly(const FinishOptions& options);

  const ExecutorState& executor() const noexcept { return *executor_; }
  bool recording() const noexcept { return recording_; }
  const Graph& graph();  // of what was recorded so far
  std::size_t barriers();

 private:
  void mark_begin();
  std::string why_not_timed(const FinishOptions& options) const;
  void count_direct(PassReport& report) const;
  void stop_tracking();
  void submit(const FinishOptions& options, PendingPassState& pass);
  void launch_recorded(const FinishOptions& options, PendingPassState& pass);
  void record(Command&& command);
  // The tracker knows all that was recorded.
  HazardTracker& tracker_of_all();

  Scope scope() const noexcept { return scope_ ? *scope_ : Scope(); }

  const std::shared_ptr<ExecutorState> executor_;
  StreamState& stream_;  // the executor's
  std::string name_;     // where it is told
  const bool recording_;
  Stamped stamped_;       // begin and end; finish() may ask for it when recording
  bool is_plain_ = true;  // neither of these, and not recorded_
  const std::uint64_t began_ns_ = monotonic_ns();
  // In direct mode the stream's, while it lasts; of what is recorded, made when somebody asks.
  std::unique_ptr<HazardTracker> tracker_;
  std::size_t tracked_ = 0;         // of the line's commands
  std::shared_ptr<Scope> scope_;    // null: none was entered. Guards may outlive the session
  std::unique_ptr<PassLine> line_;  // null in direct mode
  std::shared_ptr<const KnownPass> latest_;  // keeps some of what the line names
  Graph graph_;                              // of the first commands of the line
  std::shared_ptr<PassRecord> recorded_;     // see PendingPassState
  std::shared_ptr<Signal> begin_;
  std::size_t commands_ = 0, dispatches_ = 0;  // without those of quick_dispatches_
  std::size_t quick_dispatches_ = 0;
};

}  // namespace reel
