// sub_devices.c - a device split in two, both halves in one context, on the same buffers.
#include "machine.h"

static const char* source =
    "kernel void half_of(global const uint* in, global uint* out, uint first) {\n"
    "  size_t i = get_global_id(0) + first;\n"
    "  out[i] = in[i] ^ (in[i] >> 7);\n"
    "}\n";

enum { count = 8192, size = count * sizeof(cl_uint) };

int main(void) {
  Machine machine = open_machine(0);
  cl_uint units = 0, made = 0;
  CHECK(clGetDeviceInfo(machine.device, CL_DEVICE_MAX_COMPUTE_UNITS, sizeof units, &units, NULL));
  if (units < 2) {
    puts("not here");
    return 0;
  }
  const cl_device_partition_property by[] = {CL_DEVICE_PARTITION_BY_COUNTS, 1, 1,
                                             CL_DEVICE_PARTITION_BY_COUNTS_LIST_END, 0};
  cl_device_id halves[2];
  CHECK(clCreateSubDevices(machine.device, by, 2, halves, &made));
  EXPECT(made == 2);
  cl_int status;
  cl_context context = clCreateContext(NULL, 2, halves, NULL, NULL, &status);
  CHECK(status);
  cl_program program = clCreateProgramWithSource(context, 1, &source, NULL, &status);
  CHECK(status);
  CHECK(clBuildProgram(program, 2, halves, "", NULL, NULL));
  cl_kernel half_of = clCreateKernel(program, "half_of", &status);
  CHECK(status);
  cl_uint values[count];
  fill_scrambled(values, size, 30);
  cl_mem in = clCreateBuffer(context, CL_MEM_COPY_HOST_PTR, size, values, &status);
  CHECK(status);
  cl_mem out = clCreateBuffer(context, CL_MEM_READ_WRITE, size, NULL, &status);
  CHECK(status);
  set_memory(half_of, 0, in);
  set_memory(half_of, 1, out);
  cl_command_queue queue[2];
  cl_event done = NULL;
  for (cl_uint i = 0; i < 2; ++i) {
    queue[i] = open_queue(context, halves[i], 0);
    const cl_uint first = i * count / 2;
    const size_t items = count / 2;
    set_argument(half_of, 2, sizeof first, &first);
    cl_event event;
    CHECK(clEnqueueNDRangeKernel(queue[i], half_of, 1, NULL, &items, NULL, done != NULL,
                                 done ? &done : NULL, &event));
    if (done) CHECK(clReleaseEvent(done));
    done = event;
    CHECK(clFlush(queue[i]));
  }
  CHECK(clEnqueueReadBuffer(queue[0], out, CL_TRUE, 0, size, values, 1, &done, NULL));
  digest("both halves", values, size);
  CHECK(clReleaseEvent(done));
  for (int i = 0; i < 2; ++i) CHECK(clReleaseCommandQueue(queue[i]));
  CHECK(clReleaseMemObject(in));
  CHECK(clReleaseMemObject(out));
  CHECK(clReleaseKernel(half_of));
  CHECK(clReleaseProgram(program));
  CHECK(clReleaseContext(context));
  for (int i = 0; i < 2; ++i) CHECK(clReleaseDevice(halves[i]));
  close_machine(&machine);
  return 0;
}
