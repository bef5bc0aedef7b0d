// svm_pointers.c [hidden] - a list in shared memory whose nodes point to each other; only its head
// is an argument. Hidden: the driver is not told that there are others, which fine-grained devices
// and PoCL allow.
#include "machine.h"

static const char* source =
    "typedef struct Node { global struct Node* next; ulong value; } Node;\n"
    "kernel void walk(global Node* head, global ulong* sum) {\n"
    "  ulong found = 0;\n"
    "  for (global Node* node = head; node; node = node->next) {\n"
    "    found = found * 33 + node->value;\n"
    "    node->value += 1;\n"
    "  }\n"
    "  *sum = found;\n"
    "}\n";

typedef struct Node {
  struct Node* next;
  cl_ulong value;
} Node;

enum { nodes = 64, pieces = 4 };

int main(int argc, char** argv) {
  const int is_hidden = argc > 1 && strcmp(argv[1], "hidden") == 0;
  Machine machine = open_machine(0);
  cl_kernel walk = build_kernel(&machine, source, "walk");
  Node* piece[pieces];
  for (int i = 0; i < pieces; ++i) {
    piece[i] = clSVMAlloc(machine.context, CL_MEM_READ_WRITE, nodes * sizeof(Node), 0);
    EXPECT(piece[i] != NULL);
    CHECK(clEnqueueSVMMap(machine.queue, CL_TRUE, CL_MAP_WRITE, piece[i], nodes * sizeof(Node), 0,
                          NULL, NULL));
  }
  // From one piece to the next at every step, so that all pieces are needed.
  for (int i = 0; i < nodes * pieces; ++i) {
    Node* node = &piece[i % pieces][i / pieces];
    node->value = scrambled((uint32_t)i);
    node->next = i + 1 < nodes * pieces ? &piece[(i + 1) % pieces][(i + 1) / pieces] : NULL;
  }
  for (int i = 0; i < pieces; ++i) CHECK(clEnqueueSVMUnmap(machine.queue, piece[i], 0, NULL, NULL));
  cl_mem sum = make_buffer(&machine, CL_MEM_READ_WRITE, sizeof(cl_ulong), NULL);
  CHECK(clSetKernelArgSVMPointer(walk, 0, piece[0]));
  set_memory(walk, 1, sum);
  const void* others[] = {piece[1], piece[2], piece[3]};
  if (!is_hidden)
    CHECK(clSetKernelExecInfo(walk, CL_KERNEL_EXEC_INFO_SVM_PTRS, sizeof others, others));
  for (int i = 0; i < 3; ++i) {
    run(&machine, walk, 1);
    digest_buffer(&machine, "sum", sum, sizeof(cl_ulong));
  }
  for (int i = 0; i < pieces; ++i) {
    cl_ulong values[nodes];
    CHECK(clEnqueueSVMMap(machine.queue, CL_TRUE, CL_MAP_READ, piece[i], nodes * sizeof(Node), 0,
                          NULL, NULL));
    for (int n = 0; n < nodes; ++n) values[n] = piece[i][n].value;  // not the addresses
    digest("piece", values, sizeof values);
    CHECK(clEnqueueSVMUnmap(machine.queue, piece[i], 0, NULL, NULL));
  }
  CHECK(clFinish(machine.queue));
  for (int i = 0; i < pieces; ++i) clSVMFree(machine.context, piece[i]);
  CHECK(clReleaseMemObject(sum));
  CHECK(clReleaseKernel(walk));
  close_machine(&machine);
  return 0;
}
