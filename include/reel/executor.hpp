// executor.hpp - one forward pass: dispatched directly, or recorded and run at finish().
//
//   reel::GraphExecutor executor(device);
//   auto pass = executor.begin();              // or begin_recorded(): nothing else changes
//   pass.dispatch(add, {.groups = {n / 256}, .group_size = {256}}, in(x), in(y), out(z), n);
//   reel::PassReport report = pass.finish();   // the only wait
//
// Both modes take the same calls and give the same bytes. Which commands may overlap follows
// from the ranges they read and write; barriers are issued where needed and counted.
// One thread at a time per session. Direct commands run in the order in which they are enqueued,
// recorded ones when their session is finished. If two direct sessions are open at once, the report
// of the later one gets the barrier counts.
//
// An executor keeps the last few recorded passes ready, and a pass like one of them is not planned
// anew: the same kernels on the same buffers in the same order, where values, grids, written bytes
// and ranges may differ as long as the same commands conflict. So it also keeps their buffers and
// kernels alive, until other passes take their place or the executor goes. Passes with host calls,
// or that write more than 1 MiB, are not kept.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "reel/graph.hpp"
#include "reel/graph_exec.hpp"
#include "reel/stream.hpp"

namespace reel {

class SessionState;
class ExecutorState;
class PendingPassState;

struct PassReport {             // what a session did
  std::uint64_t encode_ns = 0;  // from begin() to the call of finish() or commit(), and submitting
  std::uint64_t wait_ns = 0;    // waiting for the device; 0 where nothing was under way
  // On the device, first command to last; with SessionOptions::timing or FinishOptions::timing,
  // and where the device can stamp time.
  std::optional<std::uint64_t> gpu_ns;
  std::string gpu_ns_missing;  // why it is not there where it was asked for
  std::size_t commands = 0;
  std::size_t dispatches = 0;
  std::size_t barriers = 0;
  std::size_t barriers_avoided = 0;      // commands that needed none
  std::vector<std::size_t> group_sizes;  // [k]: groups of k + 1 commands that may overlap
  std::size_t reordered = 0;             // commands moved
  bool reused = false;  // recorded sessions: planned as an earlier pass, which this one is like
  std::vector<NodeTime> node_times;  // with FinishOptions::timing, recorded sessions
};

struct ExecutorOptions {      // of all its sessions
  std::string name = "pass";  // of its stream and, unless they have their own, of its passes
};

struct SessionOptions {   // of one session
  bool timing = false;    // PassReport::gpu_ns; two stamps, which a pass of ten kernels feels
  std::string name = {};  // of the pass in documents; empty: the executor's
};

struct FinishOptions {   // of finish()
  bool reorder = false;  // recorded sessions: fewer barriers by moving independent commands
  // Recorded sessions: a time for every node, and gpu_ns. A direct session must know from the
  // beginning: SessionOptions::timing.
  bool timing = false;
};

// A pass under way. Destroying it doesn't wait; moving one copies it.
class PendingPass {
 public:
  PendingPass(const PendingPass&) = default;
  PendingPass& operator=(const PendingPass&) = default;
  bool done() const;        // has it run?
  PassReport wait() const;  // until it has

 private:
  friend class GraphSession;
  explicit PendingPass(std::shared_ptr<PendingPassState> state) : state_(std::move(state)) {}
  std::shared_ptr<PendingPassState> state_;
};

class GraphSession {
 public:
  // Without finish() or commit() the pass is abandoned: what was recorded never runs, what was
  // enqueued directly runs as on any stream without being waited for. The device stays usable.
  ~GraphSession();
  GraphSession(GraphSession&&) noexcept;
  GraphSession& operator=(GraphSession&&) noexcept;

  template <ArgumentLike... A>
  void dispatch(const Kernel& kernel, const Launch& launch, const A&... arguments) {
    const std::array<Argument, sizeof...(A)> list{Argument(arguments)...};
    dispatch(kernel, launch, std::span<const Argument>(list));
  }
  // As Stream does.
  void dispatch(const Kernel& kernel, const Launch& launch, std::span<const Argument> arguments);
  template <ArgumentLike... A>
  void dispatch_indirect(const Kernel& kernel, BufferRange groups, const Launch& launch,
                         const A&... arguments) {  // as Stream does
    const std::array<Argument, sizeof...(A)> list{Argument(arguments)...};
    dispatch_indirect(kernel, groups, launch, std::span<const Argument>(list));
  }
  void dispatch_indirect(const Kernel& kernel, BufferRange groups, const Launch& launch,
                         std::span<const Argument> arguments);                     // as Stream does
  void copy(BufferRange target, BufferRange source, std::string_view label = {});  // as Stream does
  void copy_2d(const Pitched& target, const Pitched& source, std::uint64_t width_bytes,
               std::uint64_t rows, std::string_view label = {});  // as Stream does
  template <FillValue T>
  void fill(BufferRange target, T value, std::string_view label = {}) {
    fill(Fill::of(target, value), label);
  }
  void fill(const Fill& fill, std::string_view label = {});  // as Stream does
  // As Stream does.
  void write(BufferRange target, std::span<const std::byte> data, std::string_view label = {});
  // As Stream does; the target must live until the session is done.
  void read(BufferRange source, std::span<std::byte> target, std::string_view label = {});
  template <HostValues R>
  void write(BufferRange target, const R& data, std::string_view label = {}) {
    write(target, host_bytes(data), label);
  }
  template <HostTarget R>
  void read(BufferRange source, R&& target, std::string_view label = {}) {
    read(source, host_target(target), label);
  }
  void host_call(std::function<void()> function, std::string_view label = {});  // as Stream does
  void enqueue(const Command& command);  // any command as a value, as Stream::enqueue

  void barrier();  // as Stream does
  // A barrier only if these ranges conflict with what was enqueued since the last one.
  // True when it was needed.
  bool barrier_between(std::span<const BufferRange> reads, std::span<const BufferRange> writes);

  ScopeGuard scope(std::string_view name);  // of what follows
  bool is_recording() const;                // or runs at once
  std::size_t barrier_count() const;        // so far
  // What has been recorded so far; empty in direct mode. Instantiate it to launch the same pass
  // again and again.
  const Graph& graph() const;

  PassReport finish(const FinishOptions& options = {});   // runs and waits
  PendingPass commit(const FinishOptions& options = {});  // doesn't wait

 private:
  friend class GraphExecutor;
  explicit GraphSession(std::unique_ptr<SessionState> state);
  std::unique_ptr<SessionState> state_;
};

// A cheap handle; moving one copies it.
class GraphExecutor {
 public:
  explicit GraphExecutor(const Device& device, const ExecutorOptions& options = {});
  GraphExecutor(const GraphExecutor&) = default;
  GraphExecutor& operator=(const GraphExecutor&) = default;
  const Device& device() const;  // where it runs
  const Stream& stream() const;  // where the sessions run

  GraphSession begin(const SessionOptions& options = {}) const;
  GraphSession begin_recorded(const SessionOptions& options = {}) const;  // runs as a graph

 private:
  std::shared_ptr<ExecutorState> state_;
};

}  // namespace reel
