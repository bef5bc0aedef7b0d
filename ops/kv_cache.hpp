// kv_cache.hpp - the keys and values of one layer, a slot a position.
//
// Slots start at multiples of what the device wants of a bound range, so that a single slot can
// be bound and hazards are as true as the work. Copies share the buffers.
#pragma once

#include <cstdint>
#include <string_view>

#include "reel/device.hpp"

namespace reel::ops {

struct KvCache {
  Buffer keys, values;
  std::uint32_t capacity = 0;  // slots
  std::uint32_t kv_heads = 0, head_size = 0;
  std::uint32_t slot_floats = 0;  // from slot to slot, at least kv_heads * head_size

  BufferRange slots(const Buffer& of, std::uint32_t first, std::uint32_t count) const {
    return of.elements<float>(std::uint64_t{first} * slot_floats,
                              std::uint64_t{count} * slot_floats);
  }
};

KvCache make_kv_cache(const Device& device, std::uint32_t capacity, std::uint32_t kv_heads,
                      std::uint32_t head_size, std::string_view label);

// How the caches are bound to kv_append and attention.
enum class CacheBinding : std::uint8_t {
  exact,  // the slots touched at this position; right for a pass that runs once
  whole,  // all slots, whatever the position; for a graph whose position will change
};

// The turns of RoPE: (cos, sin) for [position][pair of a head], computed in double precision.
Buffer make_rope_table(const Device& device, std::uint32_t capacity, std::uint32_t head_size,
                       double base = 10000.0, std::string_view label = "rope_table");

}  // namespace reel::ops
