#include "backends/opencl/device/device.hpp"

#include <exception>
#include <utility>

#include "backends/backends.hpp"
#include "backends/opencl/device/buffer.hpp"
#include "backends/opencl/kernels/kernel.hpp"
#include "backends/opencl/work/queue.hpp"
#include "base/fail.hpp"

namespace reel {
namespace opencl {
namespace {

std::vector<DeviceInfo> list() {
  std::vector<DeviceInfo> infos;
  try {
    for (FoundDevice& found : find_devices()) infos.push_back(std::move(found.info));
  } catch (const std::exception& error) {
    DeviceInfo& info = infos.emplace_back();
    info.id = info.backend = "opencl";
    info.unavailable = fmt::format("Looking for OpenCL devices failed: {}", error.what());
  }
  return infos;
}

std::shared_ptr<DeviceDriver> open(const DeviceInfo& info) {
  for (const FoundDevice& found : find_devices()) {
    if (found.info.id != info.id) continue;
    if (!found.info.available())
      fail(Code::no_device, "{} can't be opened: {}", info.id, found.info.unavailable);
    return std::make_shared<OpenclDevice>(found);
  }
  fail(Code::no_device, "{} ('{}') is no longer there.", info.id, info.name);
}

}  // namespace

OpenclDevice::OpenclDevice(const FoundDevice& found)
    : context_(std::make_shared<DeviceContext>(found)), executables_(context_) {}

std::unique_ptr<BufferResource> OpenclDevice::allocate(const MemoryRequest& request) {
  return std::make_unique<DeviceBuffer>(context_, request);
}

std::shared_ptr<KernelResource> OpenclDevice::build(const KernelSource& source,
                                                    std::shared_ptr<void>* shared) {
  auto program = shared ? std::static_pointer_cast<const BuiltProgram>(*shared) : nullptr;
  if (!program) program = programs_.get(*context_, source);
  if (shared && !*shared) *shared = std::const_pointer_cast<BuiltProgram>(program);
  return std::make_shared<BuiltKernel>(context_, std::move(program), source);
}

std::unique_ptr<QueueDriver> OpenclDevice::open_queue(std::string_view /*label*/,
                                                      StreamPriority priority) {
  return std::make_unique<CommandQueue>(context_, priority);
}

std::unique_ptr<Executable> OpenclDevice::instantiate(std::shared_ptr<const Plan> plan) {
  return executables_.make(std::move(plan));
}

}  // namespace opencl

extern const Backend opencl_backend;
const Backend opencl_backend{"opencl", &opencl::list, &opencl::open};

}  // namespace reel
