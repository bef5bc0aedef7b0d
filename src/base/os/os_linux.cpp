// os_linux.cpp - what Reel asks of a system, by Linux. Its pair is os_macos.cpp.
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <linux/membarrier.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <fstream>
#include <string_view>

#include "base/clock.hpp"
#include "base/os/descriptors.hpp"
#include "base/os/libraries.hpp"
#include "base/os/machine.hpp"
#include "base/os/process.hpp"
#include "base/os/thread.hpp"
#include "base/process/own_descriptors.hpp"
#include "base/process/small_file.hpp"

namespace reel::os {

// --- process.hpp

std::string program_path() {
  char path[4096];
  const ssize_t length = readlink("/proc/self/exe", path, sizeof path);
  return length > 0 ? std::string(path, static_cast<std::size_t>(length)) : std::string();
}

std::string program_to_start() { return "/proc/self/exe"; }

std::string program_name() { return program_invocation_short_name; }

std::vector<std::string> program_arguments() {
  constexpr std::size_t most_arguments_bytes = std::size_t{8} << 20;  // Linux passes 6 MiB at most
  const OwnText file = small_file("/proc/self/cmdline", most_arguments_bytes);
  const std::string_view raw = file;
  std::vector<std::string> arguments;
  for (std::size_t begin = 0; begin < raw.size();) {
    const std::size_t end = std::min(raw.find('\0', begin), raw.size());
    arguments.emplace_back(raw.substr(begin, end - begin));
    begin = end + 1;
  }
  return arguments;
}

char** environment() noexcept { return environ; }

const char* trusted_variable(const char* name) noexcept { return ::secure_getenv(name); }

void end_with_parent(pid_t parent, int signal) noexcept {
  prctl(PR_SET_PDEATHSIG, signal);
  if (getppid() != parent) kill(getpid(), signal);  // it went before that counted
}

std::uint64_t memory_of(pid_t process) {
  std::ifstream status("/proc/" + std::to_string(process) + "/status");
  std::uint64_t total = 0;
  for (std::string name; status >> name; status.ignore(4096, '\n')) {
    if (name != "RssAnon:" && name != "RssShmem:" && name != "VmSwap:") continue;
    std::uint64_t kilobytes = 0;
    status >> kilobytes;
    total += kilobytes * 1024;
  }
  return total;
}

// --- machine.hpp

std::string cpu_name() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);)
    if (line.rfind("model name", 0) == 0) return line.substr(line.find(':') + 2);
  return "CPU";  // arm64 has numbers there, and no names
}

std::uint64_t memory_bytes() {
  return static_cast<std::uint64_t>(sysconf(_SC_PHYS_PAGES)) *
         static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
}

std::uint64_t usable_memory_bytes() {
  std::uint64_t all = memory_bytes();
  // A number, or "max".
  const OwnText limit = small_file("/sys/fs/cgroup/memory.max");
  std::uint64_t most = 0;
  if (std::from_chars(limit.data(), limit.data() + limit.size(), most).ec == std::errc())
    all = std::min(all, most);
  return all;
}

std::string boot_id() {
  std::string id(std::string_view(small_file("/proc/sys/kernel/random/boot_id")));
  while (!id.empty() && (id.back() == '\n' || id.back() == ' ')) id.pop_back();
  return id;
}

namespace {

// The id that Docker, Podman and Kubernetes give: 64 hexadecimal digits in a path of the process's
// groups, or of what is mounted for it.
std::string container_id_in(std::string_view text) {
  constexpr std::size_t digits = 64, shown = 12;
  std::size_t run = 0;
  for (std::size_t i = 0; i <= text.size(); ++i) {
    const bool is_digit = i < text.size() && ((text[i] >= '0' && text[i] <= '9') ||
                                              (text[i] >= 'a' && text[i] <= 'f'));
    if (is_digit) {
      ++run;
      continue;
    }
    if (run == digits) return std::string(text.substr(i - digits, shown));
    run = 0;
  }
  return {};
}

}  // namespace

std::string container_id() {
  if (std::string id = container_id_in(small_file("/proc/self/cgroup")); !id.empty()) return id;
  // Layers of images have such names, too; the files that are made for one container name its own.
  const OwnText mountinfo = small_file("/proc/self/mountinfo");
  const std::string_view mounts = mountinfo;
  for (std::size_t begin = 0; begin < mounts.size();) {
    const std::size_t end = std::min(mounts.find('\n', begin), mounts.size());
    const std::string_view line = mounts.substr(begin, end - begin);
    if (line.find(" /etc/hostname ") != std::string::npos)
      if (std::string id = container_id_in(line); !id.empty()) return id;
    begin = end + 1;
  }
  return {};
}

std::int64_t clock_offset_ns() {
  // "monotonic   90000   0\nboottime …": seconds and nanoseconds.
  const OwnText text = small_file("/proc/self/timens_offsets");
  constexpr std::string_view word = "monotonic";
  const auto at = text.find(word);
  if (at == OwnText::npos) return 0;
  char* end = nullptr;
  const std::int64_t seconds = std::strtoll(text.c_str() + at + word.size(), &end, 10);
  return seconds * 1'000'000'000 + std::strtoll(end, nullptr, 10);
}

std::int64_t slept_ns() noexcept {
  return static_cast<std::int64_t>(clock_ns(CLOCK_BOOTTIME)) -
         static_cast<std::int64_t>(monotonic_ns());
}

void ask_for_huge_pages(void* memory, std::size_t size_bytes) noexcept {
  static_cast<void>(madvise(memory, size_bytes, MADV_HUGEPAGE));
}

const char* file_opener() noexcept { return "xdg-open"; }

bool has_display() {
  for (const char* variable : {"DISPLAY", "WAYLAND_DISPLAY"})
    if (const char* value = trusted_variable(variable); value && *value) return true;
  return false;
}

// --- thread.hpp

std::uint32_t thread_number() noexcept { return static_cast<std::uint32_t>(::syscall(SYS_gettid)); }

bool is_main_thread() noexcept { return gettid() == getpid(); }

void name_this_thread(const char* name) noexcept { pthread_setname_np(pthread_self(), name); }

namespace {

bool membarrier(int command) noexcept { return syscall(SYS_membarrier, command, 0, 0) == 0; }

// When the library is loaded: a process of one thread is allowed at once, one of several only after
// some 10 ms, in which the kernel waits for every core.
const bool has_membarrier = membarrier(MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED);

}  // namespace

bool can_bar_every_thread() noexcept { return has_membarrier; }

bool bar_every_thread() noexcept {
  return membarrier(MEMBARRIER_CMD_PRIVATE_EXPEDITED) ||
         // A forked child may have to ask anew.
         (membarrier(MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED) &&
          membarrier(MEMBARRIER_CMD_PRIVATE_EXPEDITED)) ||
         membarrier(MEMBARRIER_CMD_GLOBAL);
}

int wait_for_signal(const sigset_t& signals, long at_most_ns) noexcept {
  const timespec wait{0, at_most_ns};
  return std::max(sigtimedwait(&signals, nullptr, &wait), 0);
}

// --- descriptors.hpp

bool make_pipe(std::array<int, 2>& ends) noexcept { return pipe2(ends.data(), O_CLOEXEC) == 0; }

int open_socket(int family, int type, Waiting waiting) noexcept {
  return ::socket(family, type | SOCK_CLOEXEC | (waiting == Waiting::no ? SOCK_NONBLOCK : 0), 0);
}

int accept_connection(int listener) noexcept {
  return ::accept4(listener, nullptr, nullptr, SOCK_CLOEXEC);
}

ssize_t send_quietly(int socket, const void* bytes, std::size_t size_bytes, int flags) noexcept {
  return ::send(socket, bytes, size_bytes, flags | MSG_NOSIGNAL);
}

ScratchFile make_scratch_file(const char* name) {
  const int descriptor = memfd_create(name, MFD_CLOEXEC);
  return {descriptor, "/proc/self/fd/" + std::to_string(descriptor)};
}

void begin_writing_back(int descriptor, std::uint64_t offset, std::uint64_t size_bytes) noexcept {
  ::sync_file_range(descriptor, static_cast<off_t>(offset), static_cast<off_t>(size_bytes),
                    SYNC_FILE_RANGE_WRITE);
}

int wait_for_written(int descriptor) noexcept {
  constexpr unsigned all =
      SYNC_FILE_RANGE_WAIT_BEFORE | SYNC_FILE_RANGE_WRITE | SYNC_FILE_RANGE_WAIT_AFTER;
  const int result = ::sync_file_range(descriptor, 0, 0, all);
  if (result != 0 && (errno == ENOSYS || errno == ESPIPE || errno == EINVAL || errno == EROFS))
    errno = ENOTSUP;
  return result;
}

int rename_to_free_name(const char* from, const char* to) noexcept {
  const int result = ::renameat2(AT_FDCWD, from, AT_FDCWD, to, RENAME_NOREPLACE);
  if (result != 0 && (errno == EINVAL || errno == ENOSYS)) errno = ENOTSUP;
  return result;
}

// --- libraries.hpp

std::vector<std::string> vulkan_libraries() { return {"libvulkan.so.1"}; }
std::vector<std::string> opencl_libraries() { return {"libOpenCL.so.1"}; }

std::vector<std::string> loaded_libraries(std::string_view ending) {
  struct Search {
    std::string_view ending;
    std::vector<std::string> found;
  } search{ending, {}};
  dl_iterate_phdr(
      [](dl_phdr_info* library, std::size_t, void* data) {
        auto& in = *static_cast<Search*>(data);
        const std::string_view path = library->dlpi_name ? library->dlpi_name : "";
        if (path.ends_with(in.ending)) in.found.emplace_back(path);
        return 0;
      },
      &search);
  return search.found;
}

}  // namespace reel::os

namespace reel {

bool take_own_descriptors() noexcept {
#ifdef SYS_close_range
  constexpr unsigned unshare = 2;  // CLOSE_RANGE_UNSHARE
  return ::syscall(SYS_close_range, 0u, ~0u, unshare) == 0;
#else
  return false;
#endif
}

}  // namespace reel
