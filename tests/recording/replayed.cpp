#include "recording/replayed.hpp"

#include <fmt/format.h>

#include <cstring>
#include <map>

#include "base/bytes/hash128.hpp"
#include "reel/stream.hpp"

namespace reel::test {

namespace {

class Replayer {
 public:
  Replayer(const Trace& trace, const Device& device,
           const std::function<HostKernel(const std::string&)>& host_kernel)
      : trace_(trace), stream_(device.stream("replay")) {
    for (const TraceBuffer& b : trace.buffers())
      buffers_.push_back(device.buffer(b.size_bytes, b.label));
    for (const TraceKernel& k : trace.kernels()) kernels_.push_back(build(device, k, host_kernel));
  }

  Replayed run() {
    Replayed result;
    auto contents = trace_.contents().begin();
    for (std::uint32_t c = 0; c < trace_.commands().size(); ++c) {
      std::vector<const TraceContents*> of_this;
      for (; contents != trace_.contents().end() && contents->command == c; ++contents)
        of_this.push_back(&*contents);
      for (const TraceContents* one : of_this)
        if (one->role != ContentRole::check) put(*one);
      give(trace_.work_of(trace_.commands()[c]));
      ++result.commands;
      for (const TraceContents* one : of_this) {
        if (one->role != ContentRole::check) continue;
        ++result.checks;
        if (const std::string found = compare(*one); !found.empty() && result.difference.empty())
          result.difference = fmt::format("after c{}: {}", c, found);
      }
    }
    return result;
  }

 private:
  Kernel build(const Device& device, const TraceKernel& k,
               const std::function<HostKernel(const std::string&)>& host_kernel) {
    KernelSource source{.name = k.name};
    for (const TraceVariant& variant : k.variants) {
      if (variant.form == KernelForm::host) source.host = host_kernel(k.name);
      if (!variant.blob) continue;
      const auto bytes = trace_.blob(*variant.blob).value();
      const std::string text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
      if (variant.form == KernelForm::opencl_c) source.opencl_c = text;
      if (variant.form == KernelForm::glsl) source.glsl = text;
    }
    return device.kernel(source);
  }

  BufferRange range(const TraceArgument& a) const {
    return {buffers_[a.buffer], a.offset_bytes, a.size_bytes};
  }

  void put(const TraceContents& contents) {
    const auto bytes = trace_.bytes(contents).value();
    stream_.write(BufferRange(buffers_[contents.buffer], contents.offset_bytes, bytes.size()),
                  bytes);
  }

  void give(const TraceWork& work) {
    const auto arguments = trace_.arguments(work);
    if (work.kind == WorkKind::copy) stream_.copy(range(arguments[1]), range(arguments[0]));
    if (work.kind == WorkKind::fill)
      stream_.fill(Fill{range(arguments[0]), work.pattern, work.pattern_bytes});
    if (work.kind != WorkKind::dispatch) return;
    std::vector<Argument> list;
    for (const TraceArgument& a : arguments) {
      if (a.kind == ArgumentKind::buffer) list.emplace_back(Bound{range(a), a.access});
      if (a.kind == ArgumentKind::shared) list.emplace_back(Shared{a.size_bytes});
      if (a.kind != ArgumentKind::value) continue;
      Argument value;
      value.value_bytes = static_cast<std::uint32_t>(a.size_bytes);
      std::memcpy(value.bytes, trace_.value_bytes(a).data(), a.size_bytes);
      list.push_back(value);
    }
    stream_.dispatch(kernels_[work.kernel], {.groups = work.groups, .group_size = work.group_size},
                     std::span<const Argument>(list));
  }

  std::string compare(const TraceContents& check) {
    std::vector<std::byte> found(check.size_bytes);
    stream_.read_now(BufferRange(buffers_[check.buffer], check.offset_bytes, check.size_bytes),
                     found);
    for (std::uint32_t i = 0; i < check.page_count; ++i) {
      const std::size_t at = i * page_bytes;
      const Hash128 hash = hash128(
          std::span(found).subspan(at, std::min<std::size_t>(page_bytes, found.size() - at)));
      const BlobId expected = trace_.pages(check)[i];
      if (hash.low != expected.low || hash.high != expected.high)
        return fmt::format("page {} of '{}' (offset {}, {} bytes) differs", i,
                           trace_.buffers()[check.buffer].label, check.offset_bytes,
                           check.size_bytes);
    }
    return {};
  }

  const Trace& trace_;
  const Stream stream_;
  std::vector<Buffer> buffers_;
  std::vector<Kernel> kernels_;
};

}  // namespace

Replayed replay(const Trace& trace, const Device& device,
                const std::function<HostKernel(const std::string&)>& host_kernel) {
  return Replayer(trace, device, host_kernel).run();
}

}  // namespace reel::test
