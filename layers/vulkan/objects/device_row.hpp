// device_row.hpp - what a document tells of a device that a program uses.
//
// However many instances and devices a program makes of one physical device, it is one row.
#pragma once

#include <cstdint>
#include <optional>

#include "document/columns/rows.hpp"
#include "layers/vulkan/device.hpp"

namespace reel::layer::vk {

// Lives as long as the process.
const void* identity_of_device(Device& device);
document::DeviceRow device_row(const void* identity, std::uint32_t number);
// Its clock; none: nobody can tell.
std::optional<std::uint64_t> device_now_ns(const void* identity) noexcept;

}  // namespace reel::layer::vk
