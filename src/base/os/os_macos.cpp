// os_macos.cpp - what Reel asks of a system, by macOS. Its pair is os_linux.cpp.
//
// Never yet run on a Mac: tests compile it against declarations of their own (tests/systems).
#include <crt_externs.h>
#include <errno.h>
#include <fcntl.h>
#include <libproc.h>
#include <mach-o/dyld.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/event.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/sysctl.h>
#include <time.h>
#include <unistd.h>

#include "base/os/descriptors.hpp"
#include "base/os/libraries.hpp"
#include "base/os/machine.hpp"
#include "base/os/process.hpp"
#include "base/os/thread.hpp"
#include "base/process/own_descriptors.hpp"
#include "base/process/quiet_thread.hpp"

namespace reel::os {

// --- process.hpp

std::string program_path() {
  std::uint32_t size = 0;
  _NSGetExecutablePath(nullptr, &size);  // says how long it is
  std::string path(size, '\0');
  if (size == 0 || _NSGetExecutablePath(path.data(), &size) != 0) return {};
  char* real = ::realpath(path.c_str(), nullptr);
  if (!real) return path.c_str();
  std::string result = real;
  ::free(real);
  return result;
}

std::string program_to_start() { return program_path(); }

std::string program_name() { return ::getprogname(); }

std::vector<std::string> program_arguments() {
  char** const words = *_NSGetArgv();
  return {words, words + *_NSGetArgc()};
}

char** environment() noexcept { return *_NSGetEnviron(); }

const char* trusted_variable(const char* name) noexcept {
  return ::issetugid() ? nullptr : ::getenv(name);
}

void end_with_parent(pid_t parent, int signal) noexcept {
  const int queue = ::kqueue();
  struct kevent change {};
  EV_SET(&change, parent, EVFILT_PROC, EV_ADD | EV_ONESHOT, NOTE_EXIT, 0, nullptr);
  const bool is_watched = queue >= 0 && ::kevent(queue, &change, 1, nullptr, 0, nullptr) == 0;
  if (getppid() != parent) ::kill(getpid(), signal);  // it went before that counted
  if (is_watched)
    static_cast<void>(start_quiet_thread("reel-parent", [queue, signal] {
      struct kevent event {};
      while (::kevent(queue, nullptr, 0, &event, 1, nullptr) < 0 && errno == EINTR) {
      }
      ::kill(getpid(), signal);
    }));
}

std::uint64_t memory_of(pid_t process) {
  rusage_info_v2 usage{};
  if (::proc_pid_rusage(process, RUSAGE_INFO_V2, reinterpret_cast<rusage_info_t*>(&usage)) != 0)
    return 0;
  return usage.ri_phys_footprint;
}

// --- machine.hpp

namespace {

std::string system_text(const char* name) {
  std::size_t size = 0;
  if (::sysctlbyname(name, nullptr, &size, nullptr, 0) != 0 || size == 0) return {};
  std::string text(size, '\0');
  if (::sysctlbyname(name, text.data(), &size, nullptr, 0) != 0) return {};
  return text.c_str();  // it counts the zero byte
}

}  // namespace

std::string cpu_name() {
  std::string name = system_text("machdep.cpu.brand_string");
  return name.empty() ? "CPU" : name;
}

std::uint64_t memory_bytes() {
  std::uint64_t bytes = 0;
  std::size_t size = sizeof bytes;
  return ::sysctlbyname("hw.memsize", &bytes, &size, nullptr, 0) == 0 ? bytes : 0;
}

std::uint64_t usable_memory_bytes() { return memory_bytes(); }

std::string boot_id() { return system_text("kern.bootsessionuuid"); }

std::string container_id() { return {}; }

std::int64_t clock_offset_ns() { return 0; }
std::int64_t slept_ns() noexcept { return 0; }  // the steady clock goes on while the machine sleeps

void ask_for_huge_pages(void*, std::size_t) noexcept {}

const char* file_opener() noexcept { return "open"; }
bool has_display() { return true; }

// --- thread.hpp

std::uint32_t thread_number() noexcept {
  std::uint64_t number = 0;
  pthread_threadid_np(pthread_self(), &number);
  return static_cast<std::uint32_t>(number);
}

bool is_main_thread() noexcept { return pthread_main_np() != 0; }

void name_this_thread(const char* name) noexcept { pthread_setname_np(name); }

// There is no call for it, so that locks of streams are mutexes at every use.
bool can_bar_every_thread() noexcept { return false; }
bool bar_every_thread() noexcept { return false; }

int wait_for_signal(const sigset_t& signals, long at_most_ns) noexcept {
  constexpr long look_every_ns = 1'000'000;
  for (long waited_ns = 0;; waited_ns += look_every_ns) {
    sigset_t pending;
    sigemptyset(&pending);
    sigpending(&pending);
    for (int signal = 1; signal < NSIG; ++signal) {
      if (sigismember(&pending, signal) != 1 || sigismember(&signals, signal) != 1) continue;
      int taken = 0;
      return sigwait(&signals, &taken) == 0 ? taken : 0;
    }
    if (waited_ns >= at_most_ns) return 0;
    const timespec wait{0, look_every_ns};
    nanosleep(&wait, nullptr);
  }
}

// --- descriptors.hpp

namespace {

// A program that another thread starts in between inherits it: there is no call that does both.
int not_inherited(int descriptor) noexcept {
  if (descriptor >= 0) ::fcntl(descriptor, F_SETFD, FD_CLOEXEC);
  return descriptor;
}

int without_pipe_signal(int socket) noexcept {
  const int yes = 1;
  if (socket >= 0) ::setsockopt(socket, SOL_SOCKET, SO_NOSIGPIPE, &yes, sizeof yes);
  return socket;
}

}  // namespace

bool make_pipe(std::array<int, 2>& ends) noexcept {
  if (::pipe(ends.data()) != 0) return false;
  for (const int end : ends) not_inherited(end);
  return true;
}

int open_socket(int family, int type, Waiting waiting) noexcept {
  const int socket = without_pipe_signal(not_inherited(::socket(family, type, 0)));
  if (socket >= 0 && waiting == Waiting::no)
    ::fcntl(socket, F_SETFL, ::fcntl(socket, F_GETFL) | O_NONBLOCK);
  return socket;
}

int accept_connection(int listener) noexcept {
  const int socket = without_pipe_signal(not_inherited(::accept(listener, nullptr, nullptr)));
  // It has the listener's flags there; on Linux it waits.
  if (socket >= 0) ::fcntl(socket, F_SETFL, ::fcntl(socket, F_GETFL) & ~O_NONBLOCK);
  return socket;
}

ssize_t send_quietly(int socket, const void* bytes, std::size_t size_bytes, int flags) noexcept {
  return ::send(socket, bytes, size_bytes, flags);  // SO_NOSIGPIPE is set
}

ScratchFile make_scratch_file(const char* name) {
  const char* folder = trusted_variable("TMPDIR");
  ScratchFile file;
  file.path = std::string(folder && *folder ? folder : "/tmp") + "/reel-" + name + "-XXXXXX";
  file.descriptor = not_inherited(::mkstemp(file.path.data()));
  file.is_in_folder = file.descriptor >= 0;
  return file;
}

void begin_writing_back(int, std::uint64_t, std::uint64_t) noexcept {}

int wait_for_written(int) noexcept {
  errno = ENOTSUP;
  return -1;
}

int rename_to_free_name(const char* from, const char* to) noexcept {
  return ::renamex_np(from, to, RENAME_EXCL);
}

// --- libraries.hpp

std::vector<std::string> vulkan_libraries() {
  const char* sdk = trusted_variable("VULKAN_SDK");
  return macos_vulkan_libraries(sdk ? sdk : "");
}

std::vector<std::string> opencl_libraries() {
  return {"/System/Library/Frameworks/OpenCL.framework/OpenCL"};
}

std::vector<std::string> loaded_libraries(std::string_view ending) {
  std::vector<std::string> found;
  for (std::uint32_t i = 0; i < _dyld_image_count(); ++i)
    if (const char* name = _dyld_get_image_name(i);
        name && std::string_view(name).ends_with(ending))
      found.emplace_back(name);
  return found;
}

}  // namespace reel::os

namespace reel {

bool take_own_descriptors() noexcept { return false; }

}  // namespace reel
