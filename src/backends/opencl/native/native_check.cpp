#include "backends/opencl/native/native_check.hpp"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <map>
#include <utility>
#include <variant>
#include <vector>

#include "backends/opencl/device/buffer.hpp"
#include "backends/opencl/kernels/kernel.hpp"
#include "backends/opencl/work/enqueue_executable.hpp"
#include "backends/opencl/work/only_enqueued.hpp"
#include "backends/opencl/work/queue.hpp"
#include "base/clock.hpp"
#include "base/fail.hpp"
#include "graph/commands/access.hpp"
#include "graph/node_payload.hpp"

namespace reel::opencl {
namespace {

// Of copies, for each of the two ways. Copying this much takes some 20 ms.
constexpr std::uint64_t most_copied_bytes = std::uint64_t{64} << 20;

using Functions = NativeProgram::Functions;

BuiltKernel& kernel_of(const Dispatch& dispatch) {
  return static_cast<BuiltKernel&>(*dispatch.kernel);
}

// Calls visit(BufferRange&, may_write) for each range of a step's work.
template <class W, class F>
void for_each_range(W& work, std::vector<Argument>& arguments, F&& visit) {
  if (auto* dispatch = std::get_if<Dispatch>(&work)) {
    for (std::size_t i = 0; i < arguments.size(); ++i)
      if (arguments[i].kind == ArgumentKind::buffer)
        visit(arguments[i].range, writes(dispatch->kernel->parameters[i].access));
  } else {
    for_each_transfer_range(
        work, [&](BufferRange& range, Access access) { visit(range, writes(access)); });
  }
}

std::vector<Argument> arguments_of(const Work& work) {
  const auto* dispatch = std::get_if<Dispatch>(&work);
  if (!dispatch) return {};
  return std::vector<Argument>(dispatch->arguments.begin(), dispatch->arguments.end());
}

// What a plan may write, once more, with the contents it has now.
class Copies {
 public:
  static std::vector<DeviceBuffer*> written_by(const Plan& plan) {
    std::vector<DeviceBuffer*> result;
    for (const Step& step : plan.steps) {
      Work work = step.command.work;
      std::vector<Argument> arguments = arguments_of(work);
      for_each_range(work, arguments, [&](BufferRange& range, bool may_write) {
        if (may_write && range.buffer) result.push_back(&device_buffer(range));
      });
    }
    std::sort(result.begin(), result.end());
    result.erase(std::unique(result.begin(), result.end()), result.end());
    return result;
  }

  Copies(const std::shared_ptr<DeviceContext>& context,
         const std::vector<DeviceBuffer*>& originals) {
    for (DeviceBuffer* original : originals)
      copies_[original] =
          std::make_shared<DeviceBuffer>(context, original->size_bytes, "copy for a self-check");
  }

  void take_contents() {
    for (auto& [original, copy] : copies_)
      std::memcpy(copy->address(), original->address(), original->size_bytes);
  }

  // The plan on the copies, without what the host would notice (reads and host calls).
  std::shared_ptr<const Plan> plan_on_copies(const Plan& plan) const {
    auto result = std::make_shared<Plan>();
    for (const Step& step : plan.steps) {
      Step& changed = result->steps.emplace_back(step);
      Work& work = changed.command.work;
      if (std::holds_alternative<Read>(work) || std::holds_alternative<HostCall>(work))
        work = Barrier{};
      auto payload = std::make_shared<NodePayload>();
      payload->arguments = arguments_of(work);
      for_each_range(work, payload->arguments, [&](BufferRange& range, bool) {
        const auto copy = copies_.find(static_cast<DeviceBuffer*>(range.buffer));
        if (copy != copies_.end()) range.buffer = copy->second.get();
      });
      if (auto* dispatch = std::get_if<Dispatch>(&work)) dispatch->arguments = payload->arguments;
      changed.payload = std::move(payload);
    }
    return result;
  }

  // The first buffer whose copies differ; null when none do.
  const DeviceBuffer* first_difference(const Copies& other) const {
    for (const auto& [original, copy] : copies_)
      if (std::memcmp(copy->address(), other.copies_.at(original)->address(),
                      original->size_bytes) != 0)
        return original;
    return nullptr;
  }

 private:
  std::map<DeviceBuffer*, std::shared_ptr<DeviceBuffer>> copies_;
};

// Known functions of the plan's dispatches; null entries where one is missing.
std::shared_ptr<Functions> known_functions(const Plan& plan, bool& all) {
  auto result = std::make_shared<Functions>(plan.steps.size());
  all = true;
  for (std::size_t i = 0; i < plan.steps.size(); ++i) {
    const auto* dispatch = std::get_if<Dispatch>(&plan.steps[i].command.work);
    if (!dispatch || dispatch->groups.count() == 0) continue;
    (*result)[i] = kernel_of(*dispatch).native.find(
        dispatch->group_size, is_small_grid(dispatch->groups, dispatch->group_size));
    if (!(*result)[i]) all = false;
  }
  return result;
}

std::string why_not_kernels(const Plan& plan) {
  for (const Step& step : plan.steps)
    if (const char* why = why_only_enqueued(step.command.work)) return why;
  for (const Step& step : plan.steps) {
    const auto* dispatch = std::get_if<Dispatch>(&step.command.work);
    if (!dispatch) continue;
    if (dispatch->groups.count() == 0) return "a step has no groups to check it with";
    BuiltKernel& kernel = kernel_of(*dispatch);
    std::string why = kernel.native.refusal();
    if (why.empty()) why = why_not_native(kernel);
    if (!why.empty()) return why;
  }
  return {};
}

// Finds what is missing, now that PoCL has loaded it; the same function for equal steps.
std::string find_missing(const Plan& plan, Functions& functions) {
  std::map<std::pair<const BuiltKernel*, std::array<std::uint32_t, 4>>,
           std::shared_ptr<const NativeFunction>>
      found;
  for (std::size_t i = 0; i < plan.steps.size(); ++i) {
    const auto* dispatch = std::get_if<Dispatch>(&plan.steps[i].command.work);
    if (!dispatch || functions[i]) continue;
    const Dim3 size = dispatch->group_size;
    const bool small = is_small_grid(dispatch->groups, size);
    auto& function = found[{&kernel_of(*dispatch), {size.x, size.y, size.z, small}}];
    std::string why;
    if (!function) function = find_native_function(kernel_of(*dispatch), size, small, why);
    if (!function) return why;
    functions[i] = function;
  }
  return {};
}

// The shortest of a few runs counts: a thread that is held up seems to take a hundred times as
// long, and what is left to the driver for that is not measured again.
void note_times(const Plan& plan, const Functions& functions, const NativeProgram& program) {
  constexpr int runs = 4;
  constexpr std::uint64_t enough_ns = 50'000'000;  // longer than a thread is held up at a time
  const std::size_t count = functions.size();
  std::vector<float> shortest(count);
  std::vector<std::atomic<float>> times(count);
  const std::uint64_t begin_ns = monotonic_ns();
  for (int run = 0; run < runs; ++run) {
    if (run != 0 && monotonic_ns() - begin_ns > enough_ns) break;
    program.run(0, count, times.data());
    for (std::size_t i = 0; i < count; ++i)
      shortest[i] = run == 0 ? times[i].load() : std::min(shortest[i], times[i].load());
  }
  for (std::size_t i = 0; i < count; ++i)
    if (const auto* dispatch = std::get_if<Dispatch>(&plan.steps[i].command.work))
      functions[i]->set_group_ns(shortest[i] / static_cast<float>(dispatch->groups.count()));
}

void trust(const Plan& plan, const Functions& functions) {
  for (std::size_t i = 0; i < functions.size(); ++i) {
    const auto* dispatch = std::get_if<Dispatch>(&plan.steps[i].command.work);
    if (!dispatch) continue;
    const bool small = is_small_grid(dispatch->groups, dispatch->group_size);
    NativeFunctions& known = kernel_of(*dispatch).native;
    if (!known.find(dispatch->group_size, small))
      known.add(dispatch->group_size, small, functions[i]);
  }
}

void distrust(const Plan& plan, const std::string& why) {
  bool all = true;
  const auto known = known_functions(plan, all);
  for (std::size_t i = 0; i < known->size(); ++i)
    if (const auto* dispatch = std::get_if<Dispatch>(&plan.steps[i].command.work))
      if (!(*known)[i]) kernel_of(*dispatch).native.refuse(why);
}

// Empty when both ways gave the same bytes.
std::string compare_ways(const std::shared_ptr<DeviceContext>& context, const Plan& plan,
                         const std::shared_ptr<Functions>& functions) {
  const std::vector<DeviceBuffer*> written = Copies::written_by(plan);
  std::uint64_t bytes = 0;
  for (const DeviceBuffer* buffer : written) bytes += buffer->size_bytes;
  if (bytes > most_copied_bytes)
    return fmt::format("a self-check would copy {} bytes, more than {}", bytes, most_copied_bytes);
  Copies plain(context, written), native(context, written);
  CommandQueue queue(context);
  // Twice, since another stream may write a buffer between the two ways.
  const DeviceBuffer* differs = nullptr;
  for (int attempt = 0; attempt < 2; ++attempt) {
    plain.take_contents();
    native.take_contents();
    EnqueueExecutable enqueues(plain.plan_on_copies(plan), {});
    enqueues.launch(queue);
    queue.wait();
    if (std::string why = find_missing(plan, *functions); !why.empty()) return why;
    const NativeProgram program(native.plan_on_copies(plan), functions);
    program.run(0, plan.steps.size(), nullptr);
    differs = plain.first_difference(native);
    if (differs) continue;
    note_times(plan, *functions, program);  // with warm caches
    return {};
  }
  std::string why = fmt::format("the self-check differed in buffer '{}'", differs->label);
  distrust(plan, why);
  return why;
}

}  // namespace

NativeCheck check_native(const std::shared_ptr<DeviceContext>& context,
                         const std::shared_ptr<const Plan>& plan) {
  NativeCheck result;
  if (result.why_not = context->why_not_native(); !result.why_not.empty()) return result;
  bool all = true;
  result.why_not = why_not_kernels(*plan);
  if (!result.why_not.empty()) return result;
  std::shared_ptr<Functions> functions = known_functions(*plan, all);
  if (!all) {
    try {
      result.why_not = compare_ways(context, *plan, functions);
    } catch (const Error& error) {
      result.why_not = fmt::format("the self-check failed: {}", error.what());
    }
    if (!result.why_not.empty()) return result;
    trust(*plan, *functions);
  }
  result.functions = std::move(functions);
  return result;
}

}  // namespace reel::opencl
