// driver.hpp - what a backend implements: the only virtual classes of the library.
//
// The fronts (Device, Stream, GraphExec) have checked every command before it comes here: handles
// belong to this device, ranges are inside their buffers and aligned, arguments match the kernel's
// parameters, groups are within limits, copies don't overlap. A backend does straight work and
// throws Error for what its driver answers. It never sees a graph, a capture or a session.
//
// Threads: DeviceDriver may be called from any thread at any time. Calls on one QueueDriver come
// one at a time (the Stream's lock), except wait(), which may run beside any other call. Calls on
// one Executable come one at a time. Signals: any thread.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/process/own_memory.hpp"
#include "graph/commands/resource.hpp"
#include "graph/order/plan.hpp"
#include "reel/command.hpp"
#include "reel/decision.hpp"
#include "reel/device.hpp"
#include "reel/graph_exec.hpp"
#include "runtime/known_arguments.hpp"

namespace reel {

// A point in a queue.
class Signal {
 public:
  virtual ~Signal() = default;
  virtual bool done() = 0;
  virtual void wait() = 0;  // throws what the work before it failed with
  // When the device got there, on the clock of DeviceDriver::now_ns; none if it can't tell.
  virtual std::optional<std::uint64_t> time_ns() = 0;
};

// Does a point tell its time? A stamp is a command of its own where a driver takes it.
enum class Stamped : bool { no, yes };

// What a function calls that a queue runs in order.
enum class InOrder : std::uint8_t {
  anything,  // it may wait, for other queues too, and run functions of the program
  driver,    // the same, but no function of the program: so whoever waits for the queue may run it
  nothing,   // of the driver, and it never waits: so a thread of the driver may run it
};

// When one command went through the device, on the clock of DeviceDriver::now_ns. 0: not known.
struct Stamps {
  std::uint64_t queued_ns = 0;     // given to the driver
  std::uint64_t submitted_ns = 0;  // handed to the device
  std::uint64_t started_ns = 0, ended_ns = 0;
};

struct TicketStamps {
  std::uint64_t ticket;
  Stamps stamps;
};
using StampList = OwnVector<TicketStamps>;

// Dispatches of one kernel on one grid, with arguments of the same kinds: what they share is
// prepared once. It belongs to a queue, and goes before it.
class ReadyDispatch {
 public:
  virtual ~ReadyDispatch() = default;
  // From now on, of such a dispatch. The kernel is there whenever give() is called.
  virtual void prepare(const Dispatch& like) = 0;
  // As QueueDriver::submit() of that dispatch with these arguments.
  virtual void give(std::span<const Argument> arguments) = 0;
  // As QueueDriver::submit_stamped() of such a dispatch.
  virtual void give_stamped(const Command& command, std::uint64_t ticket) = 0;
  // As give(), where `known` takes them. False otherwise, and nothing has happened.
  bool give_if_known(std::span<const Argument> arguments) { return given_(*this, arguments); }

  KnownArguments known;  // what those that were found fine are like

 protected:
  // Looks and gives: in one walk, by those to whom the walk matters. A pointer, since the compiler
  // would guess at the target of a virtual call.
  using Given = bool(ReadyDispatch& self, std::span<const Argument> arguments);
  explicit ReadyDispatch(Given* given = take_and_give) : given_(given) {}
  static bool take_and_give(ReadyDispatch& self, std::span<const Argument> arguments) {
    if (!self.known.take(arguments)) return false;
    self.give(arguments);
    return true;
  }

 private:
  Given* const given_;
};

// An in-order line of commands. Destroying it waits for what was submitted.
class QueueDriver {
 public:
  virtual ~QueueDriver() = default;

  // Takes one command and returns without waiting for it (running short work at once is fine).
  // Borrowed memory (arguments, Write::data) is done with on return; Read::target is filled by
  // the time the command is done. Buffers and kernels are kept alive until then.
  // Where info().wants_barriers, commands may overlap between two Barriers, and the front sends
  // Barriers as hazards need them; elsewhere a Barrier needs no action.
  // A HostCall runs on a thread of the backend, in order; if it throws, wait() and Signal::wait()
  // throw host_call_failed once, and the queue goes on.
  virtual void submit(const Command& command) = 0;

  // Not prepared yet.
  virtual std::unique_ptr<ReadyDispatch> make_ready_dispatch() = 0;

  // As submit(), and keeps the command's stamps under `ticket` until they are collected.
  virtual void submit_stamped(const Command& command, std::uint64_t ticket) = 0;
  // From now on nobody asks when stamped commands were queued and submitted, only when they ran:
  // a driver that is asked for each of these may leave them out.
  virtual void stamp_runs_only() {}
  // Appends the stamps of stamped commands that are done, each once, in any order. Waits for
  // nothing. A command that needed no work of the device comes back with queued_ns alone.
  virtual void collect_stamps(StampList& into) = 0;

  // A Signal for everything submitted so far, itself included in the order. One that isn't
  // stamped need not have a time.
  virtual std::shared_ptr<Signal> mark(Stamped stamped) = 0;
  // The same without a time, for those who only watch: neither it nor Signal::done() hands anything
  // to the device sooner than would happen without them. Signal::wait() does.
  virtual std::shared_ptr<Signal> mark_aside() { return mark(Stamped::no); }
  // Later commands start after `signal`, which comes from a queue of the same device.
  virtual void wait_for(const std::shared_ptr<Signal>& signal) = 0;

  virtual void flush() = 0;  // hands everything to the device
  // The same, just before wait(), which may do so itself.
  virtual void flush_for_wait() { flush(); }
  // Until all that was flushed before the call is done; throws the first error of work in flight.
  // May be called beside any other call, and from several threads. False: there was nothing to wait
  // for, and that took no time.
  virtual bool wait() = 0;
  virtual bool idle() = 0;  // is all done?

  // Runs `function` after all that was submitted and before all that comes later, on a thread of
  // the backend, and returns without waiting for it. What it throws comes out of wait() and
  // Signal::wait() as it is, once.
  virtual void run_in_order(std::function<void()> function, InOrder calls) = 0;

  // From now on launches may be held back, so that several go to the device at once; those that are
  // go with the next flush(), wait() or idle(), and when this is over. A hint.
  virtual void gather_launches(bool /*gathers*/) {}

  // Until all that was submitted is done, as wait(); then these bytes, if the range names any. For
  // decisions of a launch, so what costs least.
  virtual void fetch(const BufferRange& source, std::span<std::byte> target) = 0;

 protected:
  // By commands that any queue takes.
  void fetch_by_read(const BufferRange& source, std::span<std::byte> target) {
    if (source.buffer) {
      submit({Barrier{}});
      submit({Read{source, target}});
    }
    flush();
    wait();
  }
};

struct StepTime {
  std::uint32_t step;
  std::uint64_t begin_ns, end_ns;
};

// The times of one launch, asked for after the launch is done.
class StepTimes {
 public:
  virtual ~StepTimes() = default;
  virtual std::vector<StepTime> collect() = 0;
};

// Work made ready. A launch is ordered against everything before and after it on the queue, as if
// it stood between two Barriers. Any number may be in flight. Destroying it is fine while launches
// are in flight.
class Launchable {
 public:
  virtual ~Launchable() = default;
  virtual void launch(QueueDriver& queue) = 0;
};

// A plan made ready, in one piece or cut at its decisions. Changes are for later launches.
class LoweredPlan {
 public:
  virtual ~LoweredPlan() = default;

  // Each in constant time. The front has checked them and keeps buffers alive while they are
  // bound; a launch in flight keeps what it uses.
  virtual void set_argument(std::uint32_t step, std::uint32_t index, const Argument& value) = 0;
  virtual void set_groups(std::uint32_t step, Dim3 groups) = 0;
  virtual void set_enabled(std::uint32_t step, bool enabled) = 0;
  // Same kind of work, other ranges, pattern, bytes or function. Not for dispatches.
  virtual void replace(std::uint32_t step, const Command& command) = 0;

  // Can a thread do what a launch does, without the driver and sensibly so?
  virtual bool can_run_alone() { return false; }
  virtual Footprint footprint() const = 0;
  virtual std::string lowering() const = 0;  // in a few words, for people
  // launch_timed() gives each step by itself, where launch() gives them together.
  virtual bool is_timed_step_by_step() const { return false; }
};

class Executable : public Launchable, public LoweredPlan {
 public:
  virtual std::unique_ptr<StepTimes> launch_timed(QueueDriver& queue) = 0;
  virtual void run_alone() {}  // only where it can
  virtual std::unique_ptr<Executable> clone() const = 0;
};

// A decision with all that is in it, for a device that takes it without the host. The straight
// parts are the backend's own executables.
struct DecidedOnDevice {
  struct Part {
    Executable* straight = nullptr;
    std::shared_ptr<const DecidedOnDevice> decision;  // where `straight` is null
    std::uint32_t number = 0;                         // among those of its exec
  };
  using Parts = std::vector<Part>;

  DecisionKind kind = DecisionKind::if_else;
  BufferRange condition = {};  // but of a repeat
  std::uint64_t rounds = 1;    // of a repeat; of a while at most so many, and less once it is 0
  std::vector<Parts> branches = {};
  // It stops, or something in it does, where only the host can go on: at a switch whose number is
  // out of range, and at a while that isn't over after its rounds. A while that has nothing around
  // it and nothing of the kind in it doesn't: its condition tells.
  bool may_stop = false;
  bool has_loops_inside = false;  // a while, whose rounds are there as often as those around it
};

// One of the decisions around the place where a launch stopped, and at last the one it stopped at.
struct StoppedAt {
  std::uint32_t part = 0;    // of its exec; not told of the outermost
  std::uint32_t branch = 0;  // that it was in
  std::uint64_t round = 0;   // of a loop: that comes next, counted from the first of the launch
};

// What a launch leaves for the host to look at once it is done.
struct Stops {
  BufferRange word = {};  // 0: it did all. Otherwise one more than the number of the place
  std::vector<std::vector<StoppedAt>> places = {};  // each from the outside in
};

// A decision made ready, as Launchable is. After a stop nothing of what follows in it has run.
class DecidedLaunchable {
 public:
  virtual ~DecidedLaunchable() = default;
  // Null where it can't stop. Its word is for the launch until the next one on that queue.
  virtual std::shared_ptr<const Stops> launch(QueueDriver& queue) = 0;
};

struct MadeForDevice {
  std::unique_ptr<DecidedLaunchable> launchable;
  std::string why_not = {};   // where there is none
  std::string_view way = {};  // how the device skips what isn't taken, for people
};

// Memory of a device.
struct MemoryRequest {
  std::uint64_t size_bytes = 0;
  std::string_view label = {};
  const ImageShape* image = nullptr;  // of this many bytes. Only where info().takes_images
  BufferRange storage = {};           // the image shows these bytes, and has none of its own
  bool shared_virtual = false;        // ranges of it are bound wherever they begin, if that can be
  bool host_visible = false;          // `mapped` is set. Only where info().maps_memory
  bool addressed = false;             // `device_address` is set, if that can be
};

class DeviceDriver {
 public:
  virtual ~DeviceDriver() = default;
  virtual const DeviceInfo& info() const = 0;

  // Zeroed. The front sets id, label, device, image and storage; the backend size_bytes, and
  // whether it is_shared_virtual.
  virtual std::unique_ptr<BufferResource> allocate(const MemoryRequest& request) = 0;
  // The front has checked that one of info().kernel_forms is given, and sets id, source, device.
  // `shared` is what the kernels of one Program share, null for a kernel of its own: a backend that
  // compiles several kernels at once leaves there what it compiled, and finds it the next time.
  virtual std::shared_ptr<KernelResource> build(const KernelSource& source,
                                                std::shared_ptr<void>* shared) = 0;
  // The priority is a wish, where info().takes_stream_priority.
  virtual std::unique_ptr<QueueDriver> open_queue(
      std::string_view label, StreamPriority priority = StreamPriority::normal) = 0;
  virtual std::unique_ptr<Executable> instantiate(std::shared_ptr<const Plan> plan) = 0;
  // Of the parameters that its executables have now.
  virtual MadeForDevice decide_on_device(const DecidedOnDevice& decision) = 0;
  // The device's clock now.
  virtual std::uint64_t now_ns() = 0;
};

// One backend. list() never throws: what can't be opened is listed with the reason.
struct Backend {
  const char* name;
  std::vector<DeviceInfo> (*list)();
  std::shared_ptr<DeviceDriver> (*open)(const DeviceInfo& info);
};

}  // namespace reel
