// raw_host.cpp - the host without a library: a list of calls, or an argument block for each.
#include <memory>
#include <mutex>
#include <stdexcept>
#include <vector>

#include "raw.hpp"

namespace bench {
namespace {

void add_one(std::uint32_t* a, std::uint32_t off) { add_one_items(a + off); }

// The floor: nothing is left to do but the calls.
struct Call {
  void (*function)(std::uint32_t* a, std::uint32_t off);
  std::uint32_t* a;
  std::uint32_t off;
};

Mode loop(const Case& work) {
  auto counters = std::make_shared<std::vector<std::uint32_t>>(work.counters());
  std::vector<Call> calls;
  for (std::uint32_t n = 0; n < work.nodes; ++n)
    calls.push_back({&add_one, counters->data(), work.first_item(n)});
  return {
      raw::host_loop,
      [calls](std::uint64_t passes) {
        for (; passes; --passes)
          for (const Call& call : calls) call.function(call.a, call.off);
      },
      [counters, work](std::uint64_t passes) { return check_counters(*counters, work, passes); }};
}

// A launch written by hand: which kernel and with what is only known at the call, so its
// arguments go through a block, as they do behind every launch call.
[[gnu::noinline]] void launch(reel::HostFunction kernel, reel::Dim3 groups, reel::Dim3 group_size,
                              std::uint32_t* a, std::uint32_t off) {
  const reel::HostArgument arguments[2] = {
      {a, slice_bytes}, {reinterpret_cast<void*>(std::uintptr_t{off}), sizeof(off)}};
  reel::HostGroup group{arguments, nullptr, {}, groups, group_size, 2};
  for (std::uint32_t z = 0; z < groups.z; ++z)
    for (std::uint32_t y = 0; y < groups.y; ++y)
      for (std::uint32_t x = 0; x < groups.x; ++x) {
        group.id = {x, y, z};
        kernel(group);
      }
}

// The same with what the library promises on top: any thread may call, and what doesn't fit is
// refused. It shows what part of a direct launch is the promise and what part is us.
class SafeLauncher {
 public:
  explicit SafeLauncher(std::uint64_t buffer_items) : buffer_items_(buffer_items) {}

  [[gnu::noinline]] void launch(reel::HostFunction kernel, reel::Dim3 groups, reel::Dim3 group_size,
                                std::uint32_t* a, std::uint32_t off) {
    if (!kernel || !a) throw std::invalid_argument("nothing to launch");
    if (group_size.count() == 0 || group_size.count() > 1024)
      throw std::invalid_argument("group size");
    if (off > buffer_items_ || items > buffer_items_ - off) throw std::invalid_argument("range");
    const std::lock_guard lock(mutex_);
    bench::launch(kernel, groups, group_size, a, off);
  }

 private:
  std::mutex mutex_;
  const std::uint64_t buffer_items_;
};

// A grid that the compiler doesn't know, as that of a launch call is.
struct Grid {
  reel::Dim3 groups{1}, group_size{items};
};

Mode direct(const Case& work) {
  auto counters = std::make_shared<std::vector<std::uint32_t>>(work.counters());
  auto grid = std::make_shared<Grid>();
  const reel::HostFunction kernel = reel::host_kernel<&add_one_group>().function;
  return {raw::host_direct,
          [=](std::uint64_t passes) {
            for (; passes; --passes)
              for (std::uint32_t n = 0; n < work.nodes; ++n)
                launch(kernel, grid->groups, grid->group_size, counters->data(),
                       work.first_item(n));
          },
          [=](std::uint64_t passes) { return check_counters(*counters, work, passes); }};
}

Mode safe_direct(const Case& work) {
  auto counters = std::make_shared<std::vector<std::uint32_t>>(work.counters());
  auto grid = std::make_shared<Grid>();
  auto launcher = std::make_shared<SafeLauncher>(work.counters());
  const reel::HostFunction kernel = reel::host_kernel<&add_one_group>().function;
  return {raw::host_safe_direct,
          [=](std::uint64_t passes) {
            for (; passes; --passes)
              for (std::uint32_t n = 0; n < work.nodes; ++n)
                launcher->launch(kernel, grid->groups, grid->group_size, counters->data(),
                                 work.first_item(n));
          },
          [=](std::uint64_t passes) { return check_counters(*counters, work, passes); }};
}

}  // namespace

std::vector<Mode> raw_host_modes(const Case& work) {
  return {loop(work), direct(work), safe_direct(work)};
}

}  // namespace bench
