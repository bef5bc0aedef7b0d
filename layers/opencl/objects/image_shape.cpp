#include "layers/opencl/objects/image_shape.hpp"

#include <algorithm>

#include "opencl/image_formats.hpp"

namespace reel::layer {

namespace {

std::optional<ImageType> type_of(cl_mem_object_type type) {
  switch (type) {
    case CL_MEM_OBJECT_IMAGE1D:
      return ImageType::d1;
    case CL_MEM_OBJECT_IMAGE1D_BUFFER:
      return ImageType::d1_buffer;
    case CL_MEM_OBJECT_IMAGE1D_ARRAY:
      return ImageType::d1_array;
    case CL_MEM_OBJECT_IMAGE2D:
      return ImageType::d2;
    case CL_MEM_OBJECT_IMAGE2D_ARRAY:
      return ImageType::d2_array;
    case CL_MEM_OBJECT_IMAGE3D:
      return ImageType::d3;
    default:
      return std::nullopt;
  }
}

}  // namespace

std::optional<ImageShape> image_shape(cl_mem image, cl_mem_object_type type) {
  const auto image_type = type_of(type);
  if (!image_type) return std::nullopt;
  const auto get = next().clGetImageInfo;
  const auto number = [&](cl_image_info what) -> std::uint64_t {
    return std::max<std::size_t>(1, ask<std::size_t>(get, image, what));
  };
  if (ask<cl_uint>(get, image, CL_IMAGE_NUM_MIP_LEVELS) > 1 ||
      ask<cl_uint>(get, image, CL_IMAGE_NUM_SAMPLES) > 1)
    return std::nullopt;
  const auto format = ask<cl_image_format>(get, image, CL_IMAGE_FORMAT);
  ImageShape shape;
  shape.type = *image_type;
  shape.channel_order = channel_order_of(format.image_channel_order);
  shape.channel_type = channel_type_of(format.image_channel_data_type);
  shape.pixel_bytes = static_cast<std::uint32_t>(number(CL_IMAGE_ELEMENT_SIZE));
  shape.width = number(CL_IMAGE_WIDTH);
  const bool is_flat = *image_type == ImageType::d1 || *image_type == ImageType::d1_buffer ||
                       *image_type == ImageType::d1_array;
  if (!is_flat) shape.height = number(CL_IMAGE_HEIGHT);
  if (*image_type == ImageType::d3) shape.depth = number(CL_IMAGE_DEPTH);
  if (*image_type == ImageType::d1_array || *image_type == ImageType::d2_array)
    shape.layers = number(CL_IMAGE_ARRAY_SIZE);
  if (ask<cl_mem>(next().clGetMemObjectInfo, image, CL_MEM_ASSOCIATED_MEMOBJECT)) {
    const std::uint64_t pitch = number(CL_IMAGE_ROW_PITCH);
    if (pitch != shape.width * shape.pixel_bytes && !is_flat) shape.row_pitch_bytes = pitch;
  }
  return shape;
}

std::array<std::size_t, 3> whole_region(const ImageShape& shape) noexcept {
  if (shape.type == ImageType::d1_array) return {shape.width, shape.layers, 1};
  if (shape.type == ImageType::d2_array) return {shape.width, shape.height, shape.layers};
  return {shape.width, shape.height, shape.depth};
}

}  // namespace reel::layer
