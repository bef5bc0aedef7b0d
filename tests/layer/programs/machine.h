// machine.h - what each program here needs: a device with a queue, kernels, and a digest of
// results.
//
// Programs print only what is the same in every run; what goes wrong ends them with 1. Functions
// are static, so that a program is one file and knows nothing of Reel.
#ifndef REEL_TESTS_LAYER_MACHINE_H
#define REEL_TESTS_LAYER_MACHINE_H

#define CL_TARGET_OPENCL_VERSION 300
#define CL_USE_DEPRECATED_OPENCL_1_0_APIS
#define CL_USE_DEPRECATED_OPENCL_1_1_APIS
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#define CL_USE_DEPRECATED_OPENCL_2_0_APIS
#include <CL/cl.h>
#include <CL/cl_ext.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHECK(status) check((status), #status, __FILE__, __LINE__)
#define EXPECT(condition) expect((condition), #condition, __FILE__, __LINE__)

static inline void check(cl_int status, const char* what, const char* file, int line) {
  if (status == CL_SUCCESS) return;
  fprintf(stderr, "%s:%d: %s gave %d.\n", file, line, what, status);
  exit(1);
}

static inline void expect(int condition, const char* what, const char* file, int line) {
  if (condition) return;
  fprintf(stderr, "%s:%d: %s doesn't hold.\n", file, line, what);
  exit(1);
}

// FNV-1a: short, and every bit of the input matters.
static inline uint64_t hash_more(uint64_t hash, const void* bytes, size_t size) {
  for (size_t i = 0; i < size; ++i)
    hash = (hash ^ ((const unsigned char*)bytes)[i]) * 1099511628211ULL;
  return hash;
}
#define HASH_OF_NOTHING 14695981039346656037ULL

static inline void digest(const char* label, const void* bytes, size_t size) {
  printf("%s %016llx\n", label, (unsigned long long)hash_more(HASH_OF_NOTHING, bytes, size));
  fflush(stdout);
}

typedef struct Machine {
  cl_platform_id platform;
  cl_device_id device;
  cl_context context;
  cl_command_queue queue;
} Machine;

static inline cl_command_queue open_queue(cl_context context, cl_device_id device,
                                          cl_command_queue_properties properties) {
  const cl_queue_properties list[] = {CL_QUEUE_PROPERTIES, properties, 0};
  cl_int status;
  cl_command_queue queue =
      clCreateCommandQueueWithProperties(context, device, properties ? list : NULL, &status);
  CHECK(status);
  return queue;
}

static inline Machine open_machine(cl_command_queue_properties properties) {
  Machine machine;
  cl_int status;
  CHECK(clGetPlatformIDs(1, &machine.platform, NULL));
  CHECK(clGetDeviceIDs(machine.platform, CL_DEVICE_TYPE_ALL, 1, &machine.device, NULL));
  machine.context = clCreateContext(NULL, 1, &machine.device, NULL, NULL, &status);
  CHECK(status);
  machine.queue = open_queue(machine.context, machine.device, properties);
  return machine;
}

static inline void close_machine(Machine* machine) {
  CHECK(clReleaseCommandQueue(machine->queue));
  CHECK(clReleaseContext(machine->context));
}

static inline cl_program build_program(const Machine* machine, const char* source,
                                       const char* options) {
  cl_int status;
  cl_program program = clCreateProgramWithSource(machine->context, 1, &source, NULL, &status);
  CHECK(status);
  CHECK(clBuildProgram(program, 1, &machine->device, options, NULL, NULL));
  return program;
}

// The kernel keeps its program.
static inline cl_kernel build_kernel(const Machine* machine, const char* source, const char* name) {
  cl_int status;
  cl_program program = build_program(machine, source, "");
  cl_kernel kernel = clCreateKernel(program, name, &status);
  CHECK(status);
  CHECK(clReleaseProgram(program));
  return kernel;
}

static inline cl_mem make_buffer(const Machine* machine, cl_mem_flags flags, size_t size,
                                 void* host) {
  cl_int status;
  cl_mem buffer = clCreateBuffer(machine->context, flags, size, host, &status);
  CHECK(status);
  return buffer;
}

static inline void set_argument(cl_kernel kernel, cl_uint index, size_t size, const void* value) {
  CHECK(clSetKernelArg(kernel, index, size, value));
}
static inline void set_memory(cl_kernel kernel, cl_uint index, cl_mem memory) {
  CHECK(clSetKernelArg(kernel, index, sizeof memory, &memory));
}

static inline void run(const Machine* machine, cl_kernel kernel, size_t items) {
  CHECK(clEnqueueNDRangeKernel(machine->queue, kernel, 1, NULL, &items, NULL, 0, NULL, NULL));
}

// What a buffer holds now, waited for.
static inline void digest_buffer(const Machine* machine, const char* label, cl_mem buffer,
                                 size_t size) {
  void* bytes = malloc(size);
  CHECK(clEnqueueReadBuffer(machine->queue, buffer, CL_TRUE, 0, size, bytes, 0, NULL, NULL));
  digest(label, bytes, size);
  free(bytes);
}

// Numbers that repeat in every run and not within one.
static inline uint32_t scrambled(uint32_t i) {
  i = (i ^ (i >> 16)) * 0x7feb352dU;
  i = (i ^ (i >> 15)) * 0x846ca68bU;
  return i ^ (i >> 16);
}
static inline void fill_scrambled(void* bytes, size_t size, uint32_t seed) {
  for (size_t i = 0; i < size; ++i)
    ((unsigned char*)bytes)[i] = (unsigned char)scrambled((uint32_t)i + seed * 0x10001U);
}

#endif
