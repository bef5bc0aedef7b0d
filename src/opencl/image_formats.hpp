// image_formats.hpp - formats of pixels as OpenCL numbers them, which is how documents keep them.
//
// What OpenCL has and this library doesn't know keeps its number, marked, so that it comes back as
// it was.
#pragma once

#include <cstdint>

#include "reel/image.hpp"

namespace reel {

namespace detail {
inline constexpr std::uint32_t first_order = 0x10B0, first_type = 0x10D0;  // CL_R, CL_SNORM_INT8

template <class E>
constexpr E neutral(std::uint32_t number, std::uint32_t first, E last) noexcept {
  const std::uint32_t place = number - first + 1;
  const bool is_known = number >= first && place <= static_cast<std::uint32_t>(last);
  return static_cast<E>(is_known || number == 0 ? (number ? place : 0) : number | unknown_format);
}
template <class E>
constexpr std::uint32_t number_of(E value, std::uint32_t first) noexcept {
  const auto place = static_cast<std::uint32_t>(value);
  if (place & unknown_format) return place & ~unknown_format;
  return place ? first + place - 1 : 0;
}
}  // namespace detail

constexpr ChannelOrder channel_order_of(std::uint32_t opencl) noexcept {
  return detail::neutral(opencl, detail::first_order, ChannelOrder::abgr);
}
constexpr ChannelType channel_type_of(std::uint32_t opencl) noexcept {
  return detail::neutral(opencl, detail::first_type, ChannelType::unorm1010102);
}
constexpr std::uint32_t opencl_number(ChannelOrder order) noexcept {
  return detail::number_of(order, detail::first_order);
}
constexpr std::uint32_t opencl_number(ChannelType type) noexcept {
  return detail::number_of(type, detail::first_type);
}

}  // namespace reel
