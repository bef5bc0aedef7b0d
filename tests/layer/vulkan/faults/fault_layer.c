// fault_layer.c - a layer that makes a driver worse than it is: what the layer above it must bear.
//
//   FAULT_CALL=vkAllocateMemory   this function, or the kinds create (every vkCreate… and
//                                 vkAllocate…) and queue (what submits and waits),
//   FAULT_AT=3                    at its third call, from 1 on,
//   FAULT_RESULT=-2               answers this and does nothing. After a device was lost (-4) all
//                                 of the kind queue answer that.
//   FAULT_INCOHERENT=1            adds a type of memory that the host sees by flushes alone: maps
//                                 are copies, so who forgets one finds other bytes.
//   FAULT_QUEUES=1                the first family has a second queue: the first, by another name.
//   FAULT_FAMILIES=1              there is a second family, with one queue: the first, by another
//                                 name.
//   FAULT_COUNT=path              writes how often FAULT_CALL was called, when the process ends.
//
// Arguments are handed through as words, which the calling convention of x86-64 and of arm64 has in
// registers: no function here takes more than six, and none of them a float.
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <vulkan/vk_layer.h>
#include <vulkan/vulkan.h>

#define EXPORT __attribute__((visibility("default")))
#define LAYER "VK_LAYER_REEL_TEST_fault"

typedef uint64_t Word;
typedef VkResult (*Plain)(Word, Word, Word, Word, Word, Word);

static PFN_vkGetInstanceProcAddr next_instance_function;
static PFN_vkGetDeviceProcAddr next_device_function;
static VkInstance instance_of_all;
static VkDevice device_of_all;
static PFN_vkDeviceWaitIdle next_idle;
static atomic_int calls, is_lost;

// --- which call fails -------------------------------------------------------------------------

static int setting(const char* name) {
  const char* value = getenv(name);
  return value ? atoi(value) : 0;
}

static int is_meant(const char* name, int is_queue) {
  const char* wanted = getenv("FAULT_CALL");
  if (!wanted) return 0;
  if (!strcmp(wanted, "queue")) return is_queue;
  if (!strcmp(wanted, "create"))
    return !strncmp(name, "vkCreate", 8) || !strncmp(name, "vkAllocate", 10);
  return !strcmp(wanted, name);
}

static void tell_count(void) {
  FILE* file = fopen(getenv("FAULT_COUNT"), "w");
  if (!file) return;
  fprintf(file, "%d\n", atomic_load(&calls));
  fclose(file);
}

// What it answers in place of the driver; VK_SUCCESS: it doesn't.
static VkResult fault(const char* name, int is_queue) {
  if (is_queue && atomic_load(&is_lost)) return VK_ERROR_DEVICE_LOST;
  if (!is_meant(name, is_queue)) return VK_SUCCESS;
  const int number = atomic_fetch_add(&calls, 1) + 1;
  if (number == 1 && getenv("FAULT_COUNT")) atexit(tell_count);
  if (number != setting("FAULT_AT")) return VK_SUCCESS;
  const VkResult result = (VkResult)setting("FAULT_RESULT");
  if (result == VK_ERROR_DEVICE_LOST) {
    // What is lost does nothing any more. (Among all of a kind, some of it may wait for the host.)
    if (strcmp(getenv("FAULT_CALL"), "queue")) next_idle(device_of_all);
    atomic_store(&is_lost, 1);
  }
  return result;
}

// Functions that may fail and are otherwise handed through: name, whether it is of the kind queue.
#define FAULTY(F)                   \
  F(vkCreateBuffer, 0)              \
  F(vkCreateBufferView, 0)          \
  F(vkCreateImage, 0)               \
  F(vkCreateImageView, 0)           \
  F(vkCreateSampler, 0)             \
  F(vkCreateFence, 0)               \
  F(vkCreateSemaphore, 0)           \
  F(vkCreateEvent, 0)               \
  F(vkCreateQueryPool, 0)           \
  F(vkCreateShaderModule, 0)        \
  F(vkCreatePipelineCache, 0)       \
  F(vkCreateComputePipelines, 0)    \
  F(vkCreatePipelineLayout, 0)      \
  F(vkCreateDescriptorSetLayout, 0) \
  F(vkCreateDescriptorPool, 0)      \
  F(vkAllocateDescriptorSets, 0)    \
  F(vkCreateCommandPool, 0)         \
  F(vkAllocateCommandBuffers, 0)    \
  F(vkBindBufferMemory, 0)          \
  F(vkBeginCommandBuffer, 0)        \
  F(vkEndCommandBuffer, 0)          \
  F(vkResetCommandBuffer, 0)        \
  F(vkResetFences, 0)               \
  F(vkCreateSwapchainKHR, 0)        \
  F(vkAcquireNextImageKHR, 0)       \
  F(vkQueuePresentKHR, 1)           \
  F(vkQueueSubmit, 1)               \
  F(vkQueueSubmit2, 1)              \
  F(vkQueueWaitIdle, 1)             \
  F(vkDeviceWaitIdle, 1)            \
  F(vkWaitForFences, 1)             \
  F(vkGetFenceStatus, 1)            \
  F(vkWaitSemaphores, 1)            \
  F(vkGetSemaphoreCounterValue, 1)

// A queue more: the loader writes into the first word.
static struct { Word loader, zero; } queue_of_ours;
static VkQueue queue_below;

#define WRAPPER(name, is_queue)                                                   \
  static Plain next_##name;                                                       \
  static VkResult faulty_##name(Word a, Word b, Word c, Word d, Word e, Word f) { \
    const VkResult result = fault(#name, is_queue);                               \
    if (a == (Word)(uintptr_t)&queue_of_ours) a = (Word)(uintptr_t)queue_below;   \
    return result ? result : next_##name(a, b, c, d, e, f);                       \
  }
FAULTY(WRAPPER)

static PFN_vkGetPhysicalDeviceQueueFamilyProperties next_families;
static PFN_vkGetDeviceQueue next_queue;

static void VKAPI_CALL families(VkPhysicalDevice physical, uint32_t* count,
                                VkQueueFamilyProperties* properties) {
  const uint32_t room = *count;
  next_families(physical, count, properties);
  if (properties && *count && setting("FAULT_QUEUES")) properties[0].queueCount = 2;
  if (!setting("FAULT_FAMILIES") || !*count) return;
  if (!properties) {
    ++*count;
  } else if (*count < room) {
    properties[*count] = properties[0];
    ++*count;
  }
}

static void VKAPI_CALL get_queue(VkDevice device, uint32_t family, uint32_t index, VkQueue* queue) {
  if (index == 0 && family == 0) {
    next_queue(device, family, index, queue);
    return;
  }
  next_queue(device, 0, 0, &queue_below);
  queue_of_ours.loader = *(Word*)(void*)queue_below;
  *queue = (VkQueue)(void*)&queue_of_ours;
}

// Pools of the second family have buffers of the first.
static VkResult VKAPI_CALL create_pool(VkDevice device, const VkCommandPoolCreateInfo* info,
                                       const VkAllocationCallbacks* allocator,
                                       VkCommandPool* pool) {
  VkCommandPoolCreateInfo real = *info;
  if (setting("FAULT_FAMILIES")) real.queueFamilyIndex = 0;
  return faulty_vkCreateCommandPool((Word)(uintptr_t)device, (Word)(uintptr_t)&real,
                                    (Word)(uintptr_t)allocator, (Word)(uintptr_t)pool, 0, 0);
}

// --- memory that is not coherent --------------------------------------------------------------

// Type 0 is the driver's, type 1 ours: the same memory, seen through copies.
typedef struct Mapped {
  VkDeviceMemory memory;
  VkDeviceSize size, offset;
  char *copy, *real;
} Mapped;
enum { most_mapped = 1024 };
static Mapped mapped[most_mapped];
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static PFN_vkGetPhysicalDeviceMemoryProperties next_memory_properties;
static PFN_vkGetBufferMemoryRequirements next_buffer_needs;
static PFN_vkAllocateMemory next_allocate;
static PFN_vkFreeMemory next_free;
static PFN_vkMapMemory next_map;
static PFN_vkUnmapMemory next_unmap;

static Mapped* find(VkDeviceMemory memory) {
  for (int i = 0; i < most_mapped; ++i)
    if (mapped[i].memory == memory && memory) return &mapped[i];
  return NULL;
}

static void VKAPI_CALL memory_properties(VkPhysicalDevice physical,
                                         VkPhysicalDeviceMemoryProperties* properties) {
  next_memory_properties(physical, properties);
  if (!setting("FAULT_INCOHERENT") || properties->memoryTypeCount != 1) return;
  properties->memoryTypes[1] = properties->memoryTypes[0];
  properties->memoryTypes[1].propertyFlags &=
      ~(VkMemoryPropertyFlags)VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
  properties->memoryTypeCount = 2;
}

static void VKAPI_CALL buffer_needs(VkDevice device, VkBuffer buffer, VkMemoryRequirements* needs) {
  next_buffer_needs(device, buffer, needs);
  if (setting("FAULT_INCOHERENT") && needs->memoryTypeBits & 1) needs->memoryTypeBits |= 2;
}

static VkResult VKAPI_CALL allocate(VkDevice device, const VkMemoryAllocateInfo* info,
                                    const VkAllocationCallbacks* allocator,
                                    VkDeviceMemory* memory) {
  const VkResult wrong = fault("vkAllocateMemory", 0);
  if (wrong) return wrong;
  VkMemoryAllocateInfo real = *info;
  if (setting("FAULT_INCOHERENT")) real.memoryTypeIndex = 0;
  const VkResult result = next_allocate(device, &real, allocator, memory);
  if (result || info->memoryTypeIndex == real.memoryTypeIndex) return result;
  pthread_mutex_lock(&mutex);
  for (int i = 0; i < most_mapped; ++i)
    if (!mapped[i].memory) {
      mapped[i] = (Mapped){.memory = *memory, .size = info->allocationSize};
      break;
    }
  pthread_mutex_unlock(&mutex);
  return result;
}

static void VKAPI_CALL free_memory(VkDevice device, VkDeviceMemory memory,
                                   const VkAllocationCallbacks* allocator) {
  pthread_mutex_lock(&mutex);
  Mapped* known = find(memory);
  if (known) {
    free(known->copy);
    memset(known, 0, sizeof *known);
  }
  pthread_mutex_unlock(&mutex);
  next_free(device, memory, allocator);
}

static VkResult VKAPI_CALL map(VkDevice device, VkDeviceMemory memory, VkDeviceSize offset,
                               VkDeviceSize size, VkMemoryMapFlags flags, void** bytes) {
  const VkResult wrong = fault("vkMapMemory", 0);
  if (wrong) return wrong;
  const VkResult result = next_map(device, memory, offset, size, flags, bytes);
  pthread_mutex_lock(&mutex);
  Mapped* known = result ? NULL : find(memory);
  if (known) {
    const VkDeviceSize length = size == VK_WHOLE_SIZE ? known->size - offset : size;
    known->real = *bytes;
    known->offset = offset;
    known->copy = malloc(length);
    memcpy(known->copy, known->real, length);
    *bytes = known->copy;
  }
  pthread_mutex_unlock(&mutex);
  return result;
}

static void VKAPI_CALL unmap(VkDevice device, VkDeviceMemory memory) {
  pthread_mutex_lock(&mutex);
  Mapped* known = find(memory);
  if (known) {
    free(known->copy);
    known->copy = known->real = NULL;
  }
  pthread_mutex_unlock(&mutex);
  next_unmap(device, memory);
}

static VkResult move(uint32_t count, const VkMappedMemoryRange* ranges, int to_device) {
  pthread_mutex_lock(&mutex);
  for (uint32_t i = 0; i < count; ++i) {
    Mapped* known = find(ranges[i].memory);
    if (!known || !known->copy) continue;
    const VkDeviceSize at = ranges[i].offset - known->offset;
    const VkDeviceSize size =
        ranges[i].size == VK_WHOLE_SIZE ? known->size - ranges[i].offset : ranges[i].size;
    if (to_device)
      memcpy(known->real + at, known->copy + at, size);
    else
      memcpy(known->copy + at, known->real + at, size);
  }
  pthread_mutex_unlock(&mutex);
  return VK_SUCCESS;
}
static VkResult VKAPI_CALL flush(VkDevice device, uint32_t count,
                                 const VkMappedMemoryRange* ranges) {
  (void)device;
  return move(count, ranges, 1);
}
static VkResult VKAPI_CALL invalidate(VkDevice device, uint32_t count,
                                      const VkMappedMemoryRange* ranges) {
  (void)device;
  return move(count, ranges, 0);
}

// --- the loader's way in ----------------------------------------------------------------------

static PFN_vkVoidFunction VKAPI_CALL instance_function(VkInstance instance, const char* name);
static PFN_vkVoidFunction VKAPI_CALL device_function(VkDevice device, const char* name);

static VkResult VKAPI_CALL create_instance(const VkInstanceCreateInfo* info,
                                           const VkAllocationCallbacks* allocator,
                                           VkInstance* instance) {
  const VkResult wrong = fault("vkCreateInstance", 0);
  if (wrong) return wrong;
  VkLayerInstanceCreateInfo* link = (VkLayerInstanceCreateInfo*)info->pNext;
  while (link && !(link->sType == VK_STRUCTURE_TYPE_LOADER_INSTANCE_CREATE_INFO &&
                   link->function == VK_LAYER_LINK_INFO))
    link = (VkLayerInstanceCreateInfo*)link->pNext;
  if (!link) return VK_ERROR_INITIALIZATION_FAILED;
  next_instance_function = link->u.pLayerInfo->pfnNextGetInstanceProcAddr;
  link->u.pLayerInfo = link->u.pLayerInfo->pNext;
  const VkResult result = ((PFN_vkCreateInstance)next_instance_function(
      VK_NULL_HANDLE, "vkCreateInstance"))(info, allocator, instance);
  if (result) return result;
  instance_of_all = *instance;
  // Now: asked later, the loader would give its own, which leads back here.
  next_families = (PFN_vkGetPhysicalDeviceQueueFamilyProperties)next_instance_function(
      *instance, "vkGetPhysicalDeviceQueueFamilyProperties");
  next_memory_properties = (PFN_vkGetPhysicalDeviceMemoryProperties)next_instance_function(
      *instance, "vkGetPhysicalDeviceMemoryProperties");
  return result;
}

static VkResult VKAPI_CALL create_device(VkPhysicalDevice physical, const VkDeviceCreateInfo* info,
                                         const VkAllocationCallbacks* allocator, VkDevice* device) {
  const VkResult wrong = fault("vkCreateDevice", 0);
  if (wrong) return wrong;
  VkLayerDeviceCreateInfo* link = (VkLayerDeviceCreateInfo*)info->pNext;
  while (link && !(link->sType == VK_STRUCTURE_TYPE_LOADER_DEVICE_CREATE_INFO &&
                   link->function == VK_LAYER_LINK_INFO))
    link = (VkLayerDeviceCreateInfo*)link->pNext;
  if (!link) return VK_ERROR_INITIALIZATION_FAILED;
  const PFN_vkGetInstanceProcAddr get = link->u.pLayerInfo->pfnNextGetInstanceProcAddr;
  next_device_function = link->u.pLayerInfo->pfnNextGetDeviceProcAddr;
  link->u.pLayerInfo = link->u.pLayerInfo->pNext;
  VkDeviceQueueCreateInfo queues[8];
  VkDeviceCreateInfo real = *info;
  for (uint32_t i = 0; i < info->queueCreateInfoCount && i < 8; ++i) {
    queues[i] = info->pQueueCreateInfos[i];
    if (setting("FAULT_QUEUES")) queues[i].queueCount = 1;
  }
  if (info->queueCreateInfoCount <= 8) real.pQueueCreateInfos = queues;
  if (setting("FAULT_FAMILIES")) {
    queues[0].queueFamilyIndex = 0;
    real.queueCreateInfoCount = 1;
  }
  const VkResult result = ((PFN_vkCreateDevice)get(instance_of_all, "vkCreateDevice"))(
      physical, &real, allocator, device);
  if (result) return result;
#define LOAD(name, is_queue) next_##name = (Plain)next_device_function(*device, #name);
  FAULTY(LOAD)
  device_of_all = *device;
  next_idle = (PFN_vkDeviceWaitIdle)next_device_function(*device, "vkDeviceWaitIdle");
  next_queue = (PFN_vkGetDeviceQueue)next_device_function(*device, "vkGetDeviceQueue");
  next_buffer_needs = (PFN_vkGetBufferMemoryRequirements)next_device_function(
      *device, "vkGetBufferMemoryRequirements");
  next_allocate = (PFN_vkAllocateMemory)next_device_function(*device, "vkAllocateMemory");
  next_free = (PFN_vkFreeMemory)next_device_function(*device, "vkFreeMemory");
  next_map = (PFN_vkMapMemory)next_device_function(*device, "vkMapMemory");
  next_unmap = (PFN_vkUnmapMemory)next_device_function(*device, "vkUnmapMemory");
  return result;
}

typedef struct Own {
  const char* name;
  PFN_vkVoidFunction function;
} Own;

static PFN_vkVoidFunction own_function(const char* name, int is_device) {
#define ENTRY(name, is_queue) {#name, (PFN_vkVoidFunction)faulty_##name},
  const Own of_devices[] = {
      {"vkCreateCommandPool", (PFN_vkVoidFunction)create_pool},
      FAULTY(ENTRY){"vkGetDeviceProcAddr", (PFN_vkVoidFunction)device_function},
      {"vkGetDeviceQueue", (PFN_vkVoidFunction)get_queue},
      {"vkGetBufferMemoryRequirements", (PFN_vkVoidFunction)buffer_needs},
      {"vkAllocateMemory", (PFN_vkVoidFunction)allocate},
      {"vkFreeMemory", (PFN_vkVoidFunction)free_memory},
      {"vkMapMemory", (PFN_vkVoidFunction)map},
      {"vkUnmapMemory", (PFN_vkVoidFunction)unmap},
      {"vkFlushMappedMemoryRanges", (PFN_vkVoidFunction)flush},
      {"vkInvalidateMappedMemoryRanges", (PFN_vkVoidFunction)invalidate}};
  const Own of_instances[] = {
      {"vkGetInstanceProcAddr", (PFN_vkVoidFunction)instance_function},
      {"vkCreateInstance", (PFN_vkVoidFunction)create_instance},
      {"vkCreateDevice", (PFN_vkVoidFunction)create_device},
      {"vkGetPhysicalDeviceQueueFamilyProperties", (PFN_vkVoidFunction)families},
      {"vkGetPhysicalDeviceMemoryProperties", (PFN_vkVoidFunction)memory_properties}};
  for (size_t i = 0; i < sizeof of_devices / sizeof *of_devices; ++i)
    if (!strcmp(name, of_devices[i].name)) return of_devices[i].function;
  for (size_t i = 0; !is_device && i < sizeof of_instances / sizeof *of_instances; ++i)
    if (!strcmp(name, of_instances[i].name)) return of_instances[i].function;
  return NULL;
}

static PFN_vkVoidFunction VKAPI_CALL device_function(VkDevice device, const char* name) {
  const PFN_vkVoidFunction own = own_function(name, 1);
  const PFN_vkVoidFunction next = next_device_function(device, name);
  return own && next ? own : next;  // an extension may be off
}

static PFN_vkVoidFunction VKAPI_CALL instance_function(VkInstance instance, const char* name) {
  const PFN_vkVoidFunction own = own_function(name, 0);
  if (own) return own;
  return instance ? next_instance_function(instance, name) : NULL;
}

EXPORT VkResult VKAPI_CALL
vkNegotiateLoaderLayerInterfaceVersion(VkNegotiateLayerInterface* interface) {
  interface->loaderLayerInterfaceVersion = 2;
  interface->pfnGetInstanceProcAddr = instance_function;
  interface->pfnGetDeviceProcAddr = device_function;
  interface->pfnGetPhysicalDeviceProcAddr = NULL;
  return VK_SUCCESS;
}
