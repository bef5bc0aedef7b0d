// stamp.hpp - places on the device where it writes the time.
//
// A Stamp is one place, given back to its pool when nobody wants it any more. Any thread.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "backends/vulkan/context.hpp"

namespace reel::vulkan {

class StampPool;

struct Stamp {
  Stamp(std::shared_ptr<StampPool> from, VkQueryPool queries, std::uint32_t query);
  ~Stamp();
  Stamp(const Stamp&) = delete;
  Stamp& operator=(const Stamp&) = delete;

  // On the device's clock; none before it is written.
  std::optional<std::uint64_t> time_ns() const;

  const std::shared_ptr<StampPool> pool;
  const VkQueryPool queries;
  const std::uint32_t query;
};

class StampPool : public std::enable_shared_from_this<StampPool> {
 public:
  explicit StampPool(std::shared_ptr<Context> context) : context_(std::move(context)) {}
  ~StampPool();
  StampPool(const StampPool&) = delete;
  StampPool& operator=(const StampPool&) = delete;

  std::shared_ptr<Stamp> take();
  const Context& context() const noexcept { return *context_; }

 private:
  friend struct Stamp;
  const std::shared_ptr<Context> context_;
  std::mutex mutex_;
  std::vector<VkQueryPool> pools_;
  std::vector<std::pair<VkQueryPool, std::uint32_t>> free_;
};

// A pool of `count` timestamp queries.
VkQueryPool make_stamp_queries(const Context& context, std::uint32_t count);

}  // namespace reel::vulkan
