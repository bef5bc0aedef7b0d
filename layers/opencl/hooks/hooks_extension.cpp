// Functions that a program fetches by name: where we stand before one, it gets ours.
#include <cstring>
#include <string_view>

#include "layers/opencl/given.hpp"
#include "layers/opencl/hooks/hooks.hpp"
#include "layers/opencl/objects/command_buffer.hpp"

namespace reel::layer {

namespace {

struct Named {
  std::string_view name;
  void* hook;
};

#define REEL_HOOK(function) \
  Named { #function, reinterpret_cast < void*>(hook_table().function) }

// Those that programs are known to fetch, and all that give commands. A macro, since names and
// members must be the same word.
void* hook_named(std::string_view name) noexcept {
  const Named hooks[] = {
      REEL_HOOK(clCreateCommandQueue),
      REEL_HOOK(clCreateCommandQueueWithProperties),
      REEL_HOOK(clRetainCommandQueue),
      REEL_HOOK(clReleaseCommandQueue),
      REEL_HOOK(clGetCommandQueueInfo),
      REEL_HOOK(clCreateBuffer),
      REEL_HOOK(clCreateBufferWithProperties),
      REEL_HOOK(clCreateSubBuffer),
      REEL_HOOK(clCreateImage),
      REEL_HOOK(clCreateImage2D),
      REEL_HOOK(clCreateImage3D),
      REEL_HOOK(clCreateImageWithProperties),
      REEL_HOOK(clRetainMemObject),
      REEL_HOOK(clReleaseMemObject),
      REEL_HOOK(clCreateSampler),
      REEL_HOOK(clCreateSamplerWithProperties),
      REEL_HOOK(clCreateProgramWithSource),
      REEL_HOOK(clCreateProgramWithBinary),
      REEL_HOOK(clCreateProgramWithIL),
      REEL_HOOK(clBuildProgram),
      REEL_HOOK(clCompileProgram),
      REEL_HOOK(clLinkProgram),
      REEL_HOOK(clCreateKernel),
      REEL_HOOK(clCreateKernelsInProgram),
      REEL_HOOK(clCloneKernel),
      REEL_HOOK(clSetKernelArg),
      REEL_HOOK(clSetKernelArgSVMPointer),
      REEL_HOOK(clSetKernelExecInfo),
      REEL_HOOK(clSetEventCallback),
      REEL_HOOK(clSetUserEventStatus),
      REEL_HOOK(clEnqueueNDRangeKernel),
      REEL_HOOK(clEnqueueTask),
      REEL_HOOK(clEnqueueNativeKernel),
      REEL_HOOK(clEnqueueReadBuffer),
      REEL_HOOK(clEnqueueWriteBuffer),
      REEL_HOOK(clEnqueueReadBufferRect),
      REEL_HOOK(clEnqueueWriteBufferRect),
      REEL_HOOK(clEnqueueCopyBuffer),
      REEL_HOOK(clEnqueueCopyBufferRect),
      REEL_HOOK(clEnqueueFillBuffer),
      REEL_HOOK(clEnqueueReadImage),
      REEL_HOOK(clEnqueueWriteImage),
      REEL_HOOK(clEnqueueCopyImage),
      REEL_HOOK(clEnqueueCopyImageToBuffer),
      REEL_HOOK(clEnqueueCopyBufferToImage),
      REEL_HOOK(clEnqueueFillImage),
      REEL_HOOK(clEnqueueMapBuffer),
      REEL_HOOK(clEnqueueMapImage),
      REEL_HOOK(clEnqueueUnmapMemObject),
      REEL_HOOK(clEnqueueMigrateMemObjects),
      REEL_HOOK(clEnqueueMarkerWithWaitList),
      REEL_HOOK(clEnqueueBarrierWithWaitList),
      REEL_HOOK(clEnqueueSVMMemcpy),
      REEL_HOOK(clEnqueueSVMMemFill),
      REEL_HOOK(clEnqueueSVMMap),
      REEL_HOOK(clEnqueueSVMUnmap),
      REEL_HOOK(clEnqueueSVMFree),
      REEL_HOOK(clSVMAlloc),
      REEL_HOOK(clSVMFree),
      REEL_HOOK(clFinish),
      REEL_HOOK(clFlush),
      REEL_HOOK(clWaitForEvents),
      REEL_HOOK(clGetEventProfilingInfo),
  };
  // Names of OpenCL 2.1 were extensions before: clCreateCommandQueueWithPropertiesKHR.
  if (name.ends_with("KHR")) name.remove_suffix(3);
  for (const Named& hook : hooks)
    if (hook.name == name) return hook.hook;
  return nullptr;
}
#undef REEL_HOOK

void* CL_API_CALL extension_for_platform(cl_platform_id platform, const char* name) {
  void* address = next().clGetExtensionFunctionAddressForPlatform(platform, name);
  if (!address || !name) return address;
  void* ours = nullptr;
  quietly([&] { ours = command_buffer_hook(platform, name, address); });
  if (ours) return ours;
  if (void* hook = hook_named(name)) return hook;
  return address;
}

void* CL_API_CALL extension(const char* name) {
  void* address = next().clGetExtensionFunctionAddress(name);
  if (!address || !name) return address;
  void* ours = nullptr;
  quietly([&] { ours = command_buffer_hook(nullptr, name, address); });
  if (ours) return ours;
  if (void* hook = hook_named(name)) return hook;
  return address;
}

}  // namespace

void add_extension_hooks(cl_icd_dispatch& table) {
  table.clGetExtensionFunctionAddress = extension;
  table.clGetExtensionFunctionAddressForPlatform = extension_for_platform;
}

}  // namespace reel::layer
