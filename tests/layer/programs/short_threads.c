// short_threads.c - hundreds of threads that give one piece of work each and end at once.
#include <pthread.h>

#include "machine.h"

static const char* source =
    "kernel void mark(global uint* values, uint at) { values[at] = values[at] * 2 + at; }\n";

enum { threads = 400 };

static Machine machine;
static cl_kernel mark;

static void* once(void* number) {
  const cl_uint at = (cl_uint)(uintptr_t)number % 100;
  set_argument(mark, 1, sizeof at, &at);
  run(&machine, mark, 1);
  if ((uintptr_t)number % 3 == 0) pthread_exit(NULL);
  return NULL;
}

int main(void) {
  machine = open_machine(0);
  mark = build_kernel(&machine, source, "mark");
  cl_uint values[100] = {0};
  cl_mem buffer = make_buffer(&machine, CL_MEM_COPY_HOST_PTR, sizeof values, values);
  set_memory(mark, 0, buffer);
  for (uintptr_t i = 0; i < threads; ++i) {
    pthread_t thread;
    EXPECT(pthread_create(&thread, NULL, once, (void*)i) == 0);
    EXPECT(pthread_join(thread, NULL) == 0);
  }
  digest_buffer(&machine, "marks", buffer, sizeof values);
  CHECK(clReleaseMemObject(buffer));
  CHECK(clReleaseKernel(mark));
  close_machine(&machine);
  return 0;
}
