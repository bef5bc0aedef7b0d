#include "layers/vulkan/stamps/ticks.hpp"

#include <utility>

#include "layers/vulkan/stamps/stamp_run.hpp"

namespace reel::layer::vk {

const char* why_no_stamps(const Device& device, std::uint32_t family) noexcept {
  if (family >= device.families.size()) return "A queue of an unknown family has no times.";
  const VkQueueFamilyProperties& its = device.families[family];
  if (its.timestampValidBits == 0)
    return "The device has no timestamps on a queue family that the program uses, so commands on "
           "its queues have no times.";
  if (!(its.queueFlags & (VK_QUEUE_COMPUTE_BIT | VK_QUEUE_GRAPHICS_BIT)))
    return "A queue family that the program uses can't reset queries by itself, so commands on its "
           "queues have no times.";
  return nullptr;
}

std::uint64_t nanoseconds_of(Device& device, std::uint32_t bits, std::uint64_t tick) noexcept {
  std::uint64_t last = device.last_tick.load(std::memory_order_relaxed);
  tick = nearest_tick(tick, bits, last);
  while (tick > last &&
         !device.last_tick.compare_exchange_weak(last, tick, std::memory_order_relaxed)) {
  }
  return static_cast<std::uint64_t>(static_cast<double>(tick) *
                                    static_cast<double>(device.properties.limits.timestampPeriod));
}

std::shared_ptr<StampRun> take_run(Device& device, std::uint32_t family, std::size_t count) {
  {
    const std::lock_guard lock(device.spares_mutex);
    for (auto& spare : device.spare_runs)
      if (spare->family() == family && spare->size() >= count) {
        std::swap(spare, device.spare_runs.back());
        std::shared_ptr<StampRun> found = std::move(device.spare_runs.back());
        device.spare_runs.pop_back();
        return found;
      }
  }
  return StampRun::make(device, family, count);
}

void give_back_run(Device& device, std::shared_ptr<StampRun> run) noexcept {
  constexpr std::size_t most = 64;
  const std::lock_guard lock(device.spares_mutex);
  if (device.is_gone || run->is_probe() || device.spare_runs.size() >= most) return;
  quietly([&] { device.spare_runs.push_back(std::move(run)); });
}

void destroy_spares(Device& device) noexcept {
  for (const QueryPool& pool : device.query_pools.close())
    device.next.DestroyQueryPool(device.handle, pool.handle, nullptr);
  std::vector<std::shared_ptr<StampRun>> runs;
  const std::lock_guard lock(device.spares_mutex);
  runs.swap(device.spare_runs);
}

QueryPool take_queries(Device& device, std::uint32_t size) noexcept {
  if (const QueryPool spare = device.query_pools.take(size); spare.handle) return spare;
  VkQueryPoolCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO;
  info.queryType = VK_QUERY_TYPE_TIMESTAMP;
  info.queryCount = size;
  QueryPool made{VK_NULL_HANDLE, size};
  if (device.next.CreateQueryPool(device.handle, &info, nullptr, &made.handle) != VK_SUCCESS)
    return {};
  return made;
}

void give_back(Device& device, const QueryPool& pool) noexcept {
  if (device.is_gone || device.query_pools.give_back(pool)) return;
  device.next.DestroyQueryPool(device.handle, pool.handle, nullptr);
}

void read_queries(Device& device, VkQueryPool pool, std::uint32_t count,
                  std::vector<std::optional<std::uint64_t>>& ticks) {
  struct Result {
    std::uint64_t tick, is_there;
  };
  std::vector<Result> results(count);
  const VkResult result =
      device.is_gone || count == 0
          ? VK_NOT_READY
          : device.next.GetQueryPoolResults(
                device.handle, pool, 0, count, results.size() * sizeof(Result), results.data(),
                sizeof(Result), VK_QUERY_RESULT_64_BIT | VK_QUERY_RESULT_WITH_AVAILABILITY_BIT);
  for (const Result& one : results)
    ticks.push_back(result >= 0 && !device.is_gone && one.is_there ? std::optional(one.tick)
                                                                   : std::nullopt);
}

}  // namespace reel::layer::vk
