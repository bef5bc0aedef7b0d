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

// Copies; a buffer holds the pixels tight, from `offset` on.
void add_image_to_image(Work& work, const std::shared_ptr<Memory>& source,
                        const size_t* source_origin, const std::shared_ptr<Memory>& target,
                        const size_t* target_origin, const size_t* region);
void add_image_to_buffer(Work& work, const std::shared_ptr<Memory>& image, const size_t* origin,
                         const size_t* region, const std::shared_ptr<Memory>& buffer,
                         std::uint64_t offset);
void add_buffer_to_image(Work& work, const std::shared_ptr<Memory>& buffer, std::uint64_t offset,
                         const std::shared_ptr<Memory>& image, const size_t* origin,
                         const size_t* region);

}  // namespace reel::layer
