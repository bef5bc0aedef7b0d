// device.cpp - the machine itself as a device: no driver needed, and the reference for others.
#include <sys/mman.h>

#include <cerrno>
#include <cstring>
#include <limits>
#include <thread>

#include "backends/backends.hpp"
#include "backends/host/buffer.hpp"
#include "backends/host/executable.hpp"
#include "backends/host/kernel.hpp"
#include "backends/host/queue.hpp"
#include "backends/host/work.hpp"
#include "base/fail.hpp"
#include "base/os/machine.hpp"

namespace reel::host {

Buffer::~Buffer() {
  if (data) munmap(data - skipped_bytes, size_bytes + skipped_bytes);
}

namespace {

DeviceInfo make_info() {
  DeviceInfo info;
  info.id = info.backend = "host";
  info.name = os::cpu_name();
  info.type = "cpu";
  info.driver = "reel";
  info.driver_version = REEL_VERSION;
  info.api_version = "C++20";
  info.memory_bytes = os::memory_bytes();
  info.max_buffer_bytes = info.max_binding_bytes = info.memory_bytes;
  info.compute_units = std::max(1u, std::thread::hardware_concurrency());
  info.max_group_items = 1024;
  info.max_group_size = {1024, 1024, 1024};
  info.max_groups = {most_groups, most_groups, most_groups};
  info.takes_free_grids = info.takes_partial_groups = info.maps_memory = true;
  info.max_shared_bytes = 64 << 10;
  info.can_stamp_time = true;
  info.stamp_resolution_ns = 1;
  info.can_dispatch_indirect = info.can_dispatch_conditionally = true;
  info.kernel_forms = {KernelForm::host};
  return info;
}

class Device final : public DeviceDriver {
 public:
  const DeviceInfo& info() const override { return *info_; }

  std::unique_ptr<BufferResource> allocate(const MemoryRequest& request) override {
    // Fresh pages are zero and cost nothing until they are touched.
    const bool fits =
        request.size_bytes <= std::numeric_limits<std::size_t>::max() - Buffer::skipped_bytes;
    void* memory = fits ? mmap(nullptr, request.size_bytes + Buffer::skipped_bytes,
                               PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
                        : MAP_FAILED;
    if (!fits) errno = ENOMEM;
    if (memory == MAP_FAILED)
      fail(Code::out_of_memory, "Buffer '{}' of {} bytes can't be had from the host: {}.",
           request.label, request.size_bytes, std::strerror(errno));
    auto buffer = std::make_unique<Buffer>();
    buffer->data = static_cast<std::byte*>(memory) + Buffer::skipped_bytes;
    buffer->host_bytes = buffer->data;
    buffer->size_bytes = request.size_bytes;
    buffer->is_shared_virtual = request.shared_virtual;
    if (request.host_visible) buffer->mapped = buffer->data;
    return buffer;
  }

  std::shared_ptr<KernelResource> build(const KernelSource& source,
                                        std::shared_ptr<void>* /*shared*/) override {
    return host::build(source);
  }

  std::unique_ptr<QueueDriver> open_queue(std::string_view /*label*/,
                                          StreamPriority /*priority*/) override {
    return std::make_unique<Queue>(pool_, info_);
  }

  MadeForDevice decide_on_device(const DecidedOnDevice&) override {
    return {nullptr, "the device is the host"};
  }
  std::unique_ptr<reel::Executable> instantiate(std::shared_ptr<const Plan> plan) override {
    return std::make_unique<Executable>(std::move(plan));
  }

  std::uint64_t now_ns() override { return host::now_ns(); }

 private:
  const std::shared_ptr<const DeviceInfo> info_ = std::make_shared<const DeviceInfo>(make_info());
  // The thread that has the work is one of them.
  const std::shared_ptr<Pool> pool_ = std::make_shared<Pool>(info_->compute_units - 1);
};

}  // namespace
}  // namespace reel::host

namespace reel {

const Backend host_backend{
    "host",
    [] { return std::vector<DeviceInfo>{host::make_info()}; },
    [](const DeviceInfo&) -> std::shared_ptr<DeviceDriver> {
      return std::make_shared<host::Device>();
    },
};

}  // namespace reel
