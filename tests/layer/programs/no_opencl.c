// no_opencl.c - a program that has nothing to do with OpenCL. Also built as a static one.
#include <stdio.h>

int main(int argc, char** argv) {
  printf("nothing to see, %d words, %s\n", argc, argc > 1 ? argv[1] : "none");
  fprintf(stderr, "nor here\n");
  return argc > 1 ? 9 : 0;
}
