// leaving.c - leaves with work under way that nobody waits for: leaving <way>.
//
// Some kernels are compiled when they first run, on a thread of the driver: nothing of it may be
// disturbed by who waits longer than the program does.
#include <pthread.h>
#include <unistd.h>

#include "machine.h"

static const char* source =
    "#define STEP(name, factor) \\\n"
    "  kernel void name(global uint* values) { \\\n"
    "    uint value = values[get_global_id(0)]; \\\n"
    "    for (int i = 0; i < 200; ++i) value = value * factor + (value >> 3); \\\n"
    "    values[get_global_id(0)] = value; \\\n"
    "  }\n"
    "STEP(first, 3) STEP(second, 5) STEP(third, 7) STEP(fourth, 11)\n";

enum { count = 4096, size = count * sizeof(cl_uint), kernels = 4 };

static Machine machine;
static cl_program program;
static cl_mem buffer;

static cl_kernel make_kernel(int i) {
  static const char* const names[kernels] = {"first", "second", "third", "fourth"};
  cl_int status;
  cl_kernel kernel = clCreateKernel(program, names[i % kernels], &status);
  CHECK(status);
  set_memory(kernel, 0, buffer);
  return kernel;
}

static cl_event give(cl_uint wait_count, const cl_event* waits) {
  cl_event event = NULL;
  for (int i = 0; i < kernels; ++i) {
    cl_kernel kernel = make_kernel(i);
    const size_t items = count, group = (size_t)8 << i;
    if (event) CHECK(clReleaseEvent(event));
    CHECK(clEnqueueNDRangeKernel(machine.queue, kernel, 1, NULL, &items, &group, wait_count, waits,
                                 &event));
    CHECK(clReleaseKernel(kernel));
  }
  CHECK(clFlush(machine.queue));
  return event;
}

static void* give_and_exit(void* unused) {
  (void)unused;
  give(0, NULL);
  exit(7);
}

static void* exit_with_8(void* unused) {
  (void)unused;
  exit(8);
}

static void CL_CALLBACK exit_with_9(cl_event event, cl_int status, void* data) {
  (void)event, (void)status, (void)data;
  exit(9);
}

static void* end_late(void* unused) {
  (void)unused;
  usleep(50000);
  give(0, NULL);
  exit(14);
}

// Goes on giving while another thread exits. A refusal is fine then, and so is the process's end.
static void* give_on(void* unused) {
  (void)unused;
  cl_kernel kernel = make_kernel(0);
  const size_t items = count;
  for (int i = 0; i < 100000; ++i) {
    clEnqueueNDRangeKernel(machine.queue, kernel, 1, NULL, &items, NULL, 0, NULL, NULL);
    clFlush(machine.queue);
    usleep(200);
  }
  return NULL;
}

static void start_thread(void* (*function)(void*)) {
  pthread_t thread;
  EXPECT(pthread_create(&thread, NULL, function, NULL) == 0);
  EXPECT(pthread_detach(thread) == 0);
}

static int leave(const char* way) {
  if (!strcmp(way, "return")) {
    give(0, NULL);
    return 5;
  }
  if (!strcmp(way, "exit_in_thread")) {
    start_thread(give_and_exit);
    pause();
  }
  if (!strcmp(way, "exit_in_idle_thread")) {  // one that never called OpenCL
    give(0, NULL);
    start_thread(exit_with_8);
    pause();
  }
  if (!strcmp(way, "exit_in_callback")) {
    const cl_event event = give(0, NULL);
    CHECK(clSetEventCallback(event, CL_COMPLETE, exit_with_9, NULL));
    CHECK(clFlush(machine.queue));
    for (;;) pause();
  }
  if (!strcmp(way, "quick_exit")) {
    give(0, NULL);
    quick_exit(10);
  }
  if (!strcmp(way, "_exit")) {
    give(0, NULL);
    _exit(11);
  }
  if (!strcmp(way, "pthread_exit")) {  // and another thread ends the process
    start_thread(end_late);
    pthread_exit(NULL);
  }
  if (!strcmp(way, "giving_threads")) {
    for (int i = 0; i < 3; ++i) start_thread(give_on);
    usleep(20000);
    return 12;
  }
  if (!strcmp(way, "held")) {  // by an event that only the program could set, and doesn't
    cl_int status;
    const cl_event gate = clCreateUserEvent(machine.context, &status);
    CHECK(status);
    give(1, &gate);
    return 13;
  }
  fprintf(stderr, "No way '%s' to leave.\n", way);
  return 2;
}

int main(int argc, char** argv) {
  EXPECT(argc == 2);
  machine = open_machine(0);
  program = build_program(&machine, source, "");
  static cl_uint values[count];
  fill_scrambled(values, size, 5);
  buffer = make_buffer(&machine, CL_MEM_COPY_HOST_PTR, size, values);
  printf("leaves\n");
  fflush(stdout);
  return leave(argv[1]);
}
