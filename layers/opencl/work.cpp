#include "layers/opencl/work.hpp"

namespace reel::layer {

Box buffer_box(const std::size_t* origin, const std::size_t* region, std::size_t row_pitch,
               std::size_t slice_pitch, std::uint64_t base_bytes) noexcept {
  Box box;
  if (!origin || !region) return box;
  box.row_bytes = region[0];
  box.rows = region[1];
  box.slices = region[2];
  box.row_pitch = row_pitch ? row_pitch : region[0];
  box.slice_pitch = slice_pitch ? slice_pitch : box.row_pitch * region[1];
  box.offset_bytes =
      base_bytes + origin[2] * box.slice_pitch + origin[1] * box.row_pitch + origin[0];
  return box;
}

namespace {

// OpenCL counts the layers of a 1D array as rows, and those of a 2D array as slices.
std::uint64_t rows_of(const ImageShape& shape) {
  return shape.type == ImageType::d1_array ? shape.layers : shape.height;
}

}  // namespace

Box image_box(const ImageShape& shape, const std::size_t* origin,
              const std::size_t* region) noexcept {
  Box box;
  if (!origin || !region) return box;
  box.row_bytes = region[0] * shape.pixel_bytes;
  box.rows = region[1];
  box.slices = region[2];
  box.row_pitch = shape.width * shape.pixel_bytes;
  box.slice_pitch = box.row_pitch * rows_of(shape);
  box.offset_bytes =
      origin[2] * box.slice_pitch + origin[1] * box.row_pitch + origin[0] * shape.pixel_bytes;
  return box;
}

Box host_box(const ImageShape& shape, const std::size_t* region, std::size_t row_pitch,
             std::size_t slice_pitch) noexcept {
  Box box;
  if (!region) return box;
  box.row_bytes = region[0] * shape.pixel_bytes;
  box.rows = region[1];
  box.slices = region[2];
  // The slice pitch of a 1D array is the distance of its layers.
  const std::uint64_t rows_pitch =
      shape.type == ImageType::d1_array && slice_pitch ? slice_pitch : row_pitch;
  box.row_pitch = rows_pitch ? rows_pitch : box.row_bytes;
  box.slice_pitch =
      shape.type != ImageType::d1_array && slice_pitch ? slice_pitch : box.row_pitch * region[1];
  return box;
}

}  // namespace reel::layer
