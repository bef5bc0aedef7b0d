// dim3.hpp - sizes in up to three dimensions.
#pragma once

#include <concepts>
#include <cstdint>

namespace reel {

struct Dim3 {
  std::uint32_t x = 1, y = 1, z = 1;

  constexpr Dim3() = default;
  // Takes any integer type, so that {n / 256} works whatever n is.
  template <std::integral X, std::integral Y = int, std::integral Z = int>
  constexpr Dim3(X x_, Y y_ = 1, Z z_ = 1)
      : x(static_cast<std::uint32_t>(x_)),
        y(static_cast<std::uint32_t>(y_)),
        z(static_cast<std::uint32_t>(z_)) {}

  constexpr std::uint64_t count() const noexcept { return std::uint64_t{x} * y * z; }
  friend constexpr bool operator==(const Dim3&, const Dim3&) = default;
};

// "Not given": take what the kernel was built with.
inline constexpr Dim3 unset_dim{0, 0, 0};

}  // namespace reel
