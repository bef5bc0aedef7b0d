// image_names.hpp - the two halves of an image's format, in words.
#pragma once

#include "reel/image.hpp"

namespace reel {

// "RGBA", "luminance"; empty where its number is not known.
const char* channel_order_name(const ImageShape& shape) noexcept;
// "8 unorm", "32 float", "565 unorm"; empty where its number is not known.
const char* channel_type_name(const ImageShape& shape) noexcept;

}  // namespace reel
