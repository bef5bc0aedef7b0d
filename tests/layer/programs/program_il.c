// program_il.c - a program from SPIR-V, where the device takes it; the way it is refused, where
// not.
#include "machine.h"

int main(void) {
  Machine machine = open_machine(0);
  char version[256] = "";
  printf("IL version %d\n",
         clGetDeviceInfo(machine.device, CL_DEVICE_IL_VERSION, sizeof version, version, NULL));
  printf("'%s'\n", version);
  // The five words that every SPIR-V module begins with, and nothing after them.
  const uint32_t module[] = {0x07230203, 0x00010000, 0, 1, 0};
  cl_int status;
  cl_program program = clCreateProgramWithIL(machine.context, module, sizeof module, &status);
  printf("made %d %d\n", program != NULL, status);
  if (program) {
    printf("built %d\n", clBuildProgram(program, 0, NULL, "", NULL, NULL));
    CHECK(clReleaseProgram(program));
  }
  program = clCreateProgramWithIL(machine.context, "nonsense", 8, &status);
  printf("nonsense %d %d\n", program != NULL, status);
  close_machine(&machine);
  return 0;
}
