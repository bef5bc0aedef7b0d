// machine.h - what each program here needs: a device with a queue, memory, kernels, commands, and
// a digest of results.
//
// Programs print only what is the same in every run; what goes wrong ends them with 1. Functions
// are static, so that a program is one file and knows nothing of Reel. Memory that the host sees is
// mapped for as long as it lives, unless a program does it by itself.
#ifndef REEL_TESTS_LAYER_VULKAN_MACHINE_H
#define REEL_TESTS_LAYER_VULKAN_MACHINE_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <vulkan/vulkan.h>

#define CHECK(status) check((status), #status, __FILE__, __LINE__)
#define EXPECT(condition) expect((condition), #condition, __FILE__, __LINE__)
#define COUNT(list) ((uint32_t)(sizeof(list) / sizeof *(list)))

static inline void check(VkResult status, const char* what, const char* file, int line) {
  if (status == VK_SUCCESS) return;
  fprintf(stderr, "%s:%d: %s gave %d.\n", file, line, what, (int)status);
  exit(1);
}

static inline void expect(int condition, const char* what, const char* file, int line) {
  if (condition) return;
  fprintf(stderr, "%s:%d: %s doesn't hold.\n", file, line, what);
  exit(1);
}

// --- results ----------------------------------------------------------------------------------

// FNV-1a: short, and every bit of the input matters.
static inline void digest(const char* label, const void* bytes, size_t size) {
  uint64_t hash = 14695981039346656037ULL;
  for (size_t i = 0; i < size; ++i)
    hash = (hash ^ ((const unsigned char*)bytes)[i]) * 1099511628211ULL;
  printf("%s %016llx\n", label, (unsigned long long)hash);
  fflush(stdout);
}

// Numbers that repeat in every run and not within one.
static inline uint32_t scrambled(uint32_t i) {
  i = (i ^ (i >> 16)) * 0x7feb352dU;
  i = (i ^ (i >> 15)) * 0x846ca68bU;
  return i ^ (i >> 16);
}
static inline void fill_scrambled(void* bytes, size_t size, uint32_t seed) {
  for (size_t i = 0; i < size; ++i)
    ((unsigned char*)bytes)[i] = (unsigned char)scrambled((uint32_t)i + seed * 0x10001U);
}

// --- instance, device, queue ------------------------------------------------------------------

// What a program asks for beyond Vulkan 1.3; all of it may be left out.
typedef struct Wanted {
  const char* const* extensions;
  uint32_t extension_count;
  const char* const* instance_extensions;
  uint32_t instance_extension_count;
  const void* features;  // a chain for vkCreateDevice
  uint32_t more_queues;  // of the same family
} Wanted;

typedef struct Machine {
  VkInstance instance;
  VkPhysicalDevice physical;
  VkDevice device;
  VkQueue queue;
  uint32_t family;
  uint32_t memory_type;  // seen by the host, coherent
  VkCommandPool commands;
  VkDescriptorPool sets;
} Machine;

static inline VkInstance open_instance(const Wanted* wanted) {
  const VkApplicationInfo application = {.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO,
                                         .pApplicationName = "plain",
                                         .apiVersion = VK_API_VERSION_1_3};
  const VkInstanceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO,
                                     .pApplicationInfo = &application,
                                     .enabledExtensionCount = wanted->instance_extension_count,
                                     .ppEnabledExtensionNames = wanted->instance_extensions};
  VkInstance instance;
  CHECK(vkCreateInstance(&info, NULL, &instance));
  return instance;
}

static inline VkPhysicalDevice first_device(VkInstance instance) {
  VkPhysicalDevice physical;
  uint32_t count = 1;
  const VkResult status = vkEnumeratePhysicalDevices(instance, &count, &physical);
  EXPECT(status == VK_SUCCESS || status == VK_INCOMPLETE);
  EXPECT(count == 1);
  return physical;
}

static inline uint32_t compute_family(VkPhysicalDevice physical) {
  VkQueueFamilyProperties families[16];
  uint32_t count = 16;
  vkGetPhysicalDeviceQueueFamilyProperties(physical, &count, families);
  for (uint32_t i = 0; i < count; ++i)
    if (families[i].queueFlags & VK_QUEUE_COMPUTE_BIT) return i;
  EXPECT(!"a family of queues that compute");
  return 0;
}

static inline uint32_t coherent_type(VkPhysicalDevice physical) {
  const VkMemoryPropertyFlags wanted =
      VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
  VkPhysicalDeviceMemoryProperties memory;
  vkGetPhysicalDeviceMemoryProperties(physical, &memory);
  for (uint32_t i = 0; i < memory.memoryTypeCount; ++i)
    if ((memory.memoryTypes[i].propertyFlags & wanted) == wanted) return i;
  EXPECT(!"a type of memory that is coherent");
  return 0;
}

static inline VkDevice open_device(VkPhysicalDevice physical, uint32_t family,
                                   const Wanted* wanted) {
  const float priorities[4] = {1, 1, 1, 1};
  const VkDeviceQueueCreateInfo queue = {.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO,
                                         .queueFamilyIndex = family,
                                         .queueCount = 1 + wanted->more_queues,
                                         .pQueuePriorities = priorities};
  const VkDeviceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO,
                                   .pNext = wanted->features,
                                   .queueCreateInfoCount = 1,
                                   .pQueueCreateInfos = &queue,
                                   .enabledExtensionCount = wanted->extension_count,
                                   .ppEnabledExtensionNames = wanted->extensions};
  VkDevice device;
  CHECK(vkCreateDevice(physical, &info, NULL, &device));
  return device;
}

static inline VkCommandPool make_command_pool(VkDevice device, uint32_t family) {
  const VkCommandPoolCreateInfo info = {.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO,
                                        .flags = VK_COMMAND_POOL_CREATE_RESET_COMMAND_BUFFER_BIT,
                                        .queueFamilyIndex = family};
  VkCommandPool pool;
  CHECK(vkCreateCommandPool(device, &info, NULL, &pool));
  return pool;
}

static inline VkDescriptorPool make_set_pool(VkDevice device) {
  const VkDescriptorPoolSize sizes[] = {{VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 512},
                                        {VK_DESCRIPTOR_TYPE_STORAGE_BUFFER_DYNAMIC, 64},
                                        {VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER, 128},
                                        {VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER_DYNAMIC, 64},
                                        {VK_DESCRIPTOR_TYPE_STORAGE_IMAGE, 64},
                                        {VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE, 64},
                                        {VK_DESCRIPTOR_TYPE_SAMPLER, 64},
                                        {VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, 64},
                                        {VK_DESCRIPTOR_TYPE_UNIFORM_TEXEL_BUFFER, 8},
                                        {VK_DESCRIPTOR_TYPE_STORAGE_TEXEL_BUFFER, 8}};
  const VkDescriptorPoolCreateInfo info = {
      .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO,
      .flags = VK_DESCRIPTOR_POOL_CREATE_FREE_DESCRIPTOR_SET_BIT,
      .maxSets = 256,
      .poolSizeCount = COUNT(sizes),
      .pPoolSizes = sizes};
  VkDescriptorPool pool;
  CHECK(vkCreateDescriptorPool(device, &info, NULL, &pool));
  return pool;
}

// A further device of an instance; shares nothing with others but the instance.
static inline Machine open_on(VkInstance instance, const Wanted* wanted) {
  Machine machine = {.instance = instance, .physical = first_device(instance)};
  machine.family = compute_family(machine.physical);
  machine.memory_type = coherent_type(machine.physical);
  machine.device = open_device(machine.physical, machine.family, wanted);
  vkGetDeviceQueue(machine.device, machine.family, 0, &machine.queue);
  machine.commands = make_command_pool(machine.device, machine.family);
  machine.sets = make_set_pool(machine.device);
  return machine;
}

static inline Machine open_machine_with(const Wanted* wanted) {
  return open_on(open_instance(wanted), wanted);
}

static inline Machine open_machine(void) {
  const Wanted nothing = {0};
  return open_machine_with(&nothing);
}

static inline void close_device(Machine* machine) {
  vkDestroyDescriptorPool(machine->device, machine->sets, NULL);
  vkDestroyCommandPool(machine->device, machine->commands, NULL);
  vkDestroyDevice(machine->device, NULL);
}

static inline void close_machine(Machine* machine) {
  close_device(machine);
  vkDestroyInstance(machine->instance, NULL);
}

// --- memory -----------------------------------------------------------------------------------

typedef struct Buffer {
  VkBuffer buffer;
  VkDeviceMemory memory;
  VkDeviceSize size;
  void* bytes;  // where it is mapped
} Buffer;

static inline VkBuffer make_bare_buffer(const Machine* machine, VkDeviceSize size,
                                        VkBufferUsageFlags usage) {
  const VkBufferCreateInfo info = {
      .sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO, .size = size, .usage = usage};
  VkBuffer buffer;
  CHECK(vkCreateBuffer(machine->device, &info, NULL, &buffer));
  return buffer;
}

static inline VkDeviceMemory make_memory(const Machine* machine, VkDeviceSize size,
                                         const void* next) {
  const VkMemoryAllocateInfo info = {.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO,
                                     .pNext = next,
                                     .allocationSize = size,
                                     .memoryTypeIndex = machine->memory_type};
  VkDeviceMemory memory;
  CHECK(vkAllocateMemory(machine->device, &info, NULL, &memory));
  return memory;
}

static inline void* map_memory(const Machine* machine, VkDeviceMemory memory) {
  void* bytes;
  CHECK(vkMapMemory(machine->device, memory, 0, VK_WHOLE_SIZE, 0, &bytes));
  return bytes;
}

static inline Buffer make_buffer(const Machine* machine, VkDeviceSize size,
                                 VkBufferUsageFlags usage) {
  Buffer made = {.buffer = make_bare_buffer(machine, size, usage), .size = size};
  VkMemoryRequirements needs;
  vkGetBufferMemoryRequirements(machine->device, made.buffer, &needs);
  made.memory = make_memory(machine, needs.size, NULL);
  CHECK(vkBindBufferMemory(machine->device, made.buffer, made.memory, 0));
  made.bytes = map_memory(machine, made.memory);
  return made;
}

// For kernels alone, with contents.
static inline Buffer make_storage(const Machine* machine, VkDeviceSize size, uint32_t seed) {
  Buffer made = make_buffer(machine, size, VK_BUFFER_USAGE_STORAGE_BUFFER_BIT);
  fill_scrambled(made.bytes, size, seed);
  return made;
}

static inline void free_buffer(const Machine* machine, Buffer* buffer) {
  vkDestroyBuffer(machine->device, buffer->buffer, NULL);
  vkFreeMemory(machine->device, buffer->memory, NULL);
}

static inline void free_buffers(const Machine* machine, uint32_t count, Buffer* const* buffers) {
  for (uint32_t i = 0; i < count; ++i) free_buffer(machine, buffers[i]);
}
#define FREE_BUFFERS(machine, ...) \
  free_buffers((machine), COUNT(((Buffer* const[]){__VA_ARGS__})), (Buffer* const[]){__VA_ARGS__})

static inline void digest_buffer(const char* label, const Buffer* buffer) {
  digest(label, buffer->bytes, buffer->size);
}

// --- kernels ----------------------------------------------------------------------------------

typedef struct Shader {
  const uint32_t* words;
  size_t size;
} Shader;
#define SHADER(name) ((Shader){name, sizeof name})

typedef struct Kernel {
  VkDescriptorSetLayout set_layout;
  VkPipelineLayout layout;
  VkPipeline pipeline;
} Kernel;

static inline VkShaderModule make_module(const Machine* machine, Shader shader) {
  const VkShaderModuleCreateInfo info = {.sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO,
                                         .codeSize = shader.size,
                                         .pCode = shader.words};
  VkShaderModule module;
  CHECK(vkCreateShaderModule(machine->device, &info, NULL, &module));
  return module;
}

static inline VkDescriptorSetLayout make_set_layout(const Machine* machine, uint32_t count,
                                                    const VkDescriptorSetLayoutBinding* bindings,
                                                    VkDescriptorSetLayoutCreateFlags flags) {
  const VkDescriptorSetLayoutCreateInfo info = {
      .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO,
      .flags = flags,
      .bindingCount = count,
      .pBindings = bindings};
  VkDescriptorSetLayout layout;
  CHECK(vkCreateDescriptorSetLayout(machine->device, &info, NULL, &layout));
  return layout;
}

static inline VkDescriptorSetLayoutBinding binding(uint32_t at, VkDescriptorType type,
                                                   uint32_t count) {
  return (VkDescriptorSetLayoutBinding){.binding = at,
                                        .descriptorType = type,
                                        .descriptorCount = count,
                                        .stageFlags = VK_SHADER_STAGE_COMPUTE_BIT};
}

static inline VkPipelineLayout make_layout(const Machine* machine, uint32_t count,
                                           const VkDescriptorSetLayout* sets, uint32_t push_bytes) {
  const VkPushConstantRange push = {VK_SHADER_STAGE_COMPUTE_BIT, 0, push_bytes};
  const VkPipelineLayoutCreateInfo info = {.sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO,
                                           .setLayoutCount = count,
                                           .pSetLayouts = sets,
                                           .pushConstantRangeCount = push_bytes ? 1 : 0,
                                           .pPushConstantRanges = &push};
  VkPipelineLayout layout;
  CHECK(vkCreatePipelineLayout(machine->device, &info, NULL, &layout));
  return layout;
}

// What of a pipeline isn't always the same; all may be left out.
typedef struct PipelineWish {
  const char* entry;
  const VkSpecializationInfo* constants;
  const void* stage_next;
  VkPipelineShaderStageCreateFlags stage_flags;
  VkPipelineCreateFlags flags;
  VkPipelineCache cache;
} PipelineWish;

static inline VkPipeline make_pipeline(const Machine* machine, Shader shader,
                                       VkPipelineLayout layout, const PipelineWish* wish) {
  VkShaderModule module = make_module(machine, shader);
  const VkComputePipelineCreateInfo info = {
      .sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO,
      .flags = wish->flags,
      .stage = {.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
                .pNext = wish->stage_next,
                .flags = wish->stage_flags,
                .stage = VK_SHADER_STAGE_COMPUTE_BIT,
                .module = module,
                .pName = wish->entry ? wish->entry : "main",
                .pSpecializationInfo = wish->constants},
      .layout = layout};
  VkPipeline pipeline;
  CHECK(vkCreateComputePipelines(machine->device, wish->cache, 1, &info, NULL, &pipeline));
  // A pipeline keeps what it needs of its module.
  vkDestroyShaderModule(machine->device, module, NULL);
  return pipeline;
}

// One set of storage buffers 0, 1, 2 ...
static inline Kernel make_kernel_with(const Machine* machine, Shader shader, uint32_t buffers,
                                      uint32_t push_bytes, const PipelineWish* wish) {
  VkDescriptorSetLayoutBinding bindings[16];
  for (uint32_t i = 0; i < buffers; ++i)
    bindings[i] = binding(i, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1);
  Kernel kernel = {.set_layout = make_set_layout(machine, buffers, bindings, 0)};
  kernel.layout = make_layout(machine, 1, &kernel.set_layout, push_bytes);
  kernel.pipeline = make_pipeline(machine, shader, kernel.layout, wish);
  return kernel;
}

static inline Kernel make_kernel(const Machine* machine, Shader shader, uint32_t buffers,
                                 uint32_t push_bytes) {
  const PipelineWish plain = {0};
  return make_kernel_with(machine, shader, buffers, push_bytes, &plain);
}

static inline void free_kernel(const Machine* machine, Kernel* kernel) {
  vkDestroyPipeline(machine->device, kernel->pipeline, NULL);
  vkDestroyPipelineLayout(machine->device, kernel->layout, NULL);
  vkDestroyDescriptorSetLayout(machine->device, kernel->set_layout, NULL);
}

static inline void free_kernels(const Machine* machine, uint32_t count, Kernel* const* kernels) {
  for (uint32_t i = 0; i < count; ++i) free_kernel(machine, kernels[i]);
}
#define FREE_KERNELS(machine, ...) \
  free_kernels((machine), COUNT(((Kernel* const[]){__VA_ARGS__})), (Kernel* const[]){__VA_ARGS__})

static inline VkDescriptorSet make_set(const Machine* machine, VkDescriptorSetLayout layout) {
  const VkDescriptorSetAllocateInfo info = {.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO,
                                            .descriptorPool = machine->sets,
                                            .descriptorSetCount = 1,
                                            .pSetLayouts = &layout};
  VkDescriptorSet set;
  CHECK(vkAllocateDescriptorSets(machine->device, &info, &set));
  return set;
}

static inline void write_range(const Machine* machine, VkDescriptorSet set, uint32_t at,
                               VkDescriptorType type, VkBuffer buffer, VkDeviceSize offset,
                               VkDeviceSize range) {
  const VkDescriptorBufferInfo info = {buffer, offset, range};
  const VkWriteDescriptorSet write = {.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
                                      .dstSet = set,
                                      .dstBinding = at,
                                      .descriptorCount = 1,
                                      .descriptorType = type,
                                      .pBufferInfo = &info};
  vkUpdateDescriptorSets(machine->device, 1, &write, 0, NULL);
}

static inline void write_storage(const Machine* machine, VkDescriptorSet set, uint32_t at,
                                 const Buffer* buffer) {
  write_range(machine, set, at, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, buffer->buffer, 0,
              VK_WHOLE_SIZE);
}

// A set for a kernel of make_kernel, of whole buffers.
static inline VkDescriptorSet bind_all(const Machine* machine, const Kernel* kernel, uint32_t count,
                                       const Buffer* const* buffers) {
  VkDescriptorSet set = make_set(machine, kernel->set_layout);
  for (uint32_t i = 0; i < count; ++i) write_storage(machine, set, i, buffers[i]);
  return set;
}
#define BIND(machine, kernel, ...)                                             \
  bind_all((machine), (kernel), COUNT(((const Buffer* const[]){__VA_ARGS__})), \
           (const Buffer* const[]){__VA_ARGS__})

// --- commands ---------------------------------------------------------------------------------

static inline VkCommandBuffer make_commands(const Machine* machine, VkCommandBufferLevel level) {
  const VkCommandBufferAllocateInfo info = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
                                            .commandPool = machine->commands,
                                            .level = level,
                                            .commandBufferCount = 1};
  VkCommandBuffer commands;
  CHECK(vkAllocateCommandBuffers(machine->device, &info, &commands));
  return commands;
}

static inline void begin(VkCommandBuffer commands, VkCommandBufferUsageFlags flags) {
  const VkCommandBufferBeginInfo info = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO,
                                         .flags = flags};
  CHECK(vkBeginCommandBuffer(commands, &info));
}

// Given once, as most programs do.
static inline VkCommandBuffer begin_once(const Machine* machine) {
  VkCommandBuffer commands = make_commands(machine, VK_COMMAND_BUFFER_LEVEL_PRIMARY);
  begin(commands, VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT);
  return commands;
}

// Given as often as one likes.
static inline VkCommandBuffer begin_many(const Machine* machine) {
  VkCommandBuffer commands = make_commands(machine, VK_COMMAND_BUFFER_LEVEL_PRIMARY);
  begin(commands, 0);
  return commands;
}

static inline void submit(const Machine* machine, uint32_t count, const VkCommandBuffer* commands,
                          VkFence fence) {
  const VkSubmitInfo info = {.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
                             .commandBufferCount = count,
                             .pCommandBuffers = commands};
  CHECK(vkQueueSubmit(machine->queue, 1, &info, fence));
}

static inline VkFence make_fence(const Machine* machine) {
  const VkFenceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO};
  VkFence fence;
  CHECK(vkCreateFence(machine->device, &info, NULL, &fence));
  return fence;
}

static inline void wait_fence(const Machine* machine, VkFence fence) {
  CHECK(vkWaitForFences(machine->device, 1, &fence, VK_TRUE, UINT64_MAX));
}

// Submits and waits by a fence; the buffer may be given again.
static inline void run(const Machine* machine, VkCommandBuffer commands) {
  VkFence fence = make_fence(machine);
  submit(machine, 1, &commands, fence);
  wait_fence(machine, fence);
  vkDestroyFence(machine->device, fence, NULL);
}

static inline void end_and_run(const Machine* machine, VkCommandBuffer commands) {
  CHECK(vkEndCommandBuffer(commands));
  run(machine, commands);
  vkFreeCommandBuffers(machine->device, machine->commands, 1, &commands);
}

static inline void order(VkCommandBuffer commands, VkPipelineStageFlags from,
                         VkAccessFlags from_access, VkPipelineStageFlags to,
                         VkAccessFlags to_access) {
  const VkMemoryBarrier memory = {.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER,
                                  .srcAccessMask = from_access,
                                  .dstAccessMask = to_access};
  vkCmdPipelineBarrier(commands, from, to, 0, 1, &memory, 0, NULL, 0, NULL);
}

enum {
  shader_stage = VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT,
  shader_access = VK_ACCESS_SHADER_READ_BIT | VK_ACCESS_SHADER_WRITE_BIT,
  transfer_stage = VK_PIPELINE_STAGE_TRANSFER_BIT,
  transfer_access = VK_ACCESS_TRANSFER_READ_BIT | VK_ACCESS_TRANSFER_WRITE_BIT,
};

static inline void order_kernels(VkCommandBuffer commands) {
  order(commands, shader_stage, VK_ACCESS_SHADER_WRITE_BIT, shader_stage, shader_access);
}

// Everything before it with everything after it, the host too.
static inline void order_all(VkCommandBuffer commands) {
  order(commands, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT | VK_PIPELINE_STAGE_HOST_BIT,
        VK_ACCESS_MEMORY_WRITE_BIT | VK_ACCESS_HOST_WRITE_BIT,
        VK_PIPELINE_STAGE_ALL_COMMANDS_BIT | VK_PIPELINE_STAGE_HOST_BIT,
        VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT | VK_ACCESS_HOST_READ_BIT);
}

static inline void order_for_host(VkCommandBuffer commands) {
  order(commands, shader_stage | transfer_stage,
        VK_ACCESS_SHADER_WRITE_BIT | VK_ACCESS_TRANSFER_WRITE_BIT, VK_PIPELINE_STAGE_HOST_BIT,
        VK_ACCESS_HOST_READ_BIT);
}

static inline void use(VkCommandBuffer commands, const Kernel* kernel, VkDescriptorSet set) {
  vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, kernel->pipeline);
  vkCmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_COMPUTE, kernel->layout, 0, 1, &set, 0,
                          NULL);
}

static inline void push(VkCommandBuffer commands, const Kernel* kernel, uint32_t size,
                        const void* bytes) {
  vkCmdPushConstants(commands, kernel->layout, VK_SHADER_STAGE_COMPUTE_BIT, 0, size, bytes);
}

static inline void push_two(VkCommandBuffer commands, const Kernel* kernel, uint32_t first,
                            uint32_t second) {
  const uint32_t both[2] = {first, second};
  push(commands, kernel, sizeof both, both);
}

// Many kernels here have groups of 64 items.
static inline uint32_t groups_of(VkDeviceSize size) { return (uint32_t)((size / 4 + 63) / 64); }

#endif
