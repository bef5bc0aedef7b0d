#include "backends/vulkan/device/clock.hpp"

#include <chrono>
#include <vector>

#include "backends/vulkan/device/context.hpp"
#include "backends/vulkan/device/result.hpp"

namespace reel::vulkan {
namespace {

std::uint64_t steady_ns() {
  return static_cast<std::uint64_t>(std::chrono::duration_cast<std::chrono::nanoseconds>(
                                        std::chrono::steady_clock::now().time_since_epoch())
                                        .count());
}

bool device_domain_is_calibrateable(VkPhysicalDevice device) {
  std::uint32_t count = 0;
  if (vkGetPhysicalDeviceCalibrateableTimeDomainsEXT(device, &count, nullptr) < 0) return false;
  std::vector<VkTimeDomainEXT> domains(count);
  if (vkGetPhysicalDeviceCalibrateableTimeDomainsEXT(device, &count, domains.data()) < 0)
    return false;
  for (VkTimeDomainEXT domain : domains)
    if (domain == VK_TIME_DOMAIN_DEVICE_EXT) return true;
  return false;
}

}  // namespace

Clock::Clock(Context& context)
    : context_(context),
      bits_(context.physical.timestamp_bits),
      period_ns_(context.physical.limits.timestampPeriod) {
  if (!can_stamp()) return;
  calibrated_ = context.physical.calibrated_timestamps &&
                device_domain_is_calibrateable(context.physical.handle);
  if (!calibrated_) measure_offset(context);
}

std::uint64_t Clock::to_ns(std::uint64_t ticks) const noexcept {
  if (bits_ < 64) ticks &= (std::uint64_t{1} << bits_) - 1;
  if (period_ns_ == 1.0) return ticks;
  // A double has 53 bits: not enough for the nanoseconds of a clock that ran for 100 days.
  return static_cast<std::uint64_t>(static_cast<long double>(ticks) *
                                    static_cast<long double>(period_ns_));
}

bool Clock::ask_driver(std::uint64_t& ticks) const {
  VkCalibratedTimestampInfoEXT info{};
  info.sType = VK_STRUCTURE_TYPE_CALIBRATED_TIMESTAMP_INFO_EXT;
  info.timeDomain = VK_TIME_DOMAIN_DEVICE_EXT;
  std::uint64_t deviation = 0;
  return context_.vk.vkGetCalibratedTimestampsEXT(context_.device, 1, &info, &ticks, &deviation) >=
         0;
}

std::uint64_t Clock::now_ns() const {
  std::uint64_t ticks = 0;
  if (calibrated_ && ask_driver(ticks)) return to_ns(ticks);
  return steady_ns() + static_cast<std::uint64_t>(offset_ns_.load(std::memory_order_relaxed));
}

std::uint64_t Clock::quick_now_ns() noexcept {
  constexpr std::uint64_t drifts_for_ns = 100'000'000;
  const std::uint64_t now = steady_ns();
  if (calibrated_ && now - followed_ns_.load(std::memory_order_acquire) > drifts_for_ns)
    follow_driver();
  return now + static_cast<std::uint64_t>(offset_ns_.load(std::memory_order_relaxed));
}

void Clock::follow_driver() noexcept {
  // A thread that is interrupted between the two clocks knows nothing of their distance.
  constexpr std::uint64_t close_enough_ns = 20'000;
  constexpr int tries = 3;
  std::uint64_t closest_ns = UINT64_MAX;
  for (int i = 0; i < tries && closest_ns > close_enough_ns; ++i) {
    std::uint64_t ticks = 0;
    const std::uint64_t before = steady_ns();
    if (!ask_driver(ticks)) break;
    const std::uint64_t after = steady_ns();
    if (after - before >= closest_ns) continue;
    closest_ns = after - before;
    offset_ns_.store(static_cast<std::int64_t>(to_ns(ticks) - (before + closest_ns / 2)),
                     std::memory_order_relaxed);
  }
  followed_ns_.store(steady_ns(), std::memory_order_release);
}

void Clock::measure_offset(Context& context) {
  VkQueryPoolCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO;
  info.queryType = VK_QUERY_TYPE_TIMESTAMP;
  info.queryCount = 1;
  VkQueryPool pool = VK_NULL_HANDLE;
  check(context.vk.vkCreateQueryPool(context.device, &info, nullptr, &pool), "vkCreateQueryPool");
  const std::uint64_t before = steady_ns();
  context.run_now([&](VkCommandBuffer commands) {
    context.vk.vkCmdResetQueryPool(commands, pool, 0, 1);
    context.vk.vkCmdWriteTimestamp(commands, VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT, pool, 0);
  });
  const std::uint64_t after = steady_ns();
  std::uint64_t ticks = 0;
  const VkResult got = context.vk.vkGetQueryPoolResults(
      context.device, pool, 0, 1, sizeof(ticks), &ticks, sizeof(ticks),
      VK_QUERY_RESULT_64_BIT | VK_QUERY_RESULT_WAIT_BIT);
  context.vk.vkDestroyQueryPool(context.device, pool, nullptr);
  check(got, "vkGetQueryPoolResults");
  offset_ns_ = static_cast<std::int64_t>(to_ns(ticks)) -
               static_cast<std::int64_t>(before + (after - before) / 2);
}

}  // namespace reel::vulkan
