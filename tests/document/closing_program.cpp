// closing_program - a program that closes every descriptor it has, as daemons do, and then opens
// its own. Says on standard output what became of those; bare and captured it must say the same.
//
//   closing_program FOLDER WORD…
//
// Words: capture (to FOLDER/x.reel), overwrite, keep (closes nothing), range (close_range in place
// of a loop), full (files may have 400,000 bytes, and the document needs more), old_kernel
// (close_range knows no tables of its own), delete, replace, empty (what happens to the document
// meanwhile).
#include <dirent.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "reel/capture.hpp"
#include "reel/device.hpp"
#include "reel/error.hpp"

namespace {

constexpr std::size_t file_bytes = 36'000;
constexpr int first_kept = 3;

std::string folder;
std::set<std::string> words;
bool is_asked(const char* word) { return words.count(word) != 0; }
std::string file_name(int number) { return folder + "/own" + std::to_string(number); }

void forbid_own_tables() {
  sock_filter filter[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_close_range, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  const sock_fprog program{sizeof(filter) / sizeof(*filter), filter};
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
      prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0)
    _exit(77);
}

void close_all() {
  if (is_asked("keep")) return;
  if (is_asked("range") && syscall(SYS_close_range, first_kept, ~0u, 0) == 0) return;
  for (int number = first_kept; number < 2000; ++number) close(number);
}

void say_descriptors(const char* when) {
  std::set<int> numbers;
  DIR* list = opendir("/proc/self/fd");
  while (const dirent* entry = readdir(list))
    if (entry->d_name[0] != '.' && std::atoi(entry->d_name) != dirfd(list))
      numbers.insert(std::atoi(entry->d_name));
  closedir(list);
  std::printf("%s:", when);
  for (const int number : numbers) std::printf(" %d", number);
  std::printf("\n");
}

void work(const reel::Stream& stream, const reel::Buffer& x, int rounds) {
  static std::uint32_t state = 1;
  std::vector<std::uint32_t> noise(x.size_bytes() / 4);
  for (int i = 0; i < rounds; ++i) {
    for (auto& value : noise) value = state = state * 1664525u + 1013904223u;
    stream.write(x, noise);
    if (x.read<std::uint32_t>() != noise) std::printf("WRONG\n");
  }
}

void meddle() {
  const std::string document = folder + "/x.reel";
  if (is_asked("delete")) unlink(document.c_str());
  if (is_asked("empty") && is_asked("capture") && truncate(document.c_str(), 0) != 0)
    std::printf("WRONG\n");
  if (is_asked("replace")) {
    unlink(document.c_str());
    FILE* other = std::fopen(document.c_str(), "w");
    std::fputs("mine", other);
    std::fclose(other);
  }
}

void say_outcome() {
  std::string said = "complete";
  try {
    reel::stop_capture();
  } catch (const reel::Error& error) {
    said = error.what();
  }
  FILE* outcome = std::fopen((folder + "/outcome").c_str(), "w");
  std::fputs(said.c_str(), outcome);
  std::fclose(outcome);
}

void run() {
  const reel::Device device = reel::open_device("host");
  const reel::Stream stream = device.stream();
  const reel::Buffer x = device.buffer(256 << 10, "x");
  if (is_asked("old_kernel")) forbid_own_tables();
  if (is_asked("capture"))
    reel::start_capture(folder + "/x.reel",
                        {.contents = reel::Contents::all, .overwrite = is_asked("overwrite")});
  work(stream, x, 1);
  if (!is_asked("old_kernel")) say_descriptors("while capturing");
  close_all();
  std::vector<int> own;
  for (int i = 0; i < 40; ++i)
    own.push_back(open(file_name(i).c_str(), O_RDWR | O_CREAT | O_TRUNC, 0600));
  int sockets[2], ends[2];
  if (socketpair(AF_UNIX, SOCK_STREAM, 0, sockets) != 0 || pipe(ends) != 0) std::abort();
  const std::string text(file_bytes, 'p');
  for (const int descriptor : own)
    if (write(descriptor, text.data(), text.size()) != static_cast<ssize_t>(text.size()))
      std::printf("a write failed\n");
  meddle();
  if (is_asked("full")) {
    signal(SIGXFSZ, SIG_IGN);
    const rlimit limit{400'000, 400'000};
    setrlimit(RLIMIT_FSIZE, &limit);
  }
  work(stream, x, 12);
  std::this_thread::sleep_for(std::chrono::milliseconds(150));  // a few rounds of the writer

  if (!(is_asked("keep") && is_asked("old_kernel"))) say_descriptors("own files");
  close(ends[1]);
  pollfd end{ends[0], POLLIN, 0};
  char byte;
  std::printf("the pipe ends: %d %zd\n", poll(&end, 1, 1000), read(ends[0], &byte, 1));
  std::printf("the socket's peer got: %zd\n", recv(sockets[1], &byte, 1, MSG_DONTWAIT));
  const pid_t child = fork();
  if (child == 0) {
    if (!(is_asked("keep") && is_asked("old_kernel"))) say_descriptors("in a child");
    std::fflush(stdout);
    _exit(0);
  }
  waitpid(child, nullptr, 0);
  if (is_asked("capture")) say_outcome();
  for (std::size_t i = 0; i < own.size(); ++i) {
    struct stat status {};
    std::string now(file_bytes + 1, '\0');
    const bool is_open = fstat(own[i], &status) == 0;
    const ssize_t count = pread(own[i], now.data(), now.size(), 0);
    now.resize(count < 0 ? 0 : static_cast<std::size_t>(count));
    std::printf("%zu: %d %lld %d\n", i, is_open, static_cast<long long>(status.st_size),
                now == text);
  }
}

}  // namespace

int main(int count, char** arguments) {
  folder = arguments[1];
  for (int i = 2; i < count; ++i) words.insert(arguments[i]);
  std::setvbuf(stdout, nullptr, _IOLBF, 1 << 16);
  run();
  return 0;
}
