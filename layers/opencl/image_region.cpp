#include "layers/opencl/image_region.hpp"

namespace reel::layer {

Box region_box(const Memory& image, const size_t* origin, const size_t* region) {
  if (!image.view) return image_box(*image.storage->image, origin, region);
  const ImageShape& shape = *image.view->image;
  Box box = image_box(shape, origin, region);
  if (shape.row_pitch_bytes && origin) {
    box.row_pitch = shape.row_pitch_bytes;
    box.slice_pitch = box.row_pitch * shape.height;
    box.offset_bytes = origin[1] * box.row_pitch + origin[0] * shape.pixel_bytes;
  }
  return box;
}

bool is_image(const std::shared_ptr<Memory>& memory) {
  return memory && (memory->view ? memory->view->image.has_value()
                                 : memory->storage->image.has_value());
}

const ImageShape& shape_of(const Memory& image) {
  return image.view ? *image.view->image : *image.storage->image;
}

void add_region(Work& work, Access access, const std::shared_ptr<Memory>& image,
                const size_t* origin, const size_t* region) {
  if (is_image(image)) add_box(work, access, image, region_box(*image, origin, region));
}

Box host_region(const std::shared_ptr<Memory>& image, const size_t* region, size_t row_pitch,
                size_t slice_pitch) {
  return is_image(image) ? host_box(shape_of(*image), region, row_pitch, slice_pitch) : Box{};
}

}  // namespace reel::layer
