#include "layers/opencl/objects/image_region.hpp"

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
  return memory &&
         (memory->view ? memory->view->image.has_value() : memory->storage->image.has_value());
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

namespace {

Box tight_at(const Memory& image, std::uint64_t offset, const size_t* region) {
  Box box = host_box(shape_of(image), region, 0, 0);
  box.offset_bytes = offset;
  return box;
}

}  // namespace

void add_image_to_image(Work& work, const std::shared_ptr<Memory>& source,
                        const size_t* source_origin, const std::shared_ptr<Memory>& target,
                        const size_t* target_origin, const size_t* region) {
  if (is_image(source) && is_image(target))
    add_copy(work, source, region_box(*source, source_origin, region), target,
             region_box(*target, target_origin, region));
}

void add_image_to_buffer(Work& work, const std::shared_ptr<Memory>& image, const size_t* origin,
                         const size_t* region, const std::shared_ptr<Memory>& buffer,
                         std::uint64_t offset) {
  if (is_image(image) && buffer)
    add_copy(work, image, region_box(*image, origin, region), buffer,
             tight_at(*image, offset, region));
}

void add_buffer_to_image(Work& work, const std::shared_ptr<Memory>& buffer, std::uint64_t offset,
                         const std::shared_ptr<Memory>& image, const size_t* origin,
                         const size_t* region) {
  if (buffer && is_image(image))
    add_copy(work, buffer, tight_at(*image, offset, region), image,
             region_box(*image, origin, region));
}

}  // namespace reel::layer
