// svm_fine.c - shared memory in fine grains, written by the host with no call at all.
#include "machine.h"

static const char* source =
    "kernel void add_up(global const uint* in, global uint* out) {\n"
    "  size_t i = get_global_id(0);\n"
    "  out[i] = out[i] * 31 + in[i];\n"
    "}\n";

enum { count = 4096, size = count * sizeof(cl_uint) };

int main(void) {
  Machine machine = open_machine(0);
  cl_device_svm_capabilities can = 0;
  CHECK(clGetDeviceInfo(machine.device, CL_DEVICE_SVM_CAPABILITIES, sizeof can, &can, NULL));
  if (!(can & CL_DEVICE_SVM_FINE_GRAIN_BUFFER)) {
    puts("not here");
    return 0;
  }
  cl_kernel add_up = build_kernel(&machine, source, "add_up");
  cl_uint* in =
      clSVMAlloc(machine.context, CL_MEM_READ_WRITE | CL_MEM_SVM_FINE_GRAIN_BUFFER, size, 0);
  cl_uint* out =
      clSVMAlloc(machine.context, CL_MEM_READ_WRITE | CL_MEM_SVM_FINE_GRAIN_BUFFER, size, 0);
  EXPECT(in && out);
  memset(out, 0, size);
  CHECK(clSetKernelArgSVMPointer(add_up, 0, in));
  CHECK(clSetKernelArgSVMPointer(add_up, 1, out));
  for (cl_uint round = 0; round < 6; ++round) {
    for (cl_uint i = round; i < count; i += round + 1) in[i] = scrambled(round * count + i);
    if (round == 3) out[9] = 99;  // results are the host's to change, too
    run(&machine, add_up, count);
    CHECK(clFinish(machine.queue));
    digest("round", out, size);
  }
  clSVMFree(machine.context, in);
  clSVMFree(machine.context, out);
  CHECK(clReleaseKernel(add_up));
  close_machine(&machine);
  return 0;
}
