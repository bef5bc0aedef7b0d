// samplers.c - samplers written in the kernel and samplers handed to it, of every mode.
#include "images.h"

static const char* source =
    "constant sampler_t own = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP | "
    "CLK_FILTER_NEAREST;\n"
    "kernel void look(read_only image2d_t from, sampler_t given, float scale, global float4* to) "
    "{\n"
    "  int x = get_global_id(0), y = get_global_id(1);\n"
    "  float2 at = ((float2)(x, y) - 3.25f) * scale;\n"
    "  to[y * get_global_size(0) + x] = read_imagef(from, given, at) + read_imagef(from, own, "
    "(int2)(y, x));\n"
    "}\n";

enum { width = 16, height = 16 };

int main(void) {
  Machine machine = open_machine(0);
  cl_kernel look = build_kernel(&machine, source, "look");
  float values[width * height * 4];
  for (int i = 0; i < width * height * 4; ++i) values[i] = (float)(scrambled((uint32_t)i) % 1000);
  const cl_image_format format = {CL_RGBA, CL_FLOAT};
  const cl_image_desc shape = {
      .image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = width, .image_height = height};
  cl_mem from =
      make_image(&machine, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, format, shape, values);
  enum { size = 24 * 24 * 16 };
  cl_mem to = make_buffer(&machine, CL_MEM_WRITE_ONLY, size, NULL);
  set_memory(look, 0, from);
  set_memory(look, 3, to);
  const cl_addressing_mode addressings[] = {CL_ADDRESS_NONE, CL_ADDRESS_CLAMP_TO_EDGE,
                                            CL_ADDRESS_CLAMP, CL_ADDRESS_REPEAT,
                                            CL_ADDRESS_MIRRORED_REPEAT};
  for (size_t a = 0; a < sizeof addressings / sizeof *addressings; ++a)
    for (int normalized = 0; normalized < 2; ++normalized)
      for (int linear = 0; linear < 2; ++linear) {
        // Repeating needs normalised coordinates; what no addressing does outside is undefined.
        if (addressings[a] >= CL_ADDRESS_REPEAT && !normalized) continue;
        if (addressings[a] == CL_ADDRESS_NONE) continue;
        cl_int status;
        cl_sampler sampler;
        const cl_filter_mode filter = linear ? CL_FILTER_LINEAR : CL_FILTER_NEAREST;
        if (linear) {
          const cl_sampler_properties properties[] = {CL_SAMPLER_NORMALIZED_COORDS,
                                                      (cl_sampler_properties)normalized,
                                                      CL_SAMPLER_ADDRESSING_MODE,
                                                      addressings[a],
                                                      CL_SAMPLER_FILTER_MODE,
                                                      filter,
                                                      0};
          sampler = clCreateSamplerWithProperties(machine.context, properties, &status);
        } else {
          sampler = clCreateSampler(machine.context, (cl_bool)normalized, addressings[a], filter,
                                    &status);
        }
        CHECK(status);
        const float scale = normalized ? 1.0F / 16 : 1.0F;
        const size_t global[2] = {24, 24};
        set_argument(look, 1, sizeof sampler, &sampler);
        set_argument(look, 2, sizeof scale, &scale);
        CHECK(clEnqueueNDRangeKernel(machine.queue, look, 2, NULL, global, NULL, 0, NULL, NULL));
        char label[64];
        snprintf(label, sizeof label, "%x %d %d", addressings[a], normalized, linear);
        digest_buffer(&machine, label, to, size);
        CHECK(clReleaseSampler(sampler));
      }
  CHECK(clReleaseMemObject(from));
  CHECK(clReleaseMemObject(to));
  CHECK(clReleaseKernel(look));
  close_machine(&machine);
  return 0;
}
