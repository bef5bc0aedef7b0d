#include "backends/opencl/device/platform.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstring>
#include <exception>
#include <limits>
#include <utility>

namespace reel::opencl {
namespace {

// Enough for any machine, and a bound on what a broken driver may claim to have.
constexpr cl_uint most_platforms = 64, most_devices = 256;

std::string problem_of(cl_device_id device, const std::string& api_version) {
  int major = 0, minor = 0;
  if (std::sscanf(api_version.c_str(), "OpenCL %d.%d", &major, &minor) != 2)
    return fmt::format("The device says its version is '{}', not 'OpenCL x.y'.", api_version);
  if (major * 10 + minor < 12)
    return fmt::format("The device has {}; OpenCL 1.2 is needed.", api_version);
  if (!device_value<cl_bool>(device, CL_DEVICE_AVAILABLE))
    return "The driver says the device is not available.";
  if (!device_value<cl_bool>(device, CL_DEVICE_COMPILER_AVAILABLE))
    return "The driver has no compiler, and kernels are built from source.";
  if (!device_value<cl_bool>(device, CL_DEVICE_ENDIAN_LITTLE))
    return "The device is big-endian; kernel arguments are passed little-endian.";
  return {};
}

std::uint32_t as_limit(std::size_t value) {
  return static_cast<std::uint32_t>(
      std::min<std::size_t>(value, std::numeric_limits<std::uint32_t>::max()));
}

DeviceInfo describe(cl_device_id device) {
  DeviceWords words = describe_device(api().get_device_info, api().get_platform_info, device);
  DeviceInfo info;
  info.backend = "opencl";
  info.name = std::move(words.name);
  info.type = std::move(words.type);
  info.driver = std::move(words.driver);
  info.driver_version = std::move(words.driver_version);
  info.api_version = std::move(words.api_version);
  info.unavailable = problem_of(device, info.api_version);

  info.memory_bytes = words.memory_bytes;
  info.compute_units = words.compute_units;
  info.can_stamp_time = words.can_stamp_time;
  info.stamp_resolution_ns = words.stamp_resolution_ns;
  info.max_buffer_bytes = device_value<cl_ulong>(device, CL_DEVICE_MAX_MEM_ALLOC_SIZE);
  info.max_binding_bytes = info.max_buffer_bytes;
  const auto align_bits = device_value<cl_uint>(device, CL_DEVICE_MEM_BASE_ADDR_ALIGN);
  info.binding_alignment_bytes = std::max<cl_uint>(1, align_bits / 8);
  info.max_group_items = device_value<std::size_t>(device, CL_DEVICE_MAX_WORK_GROUP_SIZE);
  std::array<std::size_t, 16> sizes{};  // 3, or more on a device with more dimensions
  api().get_device_info(device, CL_DEVICE_MAX_WORK_ITEM_SIZES, sizeof sizes, sizes.data(), nullptr);
  info.max_group_size = {as_limit(sizes[0]), as_limit(sizes[1]), as_limit(sizes[2])};
  // OpenCL sets no limit on groups; Dim3 does.
  constexpr auto most = std::numeric_limits<std::uint32_t>::max();
  info.max_groups = {most, most, most};
  info.max_shared_bytes = device_value<cl_ulong>(device, CL_DEVICE_LOCAL_MEM_SIZE);
  info.takes_images = device_value<cl_bool>(device, CL_DEVICE_IMAGE_SUPPORT) != 0;
  // Memory of a CPU is the host's; elsewhere buffers of fine grain are what both see at any time.
  info.maps_memory = (device_value<cl_device_svm_capabilities>(device, CL_DEVICE_SVM_CAPABILITIES) &
                      CL_DEVICE_SVM_FINE_GRAIN_BUFFER) != 0 &&
                     api().svm_alloc && api().svm_free && api().set_kernel_arg_svm_pointer;
  info.takes_stream_priority =
      api().create_command_queue_with_properties &&
      (' ' + device_string(device, CL_DEVICE_EXTENSIONS) + ' ').find(" cl_khr_priority_hints ") !=
          std::string::npos;
  info.takes_free_grids = true;
  info.takes_partial_groups =
      device_value<cl_bool>(device, CL_DEVICE_NON_UNIFORM_WORK_GROUP_SUPPORT) != 0;
  info.kernel_forms = {KernelForm::opencl_c, KernelForm::opencl_binary, KernelForm::opencl_parts,
                       KernelForm::opencl_builtin};
  if (api().create_program_with_il && !device_string(device, CL_DEVICE_IL_VERSION).empty())
    info.kernel_forms.push_back(KernelForm::opencl_il);
  return info;
}

FoundDevice nothing(std::string why) {
  FoundDevice found;
  found.info.id = found.info.backend = "opencl";
  found.info.unavailable = std::move(why);
  return found;
}

void add_devices(cl_platform_id platform, std::vector<FoundDevice>& all) {
  cl_uint count = 0;
  cl_int status = api().get_device_ids(platform, CL_DEVICE_TYPE_ALL, 0, nullptr, &count);
  if (status == CL_DEVICE_NOT_FOUND) return;
  std::vector<cl_device_id> devices(std::min(count, most_devices));
  if (status == CL_SUCCESS && !devices.empty())
    status = api().get_device_ids(platform, CL_DEVICE_TYPE_ALL,
                                  static_cast<cl_uint>(devices.size()), devices.data(), nullptr);
  if (status != CL_SUCCESS) {
    all.push_back(nothing(
        fmt::format("The OpenCL platform '{}' answered {} ({}) to clGetDeviceIDs.",
                    ask_text(api().get_platform_info, platform, cl_platform_info{CL_PLATFORM_NAME}),
                    status_name(status), status)));
    return;
  }
  for (const cl_device_id device : devices)
    if (device) all.push_back({platform, device, describe(device)});
}

}  // namespace

std::string device_string(cl_device_id device, cl_device_info what) {
  return ask_text(api().get_device_info, device, what);
}

std::vector<FoundDevice> find_devices() {
  if (!loaded_api().problem.empty()) return {nothing(loaded_api().problem)};
  std::array<cl_platform_id, most_platforms> platforms{};
  cl_uint count = 0;
  const cl_int status = api().get_platform_ids(most_platforms, platforms.data(), &count);
  if (status != CL_SUCCESS)
    return {
        nothing(fmt::format("No OpenCL platform is installed: clGetPlatformIDs answered {} ({}).",
                            status_name(status), status))};
  if (count == 0) return {nothing("No OpenCL platform is installed.")};
  std::vector<FoundDevice> all;
  for (cl_uint i = 0; i < std::min(count, most_platforms); ++i) add_devices(platforms[i], all);
  if (all.empty())
    return {nothing(fmt::format("The {} OpenCL platform(s) installed have no device.", count))};
  std::size_t number = 0;
  for (FoundDevice& found : all)
    if (found.device) found.info.id = fmt::format("opencl:{}", number++);
  return all;
}

}  // namespace reel::opencl
