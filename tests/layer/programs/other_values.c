// other_values.c - two kernels on two queues whose arguments are set by chance between commands: to
// others, to what they are, to values of every size, of small and of large kinds, with refusals and
// barriers between. Each result depends on each value that any command had.
#include "machine.h"

static const char* source =
    "typedef struct { int numbers[20]; } Large;\n"
    "kernel void stir(global uint* out, char c, int i, long l, float4 f, Large large,\n"
    "                local uint* scratch, global const uint* in) {\n"
    "  size_t id = get_global_id(0);\n"
    "  scratch[get_local_id(0)] = in[id];\n"
    "  uint a = out[id] * 31 + (uint)c;\n"
    "  a = a * 31 + (uint)i;\n"
    "  a = a * 31 + (uint)l + (uint)(l >> 32);\n"
    "  a = a * 31 + as_uint(f.x) + as_uint(f.w) + (uint)large.numbers[19];\n"
    "  out[id] = a * 31 + scratch[get_local_id(0)];\n"
    "}\n";

enum { items = 64, bytes = items * sizeof(cl_uint), rounds = 3000 };

static uint32_t chance = 7;
static uint32_t any(uint32_t below) {
  chance ^= chance << 13, chance ^= chance >> 17, chance ^= chance << 5;
  return chance % below;
}

// Few values of each, so that they come again: at once, and later.
static void set_any(cl_kernel kernel, const cl_mem* buffers, uint32_t which) {
  static const size_t sizes[] = {1, 4, 8, 16, 80};
  int numbers[20];
  fill_scrambled(numbers, sizeof numbers, any(3));
  if (which < 5)
    set_argument(kernel, 1 + which, sizes[which], numbers);
  else if (which == 5)
    set_argument(kernel, 6, (16 + any(2)) * sizeof(cl_uint), NULL);
  else
    set_memory(kernel, which == 6 ? 0 : 7, buffers[which == 6 ? any(2) : 2 + any(2)]);
}

int main(void) {
  Machine machine = open_machine(0);
  cl_command_queue queues[2] = {machine.queue, open_queue(machine.context, machine.device, 0)};
  cl_kernel kernels[3] = {build_kernel(&machine, source, "stir"),
                          build_kernel(&machine, source, "stir")};
  cl_mem buffers[4];
  cl_uint values[items];
  for (uint32_t i = 0; i < 4; ++i) {
    fill_scrambled(values, bytes, i);
    buffers[i] = make_buffer(&machine, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, bytes, values);
  }
  for (uint32_t i = 0; i < 8; ++i) {
    set_any(kernels[0], buffers, i);
    set_any(kernels[1], buffers, i);
  }
  cl_int status;
  kernels[2] = clCloneKernel(kernels[0], &status);
  if (status != CL_SUCCESS) kernels[2] = kernels[0];  // of OpenCL 2.1
  uint32_t queue = 0, kernel = 0;
  for (uint32_t round = 0; round < rounds; ++round) {
    if (any(16) == 0) {
      CHECK(clFinish(queues[queue]));
      queue = any(2);
    }
    if (any(6) == 0) kernel = any(3);
    // Mostly values alone, mostly one.
    for (uint32_t n = any(3); n > 0; --n)
      set_any(kernels[kernel], buffers, any(8) ? any(4) : any(8));
    // The driver refuses it, and nothing changes.
    if (any(8) == 0) EXPECT(clSetKernelArg(kernels[kernel], 99, 4, values) != CL_SUCCESS);
    const size_t global = any(10) ? items : items / 2, local = 16, wrong = items * 1024;
    if (any(20) == 0)
      EXPECT(clEnqueueNDRangeKernel(queues[queue], kernels[kernel], 1, NULL, &global, &wrong, 0,
                                    NULL, NULL) != CL_SUCCESS);
    if (any(20) == 0) CHECK(clEnqueueBarrierWithWaitList(queues[queue], 0, NULL, NULL));
    CHECK(clEnqueueNDRangeKernel(queues[queue], kernels[kernel], 1, NULL, &global, &local, 0, NULL,
                                 NULL));
    if (round % 500 == 499) {
      CHECK(clFinish(queues[queue]));
      digest_buffer(&machine, "first", buffers[0], bytes);
      digest_buffer(&machine, "second", buffers[1], bytes);
    }
  }
  CHECK(clFinish(queues[queue]));
  digest_buffer(&machine, "first", buffers[0], bytes);
  digest_buffer(&machine, "second", buffers[1], bytes);
  for (uint32_t i = 0; i < 4; ++i) CHECK(clReleaseMemObject(buffers[i]));
  if (kernels[2] != kernels[0]) CHECK(clReleaseKernel(kernels[2]));
  CHECK(clReleaseKernel(kernels[0]));
  CHECK(clReleaseKernel(kernels[1]));
  CHECK(clReleaseCommandQueue(queues[1]));
  close_machine(&machine);
  return 0;
}
