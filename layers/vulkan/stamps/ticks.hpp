// ticks.hpp - what the device's clock says, and the queries that it says it by.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "layers/vulkan/device.hpp"

namespace reel::layer::vk {

// Why commands of this queue family can't be stamped, as a sentence of documents; null: they can.
const char* why_no_stamps(const Device& device, std::uint32_t family) noexcept;

// The tick with these low `bits`, the others being cut off, that lies nearest to another one.
constexpr std::uint64_t nearest_tick(std::uint64_t tick, std::uint32_t bits,
                                     std::uint64_t near) noexcept {
  if (bits >= 64) return tick;
  const std::uint64_t turn = std::uint64_t{1} << bits;
  tick = (near & ~(turn - 1)) | (tick & (turn - 1));
  if (tick > near && tick - near > turn / 2 && tick >= turn) return tick - turn;
  if (tick < near && near - tick > turn / 2) return tick + turn;
  return tick;
}

// Nanoseconds of a clock of so many bits: one of fewer than 64 begins anew now and then, so it is
// followed from one call to the next.
std::uint64_t nanoseconds_of(Device& device, std::uint32_t bits, std::uint64_t tick) noexcept;

// What stamps around batches is used again and again. Null: the driver can't.
std::shared_ptr<StampRun> take_run(Device& device, std::uint32_t family, std::size_t count);
void give_back_run(Device& device, std::shared_ptr<StampRun> run) noexcept;
// The device goes: nothing is kept any more.
void destroy_spares(Device& device) noexcept;

QueryPool take_queries(Device& device, std::uint32_t size) noexcept;  // null handle: it can't
void give_back(Device& device, const QueryPool& pool) noexcept;
// Appends what the first `count` hold, of work that is done.
void read_queries(Device& device, VkQueryPool pool, std::uint32_t count,
                  std::vector<std::optional<std::uint64_t>>& ticks);

}  // namespace reel::layer::vk
