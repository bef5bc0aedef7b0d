#include "backends/opencl/native/native_executable.hpp"

#include <algorithm>
#include <utility>
#include <variant>

#include "backends/opencl/device/buffer.hpp"
#include "base/fail.hpp"
#include "graph/commands/access.hpp"
#include "graph/commands/kept_command.hpp"

namespace reel::opencl {
namespace {

// Handing work to PoCL's threads and waiting for it takes 30 to 50 us; less work than this is
// done sooner on the caller's thread.
constexpr double inline_ns = 20'000;
// An enqueue of PoCL's own with its wake-up: what splitting a step over its threads must save.
constexpr double enqueue_ns = 12'000;
constexpr float move_ns_per_byte = 0.1F;
constexpr std::size_t most_programs = 8;
constexpr std::uint32_t launches_per_measurement = 256;

float transfer_ns(const NativeStep& step) {
  return 20 + move_ns_per_byte * static_cast<float>(step.size_bytes);
}

// Keeps what a replaced transfer names.
struct KeptTransfer {
  std::vector<std::shared_ptr<const BufferResource>> buffers;
  KeptBytes data;
};

std::shared_ptr<const void> keep(Work& work) {
  auto kept = std::make_shared<KeptTransfer>();
  for_each_transfer_range(work, [&](const BufferRange& range, Access) {
    if (range.buffer) kept->buffers.push_back(range.buffer->shared_from_this());
  });
  kept->data = keep_data(work);
  return kept;
}

bool has_values_of_unknown_size(const Dispatch& dispatch) {
  const auto& parameters = dispatch.kernel->parameters;
  return std::any_of(parameters.begin(), parameters.end(), [](const Parameter& parameter) {
    return parameter.kind == ArgumentKind::value && parameter.size_bytes == 0;
  });
}

}  // namespace

// A run of steps on its way through a queue. While it is, its program must not change.
struct NativeExecutable::Run {
  Run(std::shared_ptr<NativeProgram> p, std::size_t b, std::size_t e, std::shared_ptr<Times> t)
      : program(std::move(p)), begin(b), end(e), times(std::move(t)) {
    program->in_flight.fetch_add(1, std::memory_order_relaxed);
  }
  ~Run() { program->in_flight.fetch_sub(1, std::memory_order_release); }
  Run(const Run&) = delete;

  void operator()() const {
    program->run(begin, end, times ? times->ns.data() : nullptr);
    if (times) times->fresh.store(true, std::memory_order_release);
  }

  std::shared_ptr<NativeProgram> program;
  std::size_t begin, end;
  std::shared_ptr<Times> times;  // null: not measured
};

void CL_CALLBACK NativeExecutable::run(void* data) {
  const std::unique_ptr<const Run> run(*static_cast<Run**>(data));
  (*run)();
}

NativeExecutable::NativeExecutable(std::shared_ptr<DeviceContext> context,
                                   std::shared_ptr<const Plan> plan,
                                   std::shared_ptr<const NativeProgram::Functions> functions)
    : context_(std::move(context)),
      functions_(std::move(functions)),
      plain_(std::make_unique<EnqueueExecutable>(plan, "", EnqueueExecutable::Make::when_needed)),
      current_(std::make_shared<NativeProgram>(plan, functions_)),
      programs_{current_},
      times_(std::make_shared<Times>(plan->steps.size())),
      unit_ns_(plan->steps.size()),
      natively_(plan->steps.size()),
      fits_(plan->steps.size(), 1) {
  for (std::size_t i = 0; i < plan->steps.size(); ++i) {
    if (const auto* dispatch = std::get_if<Dispatch>(&plan->steps[i].command.work)) {
      unit_ns_[i] = (*functions_)[i]->group_ns();
      // The driver checks the size of a struct; we can't know it.
      if (has_values_of_unknown_size(*dispatch)) plain_->make_kernel(i);
    }
  }
}

NativeExecutable::NativeExecutable(const NativeExecutable& other)
    : context_(other.context_),
      functions_(other.functions_),
      plain_(other.plain_->copy()),
      current_(std::make_shared<NativeProgram>(*other.current_)),
      programs_{current_},
      times_(std::make_shared<Times>(other.unit_ns_.size())),
      unit_ns_(other.unit_ns_),
      natively_(other.natively_),
      fits_(other.fits_) {}

// Which steps go natively, and how much work that is.
void NativeExecutable::decide() {
  const bool measured = times_->fresh.exchange(false, std::memory_order_acquire);
  const double threads = std::max<std::uint32_t>(1, context_->info().compute_units);
  const double parallel_ns = threads > 1 ? enqueue_ns * threads / (threads - 1) : 1e18;
  native_steps_ = 0;
  native_ns_ = 0;
  for (std::size_t i = 0; i < natively_.size(); ++i) {
    const NativeStep& step = current_->steps()[i];
    natively_[i] = 0;
    if (step.kind == NativeStep::Kind::other) continue;
    const bool is_dispatch = step.kind == NativeStep::Kind::dispatch;
    const auto groups = static_cast<float>(step.groups());
    if (measured && is_dispatch && groups > 0) {
      const float took = times_->ns[i].exchange(0, std::memory_order_relaxed);
      if (took > 0) {
        // Down at once, up at most twofold: a thread that was held up seems to have taken a hundred
        // times as long, and what is left to the driver for that is not measured again.
        const float now = took / groups;
        unit_ns_[i] = unit_ns_[i] > 0 ? std::min(now, 2 * unit_ns_[i]) : now;
        (*functions_)[i]->set_group_ns(unit_ns_[i]);
      }
    }
    const double ns = is_dispatch ? unit_ns_[i] * groups : transfer_ns(step);
    if (is_dispatch && (!fits_[i] || (groups > 1 && ns > parallel_ns))) continue;
    natively_[i] = 1;
    ++native_steps_;
    if (step.enabled) native_ns_ += ns;
  }
  undecided_ = false;
}

void NativeExecutable::launch(QueueDriver& driver) {
  auto& queue = static_cast<CommandQueue&>(driver);
  if (undecided_ || times_->fresh.load(std::memory_order_relaxed)) decide();
  const bool measure = launches_++ % launches_per_measurement == 0;
  const std::size_t count = natively_.size();
  if (native_steps_ == count && native_ns_ < inline_ns && queue.settle()) {
    Run(current_, 0, count, measure ? times_ : nullptr)();
    return;
  }
  const CommandQueue::Enqueueing enqueueing{queue};
  std::size_t begin = 0;
  for (std::size_t i = 0; i < count; ++i) {
    if (natively_[i]) continue;
    enqueue(queue, begin, i, measure);
    begin = i + 1;
    if (plain_->steps()[i].runs()) plain_->launch_step(queue, i, nullptr);
  }
  enqueue(queue, begin, count, measure);
  queue.flush();
}

bool NativeExecutable::can_run_alone() {
  if (undecided_ || times_->fresh.load(std::memory_order_relaxed)) decide();
  return native_steps_ == natively_.size();
}

void NativeExecutable::run_alone() { Run(current_, 0, natively_.size(), nullptr)(); }

void NativeExecutable::enqueue(CommandQueue& queue, std::size_t begin, std::size_t end,
                               bool measure) {
  if (begin == end) return;
  auto run = std::make_unique<Run>(current_, begin, end, measure ? times_ : nullptr);
  Run* raw = run.get();
  check(api().enqueue_native_kernel(queue.get(), &NativeExecutable::run, &raw, sizeof(void*), 0,
                                    nullptr, nullptr, 0, nullptr, nullptr),
        "clEnqueueNativeKernel");
  static_cast<void>(run.release());  // the queue's now
}

// The program that later launches run, free to be changed. In-flight launches keep theirs; the
// others note that the step is out of date and catch up when they are taken again.
NativeProgram& NativeExecutable::writable(std::uint32_t step) {
  const auto is_free = [](const std::shared_ptr<NativeProgram>& program) {
    return program->in_flight.load(std::memory_order_acquire) == 0;
  };
  if (!is_free(current_)) {
    const auto free = std::find_if(programs_.begin(), programs_.end(), is_free);
    if (free != programs_.end()) {
      for (const std::uint32_t stale : (*free)->stale) (*free)->copy_step(stale, *current_);
      (*free)->stale.clear();
      current_ = *free;
    } else {
      if (programs_.size() >= most_programs) programs_.erase(programs_.begin());
      current_ = programs_.emplace_back(std::make_shared<NativeProgram>(*current_));
    }
  }
  for (std::size_t i = programs_.size(); i-- > 0;) {
    if (programs_[i] == current_) continue;
    programs_[i]->stale.push_back(step);
    // Catching up must not cost more than a copy.
    if (programs_[i]->stale.size() > natively_.size())
      programs_.erase(programs_.begin() + static_cast<std::ptrdiff_t>(i));
  }
  return *current_;
}

std::unique_ptr<StepTimes> NativeExecutable::launch_timed(QueueDriver& queue) {
  return plain_->launch_timed(queue);
}

void NativeExecutable::set_argument(std::uint32_t step, std::uint32_t index,
                                    const Argument& value) {
  plain_->set_argument(step, index, value);
  writable(step).set_argument(step, index, value);
}

void NativeExecutable::set_groups(std::uint32_t step, Dim3 groups) {
  plain_->set_groups(step, groups);
  writable(step).set_groups(step, groups);
  const auto& built = std::get<Dispatch>(plain_->plan()->steps[step].command.work);
  fits_[step] =
      is_small_grid(groups, built.group_size) == is_small_grid(built.groups, built.group_size);
  undecided_ = true;
}

void NativeExecutable::set_enabled(std::uint32_t step, bool enabled) {
  plain_->set_enabled(step, enabled);
  writable(step).set_enabled(step, enabled);
  undecided_ = true;
}

void NativeExecutable::replace(std::uint32_t step, const Command& command) {
  plain_->replace(step, command);
  Work work = command.work;
  std::shared_ptr<const void> kept = keep(work);
  writable(step).replace(step, work, std::move(kept));
  undecided_ = true;
}

std::unique_ptr<Executable> NativeExecutable::clone() const {
  return std::unique_ptr<Executable>(new NativeExecutable(*this));
}

Footprint NativeExecutable::footprint() const {
  Footprint result = plain_->footprint();
  result.host_bytes += sizeof *this + programs_.size() * current_->size_bytes() +
                       natively_.size() * (2 * sizeof(float) + 2);
  return result;
}

std::string NativeExecutable::lowering() const {
  const std::size_t others = natively_.size() - native_steps_;
  if (undecided_) return fmt::format("native replay of {} steps", natively_.size());
  return fmt::format(
      "native replay of {} steps, {} left to the driver; {:.0f} µs of work{}", native_steps_,
      others, native_ns_ / 1e3,
      others == 0 && native_ns_ < inline_ns ? ", inline when the queue is idle" : "");
}

}  // namespace reel::opencl
