#include "backends/opencl/work/enqueue_executable.hpp"

#include <utility>
#include <variant>

#include "base/fail.hpp"

namespace reel::opencl {
namespace {

class EventTimes final : public StepTimes {
 public:
  explicit EventTimes(std::size_t steps) { entries_.reserve(steps); }

  CommandEvents& add(std::uint32_t step) { return entries_.emplace_back(Entry{step, {}}).events; }
  void drop_last_if_empty() {
    if (!entries_.back().events.first) entries_.pop_back();
  }

  std::vector<StepTime> collect() override {
    std::vector<StepTime> times;
    times.reserve(entries_.size());
    for (const Entry& entry : entries_) {
      const cl_event first = entry.events.first.get();
      const cl_event last = entry.events.last ? entry.events.last.get() : first;
      times.push_back({entry.step, stamp(first, CL_PROFILING_COMMAND_START),
                       stamp(last, CL_PROFILING_COMMAND_END)});
    }
    return times;
  }

 private:
  static std::uint64_t stamp(cl_event event, cl_profiling_info what) {
    cl_ulong time = 0;
    check(api().get_event_profiling_info(event, what, sizeof time, &time, nullptr),
          "clGetEventProfilingInfo");
    return time;
  }
  struct Entry {
    std::uint32_t step;
    CommandEvents events;
  };
  std::vector<Entry> entries_;
};

}  // namespace

EnqueueExecutable::EnqueueExecutable(std::shared_ptr<const Plan> plan, std::string why, Make make)
    : plan_(std::move(plan)), why_(std::move(why)) {
  steps_.resize(plan_->steps.size());
  details_.resize(steps_.size());
  for (std::size_t i = 0; i < steps_.size(); ++i) {
    Detail& detail = details_[i];
    detail.KeptCommand::operator=(KeptCommand(plan_->steps[i].command));
    if (!std::holds_alternative<Dispatch>(detail.command.work)) continue;
    steps_[i].is_dispatch = true;
    steps_[i].is_sharing = uses_shared(detail.arguments);
    steps_[i].grid = make_grid(detail.dispatch());
    if (make == Make::at_once) make_kernel(i);
  }
}

void EnqueueExecutable::make_kernel(std::size_t step) {
  if (!steps_[step].is_dispatch || steps_[step].kernel) return;
  Detail& detail = details_[step];
  auto& built = static_cast<BuiltKernel&>(*detail.dispatch().kernel);
  KernelHandle kernel = built.make_kernel();
  detail.held.resize(detail.arguments.size());
  for (std::uint32_t i = 0; i < detail.arguments.size(); ++i)
    detail.held[i] = opencl::set_argument(built.context(), kernel.get(), i, detail.arguments[i]);
  detail.kernel = std::move(kernel);
  steps_[step].kernel = detail.kernel.get();
}

void EnqueueExecutable::launch_step(CommandQueue& queue, std::size_t step, CommandEvents* events) {
  if (!steps_[step].is_dispatch) {
    queue.run(details_[step].command, events);
    return;
  }
  make_kernel(step);
  const Step& s = steps_[step];
  EventHandle done;
  cl_event* const event = events ? events->first.out() : s.is_sharing ? done.out() : nullptr;
  const cl_int status = api().enqueue_nd_range_kernel(queue.get(), s.kernel, s.grid.dimensions,
                                                      s.grid.offset_or_null(), s.grid.global.data(),
                                                      s.grid.local_or_null(), 0, nullptr, event);
  if (s.is_sharing && status == CL_SUCCESS) hold_shared(details_[step].arguments, *event);
  if (status != CL_SUCCESS) [[unlikely]]
    fail_status(status, "clEnqueueNDRangeKernel",
                fmt::format("step {} ('{}')", step, details_[step].dispatch().kernel->source.name));
}

void EnqueueExecutable::launch(QueueDriver& driver) {
  auto& queue = static_cast<CommandQueue&>(driver);
  const CommandQueue::Enqueueing enqueueing{queue};
  const auto enqueue = api().enqueue_nd_range_kernel;
  for (std::size_t i = 0; i < steps_.size(); ++i) {
    const Step& s = steps_[i];
    if (!s.runs()) continue;
    if (!s.kernel || s.is_sharing ||
        enqueue(queue.get(), s.kernel, s.grid.dimensions, s.grid.offset_or_null(),
                s.grid.global.data(), s.grid.local_or_null(), 0, nullptr, nullptr) != CL_SUCCESS)
      launch_step(queue, i, nullptr);  // or once more, for the error
  }
  queue.flush();
}

std::unique_ptr<StepTimes> EnqueueExecutable::launch_timed(QueueDriver& driver) {
  auto& queue = static_cast<CommandQueue&>(driver);
  queue.get_stamping();
  auto times = std::make_unique<EventTimes>(steps_.size());
  const CommandQueue::Enqueueing enqueueing{queue};
  for (std::size_t i = 0; i < steps_.size(); ++i) {
    if (!steps_[i].runs()) continue;
    launch_step(queue, i, &times->add(static_cast<std::uint32_t>(i)));
    times->drop_last_if_empty();
  }
  queue.flush();
  return times;
}

void EnqueueExecutable::set_argument(std::uint32_t step, std::uint32_t index,
                                     const Argument& value) {
  Detail& detail = details_[step];
  if (detail.kernel) {
    auto& built = static_cast<BuiltKernel&>(*detail.dispatch().kernel);
    detail.held[index] = opencl::set_argument(built.context(), detail.kernel.get(), index, value);
  }
  detail.arguments[index] = value;
  steps_[step].is_sharing = uses_shared(detail.arguments);
}

void EnqueueExecutable::set_groups(std::uint32_t step, Dim3 groups) {
  Dispatch& dispatch = details_[step].dispatch();
  dispatch.groups = groups;
  steps_[step].grid = make_grid(dispatch);
}

void EnqueueExecutable::set_enabled(std::uint32_t step, bool enabled) {
  steps_[step].enabled = enabled;
}

void EnqueueExecutable::replace(std::uint32_t step, const Command& command) {
  details_[step].replace(command.work);
}

std::unique_ptr<EnqueueExecutable> EnqueueExecutable::copy() const {
  std::unique_ptr<EnqueueExecutable> result(new EnqueueExecutable);
  result->plan_ = plan_;
  result->why_ = why_;
  result->steps_ = steps_;
  result->details_.resize(details_.size());
  for (std::size_t i = 0; i < details_.size(); ++i) {
    result->details_[i].KeptCommand::operator=(details_[i]);
    result->steps_[i].kernel = nullptr;
    if (details_[i].kernel) result->make_kernel(i);
  }
  return result;
}

std::unique_ptr<Executable> EnqueueExecutable::clone() const { return copy(); }

Footprint EnqueueExecutable::footprint() const {
  Footprint result;
  result.host_bytes = sizeof *this + steps_.size() * (sizeof(Step) + sizeof(Detail));
  for (const Detail& detail : details_)
    result.host_bytes += detail.arguments.size() * (sizeof(Argument) + sizeof(MemoryHandle)) +
                         (detail.data ? detail.data->size() : 0);
  return result;
}

std::string EnqueueExecutable::lowering() const {
  return fmt::format("{} enqueues of pre-bound kernels{}", steps_.size(),
                     why_.empty() ? "" : " (" + why_ + ")");
}

}  // namespace reel::opencl
