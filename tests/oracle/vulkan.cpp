// vulkan.cpp - runs a program of steps on plain Vulkan, and prints what it read.
//
// It knows nothing of Reel but the header for captures from inside, whose calls do nothing without
// it. Objects are slots that steps name by number; a command buffer is a step whose lines below it
// are its commands. A call that fails is printed with its code, and the program goes on. One queue;
// each submit gives a timeline the next value.
#include <reel_app.h>
#include <vulkan/vulkan.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <sstream>

#include "steps.hpp"
#include "vulkan_shaders.hpp"

namespace {

using namespace oracle;

constexpr std::size_t slots = 4096;

struct Memory {
  VkDeviceMemory memory = VK_NULL_HANDLE;
  std::size_t bytes = 0;
  std::uint32_t* mapped = nullptr;  // for ever, or imported
  void* imported = nullptr;
};

struct Buffer {
  VkBuffer buffer = VK_NULL_HANDLE;
  VkDeviceSize bytes = 0;
  std::vector<VkBufferView> texels = {};
};

// Of numbers: one layer of one level; from its first use on it is in the layout for everything.
struct Image {
  VkImage image = VK_NULL_HANDLE;
  VkDeviceMemory memory = VK_NULL_HANDLE;  // null: the image is another one's
  VkImageView view = VK_NULL_HANDLE;
  VkExtent3D extent = {};
  std::uint32_t level = 0, layer = 0;

  VkImageSubresourceLayers layers() const { return {VK_IMAGE_ASPECT_COLOR_BIT, level, layer, 1}; }
  VkImageSubresourceRange range() const { return {VK_IMAGE_ASPECT_COLOR_BIT, level, 1, layer, 1}; }
};

// A kernel with the way in which its descriptors reach it.
struct Kernel {
  VkDescriptorSetLayout set_layout = VK_NULL_HANDLE;
  VkPipelineLayout layout = VK_NULL_HANDLE;
  VkPipeline pipeline = VK_NULL_HANDLE;
  VkDescriptorUpdateTemplate update = VK_NULL_HANDLE;
  std::string bindings;  // OracleShader
};

struct World {
  explicit World(std::size_t steps) : said(steps) {}

  Said said;
  Flags flags;
  VkInstance instance = VK_NULL_HANDLE;
  VkPhysicalDevice physical = VK_NULL_HANDLE;
  VkDevice device = VK_NULL_HANDLE;
  VkQueue queue = VK_NULL_HANDLE;
  VkCommandPool pool = VK_NULL_HANDLE;
  VkDescriptorPool sets = VK_NULL_HANDLE, late_sets = VK_NULL_HANDLE;
  VkSemaphore timeline = VK_NULL_HANDLE;
  std::uint32_t family = 0, type = 0;
  bool may_be_late = false;  // sets may be written once they are bound
  PFN_vkCmdPushDescriptorSetKHR push_set = nullptr;
  PFN_vkCmdPushDescriptorSetWithTemplateKHR push_template = nullptr;
  PFN_vkCmdBeginConditionalRenderingEXT begin_section = nullptr;
  PFN_vkCmdEndConditionalRenderingEXT end_section = nullptr;
  Memory memories[slots] = {};
  Buffer buffers[slots] = {};
  Image images[slots] = {};
  VkCommandBuffer commands[slots] = {};
  VkFence fences[slots] = {};
  std::map<std::string, Kernel> kernels;
  std::map<std::string, VkDescriptorSet> named_sets;
};

World* world = nullptr;

void told(const Step& step, VkResult status) {
  if (status != VK_SUCCESS)
    world->said.say(step, step.operation + " gave " + std::to_string(status));
}

void must(VkResult status, const char* what) {
  if (status == VK_SUCCESS) return;
  std::fprintf(stderr, "%s gave %d.\n", what, status);
  std::_Exit(2);
}
#define MUST(call) must((call), #call)

std::size_t size_at(const Step& step, std::size_t word) {
  return static_cast<std::size_t>(step.number_at(word));
}
std::uint32_t seed_of(const Step& step) {
  return static_cast<std::uint32_t>(step.option("seed", 0));
}

std::vector<std::string> split(const std::string& text, char at) {
  std::vector<std::string> parts;
  std::istringstream from(text);
  for (std::string one; std::getline(from, one, at);) parts.push_back(one);
  return parts;
}

// --- memory --------------------------------------------------------------------------------------

void make_memory(const Step& step) {
  Memory& made = world->memories[step.number_at(0)];
  made.bytes = size_at(step, 1) * 4;
  VkMemoryAllocateInfo info{VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO, nullptr, made.bytes,
                            world->type};
  VkImportMemoryHostPointerInfoEXT host{
      VK_STRUCTURE_TYPE_IMPORT_MEMORY_HOST_POINTER_INFO_EXT, nullptr,
      VK_EXTERNAL_MEMORY_HANDLE_TYPE_HOST_ALLOCATION_BIT_EXT, nullptr};
  const VkMemoryAllocateFlagsInfo addressed{VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_FLAGS_INFO, nullptr,
                                            VK_MEMORY_ALLOCATE_DEVICE_ADDRESS_BIT, 0};
  if (step.has("addressed")) info.pNext = &addressed;
  if (step.has("imported")) {
    host.pHostPointer = made.imported = std::aligned_alloc(4096, made.bytes);
    info.pNext = &host;
  }
  told(step, vkAllocateMemory(world->device, &info, nullptr, &made.memory));
  if (made.imported)
    made.mapped = static_cast<std::uint32_t*>(made.imported);
  else if (step.has("mapped"))
    told(step, vkMapMemory(world->device, made.memory, 0, VK_WHOLE_SIZE, 0,
                           reinterpret_cast<void**>(&made.mapped)));
}

// Words: buffer, memory, first number, count.
void make_buffer(const Step& step) {
  Buffer& made = world->buffers[step.number_at(0)];
  made.bytes = size_at(step, 3) * 4;
  VkBufferUsageFlags usage = 0;
  for (const char one : step.options.at("usage"))
    usage |= one == 's'   ? VK_BUFFER_USAGE_STORAGE_BUFFER_BIT
             : one == 'u' ? VK_BUFFER_USAGE_UNIFORM_BUFFER_BIT
             : one == 'i' ? VK_BUFFER_USAGE_INDIRECT_BUFFER_BIT
             : one == 'x' ? VK_BUFFER_USAGE_UNIFORM_TEXEL_BUFFER_BIT |
                                VK_BUFFER_USAGE_STORAGE_TEXEL_BUFFER_BIT
             : one == 'a' ? VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT
             : one == 'p' ? VK_BUFFER_USAGE_CONDITIONAL_RENDERING_BIT_EXT
                          : VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT;
  const Memory& memory = world->memories[step.number_at(1)];
  const VkExternalMemoryBufferCreateInfo external{
      VK_STRUCTURE_TYPE_EXTERNAL_MEMORY_BUFFER_CREATE_INFO, nullptr,
      VK_EXTERNAL_MEMORY_HANDLE_TYPE_HOST_ALLOCATION_BIT_EXT};
  VkBufferCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO;
  info.pNext = memory.imported ? &external : nullptr;
  info.size = made.bytes;
  info.usage = usage;
  told(step, vkCreateBuffer(world->device, &info, nullptr, &made.buffer));
  told(step, vkBindBufferMemory(world->device, made.buffer, memory.memory, size_at(step, 2) * 4));
}

void make_view(const Step& step, Image& image) {
  VkImageViewCreateInfo view{};
  view.sType = VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO;
  view.image = image.image;
  view.viewType = VK_IMAGE_VIEW_TYPE_2D;
  view.format = VK_FORMAT_R32_UINT;
  view.subresourceRange = image.range();
  told(step, vkCreateImageView(world->device, &view, nullptr, &image.view));
}

// Words: image, that of which it is a part, level, layer.
void make_part(const Step& step) {
  const Image& whole = world->images[step.number_at(1)];
  Image& made = world->images[step.number_at(0)];
  made.image = whole.image;
  made.level = static_cast<std::uint32_t>(step.number_at(2));
  made.layer = static_cast<std::uint32_t>(step.number_at(3));
  made.extent = {whole.extent.width >> made.level, whole.extent.height >> made.level, 1};
  make_view(step, made);
}

// Words: image, width, height. Options: linear, levels, layers.
void make_image(const Step& step) {
  Image& made = world->images[step.number_at(0)];
  made.extent = {static_cast<std::uint32_t>(step.number_at(1)),
                 static_cast<std::uint32_t>(step.number_at(2)), 1};
  VkImageCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO;
  info.imageType = VK_IMAGE_TYPE_2D;
  info.format = VK_FORMAT_R32_UINT;
  info.extent = made.extent;
  info.mipLevels = static_cast<std::uint32_t>(step.option("levels", 1));
  info.arrayLayers = static_cast<std::uint32_t>(step.option("layers", 1));
  info.samples = VK_SAMPLE_COUNT_1_BIT;
  info.tiling = step.has("linear") ? VK_IMAGE_TILING_LINEAR : VK_IMAGE_TILING_OPTIMAL;
  info.usage = VK_IMAGE_USAGE_STORAGE_BIT | VK_IMAGE_USAGE_TRANSFER_SRC_BIT |
               VK_IMAGE_USAGE_TRANSFER_DST_BIT;
  told(step, vkCreateImage(world->device, &info, nullptr, &made.image));
  VkMemoryRequirements needs;
  vkGetImageMemoryRequirements(world->device, made.image, &needs);
  const VkMemoryAllocateInfo memory{VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO, nullptr, needs.size,
                                    world->type};
  told(step, vkAllocateMemory(world->device, &memory, nullptr, &made.memory));
  told(step, vkBindImageMemory(world->device, made.image, made.memory, 0));
  make_view(step, made);
}

// The host looks at memory: where it isn't mapped for ever, through a map of all or of a part.
class Seen {
 public:
  explicit Seen(const Step& step) : step_(step), memory_(world->memories[step.number_at(0)]) {
    const std::size_t first = size_at(step, 1);
    at = memory_.mapped ? memory_.mapped + first : nullptr;
    if (at) return;
    const bool part = step.has("part");
    void* mapped = nullptr;
    told(step, vkMapMemory(world->device, memory_.memory, part ? first * 4 : 0,
                           part ? size_at(step, 2) * 4 : VK_WHOLE_SIZE, 0, &mapped));
    at = static_cast<std::uint32_t*>(mapped) + (part ? 0 : first);
    maps_ = true;
  }
  ~Seen() {
    if (maps_) vkUnmapMemory(world->device, memory_.memory);
  }
  Seen(const Seen&) = delete;
  Seen& operator=(const Seen&) = delete;

  void flush(bool is_read) const {
    if (!step_.has("flush") || memory_.imported) return;
    const VkMappedMemoryRange range{VK_STRUCTURE_TYPE_MAPPED_MEMORY_RANGE, nullptr, memory_.memory,
                                    size_at(step_, 1) * 4, size_at(step_, 2) * 4};
    told(step_, is_read ? vkInvalidateMappedMemoryRanges(world->device, 1, &range)
                        : vkFlushMappedMemoryRanges(world->device, 1, &range));
  }

  std::uint32_t* at = nullptr;

 private:
  const Step& step_;
  const Memory& memory_;
  bool maps_ = false;
};

// Words: memory, first number, count.
void poke(const Step& step) {
  const Seen seen(step);
  const std::vector<std::uint32_t> numbers = patterns(seed_of(step), size_at(step, 2));
  std::memcpy(seen.at, numbers.data(), numbers.size() * 4);
  seen.flush(false);
}

// Words: memory, first number, count (3), groups: the size of a dispatch that comes later.
void poke_size(const Step& step) {
  const Seen seen(step);
  const std::uint32_t size[3] = {static_cast<std::uint32_t>(step.number_at(3)), 1, 1};
  std::memcpy(seen.at, size, sizeof size);
}

// Of a number of a buffer: buffer:first.
VkDeviceAddress address_at(const std::string& place) {
  const std::vector<std::string> parts = split(place, ':');
  VkBufferDeviceAddressInfo info{};
  info.sType = VK_STRUCTURE_TYPE_BUFFER_DEVICE_ADDRESS_INFO;
  info.buffer = world->buffers[std::stoul(parts[0])].buffer;
  return vkGetBufferDeviceAddress(world->device, &info) + std::stoull(parts[1]) * 4;
}

// Words: memory, first number, count, then addresses.
void poke_table(const Step& step) {
  const Seen seen(step);
  for (std::size_t i = 3; i < step.words.size(); ++i) {
    const VkDeviceAddress address = address_at(step.words[i]);
    std::memcpy(seen.at + (i - 3) * 2, &address, sizeof address);
  }
}

void peek(const Step& step) {
  const Seen seen(step);
  seen.flush(true);
  world->said.say(step, digest(seen.at, size_at(step, 2) * 4));
}

// --- kernels -------------------------------------------------------------------------------------

VkDescriptorType type_of(char binding, bool is_dynamic) {
  if (binding == 'i') return VK_DESCRIPTOR_TYPE_STORAGE_IMAGE;
  if (binding == 't') return VK_DESCRIPTOR_TYPE_UNIFORM_TEXEL_BUFFER;
  if (binding == 'w') return VK_DESCRIPTOR_TYPE_STORAGE_TEXEL_BUFFER;
  if (binding == 'u')
    return is_dynamic ? VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER_DYNAMIC
                      : VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER;
  return is_dynamic ? VK_DESCRIPTOR_TYPE_STORAGE_BUFFER_DYNAMIC : VK_DESCRIPTOR_TYPE_STORAGE_BUFFER;
}

// What is bound, as templates read it too: a range of a buffer, an image, or texels.
union Bound {
  VkDescriptorBufferInfo buffer;
  VkDescriptorImageInfo image;
  VkBufferView texels;
};

// A number, and then addresses.
constexpr std::uint32_t push_bytes = 32;

Kernel& kernel_of(const std::string& name, const std::string& how, std::uint32_t constant,
                  std::uint32_t group) {
  Kernel& kernel = world->kernels[name + " " + how + " " + std::to_string(constant) + " " +
                                  std::to_string(group)];
  if (kernel.pipeline) return kernel;
  const OracleShader* shader = nullptr;
  for (const OracleShader& one : oracle_shaders)
    if (name == one.name) shader = &one;
  if (!shader) throw std::runtime_error("There is no kernel " + name + ".");
  kernel.bindings = shader->bindings;
  const bool pushes = how.compare(0, 4, "push") == 0, is_dynamic = how == "dynamic",
             is_late = how == "late" && world->may_be_late;
  // Of kinds that are no samplers, this may be anything.
  const auto* const anything = reinterpret_cast<const VkSampler*>(std::uintptr_t{0x5a5a});
  std::vector<VkDescriptorSetLayoutBinding> bindings;
  std::vector<VkDescriptorUpdateTemplateEntry> entries;
  for (std::uint32_t i = 0; i < kernel.bindings.size(); ++i) {
    const VkDescriptorType type = type_of(kernel.bindings[i], is_dynamic);
    bindings.push_back({i, type, 1, VK_SHADER_STAGE_COMPUTE_BIT, anything});
    entries.push_back({i, 0, 1, type, i * sizeof(Bound), 0});
  }
  const std::vector<VkDescriptorBindingFlags> late(bindings.size(),
                                                   VK_DESCRIPTOR_BINDING_UPDATE_AFTER_BIND_BIT);
  const VkDescriptorSetLayoutBindingFlagsCreateInfo flags{
      VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_BINDING_FLAGS_CREATE_INFO, nullptr,
      static_cast<std::uint32_t>(late.size()), late.data()};
  VkDescriptorSetLayoutCreateInfo sets{};
  sets.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO;
  sets.pNext = is_late ? &flags : nullptr;
  sets.flags =
      pushes
          ? VkDescriptorSetLayoutCreateFlags{VK_DESCRIPTOR_SET_LAYOUT_CREATE_PUSH_DESCRIPTOR_BIT_KHR}
      : is_late
          ? VkDescriptorSetLayoutCreateFlags{VK_DESCRIPTOR_SET_LAYOUT_CREATE_UPDATE_AFTER_BIND_POOL_BIT}
          : 0;
  sets.bindingCount = static_cast<std::uint32_t>(bindings.size());
  sets.pBindings = bindings.data();
  MUST(vkCreateDescriptorSetLayout(world->device, &sets, nullptr, &kernel.set_layout));
  const VkPushConstantRange push{VK_SHADER_STAGE_COMPUTE_BIT, 0, push_bytes};
  VkPipelineLayoutCreateInfo layout{};
  layout.sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO;
  layout.setLayoutCount = 1;
  layout.pSetLayouts = &kernel.set_layout;
  layout.pushConstantRangeCount = 1;
  layout.pPushConstantRanges = &push;
  MUST(vkCreatePipelineLayout(world->device, &layout, nullptr, &kernel.layout));
  VkShaderModuleCreateInfo code{};
  code.sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO;
  code.codeSize = shader->bytes;
  code.pCode = shader->words;
  VkShaderModule module;
  MUST(vkCreateShaderModule(world->device, &code, nullptr, &module));
  const std::uint32_t numbers[2] = {constant, group};
  const VkSpecializationMapEntry map[2] = {{0, 0, 4}, {1, 4, 4}};
  const VkSpecializationInfo constants{2, map, sizeof numbers, numbers};
  VkComputePipelineCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO;
  info.stage.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO;
  info.stage.stage = VK_SHADER_STAGE_COMPUTE_BIT;
  info.stage.module = module;
  info.stage.pName = shader->name;
  info.stage.pSpecializationInfo = &constants;
  info.layout = kernel.layout;
  MUST(
      vkCreateComputePipelines(world->device, VK_NULL_HANDLE, 1, &info, nullptr, &kernel.pipeline));
  vkDestroyShaderModule(world->device, module, nullptr);
  if (how == "template" || how == "pushtemplate") {
    VkDescriptorUpdateTemplateCreateInfo update{};
    update.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_UPDATE_TEMPLATE_CREATE_INFO;
    update.descriptorUpdateEntryCount = static_cast<std::uint32_t>(entries.size());
    update.pDescriptorUpdateEntries = entries.data();
    update.templateType = pushes ? VK_DESCRIPTOR_UPDATE_TEMPLATE_TYPE_PUSH_DESCRIPTORS_KHR
                                 : VK_DESCRIPTOR_UPDATE_TEMPLATE_TYPE_DESCRIPTOR_SET;
    update.descriptorSetLayout = kernel.set_layout;
    update.pipelineBindPoint = VK_PIPELINE_BIND_POINT_COMPUTE;
    update.pipelineLayout = kernel.layout;
    MUST(vkCreateDescriptorUpdateTemplate(world->device, &update, nullptr, &kernel.update));
  }
  return kernel;
}

// One command: its words and its options.
struct Line {
  explicit Line(const std::string& text) {
    std::istringstream from(text);
    from >> verb;
    for (std::string word; from >> word;) {
      const std::size_t equals = word.find('=');
      if (equals == std::string::npos)
        words.push_back(word);
      else
        options[word.substr(0, equals)] = word.substr(equals + 1);
    }
  }
  std::uint32_t number(std::size_t at) const {
    return static_cast<std::uint32_t>(std::stoul(words.at(at)));
  }
  std::uint32_t option(const std::string& name, std::uint32_t otherwise) const {
    const auto found = options.find(name);
    return found == options.end() ? otherwise
                                  : static_cast<std::uint32_t>(std::stoul(found->second));
  }
  VkBuffer buffer(std::size_t at) const { return world->buffers[number(at)].buffer; }
  VkDeviceSize bytes(std::size_t at) const { return VkDeviceSize{number(at)} * 4; }

  std::string verb;
  std::vector<std::string> words;
  std::map<std::string, std::string> options;
};

std::vector<VkWriteDescriptorSet> writes_of(const Kernel& kernel, VkDescriptorSet set,
                                            bool is_dynamic, const std::vector<Bound>& bound) {
  std::vector<VkWriteDescriptorSet> writes;
  for (std::uint32_t i = 0; i < bound.size(); ++i) {
    VkWriteDescriptorSet write{};
    write.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET;
    write.dstSet = set;
    write.dstBinding = i;
    write.descriptorCount = 1;
    write.descriptorType = type_of(kernel.bindings[i], is_dynamic);
    write.pBufferInfo = &bound[i].buffer;
    write.pImageInfo = &bound[i].image;
    write.pTexelBufferView = &bound[i].texels;
    writes.push_back(write);
  }
  return writes;
}

VkDescriptorSet make_set(const Kernel& kernel, bool is_late) {
  const VkDescriptorSetAllocateInfo info{VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO, nullptr,
                                         is_late ? world->late_sets : world->sets, 1,
                                         &kernel.set_layout};
  VkDescriptorSet set;
  MUST(vkAllocateDescriptorSets(world->device, &info, &set));
  return set;
}

// run NAME ITEMS HOW buffer:first:count... constant= group= [value=] [set=] [indirect=buffer:first]
// HOW address: the places are pushed, and nothing is bound.
void add_run(VkCommandBuffer commands, const Line& line) {
  const std::string& how = line.words.at(2);
  const std::uint32_t group = line.option("group", 32);
  Kernel& kernel = kernel_of(line.words.at(0), how, line.option("constant", 1), group);
  const bool is_dynamic = how == "dynamic", is_late = how == "late" && world->may_be_late;
  std::vector<Bound> infos;
  std::vector<std::uint32_t> offsets;
  std::uint64_t pushed[push_bytes / 8] = {line.option("value", 0)};
  if (how == "address")
    for (std::size_t i = 3; i < line.words.size(); ++i) pushed[i - 2] = address_at(line.words[i]);
  for (std::size_t i = how == "address" ? line.words.size() : 3; i < line.words.size(); ++i) {
    Bound bound{};
    if (line.words[i][0] == 'i') {
      const Image& image = world->images[std::stoul(line.words[i].substr(1))];
      bound.image = {VK_NULL_HANDLE, image.view, VK_IMAGE_LAYOUT_GENERAL};
      infos.push_back(bound);
      continue;
    }
    const std::vector<std::string> parts = split(line.words[i], ':');
    const VkDeviceSize first = std::stoull(parts[1]) * 4, bytes = std::stoull(parts[2]) * 4;
    if (const char kind = kernel.bindings[i - 3]; kind == 't' || kind == 'w') {
      Buffer& of = world->buffers[std::stoul(parts[0])];
      const VkBufferViewCreateInfo view{VK_STRUCTURE_TYPE_BUFFER_VIEW_CREATE_INFO,
                                        nullptr,
                                        0,
                                        of.buffer,
                                        VK_FORMAT_R32_UINT,
                                        first,
                                        bytes ? bytes : VK_WHOLE_SIZE};
      MUST(vkCreateBufferView(world->device, &view, nullptr, &of.texels.emplace_back()));
      bound.texels = of.texels.back();
      infos.push_back(bound);
      continue;
    }
    bound.buffer = {world->buffers[std::stoul(parts[0])].buffer, is_dynamic ? 0 : first,
                    bytes ? bytes : VK_WHOLE_SIZE};
    infos.push_back(bound);
    if (is_dynamic) offsets.push_back(static_cast<std::uint32_t>(first));
  }
  vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, kernel.pipeline);
  if (how == "address") {
    // Nothing is bound.
  } else if (how == "push") {
    const auto writes = writes_of(kernel, VK_NULL_HANDLE, false, infos);
    world->push_set(commands, VK_PIPELINE_BIND_POINT_COMPUTE, kernel.layout, 0,
                    static_cast<std::uint32_t>(writes.size()), writes.data());
  } else if (how == "pushtemplate") {
    world->push_template(commands, kernel.update, kernel.layout, 0, infos.data());
  } else {
    VkDescriptorSet set;
    const auto named = line.options.find("set");
    if (named == line.options.end()) {
      set = make_set(kernel, is_late);
    } else {
      VkDescriptorSet& kept = world->named_sets[line.words[0] + how + named->second];
      if (!kept) kept = make_set(kernel, is_late);
      set = kept;
    }
    const auto bind = [&] {
      vkCmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_COMPUTE, kernel.layout, 0, 1, &set,
                              static_cast<std::uint32_t>(offsets.size()), offsets.data());
    };
    if (is_late) bind();
    if (how == "template") {
      vkUpdateDescriptorSetWithTemplate(world->device, set, kernel.update, infos.data());
    } else {
      const auto writes = writes_of(kernel, set, is_dynamic, infos);
      vkUpdateDescriptorSets(world->device, static_cast<std::uint32_t>(writes.size()),
                             writes.data(), 0, nullptr);
    }
    if (!is_late) bind();
  }
  vkCmdPushConstants(commands, kernel.layout, VK_SHADER_STAGE_COMPUTE_BIT, 0,
                     how == "address" ? push_bytes : 4, pushed);
  const auto indirect = line.options.find("indirect");
  if (indirect == line.options.end()) {
    vkCmdDispatch(commands, line.number(1) / group, 1, 1);
  } else {
    const std::vector<std::string> place = split(indirect->second, ':');
    vkCmdDispatchIndirect(commands, world->buffers[std::stoul(place[0])].buffer,
                          std::stoull(place[1]) * 4);
  }
}

// --- barriers: c compute, t transfer, i indirect, p predicates ----------------------------------

struct Scope {
  VkPipelineStageFlags stages = 0;
  VkAccessFlags accesses = 0;
};

Scope scope_of(const std::string& letters, bool is_source) {
  Scope scope;
  for (const char one : letters) {
    if (one == 'c') {
      scope.stages |= VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT;
      scope.accesses |= VK_ACCESS_SHADER_WRITE_BIT |
                        (is_source ? 0 : VK_ACCESS_SHADER_READ_BIT | VK_ACCESS_UNIFORM_READ_BIT);
    } else if (one == 't') {
      scope.stages |= VK_PIPELINE_STAGE_TRANSFER_BIT;
      scope.accesses |=
          VK_ACCESS_TRANSFER_WRITE_BIT | (is_source ? 0 : VK_ACCESS_TRANSFER_READ_BIT);
    } else if (one == 'i') {
      scope.stages |= VK_PIPELINE_STAGE_DRAW_INDIRECT_BIT;
      scope.accesses |= is_source ? 0 : VK_ACCESS_INDIRECT_COMMAND_READ_BIT;
    } else if (one == 'p') {
      scope.stages |= VK_PIPELINE_STAGE_CONDITIONAL_RENDERING_BIT_EXT;
      scope.accesses |= is_source ? 0 : VK_ACCESS_CONDITIONAL_RENDERING_READ_BIT_EXT;
    } else if (one == 'h') {
      scope.stages |= VK_PIPELINE_STAGE_HOST_BIT;
      scope.accesses |= is_source ? VK_ACCESS_HOST_WRITE_BIT : VK_ACCESS_HOST_READ_BIT;
    } else {
      scope.stages |= VK_PIPELINE_STAGE_ALL_COMMANDS_BIT;
      scope.accesses |= VK_ACCESS_MEMORY_WRITE_BIT | (is_source ? 0 : VK_ACCESS_MEMORY_READ_BIT);
    }
  }
  return scope;
}

// barrier FROM TO [how=2] [ranges=buffer:first:count,...]
void add_barrier(VkCommandBuffer commands, const Line& line) {
  const Scope from = scope_of(line.words.at(0), true), to = scope_of(line.words.at(1), false);
  std::vector<VkBufferMemoryBarrier> ranges;
  const auto found = line.options.find("ranges");
  if (found != line.options.end())
    for (const std::string& one : split(found->second, ',')) {
      const std::vector<std::string> parts = split(one, ':');
      ranges.push_back({VK_STRUCTURE_TYPE_BUFFER_MEMORY_BARRIER, nullptr, from.accesses,
                        to.accesses, VK_QUEUE_FAMILY_IGNORED, VK_QUEUE_FAMILY_IGNORED,
                        world->buffers[std::stoul(parts[0])].buffer, std::stoull(parts[1]) * 4,
                        std::stoull(parts[2]) * 4});
    }
  if (line.option("how", 1) == 1) {
    const VkMemoryBarrier all{VK_STRUCTURE_TYPE_MEMORY_BARRIER, nullptr, from.accesses,
                              to.accesses};
    vkCmdPipelineBarrier(commands, from.stages, to.stages, 0, ranges.empty() ? 1 : 0, &all,
                         static_cast<std::uint32_t>(ranges.size()), ranges.data(), 0, nullptr);
    return;
  }
  const VkMemoryBarrier2 all{VK_STRUCTURE_TYPE_MEMORY_BARRIER_2,
                             nullptr,
                             from.stages,
                             from.accesses,
                             to.stages,
                             to.accesses};
  std::vector<VkBufferMemoryBarrier2> newer;
  for (const VkBufferMemoryBarrier& one : ranges)
    newer.push_back({VK_STRUCTURE_TYPE_BUFFER_MEMORY_BARRIER_2, nullptr, from.stages, from.accesses,
                     to.stages, to.accesses, VK_QUEUE_FAMILY_IGNORED, VK_QUEUE_FAMILY_IGNORED,
                     one.buffer, one.offset, one.size});
  VkDependencyInfo info{};
  info.sType = VK_STRUCTURE_TYPE_DEPENDENCY_INFO;
  info.memoryBarrierCount = ranges.empty() ? 1 : 0;
  info.pMemoryBarriers = &all;
  info.bufferMemoryBarrierCount = static_cast<std::uint32_t>(newer.size());
  info.pBufferMemoryBarriers = newer.data();
  vkCmdPipelineBarrier2(commands, &info);
}

// --- images: transition, clear, toimage, fromimage, copyimage, blitimage
// --------------------------------------

void add_image(VkCommandBuffer commands, const Line& line) {
  const VkImageLayout general = VK_IMAGE_LAYOUT_GENERAL;
  const Image& image = world->images[line.number(0)];
  const VkImageSubresourceLayers layers = image.layers();
  const VkImageSubresourceRange range = image.range();
  if (line.verb == "transition") {
    const VkImageMemoryBarrier barrier{VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER,
                                       nullptr,
                                       0,
                                       VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT,
                                       VK_IMAGE_LAYOUT_UNDEFINED,
                                       general,
                                       VK_QUEUE_FAMILY_IGNORED,
                                       VK_QUEUE_FAMILY_IGNORED,
                                       image.image,
                                       range};
    vkCmdPipelineBarrier(commands, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT,
                         VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, 0, 0, nullptr, 0, nullptr, 1,
                         &barrier);
  } else if (line.verb == "clear") {
    VkClearColorValue color{};
    color.uint32[0] = pattern(line.option("seed", 0), 0);
    vkCmdClearColorImage(commands, image.image, general, &color, 1, &range);
  } else if (line.verb == "copyimage") {
    const Image& target = world->images[line.number(1)];
    const VkImageCopy region{layers, {}, target.layers(), {}, image.extent};
    vkCmdCopyImage(commands, image.image, general, target.image, general, 1, &region);
  } else if (line.verb == "blitimage") {
    const Image& target = world->images[line.number(1)];
    const auto corner = [](const VkExtent3D& extent) {
      return VkOffset3D{static_cast<std::int32_t>(extent.width),
                        static_cast<std::int32_t>(extent.height), 1};
    };
    VkImageBlit region{
        layers, {{}, corner(image.extent)}, target.layers(), {{}, corner(target.extent)}};
    const auto flips = line.option("flips", 0);
    if (flips & 1) std::swap(region.dstOffsets[0].x, region.dstOffsets[1].x);
    if (flips & 2) std::swap(region.dstOffsets[0].y, region.dstOffsets[1].y);
    vkCmdBlitImage(commands, image.image, general, target.image, general, 1, &region,
                   VK_FILTER_NEAREST);
  } else {  // image, buffer, first
    const VkBufferImageCopy region{line.bytes(2), 0, 0, layers, {}, image.extent};
    if (line.verb == "toimage")
      vkCmdCopyBufferToImage(commands, line.buffer(1), image.image, general, 1, &region);
    else
      vkCmdCopyImageToBuffer(commands, image.image, general, line.buffer(1), 1, &region);
  }
}

// --- command buffers -----------------------------------------------------------------------------

void add(VkCommandBuffer commands, const Line& line) {
  if (line.verb == "run") {
    add_run(commands, line);
  } else if (line.verb == "copy") {  // from, first, to, first, count
    const VkBufferCopy region{line.bytes(1), line.bytes(3), line.bytes(4)};
    vkCmdCopyBuffer(commands, line.buffer(0), line.buffer(2), 1, &region);
  } else if (line.verb == "fill") {  // buffer, first, count
    vkCmdFillBuffer(commands, line.buffer(0), line.bytes(1), line.bytes(2),
                    pattern(line.option("seed", 0), 0));
  } else if (line.verb == "update") {
    const std::vector<std::uint32_t> numbers = patterns(line.option("seed", 0), line.number(2));
    vkCmdUpdateBuffer(commands, line.buffer(0), line.bytes(1), line.bytes(2), numbers.data());
  } else if (line.verb == "word") {  // buffer, number
    vkCmdFillBuffer(commands, line.buffer(0), line.bytes(1), 4, line.option("value", 0));
  } else if (line.verb == "begin") {  // buffer, number
    const VkConditionalRenderingBeginInfoEXT info{
        VK_STRUCTURE_TYPE_CONDITIONAL_RENDERING_BEGIN_INFO_EXT, nullptr, line.buffer(0),
        line.bytes(1),
        line.option("inverted", 0)
            ? VkConditionalRenderingFlagsEXT{VK_CONDITIONAL_RENDERING_INVERTED_BIT_EXT}
            : 0};
    world->begin_section(commands, &info);
  } else if (line.verb == "end") {
    world->end_section(commands);
  } else if (line.verb == "barrier") {
    add_barrier(commands, line);
  } else if (line.verb == "execute") {
    const VkCommandBuffer inner = world->commands[line.number(0)];
    vkCmdExecuteCommands(commands, 1, &inner);
  } else if (line.verb == "transition" || line.verb.find("image") != std::string::npos ||
             line.verb == "clear") {
    add_image(commands, line);
  } else {
    throw std::runtime_error("There is no command " + line.verb + ".");
  }
}

// Words: which, and once, many, simultaneous or secondary.
void record(const Step& step) {
  VkCommandBuffer& commands = world->commands[step.number_at(0)];
  const std::string& kind = step.word(1);
  const bool inner = kind == "secondary";
  if (!commands) {
    const VkCommandBufferAllocateInfo info{
        VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO, nullptr, world->pool,
        inner ? VK_COMMAND_BUFFER_LEVEL_SECONDARY : VK_COMMAND_BUFFER_LEVEL_PRIMARY, 1};
    MUST(vkAllocateCommandBuffers(world->device, &info, &commands));
  }
  VkCommandBufferInheritanceInfo inherited{};
  inherited.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_INHERITANCE_INFO;
  const VkCommandBufferBeginInfo begin{
      VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO, nullptr,
      kind == "once"   ? VkCommandBufferUsageFlags{VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT}
      : kind == "many" ? 0
                       : VkCommandBufferUsageFlags{VK_COMMAND_BUFFER_USAGE_SIMULTANEOUS_USE_BIT},
      inner ? &inherited : nullptr};
  told(step, vkBeginCommandBuffer(commands, &begin));
  for (const std::string& line : split(step.text, '\n')) add(commands, Line(line));
  told(step, vkEndCommandBuffer(commands));
}

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
