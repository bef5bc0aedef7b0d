#include "base/bytes/hash128_avx2.hpp"

#if defined(__x86_64__)

#include <immintrin.h>

// The library's own functions are compiled for every processor; these are static, and for one kind.
#ifdef __clang__
#pragma clang attribute push(__attribute__((target("avx2"))), apply_to = function)
#else
#pragma GCC push_options
#pragma GCC target("avx2")
#endif

#define XXH_INLINE_ALL
#define XXH_VECTOR 2  // XXH_AVX2
#include <xxhash.h>

namespace reel {
namespace {

XXH128_hash_t wide_hash(const void* bytes, std::size_t size_bytes) {
  return XXH3_128bits(bytes, size_bytes);
}

}  // namespace
}  // namespace reel

#ifdef __clang__
#pragma clang attribute pop
#else
#pragma GCC pop_options
#endif

reel::Hash128 reel::hash128_avx2(std::span<const std::byte> bytes) {
  const XXH128_hash_t hash = wide_hash(bytes.data(), bytes.size());
  return {.low = hash.low64, .high = hash.high64};
}

#endif
