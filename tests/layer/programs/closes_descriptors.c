// closes_descriptors.c - closes every descriptor in the middle of its work, as daemons do, and then
// opens its own, which nobody else may write to, cut shorter, close or hold open.
#define _GNU_SOURCE  // memfd_create
#include <fcntl.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "machine.h"

static const char* source =
    "kernel void advance(global uint* values, uint by) {\n"
    "  values[get_global_id(0)] = values[get_global_id(0)] * 3 + by;\n"
    "}\n";

enum { count = 65536, size = count * sizeof(cl_uint), files = 40, file_bytes = 36000 };

static Machine machine;
static cl_kernel advance;
static cl_mem buffer;

static void do_work(const char* label) {
  static cl_uint values[count];
  for (cl_uint i = 0; i < 20; ++i) {
    fill_scrambled(values, size, i + 1);
    CHECK(clEnqueueWriteBuffer(machine.queue, buffer, CL_TRUE, 0, size, values, 0, NULL, NULL));
    set_argument(advance, 1, sizeof i, &i);
    run(&machine, advance, count);
  }
  digest_buffer(&machine, label, buffer, size);
}

int main(void) {
  machine = open_machine(0);
  advance = build_kernel(&machine, source, "advance");
  buffer = make_buffer(&machine, 0, size, NULL);
  set_memory(advance, 0, buffer);
  do_work("before");

  for (int i = 3; i < 2000; ++i) close(i);
  int own[files], sockets[2], ends[2];
  static char text[file_bytes], now[file_bytes + 1];
  memset(text, 'p', file_bytes);
  for (int i = 0; i < files; ++i) {
    own[i] = memfd_create("own", 0);
    if (write(own[i], text, file_bytes) != file_bytes) return 1;
  }
  if (socketpair(AF_UNIX, SOCK_STREAM, 0, sockets) != 0 || pipe(ends) != 0) return 2;
  do_work("after");
  usleep(200000);

  for (int i = 0; i < files; ++i) {
    const ssize_t got = pread(own[i], now, sizeof now, 0);
    if (got != file_bytes || memcmp(now, text, file_bytes) != 0)
      printf("file %d has %zd other bytes\n", i, got);
  }
  char byte;
  close(ends[1]);
  struct pollfd end = {ends[0], POLLIN, 0};
  printf("the pipe ends: %d\n", poll(&end, 1, 2000));
  printf("the socket got: %zd\n", recv(sockets[1], &byte, 1, MSG_DONTWAIT));

  CHECK(clReleaseMemObject(buffer));
  CHECK(clReleaseKernel(advance));
  close_machine(&machine);
  struct stat status;
  for (int i = 0; i < files; ++i)
    if (fstat(own[i], &status) != 0 || status.st_size != file_bytes) printf("file %d is gone\n", i);
  return 0;
}
