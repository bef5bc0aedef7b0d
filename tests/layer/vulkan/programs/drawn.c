// drawn.c - a small graphics pass whose image a compute shader then reads, in the same command
// buffer or in one that is submitted with it (`drawn apart`); a second one by dynamic rendering,
// after the compute shader.
#include "image_store.h"
#include "images.h"
#include "triangle_frag.h"
#include "triangle_vert.h"

enum { width = 64, height = 64, bytes = width * height * 4 };

static VkRenderPass make_pass(const Machine* machine) {
  const VkAttachmentDescription color = {.format = VK_FORMAT_R8G8B8A8_UNORM,
                                         .samples = VK_SAMPLE_COUNT_1_BIT,
                                         .loadOp = VK_ATTACHMENT_LOAD_OP_CLEAR,
                                         .storeOp = VK_ATTACHMENT_STORE_OP_STORE,
                                         .initialLayout = VK_IMAGE_LAYOUT_UNDEFINED,
                                         .finalLayout = VK_IMAGE_LAYOUT_GENERAL};
  const VkAttachmentReference use_color = {0, VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL};
  const VkSubpassDescription subpass = {.pipelineBindPoint = VK_PIPELINE_BIND_POINT_GRAPHICS,
                                        .colorAttachmentCount = 1,
                                        .pColorAttachments = &use_color};
  const VkRenderPassCreateInfo info = {.sType = VK_STRUCTURE_TYPE_RENDER_PASS_CREATE_INFO,
                                       .attachmentCount = 1,
                                       .pAttachments = &color,
                                       .subpassCount = 1,
                                       .pSubpasses = &subpass};
  VkRenderPass pass;
  CHECK(vkCreateRenderPass(machine->device, &info, NULL, &pass));
  return pass;
}

// For a pass, or for dynamic rendering where there is none.
static VkPipeline make_drawing(const Machine* machine, VkPipelineLayout layout, VkRenderPass pass) {
  VkShaderModule modules[2] = {make_module(machine, SHADER(triangle_vert)),
                               make_module(machine, SHADER(triangle_frag))};
  VkPipelineShaderStageCreateInfo stages[2];
  for (int i = 0; i < 2; ++i)
    stages[i] = (VkPipelineShaderStageCreateInfo){
        .sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
        .stage = i ? VK_SHADER_STAGE_FRAGMENT_BIT : VK_SHADER_STAGE_VERTEX_BIT,
        .module = modules[i],
        .pName = "main"};
  const VkPipelineVertexInputStateCreateInfo vertices = {
      .sType = VK_STRUCTURE_TYPE_PIPELINE_VERTEX_INPUT_STATE_CREATE_INFO};
  const VkPipelineInputAssemblyStateCreateInfo assembly = {
      .sType = VK_STRUCTURE_TYPE_PIPELINE_INPUT_ASSEMBLY_STATE_CREATE_INFO,
      .topology = VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST};
  const VkViewport viewport = {0, 0, width, height, 0, 1};
  const VkRect2D scissor = {{0, 0}, {width, height}};
  const VkPipelineViewportStateCreateInfo view = {
      .sType = VK_STRUCTURE_TYPE_PIPELINE_VIEWPORT_STATE_CREATE_INFO,
      .viewportCount = 1,
      .pViewports = &viewport,
      .scissorCount = 1,
      .pScissors = &scissor};
  const VkPipelineRasterizationStateCreateInfo raster = {
      .sType = VK_STRUCTURE_TYPE_PIPELINE_RASTERIZATION_STATE_CREATE_INFO, .lineWidth = 1};
  const VkPipelineMultisampleStateCreateInfo samples = {
      .sType = VK_STRUCTURE_TYPE_PIPELINE_MULTISAMPLE_STATE_CREATE_INFO,
      .rasterizationSamples = VK_SAMPLE_COUNT_1_BIT};
  const VkPipelineColorBlendAttachmentState blended = {.colorWriteMask = 15};
  const VkPipelineColorBlendStateCreateInfo blend = {
      .sType = VK_STRUCTURE_TYPE_PIPELINE_COLOR_BLEND_STATE_CREATE_INFO,
      .attachmentCount = 1,
      .pAttachments = &blended};
  const VkFormat format = VK_FORMAT_R8G8B8A8_UNORM;
  const VkPipelineRenderingCreateInfo rendering = {
      .sType = VK_STRUCTURE_TYPE_PIPELINE_RENDERING_CREATE_INFO,
      .colorAttachmentCount = 1,
      .pColorAttachmentFormats = &format};
  const VkGraphicsPipelineCreateInfo info = {
      .sType = VK_STRUCTURE_TYPE_GRAPHICS_PIPELINE_CREATE_INFO,
      .pNext = pass ? NULL : &rendering,
      .stageCount = 2,
      .pStages = stages,
      .pVertexInputState = &vertices,
      .pInputAssemblyState = &assembly,
      .pViewportState = &view,
      .pRasterizationState = &raster,
      .pMultisampleState = &samples,
      .pColorBlendState = &blend,
      .layout = layout,
      .renderPass = pass};
  VkPipeline pipeline;
  CHECK(vkCreateGraphicsPipelines(machine->device, VK_NULL_HANDLE, 1, &info, NULL, &pipeline));
  for (int i = 0; i < 2; ++i) vkDestroyShaderModule(machine->device, modules[i], NULL);
  return pipeline;
}

int main(int argc, char** argv) {
  const int is_apart = argc > 1 && !strcmp(argv[1], "apart");
  const VkPhysicalDeviceVulkan13Features features = {
      .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_FEATURES, .dynamicRendering = VK_TRUE};
  Machine machine = open_machine_with(&(Wanted){.features = &features});
  const VkExtent3D flat = {width, height, 1};
  Image drawn = make_flat(&machine, flat, VK_FORMAT_R8G8B8A8_UNORM,
                          VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT | VK_IMAGE_USAGE_STORAGE_BIT |
                              VK_IMAGE_USAGE_TRANSFER_SRC_BIT);
  Image to = make_flat(&machine, flat, VK_FORMAT_R32_UINT,
                       VK_IMAGE_USAGE_STORAGE_BIT | VK_IMAGE_USAGE_TRANSFER_SRC_BIT);
  Buffer staging = make_staging(&machine, 2 * bytes, 1);
  VkRenderPass pass = make_pass(&machine);
  const VkFramebufferCreateInfo framed = {.sType = VK_STRUCTURE_TYPE_FRAMEBUFFER_CREATE_INFO,
                                          .renderPass = pass,
                                          .attachmentCount = 1,
                                          .pAttachments = &drawn.view,
                                          .width = width,
                                          .height = height,
                                          .layers = 1};
  VkFramebuffer frame;
  CHECK(vkCreateFramebuffer(machine.device, &framed, NULL, &frame));
  const VkPushConstantRange tint = {VK_SHADER_STAGE_FRAGMENT_BIT, 0, 16};
  const VkPipelineLayoutCreateInfo shape = {.sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO,
                                            .pushConstantRangeCount = 1,
                                            .pPushConstantRanges = &tint};
  VkPipelineLayout drawing_layout;
  CHECK(vkCreatePipelineLayout(machine.device, &shape, NULL, &drawing_layout));
  VkPipeline drawing = make_drawing(&machine, drawing_layout, pass);
  VkPipeline dynamic = make_drawing(&machine, drawing_layout, VK_NULL_HANDLE);
  const VkDescriptorSetLayoutBinding shapes[2] = {binding(0, VK_DESCRIPTOR_TYPE_STORAGE_IMAGE, 1),
                                                  binding(1, VK_DESCRIPTOR_TYPE_STORAGE_IMAGE, 1)};
  Kernel kernel = {.set_layout = make_set_layout(&machine, 2, shapes, 0)};
  kernel.layout = make_layout(&machine, 1, &kernel.set_layout, 4);
  kernel.pipeline = make_pipeline(&machine, SHADER(image_store), kernel.layout, &(PipelineWish){0});
  const VkImageLayout general = VK_IMAGE_LAYOUT_GENERAL;
  VkDescriptorSet set = make_set(&machine, kernel.set_layout);
  const VkDescriptorType storage = VK_DESCRIPTOR_TYPE_STORAGE_IMAGE;
  write_image(&machine, set, 0, 0, storage, drawn.view, general, VK_NULL_HANDLE);
  write_image(&machine, set, 1, 0, storage, to.view, general, VK_NULL_HANDLE);

  VkCommandBuffer commands = begin_once(&machine);
  const VkClearValue clear = {.color = {.float32 = {0, 0.5f, 0, 1}}};
  const VkRenderPassBeginInfo begin_pass = {.sType = VK_STRUCTURE_TYPE_RENDER_PASS_BEGIN_INFO,
                                            .renderPass = pass,
                                            .framebuffer = frame,
                                            .renderArea = {{0, 0}, {width, height}},
                                            .clearValueCount = 1,
                                            .pClearValues = &clear};
  vkCmdBeginRenderPass(commands, &begin_pass, VK_SUBPASS_CONTENTS_INLINE);
  vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_GRAPHICS, drawing);
  const float white[4] = {1, 1, 1, 1}, red[4] = {1, 0, 0, 1};
  vkCmdPushConstants(commands, drawing_layout, VK_SHADER_STAGE_FRAGMENT_BIT, 0, 16, white);
  vkCmdDraw(commands, 3, 1, 0, 0);
  vkCmdEndRenderPass(commands);
  VkCommandBuffer all[2] = {commands, VK_NULL_HANDLE};
  if (is_apart) {
    CHECK(vkEndCommandBuffer(commands));
    commands = all[1] = begin_once(&machine);
  }
  change_layout(commands, &drawn, general, general);
  change_layout(commands, &to, VK_IMAGE_LAYOUT_UNDEFINED, general);
  const uint32_t salt = 5;
  use(commands, &kernel, set);
  push(commands, &kernel, 4, &salt);
  vkCmdDispatch(commands, width / 8, height / 8, 1);
  change_layout(commands, &drawn, general, VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL);
  const VkRenderingAttachmentInfo attachment = {
      .sType = VK_STRUCTURE_TYPE_RENDERING_ATTACHMENT_INFO,
      .imageView = drawn.view,
      .imageLayout = VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL,
      .loadOp = VK_ATTACHMENT_LOAD_OP_LOAD,
      .storeOp = VK_ATTACHMENT_STORE_OP_STORE};
  const VkRenderingInfo rendering = {.sType = VK_STRUCTURE_TYPE_RENDERING_INFO,
                                     .renderArea = {{0, 0}, {width / 2, height}},
                                     .layerCount = 1,
                                     .colorAttachmentCount = 1,
                                     .pColorAttachments = &attachment};
  vkCmdBeginRendering(commands, &rendering);
  vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_GRAPHICS, dynamic);
  vkCmdPushConstants(commands, drawing_layout, VK_SHADER_STAGE_FRAGMENT_BIT, 0, 16, red);
  vkCmdDraw(commands, 3, 1, 0, 0);
  vkCmdEndRendering(commands);
  change_layout(commands, &drawn, VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL, general);
  order_all(commands);
  VkBufferImageCopy region = whole(&to, 0);
  vkCmdCopyImageToBuffer(commands, to.image, general, staging.buffer, 1, &region);
  region = whole(&drawn, bytes);
  vkCmdCopyImageToBuffer(commands, drawn.image, general, staging.buffer, 1, &region);
  order_for_host(commands);
  CHECK(vkEndCommandBuffer(commands));
  VkFence fence = make_fence(&machine);
  submit(&machine, is_apart ? 2 : 1, all, fence);
  wait_fence(&machine, fence);
  vkDestroyFence(machine.device, fence, NULL);
  digest_buffer("staging", &staging);
  vkDestroyPipeline(machine.device, drawing, NULL);
  vkDestroyPipeline(machine.device, dynamic, NULL);
  vkDestroyPipelineLayout(machine.device, drawing_layout, NULL);
  vkDestroyFramebuffer(machine.device, frame, NULL);
  vkDestroyRenderPass(machine.device, pass, NULL);
  free_kernel(&machine, &kernel);
  free_image(&machine, &drawn);
  free_image(&machine, &to);
  free_buffer(&machine, &staging);
  close_machine(&machine);
  return 0;
}
