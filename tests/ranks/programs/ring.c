// ring.c - what each rank of a job does: work of OpenCL, then messages to its neighbours.
//
//   ring [--kill RANK] [--idle RANK] [--late RANK]   the rank that dies, makes no call of OpenCL,
//   comes late
#include <mpi.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#include "layer/programs/machine.h"

static const char* source =
    "kernel void scale(global float* x) {\n"
    "  x[get_global_id(0)] *= 2.0f;\n"
    "}\n";

enum { count = 1024, steps = 3 };

static int rank_of(int argc, char** argv, const char* option) {
  for (int i = 1; i + 1 < argc; ++i)
    if (strcmp(argv[i], option) == 0) return atoi(argv[i + 1]);
  return -1;
}

int main(int argc, char** argv) {
  int rank = 0, ranks = 1;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const int is_idle = rank == rank_of(argc, argv, "--idle");
  if (rank == rank_of(argc, argv, "--late")) usleep(700 * 1000);
  float x[count], y[count];
  for (int i = 0; i < count; ++i) x[i] = (float)(rank + i);
  Machine machine;
  cl_kernel scale = NULL;
  cl_mem buffer = NULL;
  if (!is_idle) {
    machine = open_machine(0);
    scale = build_kernel(&machine, source, "scale");
    buffer = make_buffer(&machine, CL_MEM_READ_WRITE, sizeof x, NULL);
    set_memory(scale, 0, buffer);
  }
  for (int step = 0; step < steps; ++step) {
    if (!is_idle) {
      CHECK(clEnqueueWriteBuffer(machine.queue, buffer, CL_TRUE, 0, sizeof x, x, 0, NULL, NULL));
      run(&machine, scale, count);
      CHECK(clEnqueueReadBuffer(machine.queue, buffer, CL_TRUE, 0, sizeof x, x, 0, NULL, NULL));
    }
    if (step == 1 && rank == rank_of(argc, argv, "--kill")) {
      usleep(300 * 1000); /* so that what was recorded is in the file */
      raise(SIGKILL);
    }
    MPI_Request requests[2];
    MPI_Isend(x, count, MPI_FLOAT, (rank + 1) % ranks, step, MPI_COMM_WORLD, &requests[0]);
    MPI_Irecv(y, count, MPI_FLOAT, (rank + ranks - 1) % ranks, step, MPI_COMM_WORLD, &requests[1]);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    float sum = 0, own = x[0];
    MPI_Allreduce(&own, &sum, 1, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD);
  }
  /* A communicator with the ranks in reverse: peers are told by their rank in the job. */
  MPI_Comm reversed;
  MPI_Comm_split(MPI_COMM_WORLD, 0, ranks - rank, &reversed);
  double value = rank;
  MPI_Bcast(&value, 1, MPI_DOUBLE, 0, reversed);
  if (rank == 0)
    MPI_Send(y, 100, MPI_FLOAT, 1, 99, MPI_COMM_WORLD);
  else if (rank == 1)
    MPI_Recv(y, count, MPI_FLOAT, MPI_ANY_SOURCE, 99, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Barrier(MPI_COMM_WORLD);
  if (!is_idle) {
    digest("x", x, sizeof x);
    CHECK(clReleaseMemObject(buffer));
    CHECK(clReleaseKernel(scale));
    close_machine(&machine);
  }
  MPI_Finalize();
  return 0;
}
