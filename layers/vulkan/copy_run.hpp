// copy_run.hpp - commands of ours that read bytes of the program's buffers and images, in the order
// of a queue.
//
// Recorded piece by piece, given once: within a submission of the program, ahead of its own, or by
// itself. Once it is done copy_out() puts the bytes where they are wanted. Under the queue's lock,
// but for copy_out() and the destructor, which come after it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "layers/vulkan/device.hpp"

namespace reel::layer::vk {

struct Queue;
struct Storage;

// Memory of ours that commands copy to and the host reads.
struct ReadRoom {
  VkBuffer buffer = VK_NULL_HANDLE;
  VkDeviceMemory memory = VK_NULL_HANDLE;
  const std::byte* from = nullptr;

  bool make(const Device& device, std::uint64_t size_bytes);  // false: the driver has none
  void destroy(const Device& device) noexcept;
};

// The pixels of these layers, one after the other, to a place in a buffer. They are left in the
// layout that they were found in; what has no contents is read as it happens to be.
void copy_layers(const DeviceFunctions& next, VkCommandBuffer commands, const Storage& image,
                 const VkImageSubresourceLayers& layers, VkImageLayout found, VkBuffer target,
                 VkDeviceSize target_offset);

class CopyRun {
 public:
  // Null: the driver gives no command buffer.
  static std::unique_ptr<CopyRun> begin(Queue& queue);
  ~CopyRun();
  CopyRun(const CopyRun&) = delete;
  CopyRun& operator=(const CopyRun&) = delete;

  // Returns the end of a sentence that says why it can't; empty: it will.
  std::string add(Storage& storage, std::uint64_t offset_bytes, std::span<std::byte> target);
  // Ends the recording; null: the driver could not.
  VkCommandBuffer close() noexcept;
  void copy_out() noexcept;

 private:
  struct Piece : ReadRoom {
    std::span<std::byte> target;
  };
  CopyRun(std::shared_ptr<Device> device, VkCommandPool pool, VkCommandBuffer commands)
      : device_(std::move(device)), pool_(pool), commands_(commands) {}
  void copy_image(const Storage& storage, const Piece& piece);
  void barrier(VkAccessFlags from, VkPipelineStageFlags stages, VkAccessFlags to,
               VkPipelineStageFlags later);

  const std::shared_ptr<Device> device_;
  VkCommandPool pool_;
  VkCommandBuffer commands_;
  std::vector<Piece> pieces_;
  bool is_closed_ = false;
};

}  // namespace reel::layer::vk
