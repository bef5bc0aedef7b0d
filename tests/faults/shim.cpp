// shim.cpp - preloaded into a process, it lets the n-th call of a kind fail.
//
//   FAULT_CALL=write FAULT_AT=3 FAULT_OF=libreel FAULT_LOG=calls LD_PRELOAD=fault_shim.so program
//
// Only calls count that come from a library or program whose path contains one of the words of
// FAULT_OF (separated by colons); what a driver or the program itself does is never touched. Calls
// by way of libstdc++, fmt and zstd count for whoever called these. With FAULT_LASTING=1 the n-th
// and all later calls fail, as on a disk that stays full. With FAULT_BYTES=1024 only allocations of
// just so many bytes count. At its end each process that made such
// calls appends their number to FAULT_LOG, so that with FAULT_AT=0 the calls are counted.
#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>
#include <unwind.h>

#include <atomic>
#include <cerrno>
#include <cstdarg>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <new>

namespace {

const char* variable(const char* name) {
  const char* value = getenv(name);
  return value ? value : "";
}

struct Plan {
  const char* call = variable("FAULT_CALL");
  const char* whose = variable("FAULT_OF");
  const char* log = variable("FAULT_LOG");
  long at = std::atol(variable("FAULT_AT"));
  std::size_t bytes = static_cast<std::size_t>(std::atol(variable("FAULT_BYTES")));  // 0: any
  int error = std::atoi(variable("FAULT_ERRNO"));
  bool lasting = *variable("FAULT_LASTING") == '1';
};

// Made by the first call, which may come before any constructor of ours runs.
const Plan& plan() {
  static const Plan made;
  return made;
}

std::atomic<long> calls{0};
std::atomic<bool> is_begun{false};  // what fails before main() is nobody's to catch
int (*program)(int, char**, char**) = nullptr;

int begin(int count, char** words, char** environment) {
  is_begun = true;
  return program(count, words, environment);
}

bool has_one_of(const char* path, const char* words) {
  while (*words) {
    const std::size_t length = std::strcspn(words, ":");
    for (const char* at = path; length && *at; ++at)
      if (std::strncmp(at, words, length) == 0) return true;
    words += length + (words[length] == ':');
  }
  return false;
}

enum class Owner { ours, helper, other };

Owner owner_of(void* address) {
  Dl_info info{};
  if (!dladdr(address, &info) || !info.dli_fname) return Owner::other;
  if (has_one_of(info.dli_fname, plan().whose)) return Owner::ours;
  return has_one_of(info.dli_fname, "libstdc++:libfmt:libzstd:libgcc_s:libsqlite3:libdeflate")
             ? Owner::helper
             : Owner::other;
}

struct Walk {
  int frames = 0;
  bool is_ours = false;
};

_Unwind_Reason_Code step(_Unwind_Context* context, void* data) {
  auto& walk = *static_cast<Walk*>(data);
  if (++walk.frames <= 2) return _URC_NO_REASON;  // of the shim itself
  if (walk.frames > 24) return _URC_END_OF_STACK;
  const Owner owner = owner_of(reinterpret_cast<void*>(_Unwind_GetIP(context)));
  if (owner == Owner::helper) return _URC_NO_REASON;
  walk.is_ours = owner == Owner::ours;
  return _URC_END_OF_STACK;
}

// Whether this call, made from `caller`, is the one that fails.
bool __attribute__((noinline)) fails(const char* name, void* caller) {
  thread_local bool inside = false;  // what is asked below allocates and maps by itself
  if (!is_begun || inside || std::strcmp(name, plan().call) != 0) return false;
  inside = true;
  const Owner owner = owner_of(caller);
  bool is_ours = owner == Owner::ours;
  if (owner == Owner::helper) {
    Walk walk;
    _Unwind_Backtrace(&step, &walk);
    is_ours = walk.is_ours;
  }
  inside = false;
  if (!is_ours) return false;
  const long number = calls.fetch_add(1) + 1;
  if (plan().at == 0 || (number != plan().at && !(plan().lasting && number > plan().at)))
    return false;
  errno = plan().error;
  return true;
}

__attribute__((destructor)) void tell() {
  if (calls == 0 || !*plan().log) return;
  char line[64];
  const int length = std::snprintf(line, sizeof line, "%ld\n", calls.load());
  const auto file = syscall(SYS_openat, AT_FDCWD, plan().log, O_WRONLY | O_CREAT | O_APPEND, 0600);
  if (file < 0) return;
  syscall(SYS_write, file, line, length);
  syscall(SYS_close, file);
}

template <class F>
F* real(F*, const char* name) {
  return reinterpret_cast<F*>(dlsym(RTLD_NEXT, name));
}

void* allocate(std::size_t size, std::size_t alignment) {
  if (alignment <= alignof(max_align_t)) return std::malloc(size ? size : 1);
  return std::aligned_alloc(alignment, (size + alignment - 1) / alignment * alignment);
}

void* allocate_or_throw(std::size_t size, std::size_t alignment, void* caller) {
  const bool is_meant = plan().bytes == 0 || plan().bytes == size;
  void* memory = is_meant && fails("new", caller) ? nullptr : allocate(size, alignment);
  if (!memory) throw std::bad_alloc();
  return memory;
}

}  // namespace

#define CALLER __builtin_return_address(0)
// One wrapped function of the C library: what the faulty call returns is -1.
#define WRAP(result, name, parameters, arguments)              \
  result name parameters {                                     \
    static auto* const next = real(&name, #name);              \
    return fails(#name, CALLER) ? result(-1) : next arguments; \
  }

extern "C" {
WRAP(ssize_t, write, (int file, const void* bytes, size_t size), (file, bytes, size))
WRAP(ssize_t, read, (int file, void* bytes, size_t size), (file, bytes, size))
WRAP(int, fsync, (int file), (file))
WRAP(int, fdatasync, (int file), (file))
WRAP(int, ftruncate, (int file, off_t size), (file, size))
WRAP(int, unlink, (const char* path), (path))
WRAP(int, rename, (const char* from, const char* to), (from, to))
WRAP(int, fstat, (int file, struct stat* status), (file, status))

int __libc_start_main(int (*main)(int, char**, char**), int count, char** words, void (*init)(),
                      void (*fini)(), void (*end)(), void* stack) {
  program = main;
  return real(&__libc_start_main, "__libc_start_main")(begin, count, words, init, fini, end, stack);
}

ssize_t pwrite(int file, const void* bytes, size_t size, off_t at) {
  static auto* const next = real(&pwrite, "pwrite");
  return fails("write", CALLER) ? -1 : next(file, bytes, size, at);
}

ssize_t writev(int file, const iovec* parts, int count) {
  static auto* const next = real(&writev, "writev");
  return fails("write", CALLER) ? -1 : next(file, parts, count);
}

ssize_t pread(int file, void* bytes, size_t size, off_t at) {
  static auto* const next = real(&pread, "pread");
  return fails("read", CALLER) ? -1 : next(file, bytes, size, at);
}

int open(const char* path, int flags, ...) {
  static auto* const next = real(&open, "open");
  va_list more;
  va_start(more, flags);
  const mode_t mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(more, mode_t) : 0;
  va_end(more);
  return fails("open", CALLER) ? -1 : next(path, flags, mode);
}

void* mmap(void* where, size_t size, int protection, int flags, int file, off_t at) noexcept {
  static auto* const next = real(&mmap, "mmap");
  return fails("mmap", CALLER) ? MAP_FAILED : next(where, size, protection, flags, file, at);
}

int clock_gettime(clockid_t clock, timespec* time) noexcept {
  static auto* const next = real(&clock_gettime, "clock_gettime");
  return fails("clock_gettime", CALLER) ? -1 : next(clock, time);
}

int pthread_create(pthread_t* thread, const pthread_attr_t* attributes, void* (*function)(void*),
                   void* data) noexcept {
  static auto* const next = real(&pthread_create, "pthread_create");
  return fails("pthread_create", CALLER) ? plan().error : next(thread, attributes, function, data);
}
}

void* operator new(std::size_t size) { return allocate_or_throw(size, 1, CALLER); }
void* operator new[](std::size_t size) { return allocate_or_throw(size, 1, CALLER); }
void* operator new(std::size_t size, std::align_val_t alignment) {
  return allocate_or_throw(size, static_cast<std::size_t>(alignment), CALLER);
}
void* operator new[](std::size_t size, std::align_val_t alignment) {
  return allocate_or_throw(size, static_cast<std::size_t>(alignment), CALLER);
}
void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
  return fails("new", CALLER) ? nullptr : allocate(size, 1);
}
void* operator new[](std::size_t size, const std::nothrow_t&) noexcept {
  return fails("new", CALLER) ? nullptr : allocate(size, 1);
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete[](void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete[](void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::align_val_t) noexcept { std::free(memory); }
void operator delete[](void* memory, std::align_val_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept { std::free(memory); }
void operator delete[](void* memory, std::size_t, std::align_val_t) noexcept { std::free(memory); }
