// build_options.c - a program built twice with other options, one built with a callback, one of
// pieces.
#include "machine.h"

static const char* source =
    "#ifndef FACTOR\n#define FACTOR 1\n#endif\n"
    "kernel void scale(global int* values) { values[get_global_id(0)] *= FACTOR; }\n";

enum { count = 300 };

static void run_scale(const Machine* machine, cl_program program, const char* label) {
  cl_int status;
  cl_kernel scale = clCreateKernel(program, "scale", &status);
  CHECK(status);
  int values[count];
  for (int i = 0; i < count; ++i) values[i] = i - 50;
  cl_mem buffer = make_buffer(machine, CL_MEM_COPY_HOST_PTR, sizeof values, values);
  set_memory(scale, 0, buffer);
  run(machine, scale, count);
  digest_buffer(machine, label, buffer, sizeof values);
  CHECK(clReleaseMemObject(buffer));
  CHECK(clReleaseKernel(scale));
}

static void CL_CALLBACK on_built(cl_program program, void* found) {
  *(volatile uintptr_t*)found = (uintptr_t)program;
}

int main(void) {
  Machine machine = open_machine(0);
  cl_int status;
  cl_program program = clCreateProgramWithSource(machine.context, 1, &source, NULL, &status);
  CHECK(status);
  CHECK(clBuildProgram(program, 0, NULL, "-DFACTOR=3 -cl-fast-relaxed-math", NULL, NULL));
  run_scale(&machine, program, "three");
  CHECK(clBuildProgram(program, 1, &machine.device, "-D FACTOR=-7", NULL, NULL));
  run_scale(&machine, program, "minus seven");
  char options[100] = "";
  CHECK(clGetProgramBuildInfo(program, machine.device, CL_PROGRAM_BUILD_OPTIONS, sizeof options,
                              options, NULL));
  printf("options %s\n", options);
  CHECK(clReleaseProgram(program));

  // In pieces, some with a length, and with a callback.
  const char* pieces[] = {"#define FACTOR 1000 is cut off here", "\nkernel void sca",
                          "le(global int* values) {", " values[get_global_id(0)] *= FACTOR; }"};
  const size_t lengths[] = {strlen("#define FACTOR 1000"), 0, 0, 0};
  program = clCreateProgramWithSource(machine.context, 4, pieces, lengths, &status);
  CHECK(status);
  uintptr_t found = 0;
  CHECK(clBuildProgram(program, 1, &machine.device, NULL, on_built, &found));
  for (int i = 0; i < 20000 && !*(volatile uintptr_t*)&found; ++i) {
    cl_build_status state;
    CHECK(clGetProgramBuildInfo(program, machine.device, CL_PROGRAM_BUILD_STATUS, sizeof state,
                                &state, NULL));
  }
  EXPECT(*(volatile uintptr_t*)&found == (uintptr_t)program);
  run_scale(&machine, program, "pieces");
  CHECK(clReleaseProgram(program));
  close_machine(&machine);
  return 0;
}
