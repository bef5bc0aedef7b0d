#include "graph/commands/resource.hpp"

#include "base/fail.hpp"
#include "base/handles.hpp"
#include "graph/commands/describe.hpp"
#include "reel/buffer.hpp"

namespace reel {
namespace {

const BufferResource& existing(const Buffer& buffer) {
  if (!buffer)
    fail(Code::invalid_argument, "This Buffer handle is empty; Device::buffer() makes buffers.");
  return *resource_of(buffer);
}

const KernelResource& existing(const Kernel& kernel) {
  if (!kernel)
    fail(Code::invalid_argument, "This Kernel handle is empty; Device::kernel() makes kernels.");
  return *resource_of(kernel);
}

}  // namespace

BufferRange::BufferRange(const Buffer& whole) : BufferRange(whole, 0, existing(whole).size_bytes) {}

BufferRange::BufferRange(const Buffer& of, std::uint64_t offset, std::uint64_t size)
    : buffer(resource_of(of).get()), offset_bytes(offset), size_bytes(size) {
  const BufferResource& resource = existing(of);
  if (resource.freed)
    fail(Code::invalid_argument, "Buffer {} was freed; no range of it can be used.",
         describe(resource));
  // Written so that an offset and a size whose sum overflows are refused too.
  if (offset > resource.size_bytes || size > resource.size_bytes - offset)
    fail(Code::invalid_argument, "Range (offset {}, {} bytes) ends past buffer {} ({} bytes).",
         offset, size, describe(resource), resource.size_bytes);
}

BufferId Buffer::id() const { return existing(*this).id; }
const std::string& Buffer::label() const { return existing(*this).label; }
std::uint64_t Buffer::size_bytes() const { return existing(*this).size_bytes; }

KernelId Kernel::id() const { return existing(*this).id; }
const std::string& Kernel::name() const { return existing(*this).source.name; }
const KernelSource& Kernel::source() const { return existing(*this).source; }
const std::vector<Parameter>& Kernel::parameters() const { return existing(*this).parameters; }
Dim3 Kernel::group_size() const { return existing(*this).group_size; }
const std::string& Kernel::build_log() const { return existing(*this).build_log; }

}  // namespace reel
