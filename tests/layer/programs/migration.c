// migration.c - buffers sent to the device, to the host and nowhere; their contents stay.
#include "machine.h"

enum { size = 10000 };

int main(void) {
  Machine machine = open_machine(0);
  unsigned char bytes[size];
  fill_scrambled(bytes, size, 11);
  cl_mem buffers[2] = {make_buffer(&machine, CL_MEM_COPY_HOST_PTR, size, bytes),
                       make_buffer(&machine, CL_MEM_COPY_HOST_PTR, size, bytes)};
  CHECK(clEnqueueMigrateMemObjects(machine.queue, 2, buffers, 0, 0, NULL, NULL));
  CHECK(clEnqueueCopyBuffer(machine.queue, buffers[0], buffers[1], 0, 5000, 4000, 0, NULL, NULL));
  CHECK(clEnqueueMigrateMemObjects(machine.queue, 1, &buffers[1], CL_MIGRATE_MEM_OBJECT_HOST, 0,
                                   NULL, NULL));
  digest_buffer(&machine, "first", buffers[0], size);
  digest_buffer(&machine, "second", buffers[1], size);
  // After this only an overwritten part is defined.
  CHECK(clEnqueueMigrateMemObjects(machine.queue, 1, buffers,
                                   CL_MIGRATE_MEM_OBJECT_CONTENT_UNDEFINED, 0, NULL, NULL));
  CHECK(clEnqueueWriteBuffer(machine.queue, buffers[0], CL_TRUE, 0, size, bytes, 0, NULL, NULL));
  digest_buffer(&machine, "anew", buffers[0], size);
  for (int i = 0; i < 2; ++i) CHECK(clReleaseMemObject(buffers[i]));
  close_machine(&machine);
  return 0;
}
