// device_row.hpp - what a document tells of a device.
#pragma once

#include <cstdint>

#include "document/columns/rows.hpp"
#include "layers/opencl/objects/api.hpp"

namespace reel::layer {

document::DeviceRow device_row(cl_device_id device, std::uint32_t id);

// Of a context; none where its driver doesn't tell.
std::vector<cl_device_id> devices_of(cl_context context);

}  // namespace reel::layer
