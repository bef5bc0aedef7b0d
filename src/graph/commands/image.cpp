#include "reel/image.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cctype>
#include <cstring>
#include <string_view>

namespace reel {

namespace {

constexpr std::uint64_t most_bytes = std::uint64_t{1} << 62;

// By number, from 1 on.
constexpr std::array orders{"R",    "A",     "RG",    "RA",        "RGB",
                            "RGBA", "BGRA",  "ARGB",  "intensity", "luminance",
                            "Rx",   "RGx",   "RGBx",  "depth",     "depth_stencil",
                            "sRGB", "sRGBx", "sRGBA", "sBGRA",     "ABGR"};
constexpr std::array types{"8 snorm",   "16 snorm",     "8 unorm", "16 unorm", "565 unorm",
                           "555 unorm", "101010 unorm", "8 int",   "16 int",   "32 int",
                           "8 uint",    "16 uint",      "32 uint", "16 float", "32 float",
                           "24 unorm",  "1010102 unorm"};
static_assert(orders.size() == static_cast<std::size_t>(ChannelOrder::abgr));
static_assert(types.size() == static_cast<std::size_t>(ChannelType::unorm1010102));

template <class E, std::size_t n>
const char* name_of(E value, const std::array<const char*, n>& names) {
  const auto place = static_cast<std::size_t>(value);
  return place >= 1 && place <= n ? names[place - 1] : "";
}

bool is_same(std::string_view a, std::string_view b) {
  return std::ranges::equal(
      a, b, [](unsigned char x, unsigned char y) { return std::tolower(x) == std::tolower(y); });
}

template <class E, std::size_t n>
E parse(std::string_view name, const std::array<const char*, n>& names) {
  for (std::size_t i = 0; i < n; ++i)
    if (is_same(name, names[i])) return static_cast<E>(i + 1);
  return E{};
}

constexpr std::array addressings{"any address", "clamp to edge",   "clamp to border",
                                 "repeat",      "mirrored repeat", "mirror clamp to edge"};
constexpr std::array filters{"nearest", "linear", "cubic"};
constexpr std::array borders{"transparent black", "transparent black (whole numbers)",
                             "opaque black",      "opaque black (whole numbers)",
                             "opaque white",      "opaque white (whole numbers)"};
constexpr std::array comparisons{
    "never", "less", "equal", "less or equal", "greater", "not equal", "greater or equal",
    "always"};

// A document may have any number there.
template <class E, std::size_t n>
std::string name_in(const std::array<const char*, n>& names, E value, E first) {
  const std::uint32_t number = static_cast<std::uint32_t>(value),
                      at = number - static_cast<std::uint32_t>(first);
  return at < n ? names[at] : fmt::format("0x{:x}", number);
}

bool has_height(ImageType type) {
  return type == ImageType::d2 || type == ImageType::d2_array || type == ImageType::d3;
}
bool has_layers(ImageType type) {
  return type == ImageType::d1_array || type == ImageType::d2_array;
}

}  // namespace

const char* to_string(ImageType type) noexcept {
  switch (type) {
    case ImageType::d1:
      return "1d";
    case ImageType::d1_buffer:
      return "1d_buffer";
    case ImageType::d1_array:
      return "1d_array";
    case ImageType::d2:
      return "2d";
    case ImageType::d2_array:
      return "2d_array";
    case ImageType::d3:
      return "3d";
  }
  return "unknown";
}

bool ImageShape::is_sound() const noexcept {
  if (type > ImageType::d3 || pixel_bytes == 0) return false;
  if ((!has_height(type) && height != 1) || (type != ImageType::d3 && depth != 1) ||
      (!has_layers(type) && layers != 1))
    return false;
  std::uint64_t bytes = pixel_bytes;
  for (const std::uint64_t size : {width, height, depth, layers}) {
    if (size == 0 || size > most_bytes / bytes) return false;
    bytes *= size;
  }
  if (levels == 0 ||
      levels > static_cast<std::uint32_t>(std::bit_width(std::max({width, height, depth}))))
    return false;
  if (row_pitch_bytes == 0) return true;
  return row_pitch_bytes >= pixel_bytes * width && row_pitch_bytes <= most_bytes / height;
}

ImageShape ImageShape::level(std::uint32_t number) const noexcept {
  ImageShape one = *this;
  one.levels = 1;
  one.first_level = first_level + number;
  for (std::uint64_t* size : {&one.width, &one.height, &one.depth})
    *size = std::max<std::uint64_t>(*size >> number, 1);
  return one;
}

std::uint64_t ImageShape::level_offset(std::uint32_t number) const noexcept {
  std::uint64_t bytes = 0;
  for (std::uint32_t i = 0; i < number; ++i) {
    const ImageShape one = level(i);
    bytes += one.pixel_bytes * one.width * one.height * one.depth * one.layers;
  }
  return bytes;
}

const char* to_string(ChannelOrder order) noexcept { return name_of(order, orders); }
const char* to_string(ChannelType type) noexcept { return name_of(type, types); }

ChannelOrder parse_channel_order(std::string_view name) noexcept {
  return parse<ChannelOrder>(name, orders);
}
ChannelType parse_channel_type(std::string_view name) noexcept {
  return parse<ChannelType>(name, types);
}

namespace {

std::uint32_t channels_of(ChannelOrder order) {
  switch (order) {
    case ChannelOrder::r:
    case ChannelOrder::a:
    case ChannelOrder::intensity:
    case ChannelOrder::luminance:
    case ChannelOrder::depth:
      return 1;
    case ChannelOrder::rg:
    case ChannelOrder::ra:
    case ChannelOrder::rx:
      return 2;
    case ChannelOrder::rgb:
    case ChannelOrder::rgx:
    case ChannelOrder::srgb:
      return 3;
    case ChannelOrder::rgba:
    case ChannelOrder::bgra:
    case ChannelOrder::argb:
    case ChannelOrder::abgr:
    case ChannelOrder::rgbx:
    case ChannelOrder::srgbx:
    case ChannelOrder::srgba:
    case ChannelOrder::sbgra:
      return 4;
    default:
      return 0;
  }
}

}  // namespace

std::uint32_t pixel_bytes_of(ChannelOrder order, ChannelType type) noexcept {
  switch (type) {
    case ChannelType::unorm565:
    case ChannelType::unorm555:
      return 2;
    case ChannelType::unorm101010:
    case ChannelType::unorm1010102:
      return 4;
    case ChannelType::snorm8:
    case ChannelType::unorm8:
    case ChannelType::int8:
    case ChannelType::uint8:
      return channels_of(order);
    case ChannelType::snorm16:
    case ChannelType::unorm16:
    case ChannelType::int16:
    case ChannelType::uint16:
    case ChannelType::float16:
      return 2 * channels_of(order);
    case ChannelType::int32:
    case ChannelType::uint32:
    case ChannelType::float32:
      return 4 * channels_of(order);
    default:
      return 0;
  }
}

std::string format_name(const ImageShape& shape) {
  const std::string_view order = to_string(shape.channel_order),
                         type = to_string(shape.channel_type);
  if (!order.empty() && !type.empty()) return fmt::format("{}{}", order, type);
  const auto number = [](auto part) { return static_cast<std::uint32_t>(part) & ~unknown_format; };
  return fmt::format("order 0x{:x}, type 0x{:x}", number(shape.channel_order),
                     number(shape.channel_type));
}

std::string extent_text(const ImageShape& shape) {
  std::string text = std::to_string(shape.width);
  if (has_height(shape.type)) text += fmt::format(" x {}", shape.height);
  if (shape.type == ImageType::d3) text += fmt::format(" x {}", shape.depth);
  if (has_layers(shape.type))
    text += fmt::format(", {} {}", shape.layers, shape.layers == 1 ? "layer" : "layers");
  if (shape.levels > 1) text += fmt::format(", {} levels", shape.levels);
  return text;
}

std::string pixel_text(const ImageShape& shape, std::uint64_t offset_bytes) {
  if (shape.levels > 1) {
    std::uint32_t level = shape.levels - 1;
    while (level > 0 && shape.level_offset(level) > offset_bytes) --level;
    return fmt::format("{} of level {}",
                       pixel_text(shape.level(level), offset_bytes - shape.level_offset(level)),
                       level);
  }
  const std::uint64_t pixel = offset_bytes / shape.pixel_bytes;
  const std::uint64_t x = pixel % shape.width;
  const std::uint64_t y = pixel / shape.width % shape.height;
  const std::uint64_t slice = pixel / shape.width / shape.height;
  std::string text = fmt::format("pixel ({}", x);
  if (has_height(shape.type)) text += fmt::format(", {}", y);
  if (shape.type == ImageType::d3) text += fmt::format(", {}", slice);
  text += ")";
  if (has_layers(shape.type)) text += fmt::format(" of layer {}", slice);
  return text;
}

std::string to_string(const SamplerShape& sampler) {
  return fmt::format("{}, {}, {}", sampler.normalized ? "normalized" : "pixels",
                     name_in(addressings, sampler.addressing, Addressing::undefined),
                     name_in(filters, sampler.filter, Filter::nearest));
}

std::string to_string(const SamplerState& s) {
  const auto filter = [](Filter f) { return name_in(filters, f, Filter::nearest); };
  const auto addressing = [](Addressing a) {
    return name_in(addressings, a, Addressing::undefined);
  };
  std::string text = s.normalized ? "normalized, " : "pixels, ";
  text += addressing(s.u);
  if (s.v != s.u || s.w != s.u) text += fmt::format(" / {} / {}", addressing(s.v), addressing(s.w));
  text += ", " + filter(s.magnify);
  if (s.minify != s.magnify) text += fmt::format(" ({} when smaller)", filter(s.minify));
  if (s.between_levels != Filter::nearest)
    text += fmt::format(", {} between levels", filter(s.between_levels));
  if (s.u == Addressing::clamp_to_border || s.v == Addressing::clamp_to_border ||
      s.w == Addressing::clamp_to_border)
    text += ", border " + name_in(borders, s.border, SamplerState::Border::transparent_black);
  if (s.compare) text += ", compares " + name_in(comparisons, s.compare, 1u);
  if (s.anisotropy > 0) text += fmt::format(", anisotropy {}", s.anisotropy);
  if (s.level_bias != 0) text += fmt::format(", level bias {}", s.level_bias);
  if (s.least_level != 0) text += fmt::format(", levels from {}", s.least_level);
  if (s.reduction) text += s.reduction == 1 ? ", minimum" : ", maximum";
  return text;
}

SamplerState to_state(const SamplerShape& sampler) noexcept {
  SamplerState state;
  state.magnify = state.minify = sampler.filter;
  // Undefined: whoever samples stays inside.
  state.u = state.v = state.w =
      sampler.addressing == Addressing::undefined ? Addressing::clamp_to_edge : sampler.addressing;
  state.normalized = sampler.normalized;
  return state;
}

std::string sampler_text(std::span<const std::byte> bytes) {
  if (SamplerShape shape; bytes.size() == sizeof shape) {
    std::memcpy(&shape, bytes.data(), sizeof shape);
    return to_string(shape);
  }
  if (SamplerState state; bytes.size() == sizeof state) {
    std::memcpy(&state, bytes.data(), sizeof state);
    return to_string(state);
  }
  return {};
}

}  // namespace reel
