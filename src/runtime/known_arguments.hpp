// known_arguments.hpp - what the arguments of a dispatch that was found fine are like; others of
// the same kinds need only a look at their ranges.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "runtime/quick_check.hpp"

namespace reel {

struct KnownArguments {
  static constexpr std::size_t most = 12;

  struct Known {
    ArgumentKind kind;
    std::uint32_t value_bytes;
  };
  const DeviceState* device = nullptr;
  BindingLimits limits;
  std::uint32_t ranges = 0;  // which of them are: a bit at the place of each
  std::array<Known, most> list{};

  // At most as many as there is room for.
  void learn(std::span<const Argument> arguments) noexcept {
    ranges = 0;
    for (std::size_t i = 0; i < arguments.size(); ++i) {
      list[i] = {arguments[i].kind, arguments[i].value_bytes};
      if (arguments[i].kind == ArgumentKind::buffer) ranges |= 1u << i;
    }
  }
  // As many as it knows.
  bool take(std::span<const Argument> arguments) const noexcept {
    const Known* known = list.data();
    for (const Argument& argument : arguments)
      if (!takes(argument, *known++)) [[unlikely]]
        return false;
    return true;
  }
  bool takes(const Argument& argument, const Known& known) const noexcept {
    if (argument.kind != known.kind) [[unlikely]]
      return false;
    return argument.kind == ArgumentKind::buffer ? is_plainly_fine(argument.range, device, limits)
                                                 : argument.value_bytes == known.value_bytes;
  }
};

}  // namespace reel
