// kernel_printf.c - a kernel that prints: its words come to stdout as ever.
#include "machine.h"

static const char* source =
    "kernel void tell(global uint* values) {\n"
    "  printf(\"value %u is %#x, %5.2f, %s\\n\", (uint)get_global_id(0), values[0], 1.5f,\n"
    "         \"text\");\n"
    "  values[0] = values[0] * 3 + 1;\n"
    "}\n";

int main(void) {
  Machine machine = open_machine(0);
  cl_kernel tell = build_kernel(&machine, source, "tell");
  cl_uint value = 7;
  cl_mem buffer = make_buffer(&machine, CL_MEM_COPY_HOST_PTR, sizeof value, &value);
  set_memory(tell, 0, buffer);
  for (int i = 0; i < 5; ++i) {
    run(&machine, tell, 1);
    CHECK(clFinish(machine.queue));
  }
  digest_buffer(&machine, "value", buffer, sizeof value);
  CHECK(clReleaseMemObject(buffer));
  CHECK(clReleaseKernel(tell));
  close_machine(&machine);
  return 0;
}
