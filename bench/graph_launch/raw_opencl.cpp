// raw_opencl.cpp - OpenCL without a library: an in-order queue, no events, one clFinish a pass.
#define CL_TARGET_OPENCL_VERSION 300
#include <CL/cl.h>
#include <CL/cl_ext.h>

#include <cstring>
#include <memory>
#include <stdexcept>
#include <string_view>

#include "raw.hpp"

namespace bench {
namespace {

constexpr std::size_t global_size = items, local_size = items;

void check(cl_int status, const char* call) {
  if (status != CL_SUCCESS)
    throw std::runtime_error(std::string(call) + " answered " + std::to_string(status) + ".");
}

template <class F, class... A>
auto create(F* function, A... arguments) {
  cl_int status = CL_SUCCESS;
  auto result = function(arguments..., &status);
  check(status, "An OpenCL create call");
  return result;
}

std::string text_of(cl_device_id device, cl_device_info what) {
  std::size_t size = 0;
  check(clGetDeviceInfo(device, what, 0, nullptr, &size), "clGetDeviceInfo");
  std::string text(size, '\0');
  check(clGetDeviceInfo(device, what, size, text.data(), nullptr), "clGetDeviceInfo");
  text.resize(std::strlen(text.c_str()));
  return text;
}

struct Found {
  cl_platform_id platform;
  cl_device_id device;
};

Found find_device(const std::string& name) {
  cl_uint count = 0;
  check(clGetPlatformIDs(0, nullptr, &count), "clGetPlatformIDs");
  std::vector<cl_platform_id> platforms(count);
  check(clGetPlatformIDs(count, platforms.data(), nullptr), "clGetPlatformIDs");
  for (cl_platform_id platform : platforms) {
    if (clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 0, nullptr, &count) != CL_SUCCESS) continue;
    std::vector<cl_device_id> devices(count);
    check(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, count, devices.data(), nullptr),
          "clGetDeviceIDs");
    for (cl_device_id device : devices)
      if (text_of(device, CL_DEVICE_NAME) == name) return {platform, device};
  }
  throw std::runtime_error("No OpenCL device is named '" + name + "'.");
}

// Context, queue and program of one case. Objects of the modes are released before it.
struct Session {
  Found found;
  cl_context context;
  cl_command_queue queue;
  cl_program program;

  explicit Session(const std::string& device_name) : found(find_device(device_name)) {
    context = create(clCreateContext, nullptr, 1u, &found.device, nullptr, nullptr);
    queue = create(clCreateCommandQueueWithProperties, context, found.device, nullptr);
    const char* source = add_one_opencl_c;
    program = create(clCreateProgramWithSource, context, 1u, &source, nullptr);
    check(clBuildProgram(program, 1, &found.device, "", nullptr, nullptr), "clBuildProgram");
  }
  ~Session() {
    clReleaseProgram(program);
    clReleaseCommandQueue(queue);
    clReleaseContext(context);
  }
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;
};

// Zeroed counters, and kernel objects that use them.
struct Counters {
  std::shared_ptr<Session> session;
  Case work;
  cl_mem buffer;
  std::vector<cl_mem> slices;  // a slice of a buffer is a sub-buffer; of a chain's, all there is
  std::vector<cl_kernel> kernels;

  Counters(std::shared_ptr<Session> of, const Case& c) : session(std::move(of)), work(c) {
    std::vector<std::uint32_t> zeros(work.counters());
    buffer = create(clCreateBuffer, session->context, cl_mem_flags{CL_MEM_COPY_HOST_PTR},
                    zeros.size() * sizeof(zeros[0]), static_cast<void*>(zeros.data()));
    for (std::uint32_t s = 0; s < work.slices(); ++s) {
      const cl_buffer_region region{s * std::size_t{slice_bytes}, slice_bytes};
      slices.push_back(create(clCreateSubBuffer, buffer, cl_mem_flags{CL_MEM_READ_WRITE},
                              cl_buffer_create_type{CL_BUFFER_CREATE_TYPE_REGION},
                              static_cast<const void*>(&region)));
    }
  }
  ~Counters() {
    for (cl_kernel kernel : kernels) clReleaseKernel(kernel);
    for (cl_mem slice : slices) clReleaseMemObject(slice);
    clReleaseMemObject(buffer);
  }
  Counters(const Counters&) = delete;
  Counters& operator=(const Counters&) = delete;

  void bind(cl_kernel kernel, std::uint32_t node) const {
    const cl_mem bound = slices.size() == 1 ? buffer : slices[node];
    const std::uint32_t off = 0;
    check(clSetKernelArg(kernel, 0, sizeof(bound), &bound), "clSetKernelArg");
    check(clSetKernelArg(kernel, 1, sizeof(off), &off), "clSetKernelArg");
  }
  // A kernel object for each node, with its arguments: they stay bound from pass to pass.
  void bind_all() {
    for (std::uint32_t n = 0; n < work.nodes; ++n) {
      kernels.push_back(create(clCreateKernel, session->program, "add_one"));
      bind(kernels.back(), n);
    }
  }
  std::string verify(std::uint64_t passes) const {
    std::vector<std::uint32_t> values(work.counters());
    check(clEnqueueReadBuffer(session->queue, buffer, CL_TRUE, 0, values.size() * sizeof(values[0]),
                              values.data(), 0, nullptr, nullptr),
          "clEnqueueReadBuffer");
    return check_counters(values, work, passes);
  }
};

void enqueue(cl_command_queue queue, cl_kernel kernel) {
  check(clEnqueueNDRangeKernel(queue, kernel, 1, nullptr, &global_size, &local_size, 0, nullptr,
                               nullptr),
        "clEnqueueNDRangeKernel");
}

Mode bound(std::shared_ptr<Counters> counters) {
  counters->bind_all();
  return {raw::opencl_bound,
          [counters](std::uint64_t passes) {
            for (; passes; --passes) {
              for (cl_kernel kernel : counters->kernels) enqueue(counters->session->queue, kernel);
              check(clFinish(counters->session->queue), "clFinish");
            }
          },
          [counters](std::uint64_t passes) { return counters->verify(passes); }};
}

Mode direct(std::shared_ptr<Counters> counters) {
  counters->kernels.push_back(create(clCreateKernel, counters->session->program, "add_one"));
  return {raw::opencl_direct,
          [counters](std::uint64_t passes) {
            const cl_kernel kernel = counters->kernels.front();
            for (; passes; --passes) {
              for (std::uint32_t n = 0; n < counters->work.nodes; ++n) {
                counters->bind(kernel, n);
                enqueue(counters->session->queue, kernel);
              }
              check(clFinish(counters->session->queue), "clFinish");
            }
          },
          [counters](std::uint64_t passes) { return counters->verify(passes); }};
}

// --- cl_khr_command_buffer ---------------------------------------------------------------------

struct CommandBuffer {
  std::shared_ptr<Counters> counters;
  clEnqueueCommandBufferKHR_fn enqueue = nullptr;
  clReleaseCommandBufferKHR_fn release = nullptr;
  cl_command_buffer_khr commands = nullptr;

  explicit CommandBuffer(std::shared_ptr<Counters> of) : counters(std::move(of)) {
    const auto make = function<clCreateCommandBufferKHR_fn>("clCreateCommandBufferKHR");
    const auto add = function<clCommandNDRangeKernelKHR_fn>("clCommandNDRangeKernelKHR");
    const auto finalize = function<clFinalizeCommandBufferKHR_fn>("clFinalizeCommandBufferKHR");
    enqueue = function<clEnqueueCommandBufferKHR_fn>("clEnqueueCommandBufferKHR");
    release = function<clReleaseCommandBufferKHR_fn>("clReleaseCommandBufferKHR");

    // PoCL 3.1 may still call a buffer pending just after clFinish; simultaneous use allows that.
    const cl_command_buffer_properties_khr simultaneous[] = {
        CL_COMMAND_BUFFER_FLAGS_KHR, CL_COMMAND_BUFFER_SIMULTANEOUS_USE_KHR, 0};
    const Session& session = *counters->session;
    cl_device_command_buffer_capabilities_khr can = 0;
    check(clGetDeviceInfo(session.found.device, CL_DEVICE_COMMAND_BUFFER_CAPABILITIES_KHR,
                          sizeof(can), &can, nullptr),
          "clGetDeviceInfo");
    const bool reusable = can & CL_COMMAND_BUFFER_CAPABILITY_SIMULTANEOUS_USE_KHR;
    commands = create(make, 1u, &session.queue, reusable ? simultaneous : nullptr);
    counters->bind_all();
    for (cl_kernel kernel : counters->kernels)
      check(add(commands, nullptr, nullptr, kernel, 1, nullptr, &global_size, &local_size, 0,
                nullptr, nullptr, nullptr),
            "clCommandNDRangeKernelKHR");
    check(finalize(commands), "clFinalizeCommandBufferKHR");
  }
  ~CommandBuffer() { release(commands); }
  CommandBuffer(const CommandBuffer&) = delete;
  CommandBuffer& operator=(const CommandBuffer&) = delete;

  template <class F>
  F function(const char* name) const {
    void* found = clGetExtensionFunctionAddressForPlatform(counters->session->found.platform, name);
    if (!found) throw std::runtime_error(std::string(name) + " is missing.");
    return reinterpret_cast<F>(found);
  }
};

Mode command_buffer(std::shared_ptr<Counters> counters) {
  auto buffer = std::make_shared<CommandBuffer>(std::move(counters));
  return {raw::opencl_command_buffer,
          [buffer](std::uint64_t passes) {
            const cl_command_queue queue = buffer->counters->session->queue;
            for (; passes; --passes) {
              check(buffer->enqueue(0, nullptr, buffer->commands, 0, nullptr, nullptr),
                    "clEnqueueCommandBufferKHR");
              check(clFinish(queue), "clFinish");
            }
          },
          [buffer](std::uint64_t passes) { return buffer->counters->verify(passes); }};
}

}  // namespace

std::vector<Mode> raw_opencl_modes(const Case& work, const std::string& device_name) {
  auto session = std::make_shared<Session>(device_name);
  const auto counters = [&] { return std::make_shared<Counters>(session, work); };
  std::vector<Mode> modes{bound(counters()), direct(counters())};
  const std::string extensions = text_of(session->found.device, CL_DEVICE_EXTENSIONS);
  if (extensions.find("cl_khr_command_buffer ") != std::string::npos ||
      std::string_view(extensions).ends_with("cl_khr_command_buffer"))
    modes.push_back(command_buffer(counters()));
  return modes;
}

}  // namespace bench
