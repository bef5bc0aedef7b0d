// leaving.c - ways to leave: without waiting, without freeing, by _exit, abort, a signal, in a
// thread, while a child of a fork lives; the way is the argument.
#include <pthread.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "advance.h"
#include "machine.h"
#include "slow.h"

enum { size = 4096 * 4 };

static void work(Machine* machine, Shader shader, uint32_t rounds, int waits) {
  Buffer values = make_storage(machine, size, 1);
  Kernel kernel = make_kernel(machine, shader, 1, 8);
  VkDescriptorSet set = BIND(machine, &kernel, &values);
  for (uint32_t i = 0; i < 10; ++i) {
    VkCommandBuffer commands = begin_once(machine);
    use(commands, &kernel, set);
    push_two(commands, &kernel, rounds, i);
    vkCmdDispatch(commands, groups_of(size), 1, 1);
    order_for_host(commands);
    CHECK(vkEndCommandBuffer(commands));
    submit(machine, 1, &commands, VK_NULL_HANDLE);
    if (waits) CHECK(vkQueueWaitIdle(machine->queue));
  }
  if (waits) digest_buffer("values", &values);
}

static void* leave_in_thread(void* code) { exit((int)(intptr_t)code); }

static void in_child(const char* way) {
  if (!strcmp(way, "fork_first")) {  // opens the driver itself
    Machine machine = open_machine();
    work(&machine, SHADER(advance), 3, 1);
    close_machine(&machine);
  }
  printf("child\n");
  fflush(stdout);
  if (strcmp(way, "fork")) exit(3);
  _exit(3);
}

int main(int argc, char** argv) {
  const char* way = argc > 1 ? argv[1] : "return";
  int status = 0;
  if (!strcmp(way, "fork_first")) {
    const pid_t child = fork();
    if (!child) in_child(way);
    waitpid(child, &status, 0);
  }
  Machine machine = open_machine();
  work(&machine, SHADER(advance), 3, 1);
  if (!strcmp(way, "fork") || !strcmp(way, "fork_exit")) {
    const pid_t child = fork();
    if (!child) in_child(way);
    waitpid(child, &status, 0);
    printf("child left with %d\n", WEXITSTATUS(status));
    work(&machine, SHADER(advance), 5, 1);
    CHECK(vkDeviceWaitIdle(machine.device));
    return 0;
  }
  if (!strcmp(way, "working")) {
    work(&machine, SHADER(slow), 20000, 0);
    return 5;
  }
  if (!strcmp(way, "destroyed")) {  // nothing is freed but the device and the instance
    vkDestroyDevice(machine.device, NULL);
    vkDestroyInstance(machine.instance, NULL);
    return 0;
  }
  if (!strcmp(way, "_exit")) _exit(7);
  if (!strcmp(way, "abort")) abort();
  if (!strcmp(way, "segv")) raise(SIGSEGV);
  if (!strcmp(way, "kill")) kill(getpid(), SIGKILL);
  if (!strcmp(way, "thread")) {
    pthread_t thread;
    pthread_create(&thread, NULL, leave_in_thread, (void*)(intptr_t)9);
    pthread_join(thread, NULL);
  }
  return 0;
}
