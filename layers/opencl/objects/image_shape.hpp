// image_shape.hpp - what the driver tells of an image.
#pragma once

#include <array>
#include <cstddef>
#include <optional>

#include "layers/opencl/objects/api.hpp"
#include "reel/image.hpp"

namespace reel::layer {

// None for what is no image, or one whose pixels can't be read back as rows.
std::optional<ImageShape> image_shape(cl_mem image, cl_mem_object_type type);

// All of it, as OpenCL counts: layers of a 1D array are rows, those of a 2D array slices.
std::array<std::size_t, 3> whole_region(const ImageShape& shape) noexcept;

}  // namespace reel::layer
