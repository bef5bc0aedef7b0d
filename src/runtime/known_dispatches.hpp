// known_dispatches.hpp - which dispatches of a stream were found fine, so that those like them need
// only a look at what can differ: where their buffers are, and whether they live.
//
// The last launch of a kernel is remembered by the kernel's number, with its grid and the kinds of
// its arguments. With the stream's lock held.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "reel/command.hpp"
#include "reel/ids.hpp"

namespace reel {

class DeviceState;

struct KnownDispatch {
  static constexpr std::size_t most_arguments = 12;

  bool is_used = false;
  KernelId kernel{};
  std::uint32_t argument_count = 0;
  Dim3 groups, given_size;                          // as launched
  Dim3 group_size;                                  // as it comes to the device
  std::array<std::uint64_t, most_arguments> kinds;  // and sizes of values

  bool is_like(const KernelResource& other, const Launch& launch,
               std::span<const Argument> arguments) const noexcept;
  bool has_kinds_of(std::span<const Argument> arguments, const DeviceState& device) const noexcept;
};

class KnownDispatches {
 public:
  // The one that tells that this dispatch is_plainly_fine(); null: perhaps it isn't.
  const KnownDispatch* find(const KernelResource& kernel, const Launch& launch,
                            std::span<const Argument> arguments,
                            const DeviceState& device) noexcept;

 private:
  std::array<KnownDispatch, 16> known_;
};

}  // namespace reel
