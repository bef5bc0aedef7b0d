// raw.hpp - what a good engineer writes by hand, without this library.
//
// Each function opens the driver by itself and returns modes that keep what they need. The names
// below are what the aims refer to. `device_name` is the one the driver reports.
#pragma once

#include <string>
#include <vector>

#include "shared/add_one.hpp"
#include "shared/harness.hpp"

namespace bench {

namespace raw {
inline constexpr const char* host_loop = "by hand: plain loop of calls";
inline constexpr const char* host_direct = "by hand: pack arguments, call";
inline constexpr const char* host_safe_direct = "by hand: check, lock, pack, call";
inline constexpr const char* opencl_bound = "by hand: enqueue, arguments bound";
inline constexpr const char* opencl_direct = "by hand: set arguments, enqueue";
inline constexpr const char* opencl_command_buffer = "by hand: cl_khr_command_buffer";
inline constexpr const char* vulkan_resubmit = "by hand: record once, resubmit";
inline constexpr const char* vulkan_direct = "by hand: record again, submit";
inline constexpr const char* vulkan_submits = "by hand: submit per dispatch";
}  // namespace raw

std::vector<Mode> raw_host_modes(const Case& work);
std::vector<Mode> raw_opencl_modes(const Case& work, const std::string& device_name);
std::vector<Mode> raw_vulkan_modes(const Case& work, const std::string& device_name);

}  // namespace bench
