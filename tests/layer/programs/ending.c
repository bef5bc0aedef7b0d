// ending.c - all the ways in which a program ends: ending <way>.
//
// Each way first does work and reads its result, so that there is something to find in a document.
#include <pthread.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "machine.h"

static const char* source =
    "kernel void advance(global uint* values, uint by) {\n"
    "  values[get_global_id(0)] = values[get_global_id(0)] * 3 + by;\n"
    "}\n";

enum { count = 2048, size = count * sizeof(cl_uint), steps = 50 };

static Machine machine;
static cl_kernel advance;
static cl_mem buffer;

static void start_work(void) {
  machine = open_machine(0);
  advance = build_kernel(&machine, source, "advance");
  cl_uint values[count];
  fill_scrambled(values, size, 41);
  buffer = make_buffer(&machine, CL_MEM_COPY_HOST_PTR, size, values);
  set_memory(advance, 0, buffer);
}

static void do_work(const char* label) {
  for (cl_uint i = 0; i < steps; ++i) {
    set_argument(advance, 1, sizeof i, &i);
    run(&machine, advance, count);
  }
  digest_buffer(&machine, label, buffer, size);
}

static void finish_work(void) {
  CHECK(clReleaseMemObject(buffer));
  CHECK(clReleaseKernel(advance));
  close_machine(&machine);
}

static void work_at_exit(void) {
  do_work("at exit");
  finish_work();
}

static int works_in_destructor;
__attribute__((destructor)) static void work_in_destructor(void) {
  if (works_in_destructor) do_work("in destructor");
}

static void* exit_with_7(void* unused) {
  (void)unused;
  exit(7);
}

static void wait_for_child(pid_t child) {
  int status = 0;
  EXPECT(waitpid(child, &status, 0) == child);
  printf("child ended with %d\n", WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status));
  fflush(stdout);
}

// What was given some time ago is in the document, however the program ends.
static void wait_a_while(void) { usleep(300000); }

static void end(const char* way, char** argv) {
  if (!strcmp(way, "return")) {
    finish_work();
  } else if (!strcmp(way, "leak")) {
    run(&machine, advance, count);  // never waited for
  } else if (!strcmp(way, "exit")) {
    exit(3);
  } else if (!strcmp(way, "_exit")) {
    wait_a_while();
    _exit(4);
  } else if (!strcmp(way, "abort")) {
    wait_a_while();
    abort();
  } else if (!strcmp(way, "segv")) {
    wait_a_while();
    *(volatile int*)(uintptr_t)(argv[0] ? 8 : 16) = 1;
  } else if (!strcmp(way, "kill")) {
    wait_a_while();
    kill(getpid(), SIGKILL);
  } else if (!strcmp(way, "term")) {
    wait_a_while();
    kill(getpid(), SIGTERM);
    pause();
  } else if (!strcmp(way, "exit_in_thread")) {
    pthread_t thread;
    EXPECT(pthread_create(&thread, NULL, exit_with_7, NULL) == 0);
    pause();
  } else if (!strcmp(way, "atexit")) {
    EXPECT(atexit(work_at_exit) == 0);
  } else if (!strcmp(way, "destructor")) {
    works_in_destructor = 1;
  } else if (!strcmp(way, "fork")) {  // the child makes no OpenCL call
    const pid_t child = fork();
    if (child == 0) _exit(5);
    wait_for_child(child);
    do_work("after fork");
    finish_work();
  } else if (!strcmp(way, "fork_exit")) {  // the child runs what its parent registered for exit
    fflush(stdout);
    const pid_t child = fork();
    if (child == 0) exit(6);
    wait_for_child(child);
    do_work("after fork");
    finish_work();
  } else if (!strcmp(way,
                     "fork_exec")) {  // the child is this program again, with OpenCL of its own
    fflush(stdout);
    const pid_t child = fork();
    if (child == 0) {
      execl("/proc/self/exe", "ending", "return", (char*)NULL);
      _exit(99);
    }
    wait_for_child(child);
    finish_work();
  } else if (!strcmp(way, "exec")) {
    wait_a_while();
    fflush(stdout);
    execl("/proc/self/exe", "ending", "return", (char*)NULL);
    _exit(99);
  } else if (!strcmp(way,
                     "close_descriptors")) {  // as daemons do, with everything that isn't theirs
    for (int i = 3; i < 1024; ++i) close(i);
    do_work("without descriptors");
    finish_work();
  } else {
    fprintf(stderr, "No way '%s' to end.\n", way);
    exit(2);
  }
}

int main(int argc, char** argv) {
  EXPECT(argc == 2);
  const struct rlimit no_core = {0, 0};
  setrlimit(RLIMIT_CORE, &no_core);
  if (!strcmp(argv[1], "fork_first")) {  // both have OpenCL, and neither before the fork
    const pid_t child = fork();
    start_work();
    if (child == 0) {
      for (cl_uint i = 0; i < steps; ++i) {
        set_argument(advance, 1, sizeof i, &i);
        run(&machine, advance, count);
      }
      CHECK(clFinish(machine.queue));
      finish_work();
      exit(0);
    }
    do_work("parent");
    wait_for_child(child);
    finish_work();
    return 0;
  }
  start_work();
  do_work("work");
  end(argv[1], argv);
  return 0;
}
