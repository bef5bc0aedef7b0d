#include "backends/opencl/work/launch_probe.hpp"

#include <algorithm>
#include <ctime>
#include <functional>
#include <limits>
#include <memory>

namespace reel::opencl {
namespace {

constexpr int commands = 128, repetitions = 4;  // the first one warms up

double process_cpu_ns() {
  timespec time{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) * 1e9 + static_cast<double>(time.tv_nsec);
}

double nanoseconds_per_command(const std::function<void()>& run) {
  const double begin = process_cpu_ns();
  run();
  return (process_cpu_ns() - begin) / commands;
}

}  // namespace

LaunchCost measure_launches(DeviceContext& context, const CommandBufferApi& extension) {
  const QueueHandle queue_handle = context.make_queue();
  cl_command_queue queue = queue_handle.get();
  const MemoryHandle memory = context.allocate_zeroed(8).handle;
  const cl_command_buffer_properties_khr properties[] = {CL_COMMAND_BUFFER_FLAGS_KHR,
                                                         CL_COMMAND_BUFFER_SIMULTANEOUS_USE_KHR, 0};
  cl_int status = CL_SUCCESS;
  const std::unique_ptr<_cl_command_buffer_khr, clReleaseCommandBufferKHR_fn> buffer(
      extension.create(1, &queue, properties, &status), extension.release);
  check(status, "clCreateCommandBufferKHR");
  for (int i = 0; i < commands; ++i)
    check(extension.copy_buffer(buffer.get(), nullptr, memory.get(), memory.get(), 0, 4, 4, 0,
                                nullptr, nullptr, nullptr),
          "clCommandCopyBufferKHR");
  check(extension.finalize(buffer.get()), "clFinalizeCommandBufferKHR");

  constexpr double never = std::numeric_limits<double>::max();
  LaunchCost best{never, never};
  for (int i = 0; i < repetitions; ++i) {
    const double plain = nanoseconds_per_command([&] {
      for (int c = 0; c < commands; ++c)
        check(api().enqueue_copy_buffer(queue, memory.get(), memory.get(), 0, 4, 4, 0, nullptr,
                                        nullptr),
              "clEnqueueCopyBuffer");
      check(api().finish(queue), "clFinish");
    });
    const double recorded = nanoseconds_per_command([&] {
      check(extension.enqueue(1, &queue, buffer.get(), 0, nullptr, nullptr),
            "clEnqueueCommandBufferKHR");
      check(api().finish(queue), "clFinish");
    });
    if (i == 0) continue;
    best.enqueue_ns = std::min(best.enqueue_ns, plain);
    best.command_buffer_ns = std::min(best.command_buffer_ns, recorded);
  }
  return best;
}

}  // namespace reel::opencl
