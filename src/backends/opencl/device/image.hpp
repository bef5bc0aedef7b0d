// image.hpp - images as OpenCL makes them, and transfers of their bytes.
//
// A range of an image is one of its pixels without anything between. What begins and ends with
// whole pixels goes box by box; anything else by way of a buffer of all of them.
#pragma once

#include "backends/opencl/device/context.hpp"
#include "backends/opencl/work/event_stamps.hpp"
#include "reel/command.hpp"

namespace reel::opencl {

// Of zeros, or made on `storage`.
MemoryHandle make_image(const DeviceContext& context, const ImageShape& shape, cl_mem storage,
                        std::string_view label);

// Whether any range of a transfer is of an image.
bool names_image(const Work& work);

// `events`, if any, gets the first and the last. Data of a write, and what is read into, must live
// until the last.
void enqueue_image_copy(const DeviceContext& context, cl_command_queue queue, const Copy& copy,
                        CommandEvents* events);
void enqueue_image_write(const DeviceContext& context, cl_command_queue queue,
                         const BufferRange& target, const std::byte* data, CommandEvents* events);
void enqueue_image_read(const DeviceContext& context, cl_command_queue queue, const Read& read,
                        CommandEvents* events);

}  // namespace reel::opencl
