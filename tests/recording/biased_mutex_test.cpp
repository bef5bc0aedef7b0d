#include "base/process/biased_mutex.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <latch>
#include <random>
#include <thread>
#include <vector>

#include "base/os/thread.hpp"

namespace reel {

// What enter_as_owner() does, and where a thread can be held up in it.
struct BiasedMutexSteps {
  static bool is_owner(const BiasedMutex& mutex) { return mutex.owner_ == thread_token(); }
  static std::size_t place() { return thread_token() % BiasedMutex::marks; }
  static bool goes_on(BiasedMutex& mutex) { return mutex.enter_if_still_owner(thread_token()); }
};

namespace {

// Threads that take the lock in long and in short runs, some of them plainly: it is owned, taken
// away and owned again all the time.
TEST(BiasedMutex, LetsOneThreadInAtATime) {
  BiasedMutex mutex;
  std::uint64_t first = 0, second = 0;  // always equal outside
  std::atomic<std::uint64_t> expected = 0;
  std::atomic<bool> torn = false;
  const auto change = [&] {
    if (first != second) torn = true;
    ++first;
    ++second;
    expected.fetch_add(1, std::memory_order_relaxed);
  };
  std::vector<std::thread> threads;
  for (unsigned id = 0; id < 4; ++id)
    threads.emplace_back([&, id] {
      std::mt19937 random(id);
      for (int run = 0; run < 60; ++run) {
        const unsigned uses = random() % 3 == 0 ? 2000 : random() % 40;
        for (unsigned i = 0; i < uses; ++i) {
          const BiasedLock lock(mutex);
          change();
        }
        if (random() % 2) {
          const auto lock = mutex.lock_plainly();
          change();
        }
        if (const auto lock = mutex.try_lock_plainly()) change();
        if (random() % 4 == 0) std::this_thread::yield();
      }
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_FALSE(torn);
  EXPECT_EQ(first, expected.load());
  EXPECT_EQ(second, expected.load());
}

TEST(BiasedMutex, IsNotHadWhileItsOwnerIsIn) {
  BiasedMutex mutex;
  for (int i = 0; i < 100; ++i) const BiasedLock lock(mutex);  // this thread owns it now
  const auto try_elsewhere = [&] {
    bool had = false;
    std::thread([&] { had = mutex.try_lock_plainly().owns_lock(); }).join();
    return had;
  };
  EXPECT_TRUE(try_elsewhere());
  for (int i = 0; i < 100; ++i) const BiasedLock lock(mutex);
  {
    const BiasedLock lock(mutex);
    EXPECT_FALSE(try_elsewhere());
  }
  EXPECT_TRUE(try_elsewhere());
}

// It looked, saw itself as the owner, and was held up until another thread owned the mutex.
TEST(BiasedMutex, WhoWasHeldUpOnTheWayInTakesNothingBackFromTheNextOwner) {
  if (!os::can_bar_every_thread()) GTEST_SKIP() << "there is no membarrier";
  // Threads are numbered as they come: the next one must not have this one's place, where it would
  // never be the owner.
  std::size_t last = 0;
  do {
    std::thread([&] { last = BiasedMutexSteps::place(); }).join();
  } while (last != BiasedMutexSteps::place());
  BiasedMutex mutex;
  for (int i = 0; i < 100; ++i) const BiasedLock lock(mutex);
  ASSERT_TRUE(BiasedMutexSteps::is_owner(mutex));
  std::latch is_inside(1), is_seen(1);
  std::thread next([&] {
    for (int i = 0; i < 200; ++i) const BiasedLock lock(mutex);
    EXPECT_TRUE(BiasedMutexSteps::is_owner(mutex));
    const BiasedLock lock(mutex);
    is_inside.count_down();
    is_seen.wait();
  });
  is_inside.wait();
  EXPECT_FALSE(BiasedMutexSteps::goes_on(mutex));
  EXPECT_FALSE(mutex.try_lock_plainly().owns_lock());
  is_seen.count_down();
  next.join();
  EXPECT_TRUE(mutex.try_lock_plainly().owns_lock());
}

// More threads than there are places: who finds its own taken goes by the mutex.
TEST(BiasedMutex, IsOwnedByFewThreadsAndTakenByAll) {
  BiasedMutex mutex;
  std::uint64_t count = 0;
  for (int id = 0; id < 40; ++id)
    std::thread([&] {
      for (int i = 0; i < 6000; ++i) {
        const BiasedLock lock(mutex);
        ++count;
      }
    }).join();
  EXPECT_EQ(count, 40u * 6000u);
}

}  // namespace
}  // namespace reel
