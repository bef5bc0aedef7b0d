#include "base/process/forks.hpp"

#include <pthread.h>

namespace reel::detail {

std::atomic<std::uint32_t> forks{0};

namespace {

[[maybe_unused]] const int registered =
    pthread_atfork(nullptr, nullptr, [] { forks.fetch_add(1, std::memory_order_relaxed); });

}  // namespace
}  // namespace reel::detail
