// fragments.hpp - the names that the shorter pieces of code in documents use without introducing
// them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <reel/reel.hpp>
#include <vector>

using namespace reel;  // NOLINT: as the pieces read in the documents

inline void scale_host(const HostGroup& group, float* values, float factor) {
  group.for_each([&](const HostItem& item) { values[item.global.x] *= factor; });
}

inline const std::uint32_t n = 1024;
inline const Device device = open_device("host");
inline const Stream stream = device.stream("main");
inline const Kernel scale =
    device.kernel({.name = "scale", .host = host_kernel<&scale_host>(), .group_size = {256}});
inline const Buffer x = device.buffer_of(std::vector<float>(n, 1.0F), "x");
inline const Buffer y = device.buffer_of(std::vector<float>(n, 2.0F), "y");

inline void run(int block, void (*code)()) {
  try {
    code();
    device.synchronize();
  } catch (const std::exception& error) {
    std::fprintf(stderr, "Block %d of the document failed: %s\n", block, error.what());
    std::exit(1);
  }
}
