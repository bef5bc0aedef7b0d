// kept_results.hpp - what commands that nobody replays left in images: copied right behind them, by
// commands of ours within the program's own command buffer.
//
// It belongs to one recording of the buffer, and a submission that is recorded shares it until the
// bytes were taken. A buffer that is submitted again has run before, or the program is wrong, so
// whatever is asked for by then is there, and is taken first.
//
// keep() is for the one thread that records; the rest is for any.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "layers/vulkan/copy_run.hpp"
#include "layers/vulkan/device.hpp"

namespace reel::layer::vk {

class KeptResults {
 public:
  explicit KeptResults(std::shared_ptr<Device> device) : device_(std::move(device)) {}
  ~KeptResults();
  KeptResults(const KeptResults&) = delete;
  KeptResults& operator=(const KeptResults&) = delete;

  // Outside of a render pass: the pixels of these layers of a level, which are in this layout and
  // stay in it. The number of what is kept; none: it can't be.
  std::optional<std::uint32_t> keep(VkCommandBuffer commands, const Storage& image,
                                    const VkImageSubresourceLayers& layers, VkImageLayout layout);

  // Which bytes of the image it has.
  std::pair<std::uint64_t, std::uint64_t> range(std::uint32_t number);  // begin, end
  // Its bytes go to their places among all of the image's, once copy_out() is called. False: the
  // target has no place for them.
  bool ask(std::uint32_t number, std::uint64_t target_offset, std::span<std::byte> target);
  void copy_out() noexcept;
  void call_off() noexcept;

 private:
  struct Kept {
    ReadRoom room;
    std::uint64_t offset_bytes, size_bytes;  // of the image's pixels
  };
  struct Asked {
    const std::byte* from;
    std::span<std::byte> target;
  };

  const std::shared_ptr<Device> device_;
  std::mutex mutex_;  // of what follows
  std::vector<Kept> kept_;
  std::vector<Asked> asked_;
};

}  // namespace reel::layer::vk
