// fft.c - clFFT: transforms by kernels whose source it writes for the size at hand.
#include "layer/programs/machine.h"
// after the version of OpenCL is chosen
#include <clFFT.h>

static void transform(Machine* machine, clfftDim dimensions, const size_t* lengths,
                      clfftPrecision precision, const char* label) {
  size_t count = 1;
  for (int i = 0; i < (int)dimensions; ++i) count *= lengths[i];
  const size_t width = precision == CLFFT_DOUBLE ? 8 : 4, size = count * 2 * width;
  unsigned char* bytes = malloc(size);
  for (size_t i = 0; i < count * 2; ++i) {
    const double value = (double)(scrambled((uint32_t)i) % 256) / 64 - 2;
    if (precision == CLFFT_DOUBLE)
      memcpy(bytes + i * 8, &value, 8);
    else
      memcpy(bytes + i * 4, &(float){(float)value}, 4);
  }
  cl_mem in = make_buffer(machine, CL_MEM_COPY_HOST_PTR, size, bytes);
  cl_mem out = make_buffer(machine, CL_MEM_READ_WRITE, size, NULL);
  free(bytes);
  clfftPlanHandle plan;
  CHECK(clfftCreateDefaultPlan(&plan, machine->context, dimensions, lengths));
  CHECK(clfftSetPlanPrecision(plan, precision));
  CHECK(clfftSetLayout(plan, CLFFT_COMPLEX_INTERLEAVED, CLFFT_COMPLEX_INTERLEAVED));
  CHECK(clfftSetResultLocation(plan, CLFFT_OUTOFPLACE));
  CHECK(clfftBakePlan(plan, 1, &machine->queue, NULL, NULL));
  CHECK(clfftEnqueueTransform(plan, CLFFT_FORWARD, 1, &machine->queue, 0, NULL, NULL, &in, &out,
                              NULL));
  digest_buffer(machine, label, out, size);
  CHECK(clfftEnqueueTransform(plan, CLFFT_BACKWARD, 1, &machine->queue, 0, NULL, NULL, &out, &in,
                              NULL));
  digest_buffer(machine, label, in, size);
  CHECK(clfftDestroyPlan(&plan));
  CHECK(clReleaseMemObject(in));
  CHECK(clReleaseMemObject(out));
}

int main(void) {
  Machine machine = open_machine(0);
  clfftSetupData setup;
  CHECK(clfftInitSetupData(&setup));
  CHECK(clfftSetup(&setup));
  // Small: PoCL compiles for seconds where a line is long.
  const size_t line[] = {60}, solid[] = {16, 8, 4};
  transform(&machine, CLFFT_1D, line, CLFFT_DOUBLE, "60");
  transform(&machine, CLFFT_3D, solid, CLFFT_SINGLE, "16 x 8 x 4");
  CHECK(clfftTeardown());
  close_machine(&machine);
  return 0;
}
