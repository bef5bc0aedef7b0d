#include "backends/opencl/device/image.hpp"

#include <algorithm>
#include <array>
#include <vector>

#include "backends/opencl/device/buffer.hpp"
#include "base/fail.hpp"
#include "graph/commands/access.hpp"
#include "opencl/image_formats.hpp"

namespace reel::opencl {
namespace {

using Sizes = std::array<std::size_t, 3>;

cl_mem_object_type type_of(ImageType type) {
  switch (type) {
    case ImageType::d1:
      return CL_MEM_OBJECT_IMAGE1D;
    case ImageType::d1_buffer:
      return CL_MEM_OBJECT_IMAGE1D_BUFFER;
    case ImageType::d1_array:
      return CL_MEM_OBJECT_IMAGE1D_ARRAY;
    case ImageType::d2:
      return CL_MEM_OBJECT_IMAGE2D;
    case ImageType::d2_array:
      return CL_MEM_OBJECT_IMAGE2D_ARRAY;
    case ImageType::d3:
      break;
  }
  return CL_MEM_OBJECT_IMAGE3D;
}

// A box of pixels, and where its bytes begin among those of the range.
struct Box {
  Sizes origin, region;
  std::uint64_t begin;
};

// The pixels [first, last) of an image, as few boxes as there are: at most five.
template <class F>
void for_each_box(const ImageShape& shape, std::uint64_t first, std::uint64_t last, F&& visit) {
  // The layers of an image of rows are its second dimension, of planes the third.
  const std::uint64_t width = shape.width;
  const std::uint64_t rows = shape.type == ImageType::d1_array ? shape.layers : shape.height;
  const std::uint64_t plane = width * rows, begin = first;
  while (first < last) {
    const std::uint64_t x = first % width, y = first / width % rows, z = first / plane;
    Sizes region{std::min(width - x, last - first), 1, 1};
    if (x == 0 && last - first >= width) {
      region[0] = width;
      region[1] = std::min(rows - y, (last - first) / width);
      if (y == 0 && last - first >= plane) {
        region[1] = rows;
        region[2] = (last - first) / plane;
      }
    }
    visit(Box{{x, y, z}, region, (first - begin) * shape.pixel_bytes});
    first += region[0] * region[1] * region[2];
  }
}

const ImageShape* image_of(const BufferRange& range) {
  return range.buffer->image ? &*range.buffer->image : nullptr;
}

bool is_of_whole_pixels(const BufferRange& range) {
  const ImageShape* image = image_of(range);
  return !image || (range.offset_bytes % image->pixel_bytes == 0 &&
                    range.size_bytes % image->pixel_bytes == 0);
}

// One transfer on its way to a queue, which is in order: a copy through a buffer needs no event.
class Transfer {
 public:
  Transfer(const DeviceContext& context, cl_command_queue queue, CommandEvents* events)
      : context_(context), queue_(queue), events_(events) {}

  // From a buffer to an image, from an image to a buffer, from a buffer to a buffer.
  void copy(const BufferRange& source, cl_mem target, std::uint64_t target_offset) {
    if (const ImageShape* image = image_of(source)) {
      boxes(*image, source, [&](const Box& box) {
        check(api().enqueue_copy_image_to_buffer(queue_, memory(source), target, box.origin.data(),
                                                 box.region.data(), target_offset + box.begin, 0,
                                                 nullptr, event()),
              "clEnqueueCopyImageToBuffer");
      });
    } else {
      check(api().enqueue_copy_buffer(queue_, memory(source), target, source.offset_bytes,
                                      target_offset, source.size_bytes, 0, nullptr, event()),
            "clEnqueueCopyBuffer");
    }
  }
  void copy(cl_mem source, std::uint64_t source_offset, const BufferRange& target) {
    if (const ImageShape* image = image_of(target)) {
      boxes(*image, target, [&](const Box& box) {
        check(api().enqueue_copy_buffer_to_image(queue_, source, memory(target),
                                                 source_offset + box.begin, box.origin.data(),
                                                 box.region.data(), 0, nullptr, event()),
              "clEnqueueCopyBufferToImage");
      });
    } else {
      check(api().enqueue_copy_buffer(queue_, source, memory(target), source_offset,
                                      target.offset_bytes, target.size_bytes, 0, nullptr, event()),
            "clEnqueueCopyBuffer");
    }
  }

  void write(const BufferRange& target, const std::byte* data) {
    boxes(*image_of(target), target, [&](const Box& box) {
      check(
          api().enqueue_write_image(queue_, memory(target), CL_FALSE, box.origin.data(),
                                    box.region.data(), 0, 0, data + box.begin, 0, nullptr, event()),
          "clEnqueueWriteImage");
    });
  }
  void write(cl_mem target, std::uint64_t offset, std::uint64_t size, const std::byte* data) {
    check(api().enqueue_write_buffer(queue_, target, CL_FALSE, offset, size, data, 0, nullptr,
                                     event()),
          "clEnqueueWriteBuffer");
  }

  void read(const BufferRange& source, std::byte* target) {
    boxes(*image_of(source), source, [&](const Box& box) {
      check(api().enqueue_read_image(queue_, memory(source), CL_FALSE, box.origin.data(),
                                     box.region.data(), 0, 0, target + box.begin, 0, nullptr,
                                     event()),
            "clEnqueueReadImage");
    });
  }
  void read(cl_mem source, std::uint64_t offset, std::uint64_t size, std::byte* target) {
    check(api().enqueue_read_buffer(queue_, source, CL_FALSE, offset, size, target, 0, nullptr,
                                    event()),
          "clEnqueueReadBuffer");
  }

  // Goes back to the driver when the commands that name it are done.
  MemoryHandle scratch(std::uint64_t bytes) const {
    cl_int status = CL_SUCCESS;
    MemoryHandle memory(
        api().create_buffer(context_.get(), CL_MEM_READ_WRITE, bytes, nullptr, &status));
    check(status, "clCreateBuffer");
    return memory;
  }

 private:
  static cl_mem memory(const BufferRange& range) { return device_buffer(range).memory(); }
  template <class F>
  static void boxes(const ImageShape& image, const BufferRange& range, F&& visit) {
    for_each_box(image, range.offset_bytes / image.pixel_bytes,
                 (range.offset_bytes + range.size_bytes) / image.pixel_bytes, visit);
  }
  cl_event* event() {
    if (!events_) return nullptr;
    return events_->first ? events_->last.out() : events_->first.out();
  }

  const DeviceContext& context_;
  cl_command_queue queue_;
  CommandEvents* events_;
};

// The pixels that the range has a part of.
BufferRange pixels_around(const BufferRange& range) {
  const std::uint64_t pixel = range.buffer->image->pixel_bytes;
  const std::uint64_t end = range.offset_bytes + range.size_bytes;
  BufferRange around = range;
  around.offset_bytes = range.offset_bytes / pixel * pixel;
  around.size_bytes = (end + pixel - 1) / pixel * pixel - around.offset_bytes;
  return around;
}

}  // namespace

MemoryHandle make_image(const DeviceContext& context, const ImageShape& shape, cl_mem storage,
                        std::string_view label) {
  if (shape.levels > 1 || shape.samples > 1 || shape.first_level || shape.first_layer ||
      shape.swizzle)
    fail(Code::unsupported,
         "Image '{}' has several levels or samples, or shows a part of another; OpenCL has no such "
         "images.",
         label);
  const cl_image_format format{opencl_number(shape.channel_order),
                               opencl_number(shape.channel_type)};
  cl_image_desc about{};
  about.image_type = type_of(shape.type);
  about.image_width = shape.width;
  about.image_height = shape.height;
  about.image_depth = shape.depth;
  about.image_array_size = shape.layers;
  about.image_row_pitch = storage ? shape.row_pitch_bytes : 0;
  about.buffer = storage;
  std::vector<std::byte> zeros;
  cl_mem_flags flags = CL_MEM_READ_WRITE;
  MemoryHandle own;
  if (!storage && shape.type == ImageType::d1_buffer) {
    // Recorded by itself: OpenCL makes it on a buffer alone, which lives as long as the image.
    cl_int status = CL_SUCCESS;
    zeros.resize(shape.size_bytes());
    own = MemoryHandle(api().create_buffer(context.get(), flags | CL_MEM_COPY_HOST_PTR,
                                           zeros.size(), zeros.data(), &status));
    check(status, "clCreateBuffer");
    about.buffer = own.get();
  } else if (!storage) {
    zeros.resize(shape.size_bytes());
    flags |= CL_MEM_COPY_HOST_PTR;
  }
  cl_int status = CL_SUCCESS;
  MemoryHandle image(api().create_image(context.get(), flags, &format, &about,
                                        about.buffer ? nullptr : zeros.data(), &status));
  if (status != CL_SUCCESS)
    fail(status == CL_MEM_OBJECT_ALLOCATION_FAILURE || status == CL_OUT_OF_HOST_MEMORY ||
                 status == CL_OUT_OF_RESOURCES
             ? Code::out_of_memory
             : Code::unsupported,
         "Image '{}' ({} {}, {}) can't be made on {}: clCreateImage answered {} ({}).", label,
         to_string(shape.type), format_name(shape), extent_text(shape), context.info().id,
         status_name(status), status);
  return image;
}

bool names_image(const Work& work) {
  bool result = false;
  for_each_transfer_range(
      work, [&](const BufferRange& range, Access) { result |= range.buffer->image.has_value(); });
  return result;
}

void enqueue_image_copy(const DeviceContext& context, cl_command_queue queue, const Copy& copy,
                        CommandEvents* events) {
  Transfer transfer(context, queue, events);
  const bool is_even = is_of_whole_pixels(copy.source) && is_of_whole_pixels(copy.target);
  if (is_even && !image_of(copy.target)) {
    transfer.copy(copy.source, device_buffer(copy.target).memory(), copy.target.offset_bytes);
    return;
  }
  if (is_even && !image_of(copy.source)) {
    transfer.copy(device_buffer(copy.source).memory(), copy.source.offset_bytes, copy.target);
    return;
  }
  const auto between = transfer.scratch(copy.source.size_bytes);
  if (is_of_whole_pixels(copy.source)) {
    transfer.copy(copy.source, between.get(), 0);
  } else {
    const BufferRange pixels = pixels_around(copy.source);
    const auto all = transfer.scratch(pixels.size_bytes);
    transfer.copy(pixels, all.get(), 0);
    check(api().enqueue_copy_buffer(queue, all.get(), between.get(),
                                    copy.source.offset_bytes - pixels.offset_bytes, 0,
                                    copy.source.size_bytes, 0, nullptr, nullptr),
          "clEnqueueCopyBuffer");
  }
  if (is_of_whole_pixels(copy.target)) {
    transfer.copy(between.get(), 0, copy.target);
    return;
  }
  const BufferRange pixels = pixels_around(copy.target);
  const auto all = transfer.scratch(pixels.size_bytes);
  transfer.copy(pixels, all.get(), 0);
  check(api().enqueue_copy_buffer(queue, between.get(), all.get(), 0,
                                  copy.target.offset_bytes - pixels.offset_bytes,
                                  copy.target.size_bytes, 0, nullptr, nullptr),
        "clEnqueueCopyBuffer");
  transfer.copy(all.get(), 0, pixels);
}

void enqueue_image_write(const DeviceContext& context, cl_command_queue queue,
                         const BufferRange& target, const std::byte* data, CommandEvents* events) {
  Transfer transfer(context, queue, events);
  if (is_of_whole_pixels(target)) {
    transfer.write(target, data);
    return;
  }
  // No more than these pixels: of a mapped image a document may have a thousand pieces.
  const BufferRange pixels = pixels_around(target);
  const auto all = transfer.scratch(pixels.size_bytes);
  transfer.copy(pixels, all.get(), 0);
  transfer.write(all.get(), target.offset_bytes - pixels.offset_bytes, target.size_bytes, data);
  transfer.copy(all.get(), 0, pixels);
}

void enqueue_image_read(const DeviceContext& context, cl_command_queue queue, const Read& read,
                        CommandEvents* events) {
  Transfer transfer(context, queue, events);
  if (is_of_whole_pixels(read.source)) {
    transfer.read(read.source, read.target.data());
    return;
  }
  const BufferRange pixels = pixels_around(read.source);
  const auto all = transfer.scratch(pixels.size_bytes);
  transfer.copy(pixels, all.get(), 0);
  transfer.read(all.get(), read.source.offset_bytes - pixels.offset_bytes, read.source.size_bytes,
                read.target.data());
}

}  // namespace reel::opencl
