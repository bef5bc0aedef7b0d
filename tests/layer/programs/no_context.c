// no_context.c - asks which platforms there are, and makes no context.
#include "machine.h"

int main(void) {
  cl_uint count = 0;
  CHECK(clGetPlatformIDs(0, NULL, &count));
  EXPECT(count > 0);
  printf("there are platforms\n");
  return 3;
}
