#include "layers/vulkan/objects/image.hpp"

#include "vulkan/formats.hpp"

namespace reel::layer::vk {

// --- images -------------------------------------------------------------------------------------

namespace {

const char* why_strange(const VkImageCreateInfo& info) {
  if (!vulkan::is_plain(info.format)) return "an image has blocks, planes, depth or stencil";
  if (info.samples != VK_SAMPLE_COUNT_1_BIT) return "an image has several samples a pixel";
  if (info.flags & VK_IMAGE_CREATE_SPARSE_BINDING_BIT) return "an image is sparse";
  if (info.flags & VK_IMAGE_CREATE_PROTECTED_BIT) return "an image is protected";
  if (find_in<VkImageSwapchainCreateInfoKHR>(info.pNext,
                                             VK_STRUCTURE_TYPE_IMAGE_SWAPCHAIN_CREATE_INFO_KHR))
    return "an image has the memory of one that is shown";
  return nullptr;
}

void set_format(ImageShape& shape, VkFormat from) {
  const vulkan::PixelFormat format = vulkan::to_pixels(from);
  shape.channel_order = format.order;
  shape.channel_type = format.type;
  shape.pixel_bytes = format.pixel_bytes;
}

ImageShape shape_of(const VkImageCreateInfo& info) {
  ImageShape shape;
  set_format(shape, info.format);
  shape.width = info.extent.width;
  shape.height = info.extent.height;
  shape.depth = info.extent.depth;
  shape.layers = info.arrayLayers;
  shape.levels = info.mipLevels;
  shape.samples = info.samples;
  const bool is_array = info.arrayLayers > 1;
  if (info.imageType == VK_IMAGE_TYPE_1D)
    shape.type = is_array ? ImageType::d1_array : ImageType::d1;
  else if (info.imageType == VK_IMAGE_TYPE_2D)
    shape.type = is_array ? ImageType::d2_array : ImageType::d2;
  else
    shape.type = ImageType::d3;
  return shape;
}

}  // namespace

std::shared_ptr<Image> note_image(Device& device, const VkImageCreateInfo& info, VkImage handle) {
  auto made = std::make_shared<Image>();
  made->handle = handle;
  made->format = info.format;
  made->type = info.imageType;
  auto storage = std::make_shared<Storage>(device);
  storage->image_handle = handle;
  storage->kind = BufferKind::image;
  storage->extent = info.extent;
  storage->layers = info.arrayLayers;
  storage->layouts.assign(std::size_t{info.mipLevels} * info.arrayLayers, info.initialLayout);
  storage->placed.usage = info.usage;
  storage->parts = 1;
  storage->is_lent = true;
  storage->why_strange = why_strange(info);
  storage->can_be_copied = !(info.usage & VK_IMAGE_USAGE_TRANSIENT_ATTACHMENT_BIT);
  ImageShape shape = shape_of(info);
  if (shape.pixel_bytes == 0) {  // so that a document can tell of it at all
    shape.pixel_bytes = 1;
    if (!storage->why_strange) storage->why_strange = "an image has a format without a size";
  }
  storage->image = shape;
  storage->size_bytes = shape.size_bytes();
  storage->is_strange = storage->why_strange != nullptr;
  if (info.tiling == VK_IMAGE_TILING_LINEAR && !storage->is_strange && info.mipLevels == 1 &&
      info.arrayLayers == 1 && info.extent.depth == 1) {
    const VkImageSubresource all{VK_IMAGE_ASPECT_COLOR_BIT, 0, 0};
    VkSubresourceLayout rows{};
    device.next.GetImageSubresourceLayout(device.handle, handle, &all, &rows);
    storage->rows = rows;
  }
  made->storage = std::move(storage);
  return made;
}

VkImageSubresourceRange in_numbers(const Storage& image, VkImageSubresourceRange range) {
  const std::uint32_t levels = image.image->levels;
  range.baseMipLevel = std::min(range.baseMipLevel, levels);
  range.baseArrayLayer = std::min(range.baseArrayLayer, image.layers);
  range.levelCount = std::min(range.levelCount, levels - range.baseMipLevel);
  range.layerCount = std::min(range.layerCount, image.layers - range.baseArrayLayer);
  return range;
}

capture::Range bytes_of(Storage& image, const VkImageSubresourceRange& range) {
  if (range.levelCount == 0 || range.layerCount == 0) return {&image, 0, 0};
  const ImageShape& shape = *image.image;
  const auto place_of = [&](std::uint32_t level, std::uint32_t layer) {
    return shape.level_offset(level) + shape.level(level).size_bytes() / image.layers * layer;
  };
  const std::uint64_t begin = place_of(range.baseMipLevel, range.baseArrayLayer);
  const std::uint64_t end =
      place_of(range.baseMipLevel + range.levelCount - 1, range.baseArrayLayer + range.layerCount);
  return {&image, begin, end - begin};
}

void set_layout(Storage& image, const VkImageSubresourceRange& range, VkImageLayout layout) {
  for (std::uint32_t level = 0; level < range.levelCount; ++level)
    for (std::uint32_t layer = 0; layer < range.layerCount; ++layer)
      image.layouts[std::size_t{range.baseMipLevel + level} * image.layers + range.baseArrayLayer +
                    layer] = layout;
}

capture::Box box_of(const Storage& image, const VkImageSubresourceLayers& where, VkOffset3D offset,
                    VkExtent3D extent) {
  const ImageShape level = image.image->level(where.mipLevel);
  const std::uint64_t pixel = level.pixel_bytes;
  capture::Box box{};
  box.row_pitch = level.width * pixel;
  box.slice_pitch = box.row_pitch * level.height;
  // Slices of a volume and layers of an array follow each other alike.
  const bool is_volume = image.extent.depth > 1;
  const std::uint64_t first =
      is_volume ? static_cast<std::uint64_t>(offset.z) : where.baseArrayLayer;
  const std::uint32_t layers = where.layerCount == VK_REMAINING_ARRAY_LAYERS
                                   ? image.layers - where.baseArrayLayer
                                   : where.layerCount;
  box.slices = is_volume ? extent.depth : layers;
  box.rows = extent.height;
  box.row_bytes = extent.width * pixel;
  box.offset_bytes = image.image->level_offset(where.mipLevel) + first * box.slice_pitch +
                     static_cast<std::uint64_t>(offset.y) * box.row_pitch +
                     static_cast<std::uint64_t>(offset.x) * pixel;
  return box;
}

// --- views --------------------------------------------------------------------------------------

namespace {

ImageType type_of(VkImageViewType type) {
  switch (type) {
    case VK_IMAGE_VIEW_TYPE_1D:
      return ImageType::d1;
    case VK_IMAGE_VIEW_TYPE_1D_ARRAY:
      return ImageType::d1_array;
    case VK_IMAGE_VIEW_TYPE_2D:
      return ImageType::d2;
    case VK_IMAGE_VIEW_TYPE_3D:
      return ImageType::d3;
    default:
      return ImageType::d2_array;
  }
}

std::uint32_t swizzle_of(const VkComponentMapping& map) {
  const VkComponentSwizzle channels[] = {map.r, map.g, map.b, map.a};
  std::uint32_t swizzle = 0;
  for (std::uint32_t i = 0; i < 4; ++i)
    if (channels[i] != VK_COMPONENT_SWIZZLE_R + static_cast<int>(i))
      swizzle |= static_cast<std::uint32_t>(channels[i]) << (4 * i);
  return swizzle;
}

const char* why_not(const Image& image, const VkImageViewCreateInfo& info) {
  if (find_in<VkSamplerYcbcrConversionInfo>(info.pNext,
                                            VK_STRUCTURE_TYPE_SAMPLER_YCBCR_CONVERSION_INFO))
    return "a view converts planes";
  if (image.storage->is_strange) return nullptr;  // which has a reason of its own
  if (vulkan::to_pixels(info.format).pixel_bytes != image.storage->image->pixel_bytes)
    return "a view shows an image in a format of another size";
  if (image.type == VK_IMAGE_TYPE_3D && info.viewType != VK_IMAGE_VIEW_TYPE_3D)
    return "a view shows slices of a volume as images";
  return nullptr;
}

}  // namespace

std::shared_ptr<ImageView> note_view(Device& device, const VkImageViewCreateInfo& info) {
  auto made = std::make_shared<ImageView>();
  made->image = info.image;
  const Image* image = device.images.find(info.image);
  if (!image) {
    made->why_not = "a view is of an image that the layer did not see made";
    return made;
  }
  const Storage& whole = *image->storage;
  made->range = in_numbers(whole, info.subresourceRange);
  made->why_not = why_not(*image, info);
  if (made->why_not || whole.is_strange) return made;
  const VkImageSubresourceRange& range = made->range;
  ImageShape shape = whole.image->level(range.baseMipLevel);
  shape.levels = range.levelCount;
  shape.layers = range.layerCount;
  shape.first_layer = range.baseArrayLayer;
  shape.swizzle = swizzle_of(info.components);
  const bool is_all = range.levelCount == whole.image->levels && range.layerCount == whole.layers;
  if (is_all && shape.swizzle == 0 && info.format == image->format) return made;
  shape.type = type_of(info.viewType);
  set_format(shape, info.format);
  made->row = std::make_shared<Storage>(device);
  made->row->kind = BufferKind::image;
  made->row->image = shape;
  made->row->size_bytes = shape.size_bytes();
  made->row->label = whole.label;
  return made;
}

}  // namespace reel::layer::vk
