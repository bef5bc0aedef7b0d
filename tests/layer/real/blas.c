// blas.c - CLBlast: products of matrices and vectors, by kernels that it chooses and builds itself.
#include "layer/programs/machine.h"
// after the version of OpenCL is chosen
#include <clblast_c.h>

enum { m = 67, n = 45, k = 83 };

static void must(CLBlastStatusCode status, const char* what) {
  if (status == CLBlastSuccess) return;
  fprintf(stderr, "%s gave %d.\n", what, status);
  exit(1);
}

static cl_mem floats(const Machine* machine, size_t count, uint32_t seed) {
  float* values = malloc(count * sizeof *values);
  for (size_t i = 0; i < count; ++i)
    values[i] = (float)(scrambled((uint32_t)i + seed) % 64) / 16 - 2;
  cl_mem made = make_buffer(machine, CL_MEM_COPY_HOST_PTR, count * sizeof *values, values);
  free(values);
  return made;
}

static cl_mem doubles(const Machine* machine, size_t count, uint32_t seed) {
  double* values = malloc(count * sizeof *values);
  for (size_t i = 0; i < count; ++i)
    values[i] = (double)(scrambled((uint32_t)i + seed) % 64) / 16 - 2;
  cl_mem made = make_buffer(machine, CL_MEM_COPY_HOST_PTR, count * sizeof *values, values);
  free(values);
  return made;
}

int main(void) {
  Machine machine = open_machine(0);
  cl_mem a = floats(&machine, m * k, 1), b = floats(&machine, k * n, 2),
         c = floats(&machine, m * n, 3);
  cl_event event = NULL;
  must(CLBlastSgemm(CLBlastLayoutRowMajor, CLBlastTransposeNo, CLBlastTransposeNo, m, n, k, 0.5F, a,
                    0, k, b, 0, n, 2.0F, c, 0, n, &machine.queue, &event),
       "sgemm");
  CHECK(clWaitForEvents(1, &event));
  CHECK(clReleaseEvent(event));
  digest_buffer(&machine, "sgemm", c, m * n * 4);
  must(CLBlastSgemv(CLBlastLayoutRowMajor, CLBlastTransposeYes, m, k, 1.0F, a, 0, k, b, 3, 1, 0.25F,
                    c, 0, 2, &machine.queue, NULL),
       "sgemv");
  digest_buffer(&machine, "sgemv", c, m * n * 4);

  cl_mem x = doubles(&machine, 5000, 4), y = doubles(&machine, 5000, 5);
  must(CLBlastDaxpy(4096, 1.5, x, 10, 1, y, 20, 1, &machine.queue, NULL), "daxpy");
  digest_buffer(&machine, "daxpy", y, 5000 * 8);
  cl_mem sum = make_buffer(&machine, CL_MEM_READ_WRITE, 8, NULL);
  must(CLBlastDdot(4999, sum, 0, x, 0, 1, y, 1, 1, &machine.queue, NULL), "ddot");
  digest_buffer(&machine, "ddot", sum, 8);
  cl_mem all[] = {a, b, c, x, y, sum};
  for (int i = 0; i < 6; ++i) CHECK(clReleaseMemObject(all[i]));
  must(CLBlastClearCache(), "clear cache");
  close_machine(&machine);
  return 0;
}
