// Captures whose documents are written while the program goes on, forks, exits or has no disk left.
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include <algorithm>
#include <fstream>
#include <random>

#include "recording/captured.hpp"
#include "reel/stream.hpp"

namespace reel::test {
namespace {

template <class F>
int exit_code_of_child(F&& function) {
  const pid_t child = fork();
  if (child == 0) {
    function();
    _exit(99);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

// So that the document's thread has something to do.
std::vector<std::uint32_t> noise(std::size_t bytes, std::uint32_t seed) {
  std::vector<std::uint32_t> values(bytes / 4);
  std::mt19937 random(seed);
  for (std::uint32_t& value : values) value = static_cast<std::uint32_t>(random());
  return values;
}

void expect_whole(const std::string& path, std::size_t commands) {
  const Trace trace = Trace::load(path);
  EXPECT_TRUE(trace.is_complete()) << path;
  EXPECT_EQ(trace.problems(), std::vector<std::string>{});
  EXPECT_EQ(trace.commands().size(), commands);
}

// First, as in robust_test.cpp.
TEST(EndingCaptureDeathTest, AProgramThatExitsAtOnceHasItsDocumentFinished) {
  const ScratchFolder folder;
  const auto values = noise(8 * page_bytes, 1);
  const int code = exit_code_of_child([&] {
    const Device device = open_device("host");
    const Buffer x = device.buffer_of(values, "x"), y = device.buffer(x.size_bytes(), "y");
    const Stream stream = device.stream();
    start_capture(folder.path("a.reel"));
    stream.copy(y, x);
    stop_capture_async();
    start_capture(folder.path("b.reel"));
    stream.fill(y, std::uint8_t{1});
    stop_capture_async();
    exit(5);
  });
  EXPECT_EQ(code, 5);
  expect_whole(folder.path("a.reel"), 1);
  expect_whole(folder.path("b.reel"), 1);
}

TEST(EndingCaptureDeathTest, AFullDiskComesOutOfTheReport) {
  const ScratchFolder folder;
  const auto values = noise(page_bytes, 2);
  const int code = exit_code_of_child([&] {
    signal(SIGXFSZ, SIG_IGN);
    const rlimit limit{200'000, 200'000};
    setrlimit(RLIMIT_FSIZE, &limit);
    const Device device = open_device("host");
    const Buffer x = device.buffer(page_bytes, "x");
    start_capture(folder.path());
    device.stream().write(x, values);
    const EndingCapture ending = stop_capture_async();
    for (int i = 0; i < 2; ++i) try {
        ending.report();
        _exit(10);
      } catch (const Error& error) {
        if (error.code() != Code::io_failed) _exit(11);
      }
    _exit(ending.is_finished() ? 42 : 12);
  });
  EXPECT_EQ(code, 42);
}

TEST(EndingCapture, AForkedChildHasNothingOfIt) {
  const ScratchFolder folder;
  const Device device = open_device("host");
  const auto values = noise(16 * page_bytes, 3);
  const Buffer x = device.buffer_of(values, "x"), y = device.buffer(x.size_bytes(), "y");
  for (int round = 0; round < 5; ++round) {
    const std::string path = folder.path("x" + std::to_string(round));
    start_capture(path);
    device.stream().copy(y, x);
    const EndingCapture ending = stop_capture_async();
    const int code = exit_code_of_child([&] {
      try {
        ending.report();
      } catch (const Error& error) {
        if (std::string(error.what()).find("forked") == std::string::npos) _exit(3);
        if (!ending.is_finished()) _exit(5);
        exit(7);  // through everything that is registered for the end
      }
      _exit(4);
    });
    EXPECT_EQ(code, 7);
    EXPECT_EQ(ending.report().commands, 1u);
    expect_whole(path, 1);
  }
}

TEST(EndingCapture, AnObjectIsEndedOnceInEitherWay) {
  const ScratchFolder folder;
  const Device device = open_device("host");
  const Buffer x = device.buffer(64, "x");
  Capture capture(folder.path());
  capture.begin();
  device.stream().fill(x, std::uint8_t{1});
  const EndingCapture ending = capture.end_async();
  EXPECT_FALSE(is_capturing());
  const CaptureReport report = capture.end();
  EXPECT_EQ(report.commands, 1u);
  EXPECT_EQ(report.document_bytes, std::filesystem::file_size(folder.path()));
  EXPECT_EQ(ending.report().document_bytes, report.document_bytes);
  EXPECT_EQ(capture.end_async().report().document_bytes, report.document_bytes);
  EXPECT_THROW(stop_capture_async(), Error) << "there is none";

  Capture never_begun(folder.path("never.reel"));
  EXPECT_EQ(never_begun.end_async().report().commands, 0u);
  EXPECT_FALSE(std::filesystem::exists(folder.path("never.reel")));
}

// The earlier document is the longer one to write, and would come last.
TEST(EndingCapture, OfTwoDocumentsInOnePlaceTheLaterOneStays) {
  const ScratchFolder folder;
  const Device device = open_device("host");
  const Stream stream = device.stream();
  const auto values = noise(24 * page_bytes, 5);
  const Buffer x = device.buffer_of(values, "x"), y = device.buffer(x.size_bytes(), "y");
  for (const bool is_first_there : {false, true}) {
    const std::string path = folder.path(is_first_there ? "old.reel" : "new.reel");
    const std::string again = folder.path("./") + std::filesystem::path(path).filename().string();
    if (is_first_there) std::ofstream(path) << "an older one";
    start_capture(path, {.overwrite = true});
    stream.copy(y, x);
    const EndingCapture earlier = stop_capture_async();
    start_capture(again, {.overwrite = true});
    stream.fill(y, std::uint8_t{1});
    stream.fill(y, std::uint8_t{2});
    stop_capture();
    EXPECT_TRUE(earlier.is_finished());
    EXPECT_EQ(earlier.report().commands, 1u);
    expect_whole(path, 2);
  }
}

TEST(EndingCapture, FewDocumentsAreWrittenAtATime) {
  const ScratchFolder folder;
  const Device device = open_device("host");
  const auto values = noise(24 * page_bytes, 6);
  const Buffer x = device.buffer_of(values, "x"), y = device.buffer(x.size_bytes(), "y");
  std::vector<EndingCapture> all;
  for (int i = 0; i < 6; ++i) {
    start_capture(folder.path(std::to_string(i)));
    const auto at_work =
        std::ranges::count_if(all, [](const EndingCapture& one) { return !one.is_finished(); });
    EXPECT_LE(at_work, 2);
    device.stream().copy(y, x);
    all.push_back(stop_capture_async());
  }
  const EndingCapture first = std::move(all.front());
  EXPECT_EQ(all.front().report().document_bytes, first.report().document_bytes)
      << "a handle: moving copies";
}

// Many captures, stopped in either way, whose results are held for a while or dropped, while
// buffers come and go: every document is whole, and has the bytes of its own moment.
TEST(EndingCapture, EveryDocumentOfManyIsWhole) {
  const ScratchFolder folder;
  const Device device = open_device("host");
  const Stream stream = device.stream();
  std::mt19937 random(4);
  struct Taken {
    std::string path;
    std::size_t commands;
    std::vector<std::uint32_t> input;
  };
  std::vector<Taken> taken;
  std::vector<EndingCapture> held;
  for (std::uint32_t i = 0; i < 40; ++i) {
    Taken one{folder.path(std::to_string(i)), 1 + random() % 20,
              noise(4 + random() % (3 * page_bytes), i)};
    Buffer x = device.buffer_of(one.input, "x");
    const Buffer y = device.buffer(x.size_bytes(), "y");
    start_capture(one.path);
    for (std::size_t c = 0; c < one.commands; ++c) stream.copy(y, x);
    const unsigned way = random() % 4;
    if (way == 0)
      EXPECT_EQ(stop_capture().commands, one.commands);
    else if (way == 1)
      stop_capture_async();
    else
      held.push_back(stop_capture_async());
    const std::vector<std::uint32_t> others(one.input.size(), i);
    x.write(others);  // what the document has is what was there
    if (random() % 2) x = {};
    if (held.size() > 5) held.erase(held.begin());
    taken.push_back(std::move(one));
  }
  for (const EndingCapture& one : held) {
    one.report();
    EXPECT_TRUE(one.is_finished());
  }
  start_capture(folder.path("last"));  // the dropped ones may be at work: those before are finished
  stop_capture();
  for (const Taken& one : taken) {
    for (int patience = 0; patience < 1000 && !Trace::load(one.path).is_complete(); ++patience)
      usleep(1000);
    expect_whole(one.path, one.commands);
    const Trace trace = Trace::load(one.path);
    const auto inputs = contents_of(trace, ContentRole::input);
    ASSERT_EQ(inputs.size(), 1u);
    const auto bytes = trace.bytes(*inputs[0]);
    ASSERT_TRUE(bytes);
    EXPECT_TRUE(std::ranges::equal(*bytes, std::as_bytes(std::span(one.input))));
  }
}

}  // namespace
}  // namespace reel::test
