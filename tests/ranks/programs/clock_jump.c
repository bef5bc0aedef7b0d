// clock_jump.c - preloaded into a rank, it sets its real-time clock, or lets its machine sleep, as
// far as the process can tell.
//
//   JUMP_RANK=0 JUMP_AFTER_MS=200 JUMP_REAL_S=3600 JUMP_SLEPT_S=0 LD_PRELOAD=libclock_jump.so
//   program
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static long number(const char* name) {
  const char* text = getenv(name);
  return text ? atol(text) : 0;
}

static int is_the_rank(void) {
  const char *rank = getenv("OMPI_COMM_WORLD_RANK"), *wanted = getenv("JUMP_RANK");
  return rank && wanted && strcmp(rank, wanted) == 0;
}

int clock_gettime(clockid_t clock, struct timespec* time) {
  static _Atomic long long first_ns = 0;  // when the real time was first asked for
  const long result = syscall(SYS_clock_gettime, clock, time);
  if (result != 0 || (clock != CLOCK_REALTIME && clock != CLOCK_BOOTTIME) || !is_the_rank())
    return (int)result;
  struct timespec now;
  syscall(SYS_clock_gettime, CLOCK_MONOTONIC, &now);
  const long long ns = now.tv_sec * 1000000000ll + now.tv_nsec;
  if (first_ns == 0) first_ns = ns;
  if (ns - first_ns < number("JUMP_AFTER_MS") * 1000000ll) return 0;
  time->tv_sec += number("JUMP_SLEPT_S");
  if (clock == CLOCK_REALTIME) time->tv_sec += number("JUMP_REAL_S");
  return 0;
}
