// bits.cpp - a document of one processor, replayed on another.
//
//   bits capture x.reel [contracted]   runs kernels on the host device and records them
//   bits replay x.reel                 runs the document again, and prints what came of it; 0:
//   equal
#include "systems/bits.hpp"

#include <cstdio>
#include <string_view>
#include <vector>

namespace {

constexpr std::uint32_t count = 4096, group = 64;

reel::Kernel kernel(const reel::Device& device, const char* name) {
  return device.kernel({.name = name, .host = reel::find_host_kernel(name)});
}

void capture(const char* path, bool with_contracted) {
  reel::Device device = reel::open_device("host");
  std::vector<std::uint32_t> seeds(count);
  for (std::uint32_t i = 0; i < count; ++i) seeds[i] = i * 40503u + 17;
  const reel::Kernel integers = kernel(device, "integers"), small = kernel(device, "small_types"),
                     reals = kernel(device, "reals");
  reel::start_capture(path, {.contents = reel::Contents::all, .overwrite = true});
  reel::Stream stream = device.stream("bits");
  reel::Buffer x = device.buffer_of(seeds, "x");
  reel::Buffer y = device.buffer_of(std::vector<std::int32_t>(count), "y");
  reel::Buffer z = device.buffer_of(std::vector<float>(count), "z");
  reel::Buffer w = device.buffer_of(std::vector<float>(count, 0.1f), "w");
  const reel::Launch launch{.groups = {count / group}, .group_size = {group}};
  for (int round = 0; round < 4; ++round) {
    stream.dispatch(integers, launch, inout(x), count);
    stream.dispatch(small, launch, in(x), out(y), count);
    stream.dispatch(reals, launch, in(x), out(z), count);
    if (with_contracted)
      stream.dispatch(kernel(device, "contracted"), launch, in(z), inout(w), count);
  }
  stream.read_now<std::int32_t>(y);
  stream.read_now<float>(z);
  stream.read_now<float>(w);
  reel::stop_capture();
}

int replay(const char* path) {
  const reel::Trace trace = reel::Trace::load(path);
  const reel::ReplayReport report =
      reel::replay(trace, reel::open_device("host"), {.tolerance = reel::Tolerance{}});
  std::printf("%s: %llu checks\n", to_string(report.verdict()),
              static_cast<unsigned long long>(report.checks));
  for (const reel::BufferReport& buffer : report.buffers)
    std::printf("  %s: %llu bytes equal, %llu different\n",
                trace.buffers()[buffer.buffer].label.c_str(),
                static_cast<unsigned long long>(buffer.equal_bytes),
                static_cast<unsigned long long>(buffer.different_bytes));
  return report.verdict() == reel::Verdict::equal ? 0 : 1;
}

}  // namespace

int main(int words, char** word) try {
  reel::bits::register_exact_kernels();
  reel::bits::register_contracted_kernel();
  const std::string_view verb = words > 2 ? word[1] : "";
  if (verb == "capture") {
    capture(word[2], words > 3);
    return 0;
  }
  if (verb == "replay") return replay(word[2]);
  std::fprintf(stderr, "bits: bits capture x.reel [contracted], or bits replay x.reel.\n");
  return 2;
} catch (const std::exception& error) {
  std::fprintf(stderr, "bits: %s\n", error.what());
  return 3;
}
