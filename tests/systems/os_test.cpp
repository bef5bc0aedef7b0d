// What src/base/os promises, on the system that runs this.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <thread>
#include <vector>

#include "base/clock.hpp"
#include "base/os/descriptors.hpp"
#include "base/os/libraries.hpp"
#include "base/os/machine.hpp"
#include "base/os/process.hpp"
#include "base/os/thread.hpp"

namespace reel::os {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

bool is_inherited(int descriptor) { return (fcntl(descriptor, F_GETFD) & FD_CLOEXEC) == 0; }

TEST(Libraries, OfMacOSAreTriedLoaderFirstAndMoltenVKLast) {
  EXPECT_THAT(
      macos_vulkan_libraries("/sdk"),
      ElementsAre("/sdk/lib/libvulkan.1.dylib", "libvulkan.1.dylib",
                  "/opt/homebrew/lib/libvulkan.1.dylib", "/usr/local/lib/libvulkan.1.dylib",
                  "/sdk/lib/libvulkan.dylib", "libvulkan.dylib",
                  "/opt/homebrew/lib/libvulkan.dylib", "/usr/local/lib/libvulkan.dylib",
                  "/sdk/lib/libMoltenVK.dylib", "libMoltenVK.dylib",
                  "/opt/homebrew/lib/libMoltenVK.dylib", "/usr/local/lib/libMoltenVK.dylib"));
  EXPECT_EQ(macos_vulkan_libraries("").front(), "libvulkan.1.dylib");
}

TEST(Libraries, TheFirstThatLoadsIsTaken) {
  std::string loaded, problem;
  EXPECT_NE(load_first({"libnosuch_a.so", "libc.so.6", "libm.so.6"}, loaded, problem), nullptr);
  EXPECT_EQ(loaded, "libc.so.6");
}

TEST(Libraries, WhereNoneLoadsTheProblemNamesEach) {
  std::string loaded, problem;
  EXPECT_EQ(load_first({"libnosuch_a.so", "libnosuch_b.so"}, loaded, problem), nullptr);
  EXPECT_THAT(problem, HasSubstr("libnosuch_a.so"));
  EXPECT_THAT(problem, HasSubstr("libnosuch_b.so"));
  EXPECT_EQ(loaded, "");
}

TEST(Libraries, LoadedOnesAreFoundByTheirEnd) {
  EXPECT_EQ(loaded_libraries("/libreel.so.0").size(), 1u);
  EXPECT_TRUE(loaded_libraries("/libnosuch.so").empty());
}

TEST(Process, KnowsItsProgram) {
  EXPECT_EQ(std::filesystem::path(program_path()).filename(), "os_test");
  EXPECT_EQ(program_name(), "os_test");
  ASSERT_FALSE(program_arguments().empty());
  EXPECT_THAT(program_arguments().front(), HasSubstr("os_test"));
  EXPECT_EQ(access(program_to_start().c_str(), X_OK), 0);
}

TEST(Process, MemoryIsSeenToGrow) {
  constexpr std::size_t bytes = 64 << 20;
  const std::uint64_t before = memory_of(getpid());
  const std::vector<char> touched(bytes, 1);
  EXPECT_GE(memory_of(getpid()) + (1 << 20), before + bytes) << touched.size();
  EXPECT_EQ(memory_of(0x7ffffff0), 0u);
}

TEST(Process, EndsWithItsParent) {
  std::array<int, 2> ends{-1, -1};
  ASSERT_TRUE(make_pipe(ends));
  const pid_t parent = fork();
  ASSERT_GE(parent, 0);
  if (parent == 0) {
    const pid_t self = getpid();
    if (fork() == 0) {
      end_with_parent(self, SIGKILL);
      for (;;) pause();
    }
    _exit(0);  // perhaps before the child asked: that must not matter
  }
  close(ends[1]);  // held open by the grandchild alone, once its parent is gone
  waitpid(parent, nullptr, 0);
  char nothing = 0;
  EXPECT_EQ(read(ends[0], &nothing, 1), 0);  // waits for ever if the grandchild lives
  close(ends[0]);
}

TEST(Descriptors, NoProgramInheritsThem) {
  std::array<int, 2> ends{-1, -1};
  ASSERT_TRUE(make_pipe(ends));
  const int socket = open_socket(AF_INET, SOCK_STREAM, Waiting::no);
  ASSERT_GE(socket, 0);
  for (const int descriptor : {ends[0], ends[1], socket}) {
    EXPECT_FALSE(is_inherited(descriptor));
    close(descriptor);
  }
}

TEST(Descriptors, SendingToNobodyIsAnErrorAndNoSignal) {
  std::array<int, 2> ends{-1, -1};
  ASSERT_EQ(socketpair(AF_UNIX, SOCK_STREAM, 0, ends.data()), 0);
  close(ends[1]);
  EXPECT_EQ(send_quietly(ends[0], "x", 1, 0), -1);
  EXPECT_EQ(errno, EPIPE);
  close(ends[0]);
}

TEST(Descriptors, AScratchFileIsReadByItsPath) {
  const ScratchFile file = make_scratch_file("test");
  ASSERT_GE(file.descriptor, 0);
  EXPECT_FALSE(is_inherited(file.descriptor));
  ASSERT_EQ(write(file.descriptor, "bytes", 5), 5);
  std::ifstream in(file.path);
  EXPECT_EQ(std::string(std::istreambuf_iterator<char>(in), {}), "bytes");
  close(file.descriptor);
  if (file.is_in_folder) std::filesystem::remove(file.path);
}

TEST(Descriptors, RenamingNeverReplaces) {
  const std::filesystem::path folder = ::testing::TempDir() + "os_test_rename";
  std::filesystem::remove_all(folder);
  std::filesystem::create_directory(folder);
  const std::string a = folder / "a", b = folder / "b";
  std::ofstream(a) << "a";
  std::ofstream(b) << "b";
  EXPECT_EQ(rename_to_free_name(a.c_str(), b.c_str()), -1);
  const int why = errno;
  EXPECT_TRUE(std::filesystem::exists(a));
  if (why != ENOTSUP) {
    EXPECT_EQ(why, EEXIST);
    std::filesystem::remove(b);
    EXPECT_EQ(rename_to_free_name(a.c_str(), b.c_str()), 0);
  }
  std::filesystem::remove_all(folder);
}

TEST(Thread, OnlyOneIsTheMainOne) {
  EXPECT_TRUE(is_main_thread());
  std::thread([here = thread_number()] {
    EXPECT_FALSE(is_main_thread());
    EXPECT_NE(thread_number(), here);
  }).join();
}

TEST(Thread, ASignalIsWaitedForAndTaken) {
  sigset_t set, before;
  sigemptyset(&set);
  sigaddset(&set, SIGUSR1);
  pthread_sigmask(SIG_BLOCK, &set, &before);
  EXPECT_EQ(wait_for_signal(set, 0), 0);
  raise(SIGUSR1);
  EXPECT_EQ(wait_for_signal(set, 0), SIGUSR1);
  EXPECT_EQ(wait_for_signal(set, 1'000'000), 0);
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

TEST(Machine, SaysWhatItIs) {
  EXPECT_FALSE(cpu_name().empty());
  EXPECT_GT(memory_bytes(), 64u << 20);
  EXPECT_LE(usable_memory_bytes(), memory_bytes());
  EXPECT_EQ(boot_id().size(), 36u);
}

TEST(Machine, TheSteadyClockIsTheLanguagesOwn) {
  const auto chrono_ns = [] {
    return static_cast<std::uint64_t>(std::chrono::steady_clock::now().time_since_epoch() /
                                      std::chrono::nanoseconds(1));
  };
  const std::uint64_t before = chrono_ns(), ours = monotonic_ns(), after = chrono_ns();
  EXPECT_LE(before, ours);
  EXPECT_LE(ours, after);
}

}  // namespace
}  // namespace reel::os
