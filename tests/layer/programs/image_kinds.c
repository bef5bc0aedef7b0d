// image_kinds.c - 1D, 1D arrays, 2D, 2D arrays and 3D images: written by the host, changed by a
// kernel.
#include "images.h"

static const char* source =
    "constant sampler_t near = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP | "
    "CLK_FILTER_NEAREST;\n"
    "kernel void line(read_only image1d_t from, write_only image1d_t to) {\n"
    "  int x = get_global_id(0);\n"
    "  write_imageui(to, x, read_imageui(from, near, x + 1) + (uint4)(x, 1, 2, 3));\n"
    "}\n"
    "kernel void lines(read_only image1d_array_t from, write_only image1d_array_t to) {\n"
    "  int2 at = (int2)(get_global_id(0), get_global_id(1));\n"
    "  write_imageui(to, at, read_imageui(from, near, at).wzyx + (uint)at.y);\n"
    "}\n"
    "kernel void plane(read_only image2d_t from, write_only image2d_t to) {\n"
    "  int2 at = (int2)(get_global_id(0), get_global_id(1));\n"
    "  write_imageui(to, at, read_imageui(from, near, at + (int2)(1, -1)) + 7u);\n"
    "}\n"
    "kernel void planes(read_only image2d_array_t from, write_only image2d_array_t to) {\n"
    "  int4 at = (int4)(get_global_id(0), get_global_id(1), get_global_id(2), 0);\n"
    "  write_imageui(to, at, read_imageui(from, near, at).yxwz + (uint)at.z);\n"
    "}\n"
    "kernel void solid(read_only image3d_t from, write_only image3d_t to) {\n"
    "  int4 at = (int4)(get_global_id(0), get_global_id(1), get_global_id(2), 0);\n"
    "  write_imageui(to, at, read_imageui(from, near, at + (int4)(0, 0, 1, 0)) * 3u);\n"
    "}\n";

int main(void) {
  const struct {
    const char* kernel;
    cl_image_desc shape;
    size_t extent[3];
  } kinds[] = {
      {"line", {.image_type = CL_MEM_OBJECT_IMAGE1D, .image_width = 61}, {61, 1, 1}},
      {"lines",
       {.image_type = CL_MEM_OBJECT_IMAGE1D_ARRAY, .image_width = 30, .image_array_size = 5},
       {30, 5, 1}},
      {"plane",
       {.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = 33, .image_height = 17},
       {33, 17, 1}},
      {"planes",
       {.image_type = CL_MEM_OBJECT_IMAGE2D_ARRAY,
        .image_width = 12,
        .image_height = 9,
        .image_array_size = 4},
       {12, 9, 4}},
      {"solid",
       {.image_type = CL_MEM_OBJECT_IMAGE3D,
        .image_width = 10,
        .image_height = 11,
        .image_depth = 7},
       {10, 11, 7}},
  };
  const cl_image_format format = {CL_RGBA, CL_UNSIGNED_INT32};
  Machine machine = open_machine(0);
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; ++i) {
    cl_kernel kernel = build_kernel(&machine, source, kinds[i].kernel);
    cl_mem from = make_image(&machine, CL_MEM_READ_ONLY, format, kinds[i].shape, NULL);
    cl_mem to = make_image(&machine, CL_MEM_WRITE_ONLY, format, kinds[i].shape, NULL);
    write_image(&machine, from, kinds[i].extent, (uint32_t)i);
    set_memory(kernel, 0, from);
    set_memory(kernel, 1, to);
    CHECK(clEnqueueNDRangeKernel(machine.queue, kernel, 3, NULL, kinds[i].extent, NULL, 0, NULL,
                                 NULL));
    digest_image(&machine, kinds[i].kernel, to, kinds[i].extent);
    CHECK(clReleaseMemObject(from));
    CHECK(clReleaseMemObject(to));
    CHECK(clReleaseKernel(kernel));
  }
  close_machine(&machine);
  return 0;
}
