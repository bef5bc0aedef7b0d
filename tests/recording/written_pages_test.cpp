// Which pages were written, as the kernel tells it, against what is known to have been written.
#include "recording/contents/written_pages.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstring>
#include <random>
#include <thread>
#include <vector>

#include "recording/contents/host_pages.hpp"

namespace reel::capture {
namespace {

constexpr std::uint64_t page = WrittenPages::page_bytes;

class Memory {
 public:
  explicit Memory(std::uint64_t size, int flags = MAP_PRIVATE | MAP_ANONYMOUS)
      : size_(size),
        bytes_(
            static_cast<std::byte*>(::mmap(nullptr, size, PROT_READ | PROT_WRITE, flags, -1, 0))) {
    std::memset(bytes_, 1, size);  // pages that are not there count as written
  }
  ~Memory() { ::munmap(bytes_, size_); }
  Memory(const Memory&) = delete;
  Memory& operator=(const Memory&) = delete;
  std::byte* data() { return bytes_; }
  std::uint64_t size() const { return size_; }

 private:
  std::uint64_t size_;
  std::byte* bytes_;
};

// Linux before 6.7, or a container that forbids it: the bytes are hashed, which other tests look
// at.
#define NEEDS_KERNEL_SUPPORT(pages, memory)               \
  if (!(pages).watch((memory).data(), (memory).size())) { \
    GTEST_SKIP() << "This kernel can't watch pages.";     \
  }

TEST(WrittenPages, SmallMemoryIsNotWorthIt) {
  WrittenPages pages;
  Memory memory(WrittenPages::worth_bytes / 2);
  EXPECT_FALSE(pages.watch(memory.data(), memory.size()));
}

TEST(WrittenPages, MemoryThatIsNotWatchedIsNotKnown) {
  WrittenPages pages;
  Memory memory(1 << 20), other(1 << 20);
  NEEDS_KERNEL_SUPPORT(pages, memory);
  std::vector<WrittenPages::Date> dates;
  EXPECT_TRUE(pages.scan(memory.data(), memory.size(), dates));
  EXPECT_FALSE(pages.scan(other.data(), other.size(), dates));
  pages.unwatch(memory.data(), memory.size());
  EXPECT_FALSE(pages.scan(memory.data(), memory.size(), dates));
}

TEST(WrittenPages, ASystemCallMayWriteToThem) {
  WrittenPages pages;
  Memory memory(1 << 20);
  NEEDS_KERNEL_SUPPORT(pages, memory);
  std::vector<WrittenPages::Date> dates;
  const auto before = pages.scan(memory.data(), memory.size(), dates);
  const int zero = ::open("/dev/zero", O_RDONLY | O_CLOEXEC);
  EXPECT_EQ(::read(zero, memory.data() + 5 * page, 3 * page), static_cast<ssize_t>(3 * page));
  ::close(zero);
  ASSERT_TRUE(pages.scan(memory.data(), memory.size(), dates));
  for (std::size_t i = 0; i < dates.size(); ++i)
    EXPECT_EQ(dates[i] > *before, i >= 5 && i < 8) << "page " << i;
}

TEST(WrittenPages, AClosedDescriptorIsNoticed) {
  WrittenPages pages;
  Memory memory(1 << 20);
  NEEDS_KERNEL_SUPPORT(pages, memory);
  std::vector<WrittenPages::Date> dates;
  EXPECT_TRUE(pages.scan(memory.data(), memory.size(), dates));
  const int mine = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
  for (int descriptor = 3; descriptor < 1100; ++descriptor)
    if (descriptor != mine) {
      char path[64], target[64] = {};
      std::snprintf(path, sizeof path, "/proc/self/fd/%d", descriptor);
      if (::readlink(path, target, sizeof target - 1) > 0 && std::strstr(target, "userfaultfd"))
        ::dup2(mine, descriptor);  // closes it, and the number is the program's
    }
  memory.data()[0] = std::byte{1};
  EXPECT_FALSE(pages.scan(memory.data(), memory.size(), dates));
  EXPECT_TRUE(pages.watch(memory.data(), memory.size())) << "a new descriptor serves";
  EXPECT_TRUE(pages.scan(memory.data(), memory.size(), dates));
}

TEST(WrittenPages, AChildOfForkLeavesTheParentsMemoryAlone) {
  WrittenPages pages;
  Memory memory(1 << 20);
  NEEDS_KERNEL_SUPPORT(pages, memory);
  std::vector<WrittenPages::Date> dates;
  const auto before = pages.scan(memory.data(), memory.size(), dates);
  memory.data()[page] = std::byte{1};
  if (const pid_t child = ::fork(); child == 0) {
    memory.data()[0] = std::byte{1};
    pages.let_write(memory.data(), memory.size());
    ::_exit(pages.scan(memory.data(), memory.size(), dates) ? 1 : 0);
  } else {
    int status = -1;
    ::waitpid(child, &status, 0);
    EXPECT_EQ(status, 0);
  }
  ASSERT_TRUE(pages.scan(memory.data(), memory.size(), dates));
  for (std::size_t i = 0; i < dates.size(); ++i)
    EXPECT_EQ(dates[i] > *before, i == 1) << "page " << i;
}

// Random writes by the host, by other threads and by "devices", two watchers on overlapping parts
// that begin anywhere: the pages told are those that a watcher who hashes everything tells.
TEST(WrittenPages, WatchingFindsWhatHashingFinds) {
  for (const int flags : {MAP_PRIVATE | MAP_ANONYMOUS, MAP_SHARED | MAP_ANONYMOUS}) {
    Memory memory(4 << 20, flags);
    std::mt19937 random(7);
    const auto any = [&](std::uint64_t below) { return random() % below; };
    HostPages watching;
    struct Part {
      std::uint64_t offset, size;
      HostPages::Hashes last;
    };
    std::vector<Part> parts{
        {0, 2 << 20, {}}, {(1 << 20) + 40, (2 << 20) + 999, {}}, {3 << 20, 1 << 20, {}}};
    const auto bytes_of = [&](const Part& part) { return memory.data() + part.offset; };
    for (int round = 0; round < 400; ++round) {
      for (std::uint64_t i = any(6); i > 0; --i) {
        const std::uint64_t at = any(memory.size() - 9000), size = any(9000);
        const auto value = static_cast<int>(any(3));  // often what is there already
        if (any(8) == 0)
          ::madvise(memory.data() + at / page * page, size / page * page, MADV_DONTNEED);
        else if (any(4) == 0)
          std::thread([&] { std::memset(memory.data() + at, value, size); }).join();
        else
          std::memset(memory.data() + at, value, size);
      }
      Part& part = parts[any(parts.size())];
      const HostPages::Hashes now = HostPages::of({bytes_of(part), part.size});
      switch (any(8)) {
        case 0:
          watching.refresh(&part, bytes_of(part), part.size);
          if (!part.last.empty()) part.last = now;
          break;
        case 1:
          watching.let_write(&part, page, part.size / 2);
          break;
        case 2:
          watching.forget(&part);
          part.last.clear();
          break;
        default:
          EXPECT_EQ(watching.changed(&part, bytes_of(part), part.size),
                    HostPages::differences(part.last, now, part.size))
              << "round " << round;
          part.last = now;
      }
    }
  }
}

}  // namespace
}  // namespace reel::capture
