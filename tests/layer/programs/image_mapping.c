// image_mapping.c - images mapped whole and in part, over the program's memory and over the
// driver's.
#include "images.h"

static const char* source =
    "kernel void shift(read_only image2d_t from, write_only image2d_t to) {\n"
    "  const sampler_t near = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP | "
    "CLK_FILTER_NEAREST;\n"
    "  int2 at = (int2)(get_global_id(0), get_global_id(1));\n"
    "  write_imageui(to, at, read_imageui(from, near, at) + 5u);\n"
    "}\n";

enum { width = 19, height = 14, pitch = 80 };

static void digest_mapped(const char* label, const unsigned char* mapped, size_t row,
                          size_t row_pitch, size_t rows) {
  uint64_t hash = HASH_OF_NOTHING;
  for (size_t y = 0; y < rows; ++y) hash = hash_more(hash, mapped + y * row_pitch, row);
  printf("%s %016llx\n", label, (unsigned long long)hash);
}

int main(void) {
  Machine machine = open_machine(0);
  cl_kernel shift = build_kernel(&machine, source, "shift");
  const cl_image_format format = {CL_RGBA, CL_UNSIGNED_INT8};
  cl_image_desc shape = {
      .image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = width, .image_height = height};
  unsigned char* own = aligned_alloc(4096, 4096);
  fill_scrambled(own, 4096, 25);
  cl_mem made =
      make_image(&machine, CL_MEM_READ_WRITE | CL_MEM_ALLOC_HOST_PTR, format, shape, NULL);
  shape.image_row_pitch = pitch;
  cl_mem used = make_image(&machine, CL_MEM_READ_WRITE | CL_MEM_USE_HOST_PTR, format, shape, own);
  const size_t origin[3] = {0, 0, 0}, extent[3] = {width, height, 1};
  const size_t at[3] = {4, 5, 0}, part[3] = {6, 7, 1};
  size_t row_pitch = 0, slice_pitch = 0;
  cl_int status;

  unsigned char* mapped =
      clEnqueueMapImage(machine.queue, made, CL_TRUE, CL_MAP_WRITE_INVALIDATE_REGION, origin,
                        extent, &row_pitch, &slice_pitch, 0, NULL, NULL, &status);
  CHECK(status);
  for (size_t y = 0; y < height; ++y)
    for (size_t x = 0; x < width * 4; ++x) mapped[y * row_pitch + x] = (unsigned char)(x * 3 + y);
  CHECK(clEnqueueUnmapMemObject(machine.queue, made, mapped, 0, NULL, NULL));
  set_memory(shift, 0, made);
  set_memory(shift, 1, used);
  CHECK(clEnqueueNDRangeKernel(machine.queue, shift, 2, NULL, extent, NULL, 0, NULL, NULL));

  mapped = clEnqueueMapImage(machine.queue, used, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, at, part,
                             &row_pitch, &slice_pitch, 0, NULL, NULL, &status);
  CHECK(status);
  digest_mapped("part", mapped, 6 * 4, row_pitch, 7);
  mapped[0] = 200;
  mapped[6 * row_pitch + 23] = 201;
  CHECK(clEnqueueUnmapMemObject(machine.queue, used, mapped, 0, NULL, NULL));
  set_memory(shift, 0, used);
  set_memory(shift, 1, made);
  CHECK(clEnqueueNDRangeKernel(machine.queue, shift, 2, NULL, extent, NULL, 0, NULL, NULL));
  digest_image(&machine, "changed", made, extent);

  mapped = clEnqueueMapImage(machine.queue, made, CL_TRUE, CL_MAP_READ, origin, extent, &row_pitch,
                             NULL, 0, NULL, NULL, &status);
  CHECK(status);
  digest_mapped("read", mapped, width * 4, row_pitch, height);
  CHECK(clEnqueueUnmapMemObject(machine.queue, made, mapped, 0, NULL, NULL));
  CHECK(clFinish(machine.queue));
  CHECK(clReleaseMemObject(used));
  CHECK(clReleaseMemObject(made));
  free(own);
  CHECK(clReleaseKernel(shift));
  close_machine(&machine);
  return 0;
}
