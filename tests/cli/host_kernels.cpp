// A library that a user might give to `reel replay --host-kernels`: the function of
// examples/capture_region.
#include <reel/host_kernel.hpp>

namespace {

void add(const reel::HostGroup& group, const float* a, const float* b, float* c) {
  group.for_each(
      [&](const reel::HostItem& item) { c[item.global.x] = a[item.global.x] + b[item.global.x]; });
}

[[maybe_unused]] const bool registered = [] {
  reel::register_host_kernel("add", reel::host_kernel<&add>());
  return true;
}();

}  // namespace
