#include "base/process/own_memory.hpp"

#include <gtest/gtest.h>
#include <malloc.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <random>
#include <thread>

#include "recording/captured.hpp"
#include "reel/reel.hpp"

namespace reel {
namespace {

// Pieces of any size that threads take, fill, look at again and give back: none of them overlap.
void take_and_give(unsigned seed) {
  struct Piece {
    OwnBytes bytes;
    unsigned char filled_with;
  };
  std::mt19937 random(seed);
  std::vector<Piece> pieces;
  const auto check_and_drop = [&](std::size_t at) {
    const Piece& piece = pieces[at];
    for (std::size_t i = 0; i < piece.bytes.size(); ++i)
      if (static_cast<unsigned char>(piece.bytes.get()[i]) != piece.filled_with)
        return ADD_FAILURE() << "byte " << i << " of " << piece.bytes.size()
                             << " is somebody else's (seed " << seed << ")";
    std::swap(pieces[at], pieces.back());
    pieces.pop_back();
  };
  for (int step = 0; step < 2000; ++step) {
    if (pieces.size() > 40 || (!pieces.empty() && random() % 3 == 0)) {
      check_and_drop(random() % pieces.size());
      continue;
    }
    // As many small ones as large ones, up to a MiB and now and then more than a huge page.
    std::size_t size = 1 + random() % (std::size_t{1} << random() % 20);
    if (random() % 500 == 0) size = (std::size_t{2} << 20) + random() % 5000;
    Piece piece{OwnBytes(size), static_cast<unsigned char>(random())};
    ASSERT_EQ(reinterpret_cast<std::uintptr_t>(piece.bytes.get()) % alignof(std::max_align_t), 0u);
    std::memset(piece.bytes.get(), piece.filled_with, size);
    pieces.push_back(std::move(piece));
  }
  while (!pieces.empty()) check_and_drop(pieces.size() - 1);
}

TEST(OwnMemory, PiecesOfAllThreadsAreApart) {
  std::vector<std::thread> threads;
  for (unsigned i = 0; i < 4; ++i) threads.emplace_back(take_and_give, i);
  for (std::thread& thread : threads) thread.join();
}

TEST(OwnMemory, IsThereInAForkedChildWhileOthersUseIt) {
  std::atomic<bool> stop{false};
  std::thread other([&] {
    while (!stop) OwnBytes(5000);
  });
  for (int i = 0; i < 50; ++i) {
    const pid_t child = fork();
    if (child == 0) {
      alarm(10);  // one that waits for a lock of its parent's is told apart
      for (int k = 0; k < 100; ++k) OwnBytes(5000);
      _exit(0);
    }
    int status = 0;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0);
  }
  stop = true;
  other.join();
}

TEST(OwnMemory, SaysThatThereIsNone) {
  EXPECT_THROW(OwnBytes(static_cast<std::size_t>(-1)), std::bad_alloc);
  EXPECT_THROW(OwnBytes(std::size_t{1} << 62), std::bad_alloc);
  EXPECT_THROW(OwnAllocator<std::uint64_t>().allocate(static_cast<std::size_t>(-1)),
               std::bad_alloc);
}

#if !defined(__SANITIZE_ADDRESS__)  // which has a heap of its own

void take_from_heap(std::size_t bytes) {
  void* volatile memory = std::malloc(bytes);  // or the compiler would leave both out
  std::free(memory);
}

// Small pieces of the main heap that were freed and not joined: too many for a thread's own list.
// mallinfo2() tells them of the last heap only, which is some thread's.
std::size_t loose_pieces() {
  static char buffer[64 << 10];
  std::FILE* const file = std::tmpfile();
  std::setvbuf(file, buffer, _IOFBF, sizeof buffer);  // or it would take a large piece of the heap
  malloc_info(0, file);
  std::rewind(file);
  char line[256];
  std::size_t count = 0;
  while (std::fgets(line, sizeof line, file))
    if (std::sscanf(line, "<total type=\"fast\" count=\"%zu\"", &count) == 1) break;
  std::fclose(file);
  return count;
}
void leave_small_pieces() {
  OwnVector<void*> pieces(20'000);
  for (void*& piece : pieces) piece = std::malloc(64);
  // A heap without room at its end tidies up for anybody.
  take_from_heap(100 << 10);
  for (void* piece : pieces) std::free(piece);
}

void nothing(const HostGroup&, std::uint32_t*) {}

// All that a program's calls do for a capture leaves its heap as it is. Tidying up took a start
// 5 ms after 20,000 commands of PoCL.
TEST(OwnMemory, ACaptureDoesNotMakeTheProgramsHeapTidyUp) {
  const test::ScratchFolder folder;
  const Device device = open_device("host");
  const Kernel kernel = device.kernel({.name = "nothing", .host = host_kernel<&nothing>()});
  const Stream stream = device.stream();
  const Buffer x = device.buffer(64 << 10, "x");
  const auto work = [&] {
    for (int i = 0; i < 5000; ++i)
      stream.dispatch(kernel, {.groups = {1}, .group_size = {1}}, inout(x));
    stream.synchronize();
  };
  work();
  leave_small_pieces();
  const std::size_t before = loose_pieces();
  ASSERT_GT(before, 10'000u);
  start_capture(folder.path());
  work();
  stop_capture();
  EXPECT_GT(loose_pieces(), before / 4 * 3);
  take_from_heap(64 << 10);
  EXPECT_LT(loose_pieces(), before / 4) << "this test would see it";
}

#endif

}  // namespace
}  // namespace reel
