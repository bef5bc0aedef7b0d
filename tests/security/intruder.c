// intruder.c - tells on standard output that it was loaded.
#include <stdio.h>

__attribute__((constructor)) static void say_so(void) {
  printf("intruder loaded\n");
  fflush(stdout);
}
