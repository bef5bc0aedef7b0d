// raw_vulkan.cpp - Vulkan without a library: descriptor sets made ahead, bound where they change,
// a memory barrier where the next dispatch needs the one before, one fence. And one barrier at the
// end of each command buffer: waiting for a fence makes nothing visible to the host, nor to what is
// submitted later (Vulkan 1.3, 7.3 "Fences").
#define VOLK_IMPLEMENTATION
#include <volk.h>

#include <array>
#include <cstring>
#include <memory>
#include <shaderc/shaderc.hpp>
#include <stdexcept>

#include "raw.hpp"

namespace bench {
namespace {

void check(VkResult result, const char* call) {
  if (result != VK_SUCCESS)
    throw std::runtime_error(std::string(call) + " answered " + std::to_string(result) + ".");
}

template <class Info>
Info made(VkStructureType type) {
  Info info{};
  info.sType = type;
  return info;
}

std::vector<std::uint32_t> compile() {
  const shaderc::SpvCompilationResult result = shaderc::Compiler().CompileGlslToSpv(
      add_one_glsl, shaderc_compute_shader, "add_one.comp", [] {
        shaderc::CompileOptions options;
        options.SetOptimizationLevel(shaderc_optimization_level_performance);
        return options;
      }());
  if (result.GetCompilationStatus() != shaderc_compilation_status_success)
    throw std::runtime_error(result.GetErrorMessage());
  return {result.begin(), result.end()};
}

// Instance, device and pipeline of one case. Its modes have their counters and command buffers.
struct Session {
  VkInstance instance = VK_NULL_HANDLE;
  VkPhysicalDevice physical = VK_NULL_HANDLE;
  VkDevice device = VK_NULL_HANDLE;
  VkQueue queue = VK_NULL_HANDLE;
  std::uint32_t family = 0;
  VkDescriptorSetLayout set_layout = VK_NULL_HANDLE;
  VkPipelineLayout layout = VK_NULL_HANDLE;
  VkPipeline pipeline = VK_NULL_HANDLE;

  explicit Session(const std::string& device_name) {
    check(volkInitialize(), "volkInitialize");
    auto application = made<VkApplicationInfo>(VK_STRUCTURE_TYPE_APPLICATION_INFO);
    application.apiVersion = VK_API_VERSION_1_1;
    auto instance_info = made<VkInstanceCreateInfo>(VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO);
    instance_info.pApplicationInfo = &application;
    check(vkCreateInstance(&instance_info, nullptr, &instance), "vkCreateInstance");
    volkLoadInstanceOnly(instance);
    choose(device_name);

    const float priority = 1;
    auto queue_info = made<VkDeviceQueueCreateInfo>(VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO);
    queue_info.queueFamilyIndex = family;
    queue_info.queueCount = 1;
    queue_info.pQueuePriorities = &priority;
    auto device_info = made<VkDeviceCreateInfo>(VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO);
    device_info.queueCreateInfoCount = 1;
    device_info.pQueueCreateInfos = &queue_info;
    check(vkCreateDevice(physical, &device_info, nullptr, &device), "vkCreateDevice");
    volkLoadDevice(device);  // straight to the driver, without the loader's trampoline
    vkGetDeviceQueue(device, family, 0, &queue);
    build();
  }
  ~Session() {
    vkDestroyPipeline(device, pipeline, nullptr);
    vkDestroyPipelineLayout(device, layout, nullptr);
    vkDestroyDescriptorSetLayout(device, set_layout, nullptr);
    vkDestroyDevice(device, nullptr);
    vkDestroyInstance(instance, nullptr);
  }
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  void choose(const std::string& name) {
    std::uint32_t count = 0;
    check(vkEnumeratePhysicalDevices(instance, &count, nullptr), "vkEnumeratePhysicalDevices");
    std::vector<VkPhysicalDevice> all(count);
    check(vkEnumeratePhysicalDevices(instance, &count, all.data()), "vkEnumeratePhysicalDevices");
    for (VkPhysicalDevice candidate : all) {
      VkPhysicalDeviceProperties properties;
      vkGetPhysicalDeviceProperties(candidate, &properties);
      if (name == properties.deviceName) physical = candidate;
    }
    if (!physical) throw std::runtime_error("No Vulkan device is named '" + name + "'.");
    vkGetPhysicalDeviceQueueFamilyProperties(physical, &count, nullptr);
    std::vector<VkQueueFamilyProperties> families(count);
    vkGetPhysicalDeviceQueueFamilyProperties(physical, &count, families.data());
    while (family < count && !(families[family].queueFlags & VK_QUEUE_COMPUTE_BIT)) ++family;
    if (family == count) throw std::runtime_error("'" + name + "' has no compute queue.");
  }

  void build() {
    VkDescriptorSetLayoutBinding binding{};
    binding.descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER;
    binding.descriptorCount = 1;
    binding.stageFlags = VK_SHADER_STAGE_COMPUTE_BIT;
    auto set_info =
        made<VkDescriptorSetLayoutCreateInfo>(VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO);
    set_info.bindingCount = 1;
    set_info.pBindings = &binding;
    check(vkCreateDescriptorSetLayout(device, &set_info, nullptr, &set_layout),
          "vkCreateDescriptorSetLayout");

    const VkPushConstantRange values{VK_SHADER_STAGE_COMPUTE_BIT, 0, sizeof(std::uint32_t)};
    auto layout_info =
        made<VkPipelineLayoutCreateInfo>(VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO);
    layout_info.setLayoutCount = 1;
    layout_info.pSetLayouts = &set_layout;
    layout_info.pushConstantRangeCount = 1;
    layout_info.pPushConstantRanges = &values;
    check(vkCreatePipelineLayout(device, &layout_info, nullptr, &layout), "vkCreatePipelineLayout");

    const std::vector<std::uint32_t> code = compile();
    auto module_info = made<VkShaderModuleCreateInfo>(VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO);
    module_info.codeSize = code.size() * sizeof(code[0]);
    module_info.pCode = code.data();
    VkShaderModule module = VK_NULL_HANDLE;
    check(vkCreateShaderModule(device, &module_info, nullptr, &module), "vkCreateShaderModule");
    auto info = made<VkComputePipelineCreateInfo>(VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO);
    info.stage.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO;
    info.stage.stage = VK_SHADER_STAGE_COMPUTE_BIT;
    info.stage.module = module;
    info.stage.pName = "main";
    info.layout = layout;
    const VkResult result =
        vkCreateComputePipelines(device, VK_NULL_HANDLE, 1, &info, nullptr, &pipeline);
    vkDestroyShaderModule(device, module, nullptr);
    check(result, "vkCreateComputePipelines");
  }
};

// Zeroed counters in memory that the host sees, with a descriptor set for each slice, a pool and
// a fence.
struct Counters {
  std::shared_ptr<Session> session;
  Case work;
  VkBuffer buffer = VK_NULL_HANDLE;
  VkDeviceMemory memory = VK_NULL_HANDLE;
  const std::uint32_t* values = nullptr;
  VkDescriptorPool sets = VK_NULL_HANDLE;
  std::vector<VkDescriptorSet> set_of_slice;
  VkCommandPool pool = VK_NULL_HANDLE;
  VkFence fence = VK_NULL_HANDLE;

  Counters(std::shared_ptr<Session> of, const Case& c) : session(std::move(of)), work(c) {
    allocate();
    describe();
    auto pool_info = made<VkCommandPoolCreateInfo>(VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO);
    pool_info.flags = VK_COMMAND_POOL_CREATE_RESET_COMMAND_BUFFER_BIT;
    pool_info.queueFamilyIndex = session->family;
    check(vkCreateCommandPool(session->device, &pool_info, nullptr, &pool), "vkCreateCommandPool");
    const auto fence_info = made<VkFenceCreateInfo>(VK_STRUCTURE_TYPE_FENCE_CREATE_INFO);
    check(vkCreateFence(session->device, &fence_info, nullptr, &fence), "vkCreateFence");
  }
  ~Counters() {
    vkDestroyFence(session->device, fence, nullptr);
    vkDestroyCommandPool(session->device, pool, nullptr);
    vkDestroyDescriptorPool(session->device, sets, nullptr);
    vkDestroyBuffer(session->device, buffer, nullptr);
    vkFreeMemory(session->device, memory, nullptr);
  }
  Counters(const Counters&) = delete;
  Counters& operator=(const Counters&) = delete;

  void allocate() {
    auto info = made<VkBufferCreateInfo>(VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO);
    info.size = work.counters() * sizeof(std::uint32_t);
    info.usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT;
    check(vkCreateBuffer(session->device, &info, nullptr, &buffer), "vkCreateBuffer");
    VkMemoryRequirements needs;
    vkGetBufferMemoryRequirements(session->device, buffer, &needs);
    VkPhysicalDeviceMemoryProperties has;
    vkGetPhysicalDeviceMemoryProperties(session->physical, &has);
    constexpr VkMemoryPropertyFlags wanted =
        VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
    auto memory_info = made<VkMemoryAllocateInfo>(VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO);
    memory_info.allocationSize = needs.size;
    while (!(needs.memoryTypeBits & (1u << memory_info.memoryTypeIndex)) ||
           (has.memoryTypes[memory_info.memoryTypeIndex].propertyFlags & wanted) != wanted)
      ++memory_info.memoryTypeIndex;  // every implementation has such a type for buffers
    check(vkAllocateMemory(session->device, &memory_info, nullptr, &memory), "vkAllocateMemory");
    check(vkBindBufferMemory(session->device, buffer, memory, 0), "vkBindBufferMemory");
    void* mapped = nullptr;
    check(vkMapMemory(session->device, memory, 0, VK_WHOLE_SIZE, 0, &mapped), "vkMapMemory");
    std::memset(mapped, 0, info.size);
    values = static_cast<const std::uint32_t*>(mapped);
  }

  void describe() {
    const VkDescriptorPoolSize size{VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, work.slices()};
    auto info = made<VkDescriptorPoolCreateInfo>(VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO);
    info.maxSets = work.slices();
    info.poolSizeCount = 1;
    info.pPoolSizes = &size;
    check(vkCreateDescriptorPool(session->device, &info, nullptr, &sets), "vkCreateDescriptorPool");
    const std::vector<VkDescriptorSetLayout> layouts(work.slices(), session->set_layout);
    auto set_info =
        made<VkDescriptorSetAllocateInfo>(VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO);
    set_info.descriptorPool = sets;
    set_info.descriptorSetCount = work.slices();
    set_info.pSetLayouts = layouts.data();
    set_of_slice.resize(work.slices());
    check(vkAllocateDescriptorSets(session->device, &set_info, set_of_slice.data()),
          "vkAllocateDescriptorSets");
    for (std::uint32_t s = 0; s < work.slices(); ++s) {
      // 256 bytes: a multiple of any alignment that Vulkan lets a device ask for.
      const VkDescriptorBufferInfo range{buffer, VkDeviceSize{s} * slice_bytes, slice_bytes};
      auto write = made<VkWriteDescriptorSet>(VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET);
      write.dstSet = set_of_slice[s];
      write.descriptorCount = 1;
      write.descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER;
      write.pBufferInfo = &range;
      vkUpdateDescriptorSets(session->device, 1, &write, 0, nullptr);
    }
  }

  std::vector<VkCommandBuffer> command_buffers(std::uint32_t count) const {
    auto info = made<VkCommandBufferAllocateInfo>(VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO);
    info.commandPool = pool;
    info.level = VK_COMMAND_BUFFER_LEVEL_PRIMARY;
    info.commandBufferCount = count;
    std::vector<VkCommandBuffer> result(count);
    check(vkAllocateCommandBuffers(session->device, &info, result.data()),
          "vkAllocateCommandBuffers");
    return result;
  }

  // Nodes [first, end) of the case, from an empty command buffer.
  void record(VkCommandBuffer commands, std::uint32_t first, std::uint32_t end) const {
    const auto begin = made<VkCommandBufferBeginInfo>(VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO);
    check(vkBeginCommandBuffer(commands, &begin), "vkBeginCommandBuffer");
    vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, session->pipeline);
    const std::uint32_t off = 0;
    vkCmdPushConstants(commands, session->layout, VK_SHADER_STAGE_COMPUTE_BIT, 0, sizeof(off),
                       &off);
    for (std::uint32_t n = first; n < end; ++n) {
      if (work.shape == Shape::chain && n != first) barrier(commands);
      if (work.shape == Shape::independent || n == first)
        vkCmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_COMPUTE, session->layout, 0, 1,
                                &set_of_slice[work.first_item(n) / items], 0, nullptr);
      vkCmdDispatch(commands, 1, 1, 1);
    }
    barrier(commands, VK_PIPELINE_STAGE_HOST_BIT, VK_ACCESS_HOST_READ_BIT);
    check(vkEndCommandBuffer(commands), "vkEndCommandBuffer");
  }

  static void barrier(VkCommandBuffer commands, VkPipelineStageFlags more_stages = 0,
                      VkAccessFlags more_reads = 0) {
    auto all = made<VkMemoryBarrier>(VK_STRUCTURE_TYPE_MEMORY_BARRIER);
    all.srcAccessMask = VK_ACCESS_SHADER_WRITE_BIT;
    all.dstAccessMask = VK_ACCESS_SHADER_READ_BIT | VK_ACCESS_SHADER_WRITE_BIT | more_reads;
    vkCmdPipelineBarrier(commands, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT,
                         VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT | more_stages, 0, 1, &all, 0, nullptr,
                         0, nullptr);
  }

  void submit(VkCommandBuffer commands, VkFence signal) const {
    auto info = made<VkSubmitInfo>(VK_STRUCTURE_TYPE_SUBMIT_INFO);
    info.commandBufferCount = 1;
    info.pCommandBuffers = &commands;
    check(vkQueueSubmit(session->queue, 1, &info, signal), "vkQueueSubmit");
  }
  void wait() const {
    check(vkWaitForFences(session->device, 1, &fence, VK_TRUE, UINT64_MAX), "vkWaitForFences");
    check(vkResetFences(session->device, 1, &fence), "vkResetFences");
  }
  std::string verify(std::uint64_t passes) const {
    return check_counters({values, work.counters()}, work, passes);
  }
};

Mode resubmit(std::shared_ptr<Counters> counters) {
  const VkCommandBuffer commands = counters->command_buffers(1).front();
  counters->record(commands, 0, counters->work.nodes);
  return {raw::vulkan_resubmit,
          [=](std::uint64_t passes) {
            for (; passes; --passes) {
              counters->submit(commands, counters->fence);
              counters->wait();
            }
          },
          [=](std::uint64_t passes) { return counters->verify(passes); }};
}

Mode direct(std::shared_ptr<Counters> counters) {
  const VkCommandBuffer commands = counters->command_buffers(1).front();
  return {raw::vulkan_direct,
          [=](std::uint64_t passes) {
            for (; passes; --passes) {
              counters->record(commands, 0, counters->work.nodes);
              counters->submit(commands, counters->fence);
              counters->wait();
            }
          },
          [=](std::uint64_t passes) { return counters->verify(passes); }};
}

Mode submits(std::shared_ptr<Counters> counters) {
  const std::vector<VkCommandBuffer> commands = counters->command_buffers(counters->work.nodes);
  for (std::uint32_t n = 0; n < counters->work.nodes; ++n) counters->record(commands[n], n, n + 1);
  return {raw::vulkan_submits,
          [=](std::uint64_t passes) {
            for (; passes; --passes) {
              for (std::size_t n = 0; n < commands.size(); ++n)
                counters->submit(commands[n],
                                 n + 1 == commands.size() ? counters->fence : VK_NULL_HANDLE);
              counters->wait();
            }
          },
          [=](std::uint64_t passes) { return counters->verify(passes); }};
}

}  // namespace

std::vector<Mode> raw_vulkan_modes(const Case& work, const std::string& device_name) {
  auto session = std::make_shared<Session>(device_name);
  const auto counters = [&] { return std::make_shared<Counters>(session, work); };
  return {resubmit(counters()), direct(counters()), submits(counters())};
}

}  // namespace bench
