// What a driver answers, in our words: the backend and the layer ask through the same functions.
#include "opencl/driver_words.hpp"

#include <gtest/gtest.h>

#include <cstring>

namespace reel::opencl {
namespace {

// A driver of one device.
cl_device_type device_type = CL_DEVICE_TYPE_GPU;
cl_bool is_unified = CL_FALSE;

cl_int answer(const void* value, std::size_t bytes, std::size_t room, void* to, std::size_t* size) {
  if (size) *size = bytes;
  if (to && room < bytes) return CL_INVALID_VALUE;
  if (to) std::memcpy(to, value, bytes);
  return CL_SUCCESS;
}
cl_int CL_API_CALL device_info(cl_device_id, cl_device_info what, std::size_t room, void* to,
                               std::size_t* size) {
  switch (what) {
    case CL_DEVICE_NAME:
      return answer("A card", 7, room, to, size);
    case CL_DEVICE_VERSION:
      return answer("OpenCL 3.0 of somebody", 23, room, to, size);
    case CL_DEVICE_TYPE:
      return answer(&device_type, sizeof device_type, room, to, size);
    case CL_DEVICE_HOST_UNIFIED_MEMORY:
      return answer(&is_unified, sizeof is_unified, room, to, size);
    default:
      return CL_INVALID_VALUE;
  }
}
cl_int CL_API_CALL platform_info(cl_platform_id, cl_platform_info, std::size_t, void*,
                                 std::size_t*) {
  return CL_INVALID_PLATFORM;
}

TEST(DriverWords, ADeviceHasOneNameForItsTypeHoweverItIsAsked) {
  const auto type = [](cl_device_type of, cl_bool unified) {
    device_type = of;
    is_unified = unified;
    return describe_device(device_info, platform_info, nullptr).type;
  };
  EXPECT_EQ(type(CL_DEVICE_TYPE_GPU, CL_FALSE), "discrete gpu");
  EXPECT_EQ(type(CL_DEVICE_TYPE_GPU | CL_DEVICE_TYPE_DEFAULT, CL_TRUE), "integrated gpu");
  EXPECT_EQ(type(CL_DEVICE_TYPE_CPU, CL_TRUE), "cpu");
  EXPECT_EQ(type(CL_DEVICE_TYPE_ACCELERATOR, CL_FALSE), "accelerator");
  EXPECT_EQ(type(CL_DEVICE_TYPE_CUSTOM, CL_FALSE), "other");
}

TEST(DriverWords, WhatADriverDoesNotAnswerIsEmpty) {
  const DeviceWords words = describe_device(device_info, platform_info, nullptr);
  EXPECT_EQ(words.name, "A card");
  EXPECT_EQ(words.api_version, "OpenCL 3.0");
  EXPECT_EQ(words.driver, "");
  EXPECT_EQ(words.driver_version, "");
  EXPECT_EQ(words.memory_bytes, 0u);
  EXPECT_FALSE(words.can_stamp_time);
}

TEST(DriverWords, StatusesHaveTheNamesOfTheHeader) {
  EXPECT_STREQ(status_name(CL_SUCCESS), "CL_SUCCESS");
  EXPECT_STREQ(status_name(CL_DEVICE_NOT_FOUND), "CL_DEVICE_NOT_FOUND");
  EXPECT_STREQ(status_name(CL_INVALID_SAMPLER), "CL_INVALID_SAMPLER");
  EXPECT_STREQ(status_name(-1001), "CL_PLATFORM_NOT_FOUND_KHR");
  EXPECT_STREQ(status_name(-4321), "an error without a name");
}

// Two arguments: "global const float* x", of which the driver tells everything, and one without a
// name.
cl_int CL_API_CALL argument_info(cl_kernel, cl_uint index, cl_kernel_arg_info what,
                                 std::size_t room, void* to, std::size_t* size) {
  const cl_kernel_arg_address_qualifier address = CL_KERNEL_ARG_ADDRESS_GLOBAL;
  const cl_kernel_arg_access_qualifier access = CL_KERNEL_ARG_ACCESS_NONE;
  const cl_kernel_arg_type_qualifier type = index == 0 ? CL_KERNEL_ARG_TYPE_CONST : 0;
  switch (what) {
    case CL_KERNEL_ARG_NAME:
      return index == 0 ? answer("x", 2, room, to, size) : CL_KERNEL_ARG_INFO_NOT_AVAILABLE;
    case CL_KERNEL_ARG_TYPE_NAME:
      return index < 2 ? answer("float*", 7, room, to, size) : CL_KERNEL_ARG_INFO_NOT_AVAILABLE;
    case CL_KERNEL_ARG_ADDRESS_QUALIFIER:
      return answer(&address, sizeof address, room, to, size);
    case CL_KERNEL_ARG_ACCESS_QUALIFIER:
      return answer(&access, sizeof access, room, to, size);
    default:
      return answer(&type, sizeof type, room, to, size);
  }
}

TEST(DriverWords, AParameterIsKnownWithoutItsNameButNotWithoutItsType) {
  Parameter x, unnamed, unknown;
  ASSERT_TRUE(describe_parameter(argument_info, nullptr, 0, x));
  EXPECT_EQ(x.name, "x");
  EXPECT_EQ(x.kind, ArgumentKind::buffer);
  EXPECT_EQ(x.access, Access::read);
  EXPECT_EQ(x.element, ElementType::f32);
  ASSERT_TRUE(describe_parameter(argument_info, nullptr, 1, unnamed));
  EXPECT_EQ(unnamed.name, "");
  EXPECT_EQ(unnamed.access, Access::read_write);
  EXPECT_FALSE(describe_parameter(argument_info, nullptr, 2, unknown));
}

}  // namespace
}  // namespace reel::opencl
