#include "backends/host/queue.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstring>
#include <optional>

#include "backends/host/buffer.hpp"
#include "backends/host/work.hpp"
#include "base/fail.hpp"
#include "graph/commands/access.hpp"
#include "graph/commands/kept_values.hpp"
#include "runtime/callback.hpp"

namespace reel::host {

std::uint64_t now_ns() {
  return static_cast<std::uint64_t>(std::chrono::duration_cast<std::chrono::nanoseconds>(
                                        std::chrono::steady_clock::now().time_since_epoch())
                                        .count());
}

// --- Line ---------------------------------------------------------------------------------------

void Line::push(Task task) {
  {
    const std::lock_guard lock(mutex_);
    tasks_.push_back(std::move(task));
    pushed_.fetch_add(1, std::memory_order_relaxed);
  }
  changed_.notify_all();
}

bool Line::run_one(std::unique_lock<std::mutex>& lock, bool own_thread) {
  if (busy_ || tasks_.empty() || (tasks_.front().on_own_thread && !own_thread)) return false;
  busy_ = true;
  {
    Task task = std::move(tasks_.front());
    tasks_.pop_front();
    lock.unlock();
    try {
      task.run();
    } catch (...) {
      keep_error(std::current_exception());
    }
  }  // what the task kept alive goes before it counts as done
  lock.lock();
  busy_ = false;
  done_.fetch_add(1, std::memory_order_release);
  changed_.notify_all();
  return true;
}

void Line::wait_quietly(std::uint64_t ticket) {
  if (reached(ticket)) return;
  std::unique_lock lock(mutex_);
  while (!reached(ticket))
    if (!run_one(lock, false)) changed_.wait(lock);
}

void Line::wait(std::uint64_t ticket) {
  wait_quietly(ticket);
  throw_error();
}

void Line::serve() {
  std::unique_lock lock(mutex_);
  for (;;) {
    if (run_one(lock, true)) continue;
    if (stopping_ && tasks_.empty() && !busy_) return;
    changed_.wait(lock);
  }
}

void Line::stop() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  changed_.notify_all();
}

void Line::keep_error(std::exception_ptr error) {
  const std::lock_guard lock(mutex_);
  if (!error_) error_ = std::move(error);
  has_error_.store(true, std::memory_order_release);
}

void Line::throw_error() {
  if (!has_error_.load(std::memory_order_acquire)) return;
  std::exception_ptr error;
  {
    const std::lock_guard lock(mutex_);
    error = std::exchange(error_, nullptr);
    has_error_.store(false, std::memory_order_relaxed);
  }
  if (error) std::rethrow_exception(error);
}

void Line::keep_stamps(const TicketStamps& stamps) {
  const std::lock_guard lock(stamps_mutex_);
  stamps_.push_back(stamps);
}

void Line::take_stamps(StampList& into) {
  const std::lock_guard lock(stamps_mutex_);
  into.insert(into.end(), stamps_.begin(), stamps_.end());
  stamps_.clear();
}

// --- Signal -------------------------------------------------------------------------------------

namespace {

class HostSignal final : public Signal {
 public:
  HostSignal(std::shared_ptr<Line> line, std::uint64_t ticket)
      : line_(std::move(line)), ticket_(ticket) {}

  bool done() override { return line_->reached(ticket_); }
  void wait() override { line_->wait(ticket_); }
  std::optional<std::uint64_t> time_ns() override {
    const std::uint64_t time = time_.load(std::memory_order_acquire);
    if (time == 0 || !done()) return std::nullopt;
    return time;
  }
  void stamp() { time_.store(now_ns(), std::memory_order_release); }
  void wait_quietly() { line_->wait_quietly(ticket_); }

 private:
  std::shared_ptr<Line> line_;
  const std::uint64_t ticket_;
  std::atomic<std::uint64_t> time_{0};  // 0: not stamped
};

// A command that outlives the call that gave it: copies of what it borrowed, and a hold on the
// buffers and kernel it names.
class OwnedCommand {
 public:
  explicit OwnedCommand(const Work& work) : work_(work) {
    for_each_access(work, [&](const BufferRange& range, Access) {
      buffers_.push_back(range.buffer->shared_from_this());
    });
    if (auto* dispatch = std::get_if<Dispatch>(&work_)) {
      arguments_.assign(dispatch->arguments.begin(), dispatch->arguments.end());
      keep_values(data_, arguments_);
      dispatch->arguments = arguments_;
      kernel_ = dispatch->kernel->shared_from_this();
    }
    if (auto* write = std::get_if<Write>(&work_)) {
      data_.assign(write->data.begin(), write->data.end());
      write->data = data_;
    }
  }
  OwnedCommand(const OwnedCommand&) = delete;
  const Work& work() const noexcept { return work_; }

 private:
  Work work_;
  std::vector<Argument> arguments_;
  std::vector<std::byte> data_;
  std::vector<std::shared_ptr<BufferResource>> buffers_;
  std::shared_ptr<KernelResource> kernel_;
};

// In a catch block: what a host kernel threw, with its name.
std::exception_ptr named_error(std::string_view kernel) {
  try {
    rethrow_of_kernel(kernel);
  } catch (...) {
    return std::current_exception();
  }
}

// Keeps the stamps of a task when it ends, also by an exception.
class TaskStamps {
 public:
  TaskStamps(Line& line, std::uint64_t ticket, std::uint64_t queued_ns)
      : line_(line), kept_{ticket, {queued_ns}} {
    kept_.stamps.submitted_ns = kept_.stamps.started_ns = now_ns();
  }
  ~TaskStamps() {
    kept_.stamps.ended_ns = now_ns();
    line_.keep_stamps(kept_);
  }
  TaskStamps(const TaskStamps&) = delete;

 private:
  Line& line_;
  TicketStamps kept_;
};

}  // namespace

// --- Queue --------------------------------------------------------------------------------------

Queue::Queue(std::shared_ptr<Pool> pool, std::shared_ptr<const DeviceInfo> device)
    : pool_(std::move(pool)), device_(std::move(device)) {}

Queue::~Queue() {
  if (!thread_.joinable()) return;
  line_->stop();
  // The last handle of a stream may go in one of its own host calls.
  if (thread_.get_id() == std::this_thread::get_id())
    thread_.detach();
  else
    thread_.join();
}

void Queue::push(Task task) {
  line_->push(std::move(task));
  if (!thread_.joinable()) thread_ = std::thread([line = line_] { line->serve(); });
}

bool Queue::runs_on_caller(const Work& work) const {
  // A write is its copy: keeping the bytes for later would take as long.
  return line_->reached(line_->pushed()) &&
         (estimate_ns(work) < inline_below_ns || std::holds_alternative<Write>(work));
}

void Queue::run_on_caller(const Work& work) {
  const Callback inside(*device_, Callback::Kind::host_kernel, {});
  try {
    run(work, *pool_);
  } catch (...) {
    line_->keep_error(std::current_exception());
  }
}

Task Queue::make_task(const Command& command) const {
  if (const auto* call = std::get_if<HostCall>(&command.work))
    return {[call = *call, label = std::string(command.label), device = device_] {
              run_host_call(*call.function, label, *device);
            },
            true};
  return {[owned = std::make_shared<OwnedCommand>(command.work), pool = pool_, device = device_] {
    const Callback inside(*device, Callback::Kind::host_kernel, {});
    run(owned->work(), *pool);
  }};
}

void Queue::submit(const Command& command) {
  if (runs_on_caller(command.work)) [[likely]]
    run_on_caller(command.work);
  else
    push(make_task(command));
}

namespace {

// One group of a kernel that is known to be short, on an empty line: the call, and what it needs.
// The group stays as it is from call to call, but for what its arguments point to.
class QuickDispatch final : public ReadyDispatch {
 public:
  explicit QuickDispatch(Queue& queue)
      : ReadyDispatch(call),
        queue_(queue),
        line_(queue.line()),
        frame_(*queue.device(), Callback::Kind::host_kernel, {}, nullptr) {}

  void prepare(const Dispatch& like) override {
    dispatch_ = like;
    dispatch_.arguments = {};
    kernel_ = static_cast<Kernel*>(like.kernel);
    group_ = {packed_.data(), nullptr,         {0, 0, 0},
              {1, 1, 1},      like.group_size, static_cast<std::uint32_t>(like.arguments.size())};
    is_simple_ =
        like.groups == Dim3{1, 1, 1} && std::ranges::all_of(like.arguments, [](const Argument& a) {
          return a.kind == ArgumentKind::buffer || a.kind == ArgumentKind::value;
        });
  }

  void give(std::span<const Argument> arguments) override { submit_whole(arguments); }
  void give_stamped(const Command& command, std::uint64_t ticket) override {
    queue_.submit_stamped(command, ticket);
  }

 private:
  static bool call(ReadyDispatch& self, std::span<const Argument> arguments) {
    auto& quick = static_cast<QuickDispatch&>(self);
    Kernel& kernel = *quick.kernel_;
    if (!quick.is_simple_ || !quick.line_.reached(quick.line_.pushed()) || !kernel.is_quick())
        [[unlikely]]
      return hand_over(self, arguments);
    HostArgument* packed = quick.packed_.data();
    const KnownArguments::Known* known = self.known.list.data();
    for (const Argument& argument : arguments) {
      if (!self.known.takes(argument, *known++)) [[unlikely]]
        return false;
      *packed++ = argument.kind == ArgumentKind::buffer
                      ? HostArgument{data_of(argument.range), argument.range.size_bytes}
                      : host_value(argument);
    }
    kernel.count_quick_run();
    // Only a thread that is in no other one gives.
    const CallbackFrame::Entered inside(&quick.frame_, nullptr);
    try {
      kernel.function(quick.group_);
    } catch (...) {
      quick.keep_error();
    }
    return true;
  }

  // Apart, so that nothing of them is prepared for those that don't need it.
  [[gnu::noinline, gnu::cold]] static bool hand_over(ReadyDispatch& self,
                                                     std::span<const Argument> arguments) {
    return take_and_give(self, arguments);
  }
  [[gnu::noinline, gnu::cold]] void keep_error() {
    line_.keep_error(named_error(kernel_->source.name));
  }
  [[gnu::noinline, gnu::cold]] void submit_whole(std::span<const Argument> arguments) {
    Command command{dispatch_};
    std::get_if<Dispatch>(&command.work)->arguments = arguments;
    queue_.submit(command);
  }

  Queue& queue_;
  Line& line_;
  const CallbackFrame frame_;
  Kernel* kernel_ = nullptr;
  bool is_simple_ = false;
  HostGroup group_{};
  std::array<HostArgument, KnownArguments::most> packed_{};
  Dispatch dispatch_;
};

}  // namespace

std::unique_ptr<ReadyDispatch> Queue::make_ready_dispatch() {
  return std::make_unique<QuickDispatch>(*this);
}

void Queue::submit_stamped(const Command& command, std::uint64_t ticket) {
  const std::uint64_t queued_ns = now_ns();
  if (is_empty(command.work)) {
    stamps_.push_back({ticket, {queued_ns}});
  } else if (runs_on_caller(command.work)) [[likely]] {
    run_on_caller(command.work);
    stamps_.push_back({ticket, {queued_ns, queued_ns, queued_ns, now_ns()}});
  } else {
    Task task = make_task(command);
    Line* line = line_.get();  // lives as long as its tasks do
    push({[run = std::move(task.run), line, ticket, queued_ns] {
            const TaskStamps stamps(*line, ticket, queued_ns);
            run();
          },
          task.on_own_thread});
  }
}

void Queue::collect_stamps(StampList& into) {
  into.insert(into.end(), stamps_.begin(), stamps_.end());
  stamps_.clear();
  line_->take_stamps(into);
}

std::shared_ptr<Signal> Queue::mark(Stamped stamped) {
  const std::uint64_t before = line_->pushed();
  const bool reached = line_->reached(before);
  if (reached || stamped == Stamped::no) {
    auto signal = std::make_shared<HostSignal>(line_, before);
    if (stamped == Stamped::yes) signal->stamp();
    return signal;
  }
  auto signal = std::make_shared<HostSignal>(line_, before + 1);
  push({[signal] { signal->stamp(); }});
  return signal;
}

void Queue::wait_for(const std::shared_ptr<Signal>& signal) {
  if (signal->done()) return;
  push({[signal] { static_cast<HostSignal&>(*signal).wait_quietly(); }});
}

bool Queue::wait() {
  const std::uint64_t pushed = line_->pushed();
  const bool is_under_way = !line_->reached(pushed);
  line_->wait(pushed);
  return is_under_way;
}
bool Queue::idle() { return line_->reached(line_->pushed()); }

void Queue::fetch(const BufferRange& source, std::span<std::byte> target) {
  wait();
  if (source.buffer) std::memcpy(target.data(), data_of(source), target.size());
}

}  // namespace reel::host
