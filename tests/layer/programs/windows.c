// windows.c - work of which a capture sees only a part: maps that begin before it or end after it,
// commands between the recorded ones that change memory or make order.
#include "machine.h"

static const char* source =
    "kernel void first(global uint* v) { size_t i = get_global_id(0); v[i] = v[i] * 3 + 1; }\n"
    "kernel void second(global uint* v) { size_t i = get_global_id(0); v[i] = v[i] * 5 + 2; }\n";

enum { count = 1 << 16, size = count * sizeof(cl_uint), rounds = 5 };

static cl_uint* map(cl_command_queue queue, cl_mem buffer, cl_map_flags flags) {
  cl_int status;
  cl_uint* mapped =
      clEnqueueMapBuffer(queue, buffer, CL_TRUE, flags, 0, size, 0, NULL, NULL, &status);
  CHECK(status);
  return mapped;
}

static void change(cl_uint* mapped, cl_uint salt) {
  for (cl_uint i = 0; i < count; i += 5) mapped[i] += salt;
}

int main(void) {
  Machine machine = open_machine(0);
  cl_command_queue other = open_queue(machine.context, machine.device, 0);
  cl_kernel first = build_kernel(&machine, source, "first");
  cl_kernel second = build_kernel(&machine, source, "second");
  cl_uint* values = malloc(size);
  fill_scrambled(values, size, 9);
  cl_mem buffer = make_buffer(&machine, CL_MEM_COPY_HOST_PTR, size, values);
  set_memory(first, 0, buffer);
  set_memory(second, 0, buffer);
  const size_t items = count;
  for (cl_uint round = 0; round < rounds; ++round) {
    run(&machine, first, count);
    cl_uint* mapped = map(machine.queue, buffer, CL_MAP_READ | CL_MAP_WRITE);
    change(mapped, round);
    CHECK(clEnqueueUnmapMemObject(machine.queue, buffer, mapped, 0, NULL, NULL));
    // The queues are put in order by events of commands that a selection may leave out.
    cl_event written, marked, stirred, back;
    fill_scrambled(values, 400, round);
    run(&machine, first, count);
    CHECK(clEnqueueWriteBuffer(machine.queue, buffer, CL_TRUE, 40, 400, values, 0, NULL, &written));
    CHECK(clEnqueueMarkerWithWaitList(other, 1, &written, &marked));
    CHECK(clEnqueueNDRangeKernel(other, second, 1, NULL, &items, NULL, 1, &marked, &stirred));
    CHECK(clFlush(other));
    CHECK(clEnqueueMarkerWithWaitList(machine.queue, 1, &stirred, &back));
    run(&machine, first, count);
    mapped = map(machine.queue, buffer, CL_MAP_WRITE_INVALIDATE_REGION);
    fill_scrambled(mapped, size, round + 50);
    CHECK(clEnqueueUnmapMemObject(machine.queue, buffer, mapped, 0, NULL, NULL));
    CHECK(clReleaseEvent(written));
    CHECK(clReleaseEvent(marked));
    CHECK(clReleaseEvent(stirred));
    CHECK(clReleaseEvent(back));
  }
  run(&machine, first, count);
  digest_buffer(&machine, "windows", buffer, size);
  free(values);
  CHECK(clReleaseMemObject(buffer));
  CHECK(clReleaseKernel(first));
  CHECK(clReleaseKernel(second));
  CHECK(clReleaseCommandQueue(other));
  close_machine(&machine);
  return 0;
}
