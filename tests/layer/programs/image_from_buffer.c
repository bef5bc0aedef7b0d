// image_from_buffer.c - images that are another view of a buffer: what one writes, the other reads.
#include "images.h"

static const char* source =
    "kernel void through_line(read_only image1d_buffer_t from, global uint4* to) {\n"
    "  int x = get_global_id(0);\n"
    "  to[x] = read_imageui(from, x) * 2u;\n"
    "}\n"
    "kernel void double_it(global uint* values) { values[get_global_id(0)] *= 2; }\n";

enum { count = 512, size = count * 16 };

int main(void) {
  Machine machine = open_machine(0);
  unsigned char bytes[size];
  fill_scrambled(bytes, size, 26);
  const cl_image_format format = {CL_RGBA, CL_UNSIGNED_INT32};
  cl_mem buffer = make_buffer(&machine, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, size, bytes);
  cl_mem out = make_buffer(&machine, CL_MEM_READ_WRITE, size, NULL);
  const cl_image_desc line = {
      .image_type = CL_MEM_OBJECT_IMAGE1D_BUFFER, .image_width = count, .mem_object = buffer};
  cl_mem image = make_image(&machine, CL_MEM_READ_WRITE, format, line, NULL);
  cl_kernel through = build_kernel(&machine, source, "through_line");
  cl_kernel twice = build_kernel(&machine, source, "double_it");
  set_memory(through, 0, image);
  set_memory(through, 1, out);
  set_memory(twice, 0, buffer);
  run(&machine, through, count);
  digest_buffer(&machine, "read as image", out, size);
  // The same bytes by their other name. Not through the image: PoCL 3.1 crashes where one is
  // written.
  run(&machine, twice, count * 4);
  digest_buffer(&machine, "written as buffer", buffer, size);
  run(&machine, through, count);
  digest_buffer(&machine, "read again", out, size);

  // A 2D view of the same bytes, where the device has such.
  const cl_image_desc plane = {.image_type = CL_MEM_OBJECT_IMAGE2D,
                               .image_width = 16,
                               .image_height = count / 16,
                               .image_row_pitch = 256,
                               .mem_object = buffer};
  cl_int status;
  cl_mem view = clCreateImage(machine.context, CL_MEM_READ_WRITE, &format, &plane, NULL, &status);
  printf("2D view %d\n", status);
  if (status == CL_SUCCESS) {
    const size_t extent[3] = {16, count / 16, 1};
    digest_image(&machine, "2D view", view, extent);
    CHECK(clReleaseMemObject(view));
  }
  CHECK(clReleaseMemObject(buffer));  // the image keeps it
  run(&machine, through, count);
  digest_buffer(&machine, "kept", out, size);
  CHECK(clReleaseMemObject(image));
  CHECK(clReleaseMemObject(out));
  CHECK(clReleaseKernel(through));
  CHECK(clReleaseKernel(twice));
  close_machine(&machine);
  return 0;
}
