// known_dispatches.hpp - which dispatches of a stream were found fine, so that those like them need
// only a look at what can differ: where their buffers are, and whether they live.
//
// A launch is remembered by the kernel's number and the grid, and made ready. With the stream's
// lock held.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "reel/command.hpp"
#include "reel/ids.hpp"
#include "runtime/driver.hpp"

namespace reel {

class DeviceState;

// A line of the cache.
struct alignas(64) KnownDispatch {
  static constexpr KernelId none{0xffffffff};

  KernelId kernel = none;
  std::uint32_t argument_count = 0;
  Dim3 groups, given_size;               // as launched, by groups and without an offset
  std::unique_ptr<ReadyDispatch> ready;  // there where a kernel is

  bool is_like(const KernelResource& other, const Launch& launch,
               std::span<const Argument> arguments) const noexcept;
};

class KnownDispatches {
 public:
  // The one for a dispatch of this kernel on this grid, which takes arguments that are plainly
  // fine; null: perhaps it isn't fine.
  ReadyDispatch* find(const KernelResource& kernel, const Launch& launch,
                      std::span<const Argument> arguments, const DeviceState& device,
                      QueueDriver& queue);

 private:
  std::array<KnownDispatch, 32> known_;
};

}  // namespace reel
