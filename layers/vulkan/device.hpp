// device.hpp - instances and devices of the program, and the way from a handle to what we know.
//
// Instances and devices are found by their dispatch key, the first word of each handle that the
// loader dispatches by; queues and command buffers by their handle. Other handles are unique within
// their device and kind only, so each device has a table for each kind. Objects live as long as the
// program has them, and longer where a recording holds them; a device that is gone says so.
//
// Any thread.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "layers/session/quietly.hpp"
#include "layers/tracking/handle_table.hpp"
#include "layers/vulkan/functions.hpp"
#include "layers/vulkan/objects/address_map.hpp"
#include "layers/vulkan/stamps/query_pools.hpp"
#include "layers/vulkan/stamps/work_costs.hpp"

namespace reel::layer::vk {

inline const void* key_of(const void* dispatchable) noexcept {
  return *static_cast<const void* const*>(dispatchable);
}

// The struct of this type in a chain of Vulkan's; null: there is none.
template <class Info>
const Info* find_in(const void* chain, VkStructureType type) noexcept {
  for (auto* one = static_cast<const VkBaseInStructure*>(chain); one; one = one->pNext)
    if (one->sType == type) return reinterpret_cast<const Info*>(one);
  return nullptr;
}

// Never destroyed: a program may call from its last destructor.
template <class T>
T& forever() {
  alignas(T) static std::byte place[sizeof(T)];
  static T& one = *new (place) T;
  return one;
}

// What the layer keeps for a handle.
struct Object : std::enable_shared_from_this<Object> {
  virtual ~Object() = default;
  Object() = default;
  Object(const Object&) = delete;
  Object& operator=(const Object&) = delete;

  std::string given_name;        // by the program
  std::uint32_t uses = 1;        // a driver may give the same handle twice; under the table's lock
  std::shared_ptr<Object> self;  // as long as the program has it
};

// The handles of one kind. Looking up takes no lock.
template <class T>
class Handles {
 public:
  template <class Handle>
  T* find(Handle handle) const noexcept {
    return reinterpret_cast<T*>(table_.find(address(handle)));
  }
  template <class Handle>
  std::shared_ptr<T> share(Handle handle) const {
    T* found = find(handle);
    return found ? std::static_pointer_cast<T>(found->shared_from_this()) : nullptr;
  }
  template <class Handle>
  void add(Handle handle, std::shared_ptr<T> object) {
    const std::lock_guard lock(mutex_);
    if (T* known = find(handle)) {
      ++known->uses;
      return;
    }
    T* place = object.get();
    place->self = std::move(object);
    table_.insert(address(handle), reinterpret_cast<layer::Object*>(place));
  }
  // To be called before the driver is: the moment it frees the handle, another thread may get it.
  template <class Handle>
  std::shared_ptr<T> remove(Handle handle) noexcept {
    const std::lock_guard lock(mutex_);
    T* known = find(handle);
    if (!known || --known->uses > 0) return nullptr;
    table_.remove(address(handle));
    return std::static_pointer_cast<T>(std::move(known->self));
  }
  template <class F>
  void for_each(F&& visit) {
    table_.for_each([&](layer::Object& object) { visit(reinterpret_cast<T&>(object)); });
  }
  void lock_for_fork() noexcept {
    mutex_.lock();
    table_.mutex().lock();
  }
  void unlock_after_fork() noexcept {
    table_.mutex().unlock();
    mutex_.unlock();
  }

 private:
  template <class Handle>
  static const void* address(Handle handle) noexcept {
    if constexpr (std::is_pointer_v<Handle>)
      return handle;
    else
      return reinterpret_cast<const void*>(static_cast<std::uintptr_t>(handle));
  }

  std::mutex mutex_;
  HandleTable table_;
};

struct Instance final : Object {
  VkInstance handle = VK_NULL_HANDLE;
  InstanceFunctions next;
  bool has_debug_utils = false;  // the program asked for it
  std::uint32_t api_version = VK_API_VERSION_1_0;
};

struct Buffer;
struct BufferView;
struct CommandBuffer;
struct CommandPool;
struct Done;
struct DescriptorPool;
struct DescriptorSet;
struct Fence;
struct Framebuffer;
struct Image;
struct ImageView;
struct Memory;
struct Pipeline;
struct PipelineLayout;
struct Queue;
struct RenderPass;
struct Sampler;
struct Semaphore;
struct SetLayout;
struct ShaderModule;
class StampRun;
struct Swapchain;
struct UpdateTemplate;

struct Device final : Object {
  VkDevice handle = VK_NULL_HANDLE;
  VkPhysicalDevice physical = VK_NULL_HANDLE;
  std::shared_ptr<Instance> instance;
  DeviceFunctions next;
  PFN_vkSetDeviceLoaderData set_loader_data = nullptr;
  std::uint32_t api_version = VK_API_VERSION_1_0;
  VkPhysicalDeviceProperties properties{};
  VkPhysicalDeviceMemoryProperties memory{};
  std::vector<VkQueueFamilyProperties> families;
  std::vector<std::string> extensions;  // that the program asked for
  std::vector<std::string> features;    // likewise: those that change what its commands do
  std::atomic<bool> is_gone{false};     // nothing of it may be called any more
  std::atomic<bool> is_lost{false};
  std::atomic<bool> has_images{false};  // that layouts are followed of
  // Fences or semaphores of it are shared with others, or could not be noted: what they order is
  // not known.
  std::atomic<bool> has_unknown_orders{false};
  std::atomic<bool> had_unseen{false};  // work that no capture recorded was submitted to it
  // Some object of it could not be noted for want of memory: what is submitted may use it, and is
  // not recorded from then on.
  std::atomic<bool> has_unnoted{false};
  std::atomic<const void*> identity{nullptr};       // identity_of_device()
  std::shared_ptr<CommandBuffer> unnoted_commands;  // command_buffer(); until the device is gone

  Handles<Buffer> buffers;
  Handles<BufferView> buffer_views;
  Handles<CommandPool> command_pools;
  Handles<DescriptorPool> descriptor_pools;
  Handles<DescriptorSet> descriptor_sets;
  Handles<Fence> fences;
  Handles<Framebuffer> framebuffers;
  Handles<Image> images;
  Handles<ImageView> image_views;
  Handles<Memory> memories;
  Handles<Pipeline> pipelines;
  Handles<PipelineLayout> pipeline_layouts;
  Handles<RenderPass> render_passes;
  Handles<Sampler> samplers;
  Handles<Semaphore> semaphores;
  Handles<SetLayout> set_layouts;
  Handles<ShaderModule> shader_modules;
  Handles<Swapchain> swapchains;
  Handles<UpdateTemplate> update_templates;
  AddressMap addresses;

  std::mutex mutex;  // of what follows
  std::vector<std::shared_ptr<Queue>> queues;
  std::vector<Done*> given;  // that the driver may still signal, with a reference each

  // Timestamps of ours, for whoever needs some next.
  QueryPools query_pools;
  std::mutex spares_mutex;  // of what follows; nothing else is locked meanwhile
  std::vector<std::shared_ptr<StampRun>> spare_runs;
  std::atomic<std::uint64_t> kept_bytes{0};  // of all KeptResults
  std::atomic<std::uint64_t> last_tick{0};   // the latest that its clock was seen at
  WorkCosts costs;

  std::mutex never_done_mutex;                    // alone, or the last that is taken
  std::vector<std::shared_ptr<void>> never_done;  // commands of ours that nobody tells the end of

  // What has to be known of it and of what it has.
  template <class F>
  void note(F&& function) noexcept {
    if (!quietly(function)) has_unnoted = true;
  }
  void keep(Done* done);                    // until it is over
  void keep_for_good(Done& done) noexcept;  // what the driver may still be busy with
  // Waits for copies of ours: the program destroys something that they may read. It has waited for
  // its own work, and knows nothing of what stands behind that; be it of a capture that is over.
  void settle_copies() noexcept;
  std::vector<Done*> take_given() {
    const std::lock_guard lock(mutex);
    return std::move(given);
  }

  std::shared_ptr<Device> share() { return std::static_pointer_cast<Device>(shared_from_this()); }
};

Handles<Instance>& instances() noexcept;  // by dispatch key
Handles<Device>& devices() noexcept;      // by dispatch key
Handles<Queue>& queues() noexcept;
Handles<CommandBuffer>& command_buffers() noexcept;

inline Instance* instance_of(const void* dispatchable) noexcept {
  return instances().find(key_of(dispatchable));
}
inline Device* device_of(const void* dispatchable) noexcept {
  return devices().find(key_of(dispatchable));
}

}  // namespace reel::layer::vk
