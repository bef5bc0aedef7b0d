// svm_fresh.c - shared memory in which the heap left addresses of other such memory: nobody's
// pointers.
#include "machine.h"

static const char* source =
    "kernel void add_up(global uint* values) { values[get_global_id(0)] += get_global_id(0); }\n";

enum { count = 256, size = count * sizeof(cl_uint), rounds = 20 };

int main(void) {
  Machine machine = open_machine(0);
  cl_device_svm_capabilities can = 0;
  CHECK(clGetDeviceInfo(machine.device, CL_DEVICE_SVM_CAPABILITIES, sizeof can, &can, NULL));
  if (!(can & CL_DEVICE_SVM_FINE_GRAIN_BUFFER)) {
    puts("not here");
    return 0;
  }
  cl_kernel add_up = build_kernel(&machine, source, "add_up");
  void* others[rounds];
  for (cl_uint round = 0; round < rounds; ++round) {
    others[round] = clSVMAlloc(machine.context, CL_MEM_SVM_FINE_GRAIN_BUFFER, size, 0);
    // What is freed leaves addresses of the other behind, where the next is made.
    void** left = malloc(size);
    for (cl_uint i = 0; i < size / sizeof(void*); ++i) left[i] = others[round];
    free(left);
    cl_uint* values =
        clSVMAlloc(machine.context, CL_MEM_READ_WRITE | CL_MEM_SVM_FINE_GRAIN_BUFFER, size, 0);
    EXPECT(others[round] && values);
    cl_event given;
    cl_int status;
    cl_event start = clCreateUserEvent(machine.context, &status);
    CHECK(status);
    const cl_uint pattern = round;
    CHECK(clEnqueueSVMMemFill(machine.queue, values, &pattern, sizeof pattern, size, 1, &start,
                              &given));
    CHECK(clSetKernelArgSVMPointer(add_up, 0, values));
    run(&machine, add_up, count);
    CHECK(clSetUserEventStatus(start, CL_COMPLETE));
    CHECK(clFinish(machine.queue));
    digest("values", values, size);
    clSVMFree(machine.context, values);
    CHECK(clReleaseEvent(start));
    CHECK(clReleaseEvent(given));
  }
  for (cl_uint round = 0; round < rounds; ++round) clSVMFree(machine.context, others[round]);
  CHECK(clReleaseKernel(add_up));
  close_machine(&machine);
  return 0;
}
