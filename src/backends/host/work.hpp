// work.hpp - running one command on the host's memory, on whatever thread calls.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <vector>

#include "backends/host/kernel.hpp"
#include "backends/host/pool.hpp"
#include "base/clock.hpp"
#include "reel/command.hpp"
#include "reel/host_kernel.hpp"

namespace reel::host {

// Of one launch, in each direction.
inline constexpr std::uint32_t most_groups = 0x7fffffff;

// As a host kernel sees it. Values of more than eight bytes point into `argument`, which must
// stay where it is; shared memory gets the next offset of `shared_bytes`.
HostArgument host_argument(const Argument& argument, std::uint64_t& shared_bytes);

inline HostArgument host_value(const Argument& argument) {
  if (argument.value_bytes > sizeof(void*)) [[unlikely]]
    return {const_cast<std::byte*>(argument.value().data()), argument.value_bytes};
  HostArgument result{nullptr, argument.value_bytes};
  // Not as eight bytes where four have just been written: such a load waits for the cache. What
  // lies behind the value is not read.
  if (argument.value_bytes <= 4) [[likely]]
    std::memcpy(&result.data, argument.bytes, 4);
  else
    std::memcpy(&result.data, argument.bytes, sizeof(void*));
  return result;
}

// Shared memory for one group on this thread.
std::byte* shared_memory(std::uint64_t size_bytes);

// The grid of a launch by items or with an offset. Where nobody gave a group size it is 64 items of
// the first dimension, or as many as there are.
HostGrid free_grid(const Dispatch& dispatch);
Dim3 groups_of(const HostGrid& grid);
// `arguments` and the grid behind them, for a group of it.
std::vector<HostArgument> with_grid(std::span<const HostArgument> arguments, HostGrid& grid);

// All groups of a launch, on this thread.
void run_groups(HostFunction function, HostGroup group, std::uint64_t begin, std::uint64_t end);
// All groups, over the pool if there is enough to do.
// `timed`: the kernel learns what a group of it costs, in CPU time and not by a clock on the wall:
// one preemption made a graph of 7 µs look like one of 20, and sent it to another thread for the
// next 64 launches.
void run_launch(Kernel& kernel, const HostGroup& group, std::uint64_t shared_bytes, Pool& pool,
                bool timed);

void fill_pattern(std::byte* target, std::uint64_t size_bytes, std::uint32_t pattern,
                  std::uint32_t pattern_bytes);

// What a dispatch finds in memory that runs by a predicate.
bool is_met(const DispatchPredicate& predicate);
// The grid that an indirect dispatch finds in memory; throws where no device allows so many groups.
Dim3 indirect_groups(const BufferRange& range, const std::string& kernel_name);
// Anything but a HostCall.
void run(const Work& work, Pool& pool);
double estimate_ns(const Work& work);  // of a HostCall: never below inline_below_ns
bool is_empty(const Work& work);       // nothing to run: no groups, no bytes, a barrier

}  // namespace reel::host
