// image_region.hpp - regions of images as bytes: of the pixels, or of the buffer they are made on.
#pragma once

#include "layers/opencl/transfers.hpp"

namespace reel::layer {

bool is_image(const std::shared_ptr<Memory>& memory);
const ImageShape& shape_of(const Memory& image);
Box region_box(const Memory& image, const size_t* origin, const size_t* region);
void add_region(Work& work, Access access, const std::shared_ptr<Memory>& image,
                const size_t* origin, const size_t* region);
// The same in the program's memory; pitches of 0 mean tight.
Box host_region(const std::shared_ptr<Memory>& image, const size_t* region, size_t row_pitch,
                size_t slice_pitch);

}  // namespace reel::layer
