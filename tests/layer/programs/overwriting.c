// overwriting.c - results that another queue, or a queue without order, overwrites as soon as the
// program's own events allow it: nobody but the reader of a check would still want them.
#include "machine.h"

static const char* source =
    "kernel void stir(global uint* values, uint salt) {\n"
    "  size_t i = get_global_id(0);\n"
    "  uint x = values[i];\n"
    "  for (int k = 0; k < 20; ++k) x = x * 1664525u + salt + (uint)i;\n"
    "  values[i] = x;\n"
    "}\n";

enum { count = 1 << 20, size = count * sizeof(cl_uint), rounds = 8 };

static void stir(cl_command_queue queue, cl_kernel kernel, cl_mem buffer, cl_uint salt,
                 const cl_event* after, cl_event* event) {
  const size_t items = count;
  set_memory(kernel, 0, buffer);
  set_argument(kernel, 1, sizeof salt, &salt);
  CHECK(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &items, NULL, after ? 1 : 0, after, event));
}

// Two queues in turn on one buffer, each after the other's last command.
static void ping_pong(const Machine* machine, cl_kernel kernel, cl_command_queue* queues,
                      cl_mem buffer) {
  cl_event last = NULL;
  for (cl_uint i = 0; i < rounds; ++i) {
    cl_event event;
    stir(queues[i % 2], kernel, buffer, i, last ? &last : NULL, &event);
    CHECK(clFlush(queues[i % 2]));
    if (last) CHECK(clReleaseEvent(last));
    last = event;
  }
  CHECK(clWaitForEvents(1, &last));
  CHECK(clReleaseEvent(last));
  digest_buffer(machine, "ping pong", buffer, size);
}

// Reads that do not block, each overwritten by another queue once it is done.
static void reads(const Machine* machine, cl_kernel kernel, cl_command_queue* queues,
                  cl_mem buffer) {
  cl_uint* found[rounds];
  cl_event last = NULL;
  for (cl_uint i = 0; i < rounds; ++i) {
    cl_event stirred, read;
    found[i] = malloc(size);
    stir(queues[0], kernel, buffer, i, last ? &last : NULL, &stirred);
    CHECK(clEnqueueReadBuffer(queues[0], buffer, CL_FALSE, 0, size, found[i], 1, &stirred, &read));
    CHECK(clFlush(queues[0]));
    if (last) CHECK(clReleaseEvent(last));
    const cl_uint pattern = i;
    CHECK(clEnqueueFillBuffer(queues[1], buffer, &pattern, 4, 0, size, 1, &read, &last));
    CHECK(clFlush(queues[1]));
    CHECK(clReleaseEvent(stirred));
    CHECK(clReleaseEvent(read));
  }
  CHECK(clWaitForEvents(1, &last));
  CHECK(clReleaseEvent(last));
  for (int i = 0; i < rounds; ++i) {
    digest("read", found[i], size);
    free(found[i]);
  }
  digest_buffer(machine, "filled", buffer, size);
}

// One queue without order, where each command waits for the one before it.
static void out_of_order(const Machine* machine, cl_kernel kernel, cl_command_queue queue,
                         cl_mem buffer) {
  cl_event last = NULL;
  for (cl_uint i = 0; i < rounds; ++i) {
    cl_event event;
    stir(queue, kernel, buffer, i + 100, last ? &last : NULL, &event);
    if (last) CHECK(clReleaseEvent(last));
    last = event;
    cl_int status;
    if (i % 3 != 2) continue;
    cl_uint* mapped = clEnqueueMapBuffer(queue, buffer, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, 64,
                                         size - 64, 1, &last, NULL, &status);
    CHECK(status);
    for (int k = 0; k < 1000; ++k) mapped[k * 7] += i;
    CHECK(clReleaseEvent(last));
    CHECK(clEnqueueUnmapMemObject(queue, buffer, mapped, 0, NULL, &last));
  }
  CHECK(clWaitForEvents(1, &last));
  CHECK(clReleaseEvent(last));
  digest_buffer(machine, "out of order", buffer, size);
}

// Memory of the program that it writes the moment it knows that the device is done.
static void host_memory(const Machine* machine, cl_kernel kernel, cl_command_queue queue) {
  cl_uint* memory = aligned_alloc(4096, size);
  fill_scrambled(memory, size, 3);
  cl_mem buffer = make_buffer(machine, CL_MEM_USE_HOST_PTR, size, memory);
  for (cl_uint i = 0; i < rounds; ++i) {
    cl_event event;
    cl_int status;
    stir(queue, kernel, buffer, i, NULL, NULL);
    cl_uint* mapped = clEnqueueMapBuffer(queue, buffer, CL_FALSE, CL_MAP_WRITE | CL_MAP_READ, 0,
                                         size, 0, NULL, &event, &status);
    CHECK(status);
    CHECK(clWaitForEvents(1, &event));
    CHECK(clReleaseEvent(event));
    for (int k = 0; k < count; k += 3) mapped[k] ^= i;
    CHECK(clEnqueueUnmapMemObject(queue, buffer, mapped, 0, NULL, NULL));
  }
  CHECK(clFinish(queue));
  digest_buffer(machine, "host memory", buffer, size);
  CHECK(clReleaseMemObject(buffer));
  free(memory);
}

// A user event holds one queue until another queue has overwritten what the first will write: who
// waits for a read of the first queue never gets on.
static void held(const Machine* machine, cl_kernel kernel, cl_command_queue* queues,
                 cl_mem buffer) {
  cl_int status;
  cl_event gate = clCreateUserEvent(machine->context, &status), filled;
  CHECK(status);
  stir(queues[0], kernel, buffer, 7, &gate, NULL);
  CHECK(clFlush(queues[0]));
  const cl_uint pattern = 77;
  CHECK(clEnqueueFillBuffer(queues[1], buffer, &pattern, 4, 0, size, 0, NULL, &filled));
  CHECK(clWaitForEvents(1, &filled));
  CHECK(clSetUserEventStatus(gate, CL_COMPLETE));
  CHECK(clFinish(queues[0]));
  CHECK(clReleaseEvent(gate));
  CHECK(clReleaseEvent(filled));
  digest_buffer(machine, "held", buffer, size);
}

int main(int count_of_words, char** words) {
  const char* way = count_of_words > 1 ? words[1] : "";
  Machine machine = open_machine(0);
  cl_kernel kernel = build_kernel(&machine, source, "stir");
  cl_command_queue queues[] = {machine.queue, open_queue(machine.context, machine.device, 0)};
  cl_command_queue loose =
      open_queue(machine.context, machine.device, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
  cl_uint* values = malloc(size);
  fill_scrambled(values, size, 1);
  cl_mem buffer = make_buffer(&machine, CL_MEM_COPY_HOST_PTR, size, values);
  free(values);
  if (!strcmp(way, "ping_pong")) ping_pong(&machine, kernel, queues, buffer);
  if (!strcmp(way, "reads")) reads(&machine, kernel, queues, buffer);
  if (!strcmp(way, "out_of_order")) out_of_order(&machine, kernel, loose, buffer);
  if (!strcmp(way, "host_memory")) host_memory(&machine, kernel, machine.queue);
  if (!strcmp(way, "held")) held(&machine, kernel, queues, buffer);
  CHECK(clReleaseMemObject(buffer));
  CHECK(clReleaseCommandQueue(queues[1]));
  CHECK(clReleaseCommandQueue(loose));
  CHECK(clReleaseKernel(kernel));
  close_machine(&machine);
  return 0;
}
