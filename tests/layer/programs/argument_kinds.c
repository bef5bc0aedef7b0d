// argument_kinds.c - arguments of every kind in one kernel, among them none at all where memory is
// wanted.
#include "machine.h"

static const char* source =
    "typedef struct { char tag; double d; int numbers[28]; float4 v; } Large;\n"
    "kernel void everything(global uint* out, global const uint* maybe, constant uint* table,\n"
    "                       local uint* scratch, local uint* other, char c, short s, int i, long "
    "l,\n"
    "                       float f, double d, uchar3 c3, float4 f4, int16 i16, Large large,\n"
    "                       read_only image2d_t image, sampler_t sampler, global const uint* "
    "shared) {\n"
    "  size_t id = get_global_id(0), lid = get_local_id(0);\n"
    "  scratch[lid] = table[id % 16];\n"
    "  other[lid] = (uint)id;\n"
    "  barrier(CLK_LOCAL_MEM_FENCE);\n"
    "  uint a = scratch[get_local_size(0) - 1 - lid] + other[0];\n"
    "  a = a * 31 + (maybe ? maybe[id] : 12345u);\n"
    "  a = a * 31 + (uint)c + (uint)s + (uint)i + (uint)l;\n"
    "  a = a * 31 + (uint)(f * 4) + (uint)(d * 8);\n"
    "  a = a * 31 + c3.x + c3.z + (uint)(f4.w * 2) + (uint)i16.sf + (uint)i16.s3;\n"
    "  a = a * 31 + (uint)large.tag + (uint)large.d + (uint)large.numbers[27] + (uint)large.v.y;\n"
    "  a = a * 31 + read_imageui(image, sampler, (int2)(id % 4, id / 4 % 4)).x;\n"
    "  out[id] = a * 31 + shared[id % 8];\n"
    "}\n";

enum { count = 256, size = count * sizeof(cl_uint) };

typedef struct Large {
  char tag;
  double d;
  int numbers[28];
  cl_float4 v;
} Large;

int main(void) {
  Machine machine = open_machine(0);
  cl_kernel everything = build_kernel(&machine, source, "everything");
  cl_uint values[count];
  fill_scrambled(values, size, 35);
  cl_mem out = make_buffer(&machine, CL_MEM_READ_WRITE, size, NULL);
  cl_mem maybe = make_buffer(&machine, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, size, values);
  cl_mem table = make_buffer(&machine, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, 64, values + 100);
  const cl_image_format format = {CL_RGBA, CL_UNSIGNED_INT8};
  const cl_image_desc shape = {
      .image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = 4, .image_height = 4};
  cl_int status;
  cl_mem image = clCreateImage(machine.context, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, &format,
                               &shape, values, &status);
  CHECK(status);
  cl_sampler sampler =
      clCreateSampler(machine.context, CL_FALSE, CL_ADDRESS_CLAMP, CL_FILTER_NEAREST, &status);
  CHECK(status);
  cl_uint* shared = clSVMAlloc(machine.context, CL_MEM_READ_WRITE, 32, 0);
  EXPECT(shared != NULL);
  CHECK(clEnqueueSVMMap(machine.queue, CL_TRUE, CL_MAP_WRITE, shared, 32, 0, NULL, NULL));
  for (uint32_t i = 0; i < 8; ++i) shared[i] = scrambled(i);
  CHECK(clEnqueueSVMUnmap(machine.queue, shared, 0, NULL, NULL));

  Large large;
  memset(&large, 0, sizeof large);  // padding too
  large.tag = 'x';
  large.d = 1234.5;
  large.numbers[27] = 99;
  large.v.s[1] = 8;
  const cl_char c = -3;
  const cl_short s = 1000;
  const cl_int i = -70000;
  const cl_long l = 1LL << 33;
  const cl_float f = 2.75F;
  const cl_double d = 9.125;
  const cl_uchar3 c3 = {{1, 2, 3, 0}};
  const cl_float4 f4 = {{1, 2, 3, 4}};
  cl_int16 i16;
  for (int k = 0; k < 16; ++k) i16.s[k] = k * k;

  set_memory(everything, 0, out);
  set_memory(everything, 1, maybe);
  set_memory(everything, 2, table);
  set_argument(everything, 3, 64 * 4, NULL);
  set_argument(everything, 4, 128 * 4, NULL);
  set_argument(everything, 5, sizeof c, &c);
  set_argument(everything, 6, sizeof s, &s);
  set_argument(everything, 7, sizeof i, &i);
  set_argument(everything, 8, sizeof l, &l);
  set_argument(everything, 9, sizeof f, &f);
  set_argument(everything, 10, sizeof d, &d);
  set_argument(everything, 11, sizeof c3, &c3);
  set_argument(everything, 12, sizeof f4, &f4);
  set_argument(everything, 13, sizeof i16, &i16);
  set_argument(everything, 14, sizeof large, &large);
  set_memory(everything, 15, image);
  set_argument(everything, 16, sizeof sampler, &sampler);
  CHECK(clSetKernelArgSVMPointer(everything, 17, shared));
  const size_t global = count, local = 64;
  CHECK(clEnqueueNDRangeKernel(machine.queue, everything, 1, NULL, &global, &local, 0, NULL, NULL));
  digest_buffer(&machine, "all", out, size);

  // No memory, said in both ways.
  cl_mem none = NULL;
  set_argument(everything, 1, sizeof none, &none);
  CHECK(clEnqueueNDRangeKernel(machine.queue, everything, 1, NULL, &global, &local, 0, NULL, NULL));
  digest_buffer(&machine, "null memory", out, size);
  set_memory(everything, 1, maybe);
  set_argument(everything, 1, sizeof none, NULL);
  CHECK(clEnqueueNDRangeKernel(machine.queue, everything, 1, NULL, &global, &local, 0, NULL, NULL));
  digest_buffer(&machine, "null value", out, size);
  // Shared memory from its middle.
  CHECK(clSetKernelArgSVMPointer(everything, 17, shared));
  set_memory(everything, 1, maybe);
  CHECK(clEnqueueNDRangeKernel(machine.queue, everything, 1, NULL, &global, &local, 0, NULL, NULL));
  digest_buffer(&machine, "again", out, size);

  clSVMFree(machine.context, shared);
  CHECK(clReleaseSampler(sampler));
  cl_mem memories[] = {out, maybe, table, image};
  for (int k = 0; k < 4; ++k) CHECK(clReleaseMemObject(memories[k]));
  CHECK(clReleaseKernel(everything));
  close_machine(&machine);
  return 0;
}
