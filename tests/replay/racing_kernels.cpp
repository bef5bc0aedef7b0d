#include "replay/racing_kernels.hpp"

#include <atomic>
#include <cstdint>

#include "reel/host_kernel.hpp"

namespace reel::test {

namespace {

std::uint32_t word_at(const std::uint32_t* at) {
  return std::atomic_ref(const_cast<std::uint32_t&>(*at)).load(std::memory_order_relaxed);
}

void put_word(std::uint32_t* at, std::uint32_t word) {
  std::atomic_ref(*at).store(word, std::memory_order_relaxed);
}

void mad(const HostGroup& group, std::uint32_t* x, std::uint32_t a, std::uint32_t b,
         std::uint32_t n) {
  group.for_each([&](const HostItem& item) {
    const std::uint32_t i = item.global.x;
    if (i < n) put_word(x + i, a * word_at(x + i) + b);
  });
}

void mix(const HostGroup& group, const std::uint32_t* x, const std::uint32_t* y, std::uint32_t* z,
         std::uint32_t k, std::uint32_t n) {
  group.for_each([&](const HostItem& item) {
    const std::uint32_t i = item.global.x;
    if (i < n) put_word(z + i, k * word_at(x + i) + word_at(y + i));
  });
}

}  // namespace

void register_racing_kernels() {
  register_host_kernel("mul_add", host_kernel<&mad>());
  register_host_kernel("mix_words", host_kernel<&mix>());
}

}  // namespace reel::test
