// trace_fuzz.cpp - any bytes as a document.
//
// Loaded, and everything that reel/trace.hpp promises checked; then every blob is read, and a
// buffer followed through all commands.
#include <fcntl.h>
#include <unistd.h>

#include "fuzz/target.hpp"
#include "reel/buffer_value.hpp"
#include "reel/error.hpp"
#include "reel/trace.hpp"
#include "tests/document/check_trace.hpp"

namespace reel {
namespace {

// In memory, and gone with this process.
const std::string& scratch_path() {
  struct Scratch {
    std::string path = "/dev/shm/reel_trace_fuzz_" + std::to_string(::getpid());
    ~Scratch() { ::unlink(path.c_str()); }
  };
  static const Scratch scratch;
  return scratch.path;
}

void write_scratch(std::span<const std::byte> bytes) {
  const int file = ::open(scratch_path().c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  check(
      file >= 0 && ::write(file, bytes.data(), bytes.size()) == static_cast<ssize_t>(bytes.size()),
      "no scratch file");
  ::close(file);
}

// A claim of a terabyte is fine as long as nobody reads it.
constexpr std::uint64_t most_read_bytes = 4 * page_bytes;

void read_contents(const Trace& trace) {
  for (const TraceContents& contents : trace.contents())
    for (std::uint32_t i = 0; i < std::min(contents.page_count, 4U); ++i) {
      const auto page = trace.page(contents, i);
      check(!page || page->size() <= page_bytes, "a page is larger than pages are");
    }
  for (const TraceKernel& kernel : trace.kernels())
    for (const TraceVariant& variant : kernel.variants)
      if (variant.blob) trace.blob(*variant.blob);
}

void follow_buffers(const Trace& trace) {
  const auto last = static_cast<std::uint32_t>(trace.commands().size()) - 1;  // or none
  for (std::uint32_t i = 0; i < std::min<std::size_t>(trace.buffers().size(), 4); ++i) {
    const BufferValue value(trace, i, last);
    const auto read = value.read(0, most_read_bytes);
    check(read.bytes.size() <= value.size_bytes(), "more was read than the buffer has");
    check(value.unknown_bytes() <= value.size_bytes(), "more is unknown than the buffer has");
  }
}

}  // namespace

void fuzz_one(std::span<const std::byte> file) {
  if (file.empty()) return;
  write_scratch(file);
  try {
    const Trace trace = Trace::load(scratch_path());
    test::check_trace(trace);
    read_contents(trace);
    if (trace.commands().size() < 100'000) follow_buffers(trace);
  } catch (const Error& error) {
    check(error.code() == Code::damaged_document || error.code() == Code::unsupported,
          error.what());
  } catch (const std::logic_error& error) {
    check(false, error.what());
  }
}

}  // namespace reel
