#include "base/process/forks.hpp"

#include <pthread.h>

#include "base/process/thread_token.hpp"

namespace reel::detail {

std::atomic<std::uint32_t> forks{0};

namespace {

[[maybe_unused]] const int registered = pthread_atfork(nullptr, nullptr, [] {
  forks.fetch_add(1, std::memory_order_relaxed);
  own_thread_token = 0;  // in the child, this thread owns nothing of what it owned
});

}  // namespace
}  // namespace reel::detail
