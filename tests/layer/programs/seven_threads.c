// seven_threads.c - seven threads give work to one queue at once, each to buffers of its own.
#include <pthread.h>

#include "machine.h"

static const char* source =
    "kernel void count_up(global uint* values, uint by) { values[get_global_id(0)] += by; }\n";

enum { threads = 7, count = 1024, size = count * sizeof(cl_uint), steps = 300 };

typedef struct Work {
  const Machine* machine;
  cl_program program;
  cl_uint number;
  cl_uint found[count];
} Work;

static void* give_work(void* given) {
  Work* work = given;
  const Machine* machine = work->machine;
  cl_int status;
  cl_kernel count_up = clCreateKernel(work->program, "count_up", &status);
  CHECK(status);
  cl_mem buffer = make_buffer(machine, CL_MEM_READ_WRITE, size, NULL);
  const cl_uint zero = 0;
  CHECK(clEnqueueFillBuffer(machine->queue, buffer, &zero, 4, 0, size, 0, NULL, NULL));
  set_memory(count_up, 0, buffer);
  for (cl_uint i = 0; i < steps; ++i) {
    const cl_uint by = work->number * steps + i;
    set_argument(count_up, 1, sizeof by, &by);
    run(machine, count_up, count);
    if (i % 100 == 0) CHECK(clFlush(machine->queue));
  }
  CHECK(clEnqueueReadBuffer(machine->queue, buffer, CL_TRUE, 0, size, work->found, 0, NULL, NULL));
  CHECK(clReleaseMemObject(buffer));
  CHECK(clReleaseKernel(count_up));
  return NULL;
}

int main(void) {
  Machine machine = open_machine(0);
  static Work work[threads];
  pthread_t thread[threads];
  cl_program program = build_program(&machine, source, "");
  for (cl_uint i = 0; i < threads; ++i) {
    work[i].machine = &machine;
    work[i].program = program;
    work[i].number = i;
    EXPECT(pthread_create(&thread[i], NULL, give_work, &work[i]) == 0);
  }
  for (int i = 0; i < threads; ++i) {
    EXPECT(pthread_join(thread[i], NULL) == 0);
    digest("thread", work[i].found, size);
  }
  CHECK(clReleaseProgram(program));
  close_machine(&machine);
  return 0;
}
