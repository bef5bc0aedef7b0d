// A library that a user might give to `reel replay --host-kernels`: the function of
// examples/capture_region.
#include <chrono>
#include <cstdlib>
#include <reel/host_kernel.hpp>
#include <thread>

namespace {

void add(const reel::HostGroup& group, const float* a, const float* b, float* c) {
  while (std::getenv("REEL_TEST_HANG")) std::this_thread::sleep_for(std::chrono::seconds(1));
  group.for_each(
      [&](const reel::HostItem& item) { c[item.global.x] = a[item.global.x] + b[item.global.x]; });
}

[[maybe_unused]] const bool registered = [] {
  reel::register_host_kernel("add", reel::host_kernel<&add>());
  return true;
}();

}  // namespace
