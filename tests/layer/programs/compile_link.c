// compile_link.c - two sources with a header compiled apart, linked to a program and to a library.
#include "machine.h"

static const char* header = "uint stir(uint value);\n#define SALT 17u\n";
static const char* library_source =
    "#include \"stir.h\"\n"
    "uint stir(uint value) { return value * 2654435761u + SALT + EXTRA; }\n";
static const char* main_source =
    "#include \"stir.h\"\n"
    "kernel void stir_all(global uint* values) {\n"
    "  size_t i = get_global_id(0);\n"
    "  values[i] = stir(values[i]) ^ SALT;\n"
    "}\n";

enum { count = 777 };

static cl_program from_source(const Machine* machine, const char* source) {
  cl_int status;
  cl_program program = clCreateProgramWithSource(machine->context, 1, &source, NULL, &status);
  CHECK(status);
  return program;
}

static void CL_CALLBACK on_linked(cl_program program, void* flag) {
  (void)program;
  *(volatile int*)flag = 1;
}

static void run_linked(const Machine* machine, cl_program program, const char* label) {
  cl_int status;
  cl_kernel kernel = clCreateKernel(program, "stir_all", &status);
  CHECK(status);
  cl_uint values[count];
  fill_scrambled(values, sizeof values, 32);
  cl_mem buffer = make_buffer(machine, CL_MEM_COPY_HOST_PTR, sizeof values, values);
  set_memory(kernel, 0, buffer);
  run(machine, kernel, count);
  digest_buffer(machine, label, buffer, sizeof values);
  CHECK(clReleaseMemObject(buffer));
  CHECK(clReleaseKernel(kernel));
}

int main(void) {
  Machine machine = open_machine(0);
  cl_program header_program = from_source(&machine, header);
  cl_program library = from_source(&machine, library_source);
  cl_program main_program = from_source(&machine, main_source);
  const char* names[] = {"stir.h"};
  CHECK(clCompileProgram(library, 1, &machine.device, "-DEXTRA=3u", 1, &header_program, names, NULL,
                         NULL));
  CHECK(clCompileProgram(main_program, 1, &machine.device, "", 1, &header_program, names, NULL,
                         NULL));
  CHECK(clReleaseProgram(header_program));
  const cl_program parts[] = {main_program, library};
  cl_int status;
  cl_program linked =
      clLinkProgram(machine.context, 1, &machine.device, "", 2, parts, NULL, NULL, &status);
  CHECK(status);
  run_linked(&machine, linked, "linked");
  CHECK(clReleaseProgram(linked));

  // The same by way of a library, told of by a callback.
  cl_program archive = clLinkProgram(machine.context, 1, &machine.device, "-create-library", 1,
                                     &library, NULL, NULL, &status);
  CHECK(status);
  const cl_program with_archive[] = {main_program, archive};
  int told = 0;
  linked = clLinkProgram(machine.context, 1, &machine.device, "", 2, with_archive, on_linked, &told,
                         &status);
  CHECK(status);
  EXPECT(*(volatile int*)&told == 1);  // PoCL links before it returns
  run_linked(&machine, linked, "by library");

  // A part is missing.
  cl_program broken =
      clLinkProgram(machine.context, 1, &machine.device, "", 1, &main_program, NULL, NULL, &status);
  printf("missing part %d\n", status != CL_SUCCESS);
  if (broken) CHECK(clReleaseProgram(broken));
  CHECK(clReleaseProgram(linked));
  CHECK(clReleaseProgram(archive));
  CHECK(clReleaseProgram(library));
  CHECK(clReleaseProgram(main_program));
  close_machine(&machine);
  return 0;
}
