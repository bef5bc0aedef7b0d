// work.hpp - what one call asks of the device: boxes of OpenCL as those of documents.
#pragma once

#include <cstddef>
#include <cstdint>

#include "layers/opencl/objects/objects.hpp"
#include "recording/calls/call_work.hpp"
#include "recording/contents/byte_source.hpp"

namespace reel::layer {

using capture::Box;
using capture::BoxSource;
using capture::BufferedWork;
using capture::ByteSource;
using capture::line;
using capture::PatternSource;
using capture::Range;
using capture::WorkArgument;
using Work = capture::CallWork;

// A box of a buffer as the …Rect functions give it; pitches of 0 mean tight.
Box buffer_box(const std::size_t* origin, const std::size_t* region, std::size_t row_pitch,
               std::size_t slice_pitch, std::uint64_t base_bytes) noexcept;
// A region of an image in its tight bytes.
Box image_box(const ImageShape& shape, const std::size_t* origin,
              const std::size_t* region) noexcept;
// The same rows in host memory, tight or with the pitches given.
Box host_box(const ImageShape& shape, const std::size_t* region, std::size_t row_pitch,
             std::size_t slice_pitch) noexcept;

}  // namespace reel::layer
