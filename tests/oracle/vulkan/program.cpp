// program.cpp - runs a program of steps on plain Vulkan, and prints what it read.
//
// It knows nothing of Reel but the header for captures from inside, whose calls do nothing without
// it. Objects are slots that steps name by number; a command buffer is a step whose lines below it
// are its commands. A call that fails is printed with its code, and the program goes on. One queue;
// each submit gives a timeline the next value.
#include <reel_app.h>

#include <array>
#include <stdexcept>

#include "vulkan/world.hpp"

namespace oracle {

World* world = nullptr;

}  // namespace oracle

namespace {

using namespace oracle;

// Words: command buffers. Options: value (the timeline's), fence, how=2, apart (an info for each).
void submit(const Step& step) {
  std::vector<VkCommandBuffer> given;
  for (std::size_t i = 0; i < step.words.size(); ++i)
    given.push_back(world->commands[step.number_at(i)]);
  VkFence fence = VK_NULL_HANDLE;
  if (step.has("fence")) {
    const VkFenceCreateInfo info{VK_STRUCTURE_TYPE_FENCE_CREATE_INFO, nullptr, 0};
    VkFence& kept = world->fences[step.option("fence", 0)];
    MUST(vkCreateFence(world->device, &info, nullptr, &kept));
    fence = kept;
  }
  const auto value = static_cast<std::uint64_t>(step.option("value", 0));
  const std::size_t infos = step.has("apart") ? given.size() : 1;
  if (step.option("how", 1) == 2) {
    std::vector<VkCommandBufferSubmitInfo> buffers;
    for (VkCommandBuffer one : given)
      buffers.push_back({VK_STRUCTURE_TYPE_COMMAND_BUFFER_SUBMIT_INFO, nullptr, one, 0});
    const VkSemaphoreSubmitInfo signal{
        VK_STRUCTURE_TYPE_SEMAPHORE_SUBMIT_INFO, nullptr, world->timeline, value,
        VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT,    0};
    std::vector<VkSubmitInfo2> all(infos);
    for (std::size_t i = 0; i < infos; ++i) {
      all[i].sType = VK_STRUCTURE_TYPE_SUBMIT_INFO_2;
      all[i].commandBufferInfoCount = static_cast<std::uint32_t>(infos == 1 ? buffers.size() : 1);
      all[i].pCommandBufferInfos = buffers.data() + i;
    }
    all.back().signalSemaphoreInfoCount = 1;
    all.back().pSignalSemaphoreInfos = &signal;
    told(step, vkQueueSubmit2(world->queue, static_cast<std::uint32_t>(infos), all.data(), fence));
    return;
  }
  VkTimelineSemaphoreSubmitInfo values{};
  values.sType = VK_STRUCTURE_TYPE_TIMELINE_SEMAPHORE_SUBMIT_INFO;
  values.signalSemaphoreValueCount = 1;
  values.pSignalSemaphoreValues = &value;
  std::vector<VkSubmitInfo> all(infos);
  for (std::size_t i = 0; i < infos; ++i) {
    all[i].sType = VK_STRUCTURE_TYPE_SUBMIT_INFO;
    all[i].commandBufferCount = static_cast<std::uint32_t>(infos == 1 ? given.size() : 1);
    all[i].pCommandBuffers = given.data() + i;
  }
  all.back().pNext = &values;
  all.back().signalSemaphoreCount = 1;
  all.back().pSignalSemaphores = &world->timeline;
  told(step, vkQueueSubmit(world->queue, static_cast<std::uint32_t>(infos), all.data(), fence));
}

// --- the host waits, or asks ---------------------------------------------------------------------

void wait_value(const Step& step) {
  const auto value = static_cast<std::uint64_t>(step.number_at(0));
  const VkSemaphoreWaitInfo info{
      VK_STRUCTURE_TYPE_SEMAPHORE_WAIT_INFO, nullptr, 0, 1, &world->timeline, &value};
  told(step, vkWaitSemaphores(world->device, &info, UINT64_MAX));
}

void poll_value(const Step& step) {
  for (std::uint64_t now = 0; now < static_cast<std::uint64_t>(step.number_at(0));)
    MUST(vkGetSemaphoreCounterValue(world->device, world->timeline, &now));
}

void wait_fence(const Step& step) {
  told(step,
       vkWaitForFences(world->device, 1, &world->fences[step.number_at(0)], VK_TRUE, UINT64_MAX));
}

void poll_fence(const Step& step) {
  while (vkGetFenceStatus(world->device, world->fences[step.number_at(0)]) == VK_NOT_READY) {
  }
}

void release(const Step& step) {
  const std::size_t which = size_at(step, 1);
  if (step.word(0) == "buffer") {
    for (VkBufferView one : world->buffers[which].texels)
      vkDestroyBufferView(world->device, one, nullptr);
    vkDestroyBuffer(world->device, world->buffers[which].buffer, nullptr);
  } else if (step.word(0) == "memory") {
    vkFreeMemory(world->device, world->memories[which].memory, nullptr);
    std::free(world->memories[which].imported);
  } else if (step.word(0) == "image") {
    vkDestroyImageView(world->device, world->images[which].view, nullptr);
    if (!world->images[which].memory) return;
    vkDestroyImage(world->device, world->images[which].image, nullptr);
    vkFreeMemory(world->device, world->images[which].memory, nullptr);
  } else if (step.word(0) == "commands") {
    vkFreeCommandBuffers(world->device, world->pool, 1, &world->commands[which]);
    world->commands[which] = VK_NULL_HANDLE;
  } else {
    vkDestroyFence(world->device, world->fences[which], nullptr);
  }
}

void close(const Step& step) {
  told(step, vkDeviceWaitIdle(world->device));
  for (auto& [name, kernel] : world->kernels) {
    vkDestroyPipeline(world->device, kernel.pipeline, nullptr);
    vkDestroyPipelineLayout(world->device, kernel.layout, nullptr);
    vkDestroyDescriptorSetLayout(world->device, kernel.set_layout, nullptr);
    if (kernel.update) vkDestroyDescriptorUpdateTemplate(world->device, kernel.update, nullptr);
  }
  vkDestroySemaphore(world->device, world->timeline, nullptr);
  vkDestroyDescriptorPool(world->device, world->sets, nullptr);
  vkDestroyDescriptorPool(world->device, world->late_sets, nullptr);
  vkDestroyCommandPool(world->device, world->pool, nullptr);
  vkDestroyDevice(world->device, nullptr);
  vkDestroyInstance(world->instance, nullptr);
}

void capture(const Step& step) {
  if (step.word(0) == "start")
    reel_app_start(nullptr);
  else
    reel_app_stop();
}

const Operations operations = {
    {"memory", make_memory},
    {"buffer", make_buffer},
    {"image", make_image},
    {"imagepart", make_part},
    {"poke", poke},
    {"pokesize", poke_size},
    {"poketable", poke_table},
    {"peek", peek},
    {"commands", record},
    {"submit", submit},
    {"waitvalue", wait_value},
    {"pollvalue", poll_value},
    {"waitfence", wait_fence},
    {"pollfence", poll_fence},
    {"idle", [](const Step& s) { told(s, vkQueueWaitIdle(world->queue)); }},
    {"deviceidle", [](const Step& s) { told(s, vkDeviceWaitIdle(world->device)); }},
    {"release", release},
    {"close", close},
    {"capture", capture},
    {"signal", [](const Step& s) { world->flags.set(size_at(s, 0)); }},
    {"await", [](const Step& s) { world->flags.await(size_at(s, 0)); }},
};

// --- the device ----------------------------------------------------------------------------------

void open_device() {
  VkApplicationInfo application{};
  application.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO;
  application.apiVersion = VK_API_VERSION_1_3;
  VkInstanceCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO;
  info.pApplicationInfo = &application;
  MUST(vkCreateInstance(&info, nullptr, &world->instance));
  std::uint32_t count = 1;
  vkEnumeratePhysicalDevices(world->instance, &count, &world->physical);
  if (!count) throw std::runtime_error("There is no device.");
  VkPhysicalDeviceVulkan13Features newer{};
  newer.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_FEATURES;
  newer.synchronization2 = VK_TRUE;
  VkPhysicalDeviceVulkan12Features features{};
  features.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES;
  features.pNext = &newer;
  features.timelineSemaphore = features.bufferDeviceAddress = VK_TRUE;
  VkPhysicalDeviceVulkan12Features has{};
  has.sType = features.sType;
  VkPhysicalDeviceFeatures2 all{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2, &has, {}};
  vkGetPhysicalDeviceFeatures2(world->physical, &all);
  world->may_be_late = has.descriptorBindingStorageBufferUpdateAfterBind &&
                       has.descriptorBindingUniformBufferUpdateAfterBind &&
                       has.descriptorBindingStorageImageUpdateAfterBind &&
                       has.descriptorBindingUniformTexelBufferUpdateAfterBind &&
                       has.descriptorBindingStorageTexelBufferUpdateAfterBind;
  if (world->may_be_late)
    features.descriptorBindingStorageBufferUpdateAfterBind =
        features.descriptorBindingUniformBufferUpdateAfterBind =
            features.descriptorBindingStorageImageUpdateAfterBind =
                features.descriptorBindingUniformTexelBufferUpdateAfterBind =
                    features.descriptorBindingStorageTexelBufferUpdateAfterBind = VK_TRUE;
  const float priority = 1;
  VkDeviceQueueCreateInfo queue{};
  queue.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO;
  queue.queueFamilyIndex = world->family;
  queue.queueCount = 1;
  queue.pQueuePriorities = &priority;
  const char* const extensions[] = {VK_KHR_PUSH_DESCRIPTOR_EXTENSION_NAME,
                                    VK_EXT_EXTERNAL_MEMORY_HOST_EXTENSION_NAME,
                                    VK_EXT_CONDITIONAL_RENDERING_EXTENSION_NAME};
  VkPhysicalDeviceConditionalRenderingFeaturesEXT conditional{};
  conditional.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_CONDITIONAL_RENDERING_FEATURES_EXT;
  conditional.conditionalRendering = VK_TRUE;
  newer.pNext = &conditional;
  VkDeviceCreateInfo device{};
  device.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO;
  device.pNext = &features;
  device.queueCreateInfoCount = 1;
  device.pQueueCreateInfos = &queue;
  device.enabledExtensionCount = 3;
  device.ppEnabledExtensionNames = extensions;
  MUST(vkCreateDevice(world->physical, &device, nullptr, &world->device));
  vkGetDeviceQueue(world->device, world->family, 0, &world->queue);
  world->push_set = reinterpret_cast<PFN_vkCmdPushDescriptorSetKHR>(
      vkGetDeviceProcAddr(world->device, "vkCmdPushDescriptorSetKHR"));
  world->push_template = reinterpret_cast<PFN_vkCmdPushDescriptorSetWithTemplateKHR>(
      vkGetDeviceProcAddr(world->device, "vkCmdPushDescriptorSetWithTemplateKHR"));
  world->begin_section = reinterpret_cast<PFN_vkCmdBeginConditionalRenderingEXT>(
      vkGetDeviceProcAddr(world->device, "vkCmdBeginConditionalRenderingEXT"));
  world->end_section = reinterpret_cast<PFN_vkCmdEndConditionalRenderingEXT>(
      vkGetDeviceProcAddr(world->device, "vkCmdEndConditionalRenderingEXT"));
}

void open_pools() {
  const VkCommandPoolCreateInfo pool{VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO, nullptr,
                                     VK_COMMAND_POOL_CREATE_RESET_COMMAND_BUFFER_BIT,
                                     world->family};
  MUST(vkCreateCommandPool(world->device, &pool, nullptr, &world->pool));
  const std::array<VkDescriptorPoolSize, 7> sizes{
      {{VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 8192},
       {VK_DESCRIPTOR_TYPE_STORAGE_IMAGE, 1024},
       {VK_DESCRIPTOR_TYPE_UNIFORM_TEXEL_BUFFER, 1024},
       {VK_DESCRIPTOR_TYPE_STORAGE_TEXEL_BUFFER, 1024},
       {VK_DESCRIPTOR_TYPE_STORAGE_BUFFER_DYNAMIC, 8192},
       {VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER, 1024},
       {VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER_DYNAMIC, 1024}}};
  VkDescriptorPoolCreateInfo sets{
      VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO, nullptr,     0, 4096,
      static_cast<std::uint32_t>(sizes.size()),      sizes.data()};
  MUST(vkCreateDescriptorPool(world->device, &sets, nullptr, &world->sets));
  sets.flags = VK_DESCRIPTOR_POOL_CREATE_UPDATE_AFTER_BIND_BIT;
  if (world->may_be_late)
    MUST(vkCreateDescriptorPool(world->device, &sets, nullptr, &world->late_sets));
  const VkSemaphoreTypeCreateInfo type{VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO, nullptr,
                                       VK_SEMAPHORE_TYPE_TIMELINE, 0};
  const VkSemaphoreCreateInfo timeline{VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO, &type, 0};
  MUST(vkCreateSemaphore(world->device, &timeline, nullptr, &world->timeline));
}

}  // namespace

int main(int count, char** words) {
  return run_program(
      count, words,
      [](std::size_t steps) -> Said& {
        world = new World(steps);
        open_device();
        open_pools();
        return world->said;
      },
      operations);
}
