// resource.hpp - what a graph knows of the buffers and kernels that commands name.
//
// Backends derive from these and add their driver handles. `device` keeps the device open as
// long as anything made by it lives; here it is only compared, never looked into.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "reel/buffer.hpp"
#include "reel/dim3.hpp"
#include "reel/ids.hpp"
#include "reel/image.hpp"
#include "reel/kernel.hpp"

namespace reel {

class DeviceState;
struct Dispatch;

// Which capture has already taken note of a thing, so that most commands need no look-up. Captures
// are numbered from 1.
using CaptureNumber = std::atomic<std::uint32_t>;

struct BufferResource : std::enable_shared_from_this<BufferResource> {
  BufferId id{};
  std::string label;
  std::uint64_t size_bytes = 0;
  std::shared_ptr<DeviceState> device;
  std::atomic<bool> freed = false;  // by Buffer::free()
  // Of an image. One that is made on a buffer has no bytes of its own: it shows those of `storage`.
  std::optional<ImageShape> image;
  std::shared_ptr<BufferResource> storage;
  bool is_shared_virtual = false;  // a range of it may be bound wherever it begins
  std::byte* mapped = nullptr;     // of Buffer::mapped()
  // Where its bytes lie in the host's memory, for whoever knows that nothing writes them. Null:
  // only the driver reads them.
  const std::byte* host_bytes = nullptr;
  std::uint64_t device_address = 0;  // of Buffer::device_address()
  std::uint64_t storage_offset_bytes = 0, storage_size_bytes = 0;
  // The capture that has every byte, and the one that knows every byte to be written by a device.
  CaptureNumber known_in = 0, written_in = 0;

  BufferResource() = default;
  BufferResource(const BufferResource&) = delete;
  BufferResource& operator=(const BufferResource&) = delete;
  virtual ~BufferResource() = default;
};

// Where the bytes of a range are: of an image made on a buffer, all that it may show of it.
inline BufferRange stored_range(const BufferRange& range) noexcept {
  if (!range.buffer || !range.buffer->storage) return range;
  BufferRange stored;
  stored.buffer = range.buffer->storage.get();
  stored.offset_bytes = range.buffer->storage_offset_bytes;
  stored.size_bytes = range.buffer->storage_size_bytes;
  return stored;
}

struct KernelResource : std::enable_shared_from_this<KernelResource> {
  KernelId id{};
  KernelSource source;
  std::vector<Parameter> parameters;  // of the form that was built, in argument order
  bool reflected = false;             // false: parameters are not known
  // SPIR-V tells the order of buffers and the order of values, not how the two are mixed: the
  // k-th buffer argument is then the k-th buffer parameter, wherever it stands.
  bool parameters_by_kind = false;
  Dim3 group_size = unset_dim;        // fixed by the source, or the default of KernelSource
  bool group_size_fixed = false;      // launches with another size are refused
  std::uint64_t max_group_items = 0;  // of this kernel; 0: the device's
  bool whole_groups_only = false;     // its device takes no partial groups
  // Its device takes an offset that is whole groups (DeviceInfo::takes_free_grids or not).
  bool takes_group_offsets = false;
  bool checks_arguments = false;  // check_arguments() has something to say
  // It uses buffers by their addresses. They are arguments behind those of its parameters, so that
  // hazards are seen and captures have their bytes.
  bool follows_addresses = false;
  std::string build_log;
  std::shared_ptr<DeviceState> device;
  CaptureNumber recorded_in = 0;

  KernelResource() = default;
  KernelResource(const KernelResource&) = delete;
  KernelResource& operator=(const KernelResource&) = delete;
  // What the driver made of it, as far as it tells: to see whether two builds are the same.
  virtual std::vector<std::byte> binary() const { return {}; }
  // Throws for arguments of the right kinds that can't be bound all the same: a format that this
  // device doesn't write, an offset that only uniform buffers can't have.
  virtual void check_arguments(const Dispatch&) const {}
  virtual ~KernelResource() = default;
};

}  // namespace reel
