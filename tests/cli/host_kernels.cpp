// A library that a user might give to `reel replay --host-kernels`: the function of
// examples/capture_region.
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <mutex>
#include <reel/host_kernel.hpp>
#include <thread>
#include <vector>

namespace {

void add(const reel::HostGroup& group, const float* a, const float* b, float* c) {
  while (std::getenv("REEL_TEST_HANG")) std::this_thread::sleep_for(std::chrono::seconds(1));
  if (std::getenv("REEL_TEST_CRASH")) std::raise(SIGSEGV);
  if (std::getenv("REEL_TEST_EAT")) {
    static std::mutex mutex;  // groups run on several threads
    static std::vector<std::vector<char>> eaten;
    const std::lock_guard lock(mutex);
    while (eaten.size() < 4096) eaten.emplace_back(std::size_t{1} << 20, 'x');
  }
  float more = std::getenv("REEL_TEST_DRIFT") ? 1.0F : 0.0F;
  if (std::getenv("REEL_TEST_UNSTEADY"))
    more =
        static_cast<float>(std::chrono::steady_clock::now().time_since_epoch().count() % 8191) + 1;
  group.for_each([&](const reel::HostItem& item) {
    c[item.global.x] = a[item.global.x] + b[item.global.x] + more;
  });
}

[[maybe_unused]] const bool registered = [] {
  reel::register_host_kernel("add", reel::host_kernel<&add>());
  return true;
}();

}  // namespace
