// known_dispatches.hpp - which dispatches of a stream were found fine, so that those like them need
// only a look at what can differ: where their buffers are, and whether they live.
//
// A launch is remembered by the kernel's number and the grid, with the kinds of its arguments, and
// made ready. With the stream's lock held.
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

struct KnownDispatch {
  static constexpr std::size_t most_arguments = 12;

  bool is_used = false;
  KernelId kernel{};
  std::uint32_t argument_count = 0;
  Dim3 groups, given_size;                          // as launched
  std::array<std::uint64_t, most_arguments> kinds;  // and sizes of values
  std::unique_ptr<ReadyDispatch> ready;             // there where it is_used

  bool is_like(const KernelResource& other, const Launch& launch,
               std::span<const Argument> arguments) const noexcept;
  bool has_kinds_of(std::span<const Argument> arguments, const DeviceState& device) const noexcept;
};

class KnownDispatches {
 public:
  // The one of a dispatch that is_plainly_fine(), ready to be given; null: perhaps it isn't.
  ReadyDispatch* find(const KernelResource& kernel, const Launch& launch,
                      std::span<const Argument> arguments, const DeviceState& device,
                      QueueDriver& queue);

 private:
  std::array<KnownDispatch, 32> known_;
};

}  // namespace reel
