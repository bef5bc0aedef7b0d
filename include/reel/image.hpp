// image.hpp - what an image is besides its bytes.
//
// The bytes of an image are its pixels, row after row, slice after slice, with nothing between:
// a buffer of pixel_bytes × width × height × depth × layers. So contents, ranges and hazards of
// images are those of buffers; only a device that samples them needs to know more.
#pragma once

#include <cstdint>

namespace reel {

enum class ImageType : std::uint8_t { d1, d1_buffer, d1_array, d2, d2_array, d3 };

struct ImageShape {
  ImageType type = ImageType::d2;
  std::uint32_t channel_order = 0, channel_type = 0;  // as OpenCL numbers them
  std::uint32_t pixel_bytes = 0;
  std::uint64_t width = 1, height = 1, depth = 1, layers = 1;  // 1 where the type has none
  // Of an image that is made on a buffer, where its rows begin; 0: they follow each other.
  std::uint64_t row_pitch_bytes = 0;

  std::uint64_t size_bytes() const noexcept {
    return pixel_bytes * width * height * depth * layers;
  }
  friend bool operator==(const ImageShape&, const ImageShape&) = default;
};

// "1d", "1d_buffer", "1d_array", "2d", "2d_array", "3d".
const char* to_string(ImageType type) noexcept;

// A sampler, as OpenCL numbers what it does.
struct SamplerShape {
  std::uint32_t normalized = 0, addressing = 0, filter = 0;
  friend bool operator==(const SamplerShape&, const SamplerShape&) = default;
};

}  // namespace reel
