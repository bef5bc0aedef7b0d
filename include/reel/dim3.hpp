// dim3.hpp - sizes in up to three dimensions.
#pragma once

#include <concepts>
#include <cstdint>

namespace reel {

namespace detail {
// Throws invalid_argument: `value` (of a signed type, or not) is no size.
[[noreturn]] void refuse_dim(std::uint64_t value, bool is_signed);
}  // namespace detail

struct Dim3 {
  std::uint32_t x = 1, y = 1, z = 1;

  constexpr Dim3() = default;
  // Takes any integer type, so that {n / 256} works whatever n is. What doesn't fit in 32 bits is
  // refused: cut off, 2^32 groups would be none.
  template <std::integral X, std::integral Y = int, std::integral Z = int>
  constexpr Dim3(X x_, Y y_ = 1, Z z_ = 1) : x(size(x_)), y(size(y_)), z(size(z_)) {}

  // The product.
  constexpr std::uint64_t count() const noexcept { return std::uint64_t{x} * y * z; }
  friend constexpr bool operator==(const Dim3&, const Dim3&) = default;

 private:
  template <std::integral T>
  static constexpr std::uint32_t size(T value) {
    const auto wide = static_cast<std::uint64_t>(value);  // a negative one becomes huge
    if (wide > 0xffffffff) detail::refuse_dim(wide, std::signed_integral<T>);
    return static_cast<std::uint32_t>(wide);
  }
};

// "Not given": take what the kernel was built with.
inline constexpr Dim3 unset_dim{0, 0, 0};

}  // namespace reel
