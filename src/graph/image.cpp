#include "reel/image.hpp"

#include <fmt/format.h>

#include <array>
#include <string_view>

#include "graph/image_names.hpp"

namespace reel {

namespace {

constexpr std::uint64_t most_bytes = std::uint64_t{1} << 62;

struct Name {
  std::uint32_t number;
  const char* text;
};

// The numbers of CL/cl.h, which this part of the library doesn't include.
constexpr std::array orders{
    Name{0x10B0, "R"},         Name{0x10B1, "A"},     Name{0x10B2, "RG"},
    Name{0x10B3, "RA"},        Name{0x10B4, "RGB"},   Name{0x10B5, "RGBA"},
    Name{0x10B6, "BGRA"},      Name{0x10B7, "ARGB"},  Name{0x10B8, "intensity"},
    Name{0x10B9, "luminance"}, Name{0x10BA, "Rx"},    Name{0x10BB, "RGx"},
    Name{0x10BC, "RGBx"},      Name{0x10BD, "depth"}, Name{0x10BE, "depth_stencil"},
    Name{0x10BF, "sRGB"},      Name{0x10C0, "sRGBx"}, Name{0x10C1, "sRGBA"},
    Name{0x10C2, "sBGRA"},     Name{0x10C3, "ABGR"},
};
constexpr std::array types{
    Name{0x10D0, "8 snorm"},      Name{0x10D1, "16 snorm"},      Name{0x10D2, "8 unorm"},
    Name{0x10D3, "16 unorm"},     Name{0x10D4, "565 unorm"},     Name{0x10D5, "555 unorm"},
    Name{0x10D6, "101010 unorm"}, Name{0x10D7, "8 int"},         Name{0x10D8, "16 int"},
    Name{0x10D9, "32 int"},       Name{0x10DA, "8 uint"},        Name{0x10DB, "16 uint"},
    Name{0x10DC, "32 uint"},      Name{0x10DD, "16 float"},      Name{0x10DE, "32 float"},
    Name{0x10DF, "24 unorm"},     Name{0x10E0, "1010102 unorm"},
};
constexpr std::array addressings{
    Name{0x1130, "any address"}, Name{0x1131, "clamp to edge"},   Name{0x1132, "clamp"},
    Name{0x1133, "repeat"},      Name{0x1134, "mirrored repeat"},
};
constexpr std::array filters{Name{0x1140, "nearest"}, Name{0x1141, "linear"}};

template <std::size_t n>
const char* find(const std::array<Name, n>& names, std::uint32_t number) {
  for (const Name& name : names)
    if (name.number == number) return name.text;
  return nullptr;
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
  if (row_pitch_bytes == 0) return true;
  return row_pitch_bytes >= pixel_bytes * width && row_pitch_bytes <= most_bytes / height;
}

const char* channel_order_name(const ImageShape& shape) noexcept {
  const char* name = find(orders, shape.channel_order);
  return name ? name : "";
}

const char* channel_type_name(const ImageShape& shape) noexcept {
  const char* name = find(types, shape.channel_type);
  return name ? name : "";
}

std::string format_name(const ImageShape& shape) {
  const std::string_view order = channel_order_name(shape), type = channel_type_name(shape);
  if (!order.empty() && !type.empty()) return fmt::format("{}{}", order, type);
  return fmt::format("order 0x{:x}, type 0x{:x}", shape.channel_order, shape.channel_type);
}

std::string extent_text(const ImageShape& shape) {
  std::string text = std::to_string(shape.width);
  if (has_height(shape.type)) text += fmt::format(" x {}", shape.height);
  if (shape.type == ImageType::d3) text += fmt::format(" x {}", shape.depth);
  if (has_layers(shape.type))
    text += fmt::format(", {} {}", shape.layers, shape.layers == 1 ? "layer" : "layers");
  return text;
}

std::string pixel_text(const ImageShape& shape, std::uint64_t offset_bytes) {
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
  const char* addressing = find(addressings, sampler.addressing);
  const char* filter = find(filters, sampler.filter);
  return fmt::format("{}, {}, {}", sampler.normalized ? "normalized" : "pixels",
                     addressing ? addressing : fmt::format("0x{:x}", sampler.addressing),
                     filter ? filter : fmt::format("0x{:x}", sampler.filter));
}

}  // namespace reel
