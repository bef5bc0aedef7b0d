// What happens to a capture when things go wrong around it.
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include <filesystem>
#include <system_error>
#include <thread>

#include "recording/captured.hpp"
#include "reel/stream.hpp"

namespace reel::test {
namespace {

// Runs in a child that has not loaded any driver; the parent gets its exit status.
template <class F>
int in_child(F&& function) {
  const pid_t child = fork();
  if (child == 0) {
    function();
    _exit(0);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return status;
}

void fill_for_ever(const Device& device) {
  const Stream stream = device.stream("work");
  const Buffer x = device.buffer(256, "x");
  for (;;) {
    stream.fill(x, std::uint8_t{1});
    stream.synchronize();
  }
}

// Named so that they run first: a child may start threads only if the parent had none, says the
// thread sanitizer, and drivers keep theirs.
TEST(RobustCaptureDeathTest, AProgramKilledAtAnyMomentLeavesADocumentThatLoads) {
  for (const int milliseconds : {30, 120, 400}) {
    const ScratchFolder folder;
    const pid_t child = fork();
    if (child == 0) {
      const Device device = open_device("host");
      start_capture(folder.path());
      fill_for_ever(device);
    }
    // From when the document is there: how long drivers take to load is another matter.
    for (int i = 0; i < 10'000; ++i) {
      std::error_code not_there;
      if (std::filesystem::file_size(folder.path(), not_there) > 0 && !not_there) break;
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(milliseconds));
    kill(child, SIGKILL);
    int status = 0;
    waitpid(child, &status, 0);
    ASSERT_TRUE(WIFSIGNALED(status));
    const Trace trace = Trace::load(folder.path());
    EXPECT_FALSE(trace.is_complete());
    EXPECT_FALSE(trace.problems().empty());
    if (milliseconds >= 400) {
      EXPECT_GT(trace.commands().size(), 100u);
    }
  }
}

TEST(RobustCaptureDeathTest, AFullDiskEndsTheRecordingAndNothingElse) {
  const ScratchFolder folder;
  const int status = in_child([&] {
    signal(SIGXFSZ, SIG_IGN);
    const rlimit limit{200'000, 200'000};
    setrlimit(RLIMIT_FSIZE, &limit);
    const Device device = open_device("host");
    const Stream stream = device.stream();
    const Buffer x = device.buffer(1 << 20, "x");
    std::vector<std::uint32_t> noise(x.size_bytes() / 4);
    std::uint32_t state = 1;
    start_capture(folder.path());
    for (int i = 0; i < 20; ++i) {
      for (auto& value : noise) value = state = state * 1664525u + 1013904223u;
      stream.write(x, noise);
      if (x.read<std::uint32_t>() != noise) _exit(10);  // the program goes on, and is right
    }
    try {
      stop_capture();
    } catch (const Error& error) {
      _exit(error.code() == Code::io_failed ? 42 : 11);
    }
    _exit(12);
  });
  ASSERT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 42);
  EXPECT_NO_THROW(Trace::load(folder.path()));
}

TEST(RobustCapture, AForkedChildGoesOnWithoutIt) {
  const ScratchFolder folder;
  const Device device = open_device("host");
  const Stream stream = device.stream();
  const Buffer x = device.buffer(256, "x");
  start_capture(folder.path());
  stream.fill(x, std::uint8_t{1});
  const int status = in_child([&] {
    if (is_capturing()) _exit(3);
    try {
      stream.fill(x, std::uint8_t{2});  // the device is the parent's
    } catch (const Error&) {
      _exit(7);
    }
    _exit(4);
  });
  EXPECT_EQ(WEXITSTATUS(status), 7);
  stream.fill(x, std::uint8_t{3});
  EXPECT_EQ(stop_capture().commands, 2u);
  EXPECT_TRUE(Trace::load(folder.path()).is_complete());
}

TEST(RobustCaptureDeathTest, AProgramThatEndsWithoutStoppingHasItsDocumentClosed) {
  const ScratchFolder folder;
  const int status = in_child([&] {
    const Device device = open_device("host");
    start_capture(folder.path());
    const Buffer x = device.buffer(256, "x");
    device.stream().fill(x, std::uint8_t{1});
    freopen("/dev/null", "w", stderr);
    exit(5);
  });
  EXPECT_EQ(WEXITSTATUS(status), 5);
  const Trace trace = Trace::load(folder.path());
  EXPECT_TRUE(trace.is_complete());
  EXPECT_EQ(trace.commands().size(), 1u);
}

TEST(RobustCapture, StoppingDoesNotWaitForEverForAStreamThatIsStuck) {
  const ScratchFolder folder;
  const Device device = open_device("host");
  const Stream stream = device.stream("stuck");
  const Buffer x = device.buffer(256, "x");
  std::atomic<bool> open{false};
  start_capture(folder.path());
  stream.host_call([&] {
    while (!open) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  });
  stream.fill(x, std::uint8_t{1});
  stop_capture();
  open = true;
  stream.synchronize();
  const Trace trace = Trace::load(folder.path());
  ASSERT_EQ(trace.notes().size(), 1u);
  EXPECT_EQ(trace.notes()[0].kind, "unfinished");
}

TEST(RobustCapture, ErrorsOfTheProgramReachTheProgram) {
  const ScratchFolder folder;
  const Device device = open_device("host");
  const Stream stream = device.stream();
  start_capture(folder.path());
  stream.host_call([] { throw std::runtime_error("no such token"); }, "sample");
  stop_capture();
  EXPECT_THROW(stream.synchronize(), Error) << "stopping must not take it";
}

}  // namespace
}  // namespace reel::test
