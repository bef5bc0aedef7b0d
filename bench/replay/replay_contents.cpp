#include "replay_contents.hpp"

#include <fmt/format.h>
#include <xxhash.h>
#include <zstd.h>

#include <cstring>
#include <memory>
#include <random>
#include <span>
#include <stdexcept>
#include <utility>

#include "shared/capture_file.hpp"
#include "shared/increment.hpp"

namespace bench {
namespace {

constexpr const char* zstd_and_memcpy = "zstd and memcpy";
constexpr const char* memcpy_and_hash = "memcpy and XXH3";

constexpr std::uint32_t buffer_mib = 32;  // in groups of 256 as many as a device must allow
constexpr std::uint32_t page_elements = reel::page_bytes / sizeof(std::uint32_t);
constexpr std::uint32_t buffer_elements = buffer_mib * page_elements;

// As numbers of 16 bits that were widened: the upper half is random, the lower is zero.
std::vector<std::uint32_t> widened(std::uint32_t seed) {
  std::vector<std::uint32_t> elements(buffer_elements);
  std::minstd_rand random(seed + 1);
  for (std::uint32_t& element : elements) element = static_cast<std::uint32_t>(random()) << 16;
  return elements;
}

void sample_group(const reel::HostGroup& group, const std::uint32_t* a, std::uint32_t* b) {
  for (std::uint32_t i = 0; i < group_items; ++i)
    b[group.id.x * group_items + i] = a[(group.id.x * group_items + i) * 1024];
}

// Says that it reads all, and looks at little: what is measured is not the kernel.
reel::Kernel sample_kernel(const reel::Device& device) {
  reel::register_host_kernel("sample", reel::host_kernel<&sample_group>());
  return device.kernel({.name = "sample",
                        .opencl_c = R"(
__kernel __attribute__((reqd_work_group_size(256, 1, 1)))
void sample(__global const uint* a, __global uint* b) {
  b[get_global_id(0)] = a[get_global_id(0) * 1024];
}
)",
                        .glsl = R"(#version 450
layout(local_size_x = 256) in;
layout(std430, set = 0, binding = 0) readonly buffer A { uint a[]; };
layout(std430, set = 0, binding = 1) writeonly buffer B { uint b[]; };
void main() { b[gl_GlobalInvocationID.x] = a[gl_GlobalInvocationID.x * 1024]; }
)",
                        .host = reel::host_kernel<&sample_group>()});
}

// A document whose commands read buffers, and the time that replays of it took.
struct Document {
  reel::Device device;
  CaptureFile file;
  Spent spent;
  std::string wrong;

  explicit Document(const reel::Device& d) : device(d) {}

  void judge(const reel::ReplayReport& report, const char* what, std::uint64_t bytes,
             std::uint64_t expected_bytes) {
    if (report.verdict() != reel::Verdict::equal || bytes != expected_bytes)
      wrong = fmt::format("{} bytes were {}, expected {}; the replay is {}", bytes, what,
                          expected_bytes, to_string(report.verdict()));
  }
};

// Pages as a document has them.
struct Pages {
  std::vector<std::vector<std::byte>> compressed;
  std::vector<std::byte> target;

  std::uint64_t bytes() const { return compressed.size() * reel::page_bytes; }

  void add(std::span<const std::byte> page) {
    std::vector<std::byte> bytes(ZSTD_compressBound(page.size()));
    bytes.resize(ZSTD_compress(bytes.data(), bytes.size(), page.data(), page.size(), 1));
    bytes.shrink_to_fit();
    compressed.push_back(std::move(bytes));
  }

  void restore(std::byte* to) const {
    static const std::unique_ptr<ZSTD_DCtx, decltype(&ZSTD_freeDCtx)> context{ZSTD_createDCtx(),
                                                                              ZSTD_freeDCtx};
    std::vector<std::byte> page(reel::page_bytes);
    for (std::size_t i = 0; i < compressed.size(); ++i) {
      if (ZSTD_decompressDCtx(context.get(), page.data(), page.size(), compressed[i].data(),
                              compressed[i].size()) != page.size())
        throw std::runtime_error("A page can't be uncompressed.");
      std::memcpy(to + i * page.size(), page.data(), page.size());
    }
  }
};

// CPU time until replay() says that something else than restoring is done.
class RestoreWatch {
 public:
  void operator()(std::string_view what) {
    const bool is_restoring = what == "restoring contents";
    if (is_restoring && !was_restoring_) cpu_ns_ -= last_.cpu_ns;
    last_ = spent_so_far();
    if (!is_restoring && was_restoring_) cpu_ns_ += last_.cpu_ns;
    was_restoring_ = is_restoring;
  }
  double cpu_ns() const noexcept { return cpu_ns_; }

 private:
  Spent last_ = spent_so_far();
  double cpu_ns_ = 0;
  bool was_restoring_ = false;
};

void replay_restoring(Document& document, std::uint64_t expected_bytes) {
  const Spent begin = spent_so_far();
  const reel::Trace trace = reel::Trace::load(document.file.path());
  const Spent loaded = spent_so_far();
  RestoreWatch watch;
  const reel::ReplayReport report = reel::replay(
      trace, document.device, {.progress = [&](std::string_view what, double) { watch(what); }});
  document.spent.cpu_ns += loaded.cpu_ns - begin.cpu_ns + watch.cpu_ns();
  document.spent.wall_ns += loaded.wall_ns - begin.wall_ns + static_cast<double>(report.restore_ns);
  document.judge(report, "restored", report.restored_bytes, expected_bytes);
}

}  // namespace

Group restore_group(const reel::Device& device, std::uint32_t mib) {
  const auto document = std::make_shared<Document>(device);
  const auto pages = std::make_shared<Pages>();
  {
    const reel::Kernel kernel = sample_kernel(device);
    const reel::Stream stream = device.stream("program");
    const std::uint32_t samples = buffer_elements / 1024;
    std::vector<reel::Buffer> buffers;
    for (std::uint32_t i = 0; i < mib / buffer_mib; ++i) {
      const std::vector<std::uint32_t> elements = widened(i);
      buffers.push_back(
          device.buffer(elements.size() * sizeof(std::uint32_t), fmt::format("x{}", i)));
      buffers.back().write(elements);
      for (std::size_t at = 0; at < elements.size(); at += page_elements)
        pages->add(std::as_bytes(std::span(elements).subspan(at, page_elements)));
    }
    pages->target.resize(pages->bytes());
    reel::start_capture(document->file.path(), {.overwrite = true});
    const reel::Buffer result = device.buffer(samples * sizeof(std::uint32_t), "samples");
    for (const reel::Buffer& buffer : buffers)
      stream.dispatch(kernel, increments(samples), in(buffer), out(result));
    stream.synchronize();
    reel::stop_capture();
  }
  const std::uint64_t bytes = pages->bytes();
  Group group{
      device.info().id, fmt::format("{} MiB of contents restored", bytes >> 20), bytes >> 20, {}};
  const auto nothing_wrong = [](std::uint64_t) { return std::string(); };
  group.modes.push_back({zstd_and_memcpy,
                         [pages](std::uint64_t passes) {
                           for (; passes; --passes) pages->restore(pages->target.data());
                         },
                         nothing_wrong});
  // As buffers of a replay are: the system gives each page when it is first written to.
  group.modes.push_back({"zstd and memcpy, into new memory",
                         [pages](std::uint64_t passes) {
                           for (; passes; --passes)
                             pages->restore(
                                 std::make_unique_for_overwrite<std::byte[]>(pages->bytes()).get());
                         },
                         nothing_wrong});
  group.modes.push_back({"Trace::load and restore",
                         [document, bytes](std::uint64_t passes) {
                           for (; passes; --passes) replay_restoring(*document, bytes);
                         },
                         [document](std::uint64_t) { return document->wrong; }});
  group.modes.back().spent = [document] { return std::exchange(document->spent, {}); };
  group.modes.back().aims = {{zstd_and_memcpy, 2, Clock::wall}};
  return group;
}

Group check_group(const reel::Device& device, std::uint32_t mib) {
  const auto document = std::make_shared<Document>(device);
  const std::uint64_t bytes = std::uint64_t{mib / buffer_mib * buffer_mib} << 20;
  {
    const reel::Kernel kernel = increment_kernel(device);
    const reel::Stream stream = device.stream("program");
    reel::start_capture(document->file.path(), {.overwrite = true});
    std::vector<reel::Buffer>
        buffers;  // made while capturing: known to be zero, nothing to restore
    for (std::uint32_t i = 0; i < mib / buffer_mib; ++i)
      buffers.push_back(device.buffer(std::uint64_t{buffer_mib} << 20, fmt::format("x{}", i)));
    for (const reel::Buffer& buffer : buffers)
      stream.dispatch(kernel, increments(buffer_elements), inout(buffer));
    stream.synchronize();
    reel::stop_capture();
  }
  Group group{
      device.info().id, fmt::format("{} MiB of results checked", bytes >> 20), bytes >> 20, {}};
  const auto results = std::make_shared<std::vector<std::byte>>(bytes, std::byte{1});
  group.modes.push_back({memcpy_and_hash,
                         [results](std::uint64_t passes) {
                           std::vector<std::byte> page(reel::page_bytes);
                           XXH64_hash_t all = 0;
                           for (; passes; --passes)
                             for (std::size_t at = 0; at < results->size(); at += page.size()) {
                               std::memcpy(page.data(), results->data() + at, page.size());
                               all ^= XXH3_128bits(page.data(), page.size()).low64;
                             }
                           results->front() = static_cast<std::byte>(all);  // or nobody needs it
                         },
                         [](std::uint64_t) { return std::string(); }});
  group.modes.push_back({"read and check",
                         [document, bytes](std::uint64_t passes) {
                           for (; passes; --passes) {
                             const reel::ReplayReport report = reel::replay(
                                 reel::Trace::load(document->file.path()), document->device);
                             document->spent.wall_ns += static_cast<double>(report.check_ns);
                             // Each byte that was written is read once.
                             document->judge(report, "checked", report.checked_bytes, bytes);
                           }
                         },
                         [document](std::uint64_t) { return document->wrong; }});
  group.modes.back().spent = [document] { return std::exchange(document->spent, {}); };
  group.modes.back().aims = {{memcpy_and_hash, 2, Clock::wall}};
  return group;
}

}  // namespace bench
