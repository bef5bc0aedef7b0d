#include "reel/buffer.hpp"

#include "base/fail.hpp"
#include "graph/commands/resource.hpp"
#include "runtime/device_state.hpp"

namespace reel {

namespace {

// Only temporaries have none: there is no handle of those of loaded graphs.
DeviceState& device_of(const BufferResource& buffer, std::string_view call) {
  if (!buffer.device)
    fail(Code::invalid_argument,
         "Buffer '{}' is a temporary of graphs and belongs to no device, so {} finds no bytes of "
         "it; let its graph copy them.",
         buffer.label, call);
  return *buffer.device;
}

}  // namespace

void Buffer::write_bytes(std::span<const std::byte> data, std::uint64_t offset_bytes) const {
  const BufferRange range(*this, offset_bytes, data.size());
  if (!data.empty()) device_of(*resource_, "write()").write(range, data);
}

void Buffer::read_bytes(std::span<std::byte> target, std::uint64_t offset_bytes) const {
  const BufferRange range(*this, offset_bytes, target.size());
  if (!target.empty()) device_of(*resource_, "read()").read(range, target);
}

void Buffer::check_read(std::uint64_t offset_bytes, std::uint64_t size_bytes) const {
  const BufferRange checked(*this, offset_bytes, size_bytes);
  static_cast<void>(checked);
}

std::span<std::byte> Buffer::mapped() const {
  const BufferRange whole(*this);  // refuses one that is empty or freed
  if (!resource_->mapped) return {};
  return {resource_->mapped, whole.size_bytes};
}

std::uint64_t Buffer::device_address() const {
  const BufferRange whole(*this);  // as above
  return whole.buffer->device_address;
}

void Buffer::free() {
  if (!resource_) fail(Code::invalid_argument, "The Buffer given to free() is empty.");
  if (resource_->freed.exchange(true))
    fail(Code::invalid_argument, "Buffer '{}' was freed already.", resource_->label);
  resource_.reset();
}

}  // namespace reel
