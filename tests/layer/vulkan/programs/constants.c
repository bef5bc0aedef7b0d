// constants.c - specialization constants of 1, 2, 4 and 8 bytes, truth values, real numbers, one
// that keeps its default, one that the shader doesn't have, and the size of groups.
#include "constants.h"

#include "machine.h"

typedef struct Values {
  int8_t narrow;
  uint16_t half_word;
  uint32_t local, word;
  VkBool32 flag;
  float real;
  uint64_t wide;
  double twofold;
  uint32_t unknown;
} Values;

int main(void) {
  const VkPhysicalDeviceVulkan12Features narrow = {
      .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES, .shaderInt8 = VK_TRUE};
  const VkPhysicalDeviceFeatures2 features = {
      .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2,
      .pNext = (void*)&narrow,
      .features = {.shaderInt16 = VK_TRUE, .shaderInt64 = VK_TRUE, .shaderFloat64 = VK_TRUE}};
  Machine machine = open_machine_with(&(Wanted){.features = &features});
  Buffer to = make_storage(&machine, 1024, 1);
  const VkSpecializationMapEntry entries[] = {
      {0, offsetof(Values, local), 4},     {1, offsetof(Values, narrow), 1},
      {2, offsetof(Values, half_word), 2}, {3, offsetof(Values, word), 4},
      {4, offsetof(Values, wide), 8},      {5, offsetof(Values, flag), 4},
      {6, offsetof(Values, real), 4},      {7, offsetof(Values, twofold), 8},
      {99, offsetof(Values, unknown), 4}};
  for (uint32_t i = 0; i < 4; ++i) {
    const Values values = {.narrow = (int8_t)(-5 - (int)i),
                           .half_word = (uint16_t)(40000 + i),
                           .local = 8u << i,
                           .word = 0xdeadbee0 + i,
                           .flag = i % 2,
                           .real = 2.5f + (float)i,
                           .wide = 0x1122334455667788ULL + i,
                           .twofold = 3.25 * (i + 1),
                           .unknown = i};
    // The last one takes only some of them.
    const VkSpecializationInfo chosen = {i == 3 ? 4 : COUNT(entries), entries, sizeof values,
                                         &values};
    Kernel kernel =
        make_kernel_with(&machine, SHADER(constants), 1, 0, &(PipelineWish){.constants = &chosen});
    VkDescriptorSet set = BIND(&machine, &kernel, &to);
    VkCommandBuffer commands = begin_once(&machine);
    use(commands, &kernel, set);
    vkCmdDispatch(commands, 256 / (8u << i), 1, 1);
    order_for_host(commands);
    end_and_run(&machine, commands);
    digest_buffer("to", &to);
    free_kernel(&machine, &kernel);
  }
  free_buffer(&machine, &to);
  close_machine(&machine);
  return 0;
}
