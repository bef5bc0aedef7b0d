// stamp.hpp - places on the device where it writes the time.
//
// A StampBlock is the places of one batch, for the begin and end of its stamped commands.
// A Stamp is one place, given back to its pool when nobody wants it any more. Its time is copied
// to memory of the host by the batch that writes it: asking llvmpipe for a query waits for the
// whole device, 12 µs each time. Any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "backends/vulkan/device/buffer.hpp"
#include "backends/vulkan/device/context.hpp"

namespace reel::vulkan {

class StampPool;

struct StampPlace {
  VkQueryPool queries = VK_NULL_HANDLE;
  std::uint32_t query = 0;
  VkBuffer buffer = VK_NULL_HANDLE;  // where the time is copied to
  std::uint64_t offset = 0;
  const std::byte* ticks = nullptr;  // the same place, for the host
};

struct Stamp {
  Stamp(std::shared_ptr<StampPool> from, const StampPlace& where);
  ~Stamp();
  Stamp(const Stamp&) = delete;
  Stamp& operator=(const Stamp&) = delete;

  // On the device's clock. Only when the batch that writes it is done.
  std::uint64_t time_ns() const;

  const std::shared_ptr<StampPool> pool;
  const StampPlace place;
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
  std::vector<StagingBuffer> times_;
  std::vector<StampPlace> free_;
};

// Reset and copied to memory of the host as one range. Owned by a batch, and used again with it.
struct StampBlock {
  StampBlock(Context& context, std::uint32_t count);
  ~StampBlock();
  StampBlock(const StampBlock&) = delete;
  StampBlock& operator=(const StampBlock&) = delete;

  // On the device's clock. Only when the batch that writes it is done.
  std::uint64_t time_ns(std::uint32_t query) const noexcept;

  const VkQueryPool queries;
  const StagingBuffer times;
};

// A pool of `count` timestamp queries.
VkQueryPool make_stamp_queries(const Context& context, std::uint32_t count);

}  // namespace reel::vulkan
