// driver_reads.hpp - how bytes of a storage are read with OpenCL.
//
// In: a storage, an offset and memory of ours. Out: a command of the driver's that reads into it,
// in the order of a queue; or the bytes, read now by a queue of our own.
#pragma once

#include <memory>
#include <span>
#include <string>

#include "layers/opencl/objects/objects.hpp"
#include "recording/calls/api_adapter.hpp"

namespace reel::layer {

struct WaitList {
  cl_uint count = 0;
  const cl_event* events = nullptr;
};

// Of an image: all of it. `scratch` is to be kept until the driver has read.
cl_int enqueue_read(cl_command_queue queue, const Storage& storage, std::uint64_t offset,
                    std::span<std::byte> target, WaitList waits, cl_event* event,
                    std::shared_ptr<void>& scratch);
std::string answered(cl_int status);  // why it could not be read

std::unique_ptr<capture::DirectReader> open_direct_reader();

}  // namespace reel::layer
