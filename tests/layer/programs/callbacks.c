// callbacks.c - callbacks of events, of memory objects and of contexts that release what they get.
#include <pthread.h>
#include <unistd.h>

#include "machine.h"

static const char* source =
    "kernel void fill(global uint* values, uint with) { values[get_global_id(0)] = with; }\n";

enum { count = 1000, runs = 50 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int events_seen, memory_gone, context_gone;

static void bump(int* counter) {
  pthread_mutex_lock(&lock);
  ++*counter;
  pthread_mutex_unlock(&lock);
}
static int value_of(int* counter) {
  pthread_mutex_lock(&lock);
  const int value = *counter;
  pthread_mutex_unlock(&lock);
  return value;
}
// Callbacks come from threads of the driver, some time after a wait returns.
static void wait_for(int* counter, int wanted) {
  for (int i = 0; i < 20000 && value_of(counter) != wanted; ++i) usleep(500);
  EXPECT(value_of(counter) == wanted);
}

static void CL_CALLBACK on_complete(cl_event event, cl_int status, void* buffer) {
  EXPECT(status == CL_COMPLETE);
  CHECK(clReleaseMemObject(buffer));
  CHECK(clReleaseEvent(event));
  bump(&events_seen);
}
static void CL_CALLBACK on_destroyed(cl_mem memory, void* counter) {
  (void)memory;
  bump(counter);
}
static void CL_CALLBACK on_context_destroyed(cl_context context, void* counter) {
  (void)context;
  bump(counter);
}

int main(void) {
  Machine machine = open_machine(0);
  cl_kernel fill = build_kernel(&machine, source, "fill");
  cl_mem last = make_buffer(&machine, CL_MEM_READ_WRITE, count * 4, NULL);
  for (cl_uint i = 0; i < runs; ++i) {
    cl_mem buffer = make_buffer(&machine, CL_MEM_READ_WRITE, count * 4, NULL);
    CHECK(clSetMemObjectDestructorCallback(buffer, on_destroyed, &memory_gone));
    set_memory(fill, 0, buffer);
    set_argument(fill, 1, sizeof i, &i);
    run(&machine, fill, count);
    cl_event event;
    CHECK(clEnqueueCopyBuffer(machine.queue, buffer, last, 0, 0, (i + 1) * 4, 0, NULL, &event));
    CHECK(clSetEventCallback(event, CL_COMPLETE, on_complete, buffer));
  }
  CHECK(clFinish(machine.queue));
  wait_for(&events_seen, runs);
  set_memory(fill, 0, last);  // the kernel lets go of the last buffer
  wait_for(&memory_gone, runs);
  digest_buffer(&machine, "last", last, runs * 4);
  const cl_int status =
      clSetContextDestructorCallback(machine.context, on_context_destroyed, &context_gone);
  CHECK(clReleaseMemObject(last));
  CHECK(clReleaseKernel(fill));
  close_machine(&machine);
  printf("context callback %d\n", status);
  if (status == CL_SUCCESS) wait_for(&context_gone, 1);
  return 0;
}
