// account_work.cpp - work given through this library, to be measured with and without a capture.
//
//   account_work DEVICE small N        N dispatches on 1024 elements, then synchronize()
//   account_work DEVICE writes N       N times: 1 MiB of other bytes written, and a dispatch on
//   them account_work DEVICE allocations N  N times: a buffer of 4 KiB made, a dispatch on it, and
//   let go
//
// With a path and what to keep of contents behind that, all of it is captured. Prints a number made
// of the results.
#include <fmt/format.h>

#include <cstdio>
#include <random>
#include <string>
#include <vector>

#include "reel/capture.hpp"
#include "reel/device.hpp"
#include "shared/increment.hpp"

namespace {

constexpr std::size_t small_elements = 1024, write_elements = std::size_t{1} << 18;

struct Work {
  reel::Device device;
  reel::Kernel kernel;
  reel::Stream stream;
  reel::Buffer buffer;

  void dispatch(const reel::Buffer& on, std::size_t elements) const {
    stream.dispatch(kernel, bench::increments(elements), inout(on));
  }

  void small(std::uint32_t count) const {
    for (std::uint32_t i = 0; i < count; ++i) dispatch(buffer, small_elements);
    stream.synchronize();
  }

  void writes(std::uint32_t count) const {
    std::vector<std::uint32_t> random(2 * write_elements);
    std::mt19937 next(1);
    for (std::uint32_t& one : random) one = static_cast<std::uint32_t>(next());
    for (std::uint32_t i = 0; i < count; ++i) {
      stream.write(buffer, std::span(random).subspan(i * 1031u % write_elements, write_elements));
      dispatch(buffer, write_elements);
      stream.synchronize();
    }
  }

  void allocations(std::uint32_t count) const {
    for (std::uint32_t i = 0; i < count; ++i) {
      const reel::Buffer one = device.buffer(small_elements * sizeof(std::uint32_t), "one");
      dispatch(one, small_elements);
      if (i % 64 == 63) stream.synchronize();
    }
    stream.synchronize();
  }
};

int run(const std::vector<std::string>& words) {
  const std::string& kind = words[1];
  const auto count = static_cast<std::uint32_t>(std::stoul(words[2]));
  const std::size_t elements = kind == "writes" ? write_elements : small_elements;
  const reel::Device device = reel::open_device(words[0]);
  const Work work{device, bench::increment_kernel(device), device.stream("work"),
                  device.buffer(elements * sizeof(std::uint32_t), "x")};
  work.buffer.write(std::vector<std::uint32_t>(elements));
  work.small(1);  // drivers compile when something first runs
  if (words.size() > 3)
    reel::start_capture(
        words[3], {.contents = words.at(4) == "all" ? reel::Contents::all : reel::Contents::inputs,
                   .overwrite = true});
  if (kind == "small")
    work.small(count);
  else if (kind == "writes")
    work.writes(count);
  else
    work.allocations(count);
  if (words.size() > 3) reel::stop_capture();
  std::uint64_t sum = 0;
  for (const std::uint32_t element : work.buffer.read<std::uint32_t>()) sum = sum * 31 + element;
  fmt::print("{}\n", sum);
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  const std::vector<std::string> words(argv + 1, argv + argc);
  if (words.size() != 3 && words.size() != 5) {
    std::fputs("Usage: account_work DEVICE small|writes|allocations COUNT [DOCUMENT inputs|all]\n",
               stderr);
    return 2;
  }
  try {
    return run(words);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "account_work: %s\n", error.what());
    return 1;
  }
}
