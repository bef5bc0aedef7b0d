// device.hpp - an OpenCL device as the library sees it.
#pragma once

#include <memory>

#include "backends/opencl/device/context.hpp"
#include "backends/opencl/kernels/program_cache.hpp"
#include "backends/opencl/work/executable.hpp"
#include "runtime/driver.hpp"

namespace reel::opencl {

class OpenclDevice final : public DeviceDriver {
 public:
  explicit OpenclDevice(const FoundDevice& found);

  const DeviceInfo& info() const override { return context_->info(); }
  std::unique_ptr<BufferResource> allocate(const MemoryRequest& request) override;
  std::shared_ptr<KernelResource> build(const KernelSource& source,
                                        std::shared_ptr<void>* shared) override;
  std::unique_ptr<QueueDriver> open_queue(std::string_view label, StreamPriority priority) override;
  std::unique_ptr<Executable> instantiate(std::shared_ptr<const Plan> plan) override;
  MadeForDevice decide_on_device(const DecidedOnDevice&) override {
    return {nullptr, "OpenCL has no commands that decide"};
  }
  std::uint64_t now_ns() override { return context_->now_ns(); }

 private:
  std::shared_ptr<DeviceContext> context_;
  ProgramCache programs_;
  ExecutableMaker executables_;
};

}  // namespace reel::opencl
