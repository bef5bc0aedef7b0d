// commands.cpp - what is recorded into command buffers: the lines of a step, one by one.
#include <array>
#include <stdexcept>

#include "vulkan/kernels.hpp"

namespace oracle {
namespace {

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

}  // namespace

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

}  // namespace oracle
