// opencl.cpp - a life with OpenCL: lives_opencl opencl PROGRAM. Knows nothing of Reel but the
// header for captures from inside.
//
// Built twice: lives_opencl is linked with the loader, lives_loaded opens and closes it by hand.
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <dlfcn.h>
#include <reel_app.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <stdexcept>

#include "life.hpp"

namespace {

using oracle::digest;

constexpr std::size_t count = 2048;
constexpr int kernels = 4;

const char* const source = R"(
#define STEP(name, factor) \
  kernel void name(global uint* values) { \
    uint value = values[get_global_id(0)]; \
    for (int i = 0; i < 200; ++i) value = value * factor + (value >> 3); \
    values[get_global_id(0)] = value; \
  }
STEP(first, 3) STEP(second, 5) STEP(third, 7) STEP(fourth, 11)
)";

#define CALLS(X)                 \
  X(clGetPlatformIDs)            \
  X(clGetDeviceIDs)              \
  X(clCreateContext)             \
  X(clCreateCommandQueue)        \
  X(clCreateProgramWithSource)   \
  X(clBuildProgram)              \
  X(clCreateKernel)              \
  X(clCreateBuffer)              \
  X(clSetKernelArg)              \
  X(clEnqueueNDRangeKernel)      \
  X(clEnqueueReadBuffer)         \
  X(clEnqueueMarkerWithWaitList) \
  X(clCreateUserEvent)           \
  X(clSetUserEventStatus)        \
  X(clSetEventCallback)          \
  X(clReleaseEvent)              \
  X(clReleaseKernel)             \
  X(clReleaseMemObject)          \
  X(clReleaseProgram)            \
  X(clReleaseCommandQueue)       \
  X(clReleaseContext)            \
  X(clFlush)                     \
  X(clFinish)

// The functions of OpenCL, however they came here.
struct Calls {
#define MEMBER(name) decltype(&::name) name = nullptr;
  CALLS(MEMBER)
#undef MEMBER
};

void check(cl_int status, const char* what) {
  if (status != CL_SUCCESS)
    throw std::runtime_error(std::string(what) + ": " + std::to_string(status));
}

class OpenclWork : public lives::Work {
 public:
  void open() override {
    load();
    cl_int status = 0;
    cl_platform_id platform = nullptr;
    check(cl_.clGetPlatformIDs(1, &platform, nullptr), "clGetPlatformIDs");
    check(cl_.clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device_, nullptr), "clGetDeviceIDs");
    context_ = cl_.clCreateContext(nullptr, 1, &device_, nullptr, nullptr, &status);
    check(status, "clCreateContext");
    queue_ = cl_.clCreateCommandQueue(context_, device_, 0, &status);
    check(status, "clCreateCommandQueue");
    const char* text = source;
    program_ = cl_.clCreateProgramWithSource(context_, 1, &text, nullptr, &status);
    check(status, "clCreateProgramWithSource");
    check(cl_.clBuildProgram(program_, 1, &device_, "", nullptr, nullptr), "clBuildProgram");
    buffer_ = make_buffer();
  }

  void give(int number) override {
    for (int i = 0; i < number; ++i) give_one(queue_, buffer_, given_++);
    check(cl_.clFlush(queue_), "clFlush");
  }
  void pass(int number) override { give(number); }

  void hold() override {
    cl_int status = 0;
    gate_ = cl_.clCreateUserEvent(context_, &status);
    check(status, "clCreateUserEvent");
    check(cl_.clEnqueueMarkerWithWaitList(queue_, 1, &gate_, nullptr), "clEnqueueMarker");
    give(1);
  }
  void release() override {
    check(cl_.clSetUserEventStatus(gate_, CL_COMPLETE), "clSetUserEventStatus");
    check(cl_.clReleaseEvent(gate_), "clReleaseEvent");
  }

  std::string finish() override {
    static std::uint32_t values[count];
    check(cl_.clEnqueueReadBuffer(queue_, buffer_, CL_TRUE, 0, sizeof values, values, 0, nullptr,
                                  nullptr),
          "clEnqueueReadBuffer");
    return digest(values, sizeof values);
  }

  // A refusal is fine while the process leaves, and so is the process's end.
  void give_on() override {
    cl_int status = 0;
    cl_command_queue queue = cl_.clCreateCommandQueue(context_, device_, 0, &status);
    if (status != CL_SUCCESS) return;
    cl_mem buffer = make_buffer();
    for (int i = 0; i < 100'000; ++i) {
      try {
        give_one(queue, buffer, 0);
      } catch (const std::exception&) {
      }
      cl_.clFlush(queue);
      usleep(200);
    }
  }

  void unload() override {
    cl_.clFinish(queue_);
    cl_.clReleaseMemObject(buffer_);
    cl_.clReleaseProgram(program_);
    cl_.clReleaseCommandQueue(queue_);
    cl_.clReleaseContext(context_);
    if (library_) dlclose(library_);
    library_ = nullptr;
  }

  void call_back(void (*function)()) override {
    cl_event event = nullptr;
    check(cl_.clEnqueueMarkerWithWaitList(queue_, 0, nullptr, &event), "clEnqueueMarker");
    check(cl_.clSetEventCallback(
              event, CL_COMPLETE,
              [](cl_event, cl_int, void* data) { reinterpret_cast<void (*)()>(data)(); },
              reinterpret_cast<void*>(function)),
          "clSetEventCallback");
    check(cl_.clFlush(queue_), "clFlush");
  }

  void capture(bool start) override {
    const char* path = std::getenv("LIVES_DOCUMENT");
    if (!path) return;
    if (start)
      reel_app_start(path);
    else
      reel_app_stop();
  }

 private:
  void load() {
#ifdef LINKED
#define TAKE(name) cl_.name = &::name;
    CALLS(TAKE)
#undef TAKE
#else
    library_ = dlopen("libOpenCL.so.1", RTLD_NOW | RTLD_LOCAL);
    if (!library_) throw std::runtime_error("There is no loader.");
#define LOOK_UP(name) cl_.name = reinterpret_cast<decltype(&::name)>(dlsym(library_, #name));
    CALLS(LOOK_UP)
#undef LOOK_UP
#endif
  }

  cl_mem make_buffer() {
    cl_int status = 0;
    std::vector<std::uint32_t> values = oracle::patterns(5, count);
    cl_mem buffer = cl_.clCreateBuffer(context_, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR,
                                       count * sizeof(cl_uint), values.data(), &status);
    check(status, "clCreateBuffer");
    return buffer;
  }

  // Another size of groups is another binary, compiled when it first runs.
  void give_one(cl_command_queue queue, cl_mem buffer, int number) {
    static const char* const names[kernels] = {"first", "second", "third", "fourth"};
    cl_int status = 0;
    cl_kernel kernel = cl_.clCreateKernel(program_, names[number % kernels], &status);
    check(status, "clCreateKernel");
    check(cl_.clSetKernelArg(kernel, 0, sizeof buffer, &buffer), "clSetKernelArg");
    const std::size_t items = count, group = std::size_t(8) << (number % kernels);
    status =
        cl_.clEnqueueNDRangeKernel(queue, kernel, 1, nullptr, &items, &group, 0, nullptr, nullptr);
    cl_.clReleaseKernel(kernel);
    check(status, "clEnqueueNDRangeKernel");
  }

  void* library_ = nullptr;
  Calls cl_;
  cl_device_id device_ = nullptr;
  cl_context context_ = nullptr;
  cl_command_queue queue_ = nullptr;
  cl_program program_ = nullptr;
  cl_mem buffer_ = nullptr;
  cl_event gate_ = nullptr;
  int given_ = 0;
};

}  // namespace

int main(int number, char** words) {
  if (number != 3) {
    std::fprintf(stderr, "Usage: %s opencl PROGRAM\n", words[0]);
    return 2;
  }
  return lives::live(*new OpenclWork, words, words[2]);
}
