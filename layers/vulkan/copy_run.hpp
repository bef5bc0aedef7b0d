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
  struct Piece {
    VkBuffer buffer = VK_NULL_HANDLE;
    VkDeviceMemory memory = VK_NULL_HANDLE;
    const std::byte* from = nullptr;
    std::span<std::byte> target;
  };
  CopyRun(std::shared_ptr<Device> device, VkCommandPool pool, VkCommandBuffer commands)
      : device_(std::move(device)), pool_(pool), commands_(commands) {}
  bool make_room(Piece& piece);
  void copy_image(const Storage& storage, const Piece& piece);
  void copy_layers(const Storage& storage, const Piece& piece,
                   const VkImageSubresourceLayers& layers, VkImageLayout found);
  void barrier(VkAccessFlags from, VkPipelineStageFlags stages, VkAccessFlags to,
               VkPipelineStageFlags later);

  const std::shared_ptr<Device> device_;
  VkCommandPool pool_;
  VkCommandBuffer commands_;
  std::vector<Piece> pieces_;
  bool is_closed_ = false;
};

}  // namespace reel::layer::vk
