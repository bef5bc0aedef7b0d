/* steps.c - a program that does what its arguments say, one after the other:
 *
 *   calls N        so many calls of OpenCL
 *   sleep MS       nothing, for so long
 *   start PATH, stop, trigger    through reel_app.h; what they return is printed
 *   handler N      prints "signal" whenever this one comes
 *   fork           the rest twice: in a child, and here when the child has ended
 *   print TEXT, copy             to standard output; copy: what standard input has
 *   exit N, quick N, raise N     the end: by exit, by _exit, by a signal
 */
#define CL_TARGET_OPENCL_VERSION 300
#include <CL/cl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "reel_app.h"

static void on_signal(int number) {
  if (number > 0 && write(STDOUT_FILENO, "signal\n", 7) != 7) _exit(95);
}

static void pause_ms(long ms) {
  struct timespec left;
  left.tv_sec = ms / 1000;
  left.tv_nsec = ms % 1000 * 1000000;
  while (nanosleep(&left, &left) != 0) {
  }
}

static void call_opencl(long count) {
  long i;
  for (i = 0; i < count; ++i) {
    cl_uint platforms = 0;
    clGetPlatformIDs(0, NULL, &platforms);
  }
}

static void copy_input(void) {
  int c;
  while ((c = getchar()) != EOF) putchar(c);
}

/* What a step says besides its name; how many words it took. */
static int act(const char* step, const char* word) {
  const long number = word ? atol(word) : 0;
  if (strcmp(step, "calls") == 0) return call_opencl(number), 2;
  if (strcmp(step, "sleep") == 0) return pause_ms(number), 2;
  if (strcmp(step, "start") == 0) return printf("start %d\n", reel_app_start(word)), 2;
  if (strcmp(step, "print") == 0) return puts(word), 2;
  if (strcmp(step, "exit") == 0) exit((int)number);
  if (strcmp(step, "quick") == 0) _exit((int)number);
  if (strcmp(step, "raise") == 0) raise((int)number);
  if (strcmp(step, "stop") == 0) return printf("stop %d\n", reel_app_stop()), 1;
  if (strcmp(step, "trigger") == 0) return printf("trigger %d\n", reel_app_trigger()), 1;
  if (strcmp(step, "handler") == 0) return signal((int)number, on_signal), 2;
  if (strcmp(step, "copy") == 0) return copy_input(), 1;
  if (strcmp(step, "fork") == 0) {
    const pid_t child = fork();
    if (child > 0) waitpid(child, NULL, 0);
    return 1;
  }
  fprintf(stderr, "steps: there is no step '%s'.\n", step);
  exit(99);
}

int main(int count, char** words) {
  int i = 1;
  setvbuf(stdout, NULL, _IOLBF, 0);
  while (i < count) i += act(words[i], i + 1 < count ? words[i + 1] : NULL);
  return 0;
}
