// command_buffer.hpp - commands that a program records once and gives again and again.
//
// In documents each time is a launch of a graph, whose nodes are commands of their own.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "layers/opencl/objects/objects.hpp"
#include "layers/opencl/work.hpp"
#include "recording/calls/call_queue.hpp"

namespace reel::layer {

struct CommandBufferFunctions;

struct CommandBuffer final : Object, capture::CommandList {
  CommandBuffer() : Object(ObjectKind::command_buffer) {}
  cl_command_queue queue = nullptr;
  const CommandBufferFunctions* driver = nullptr;
  std::vector<std::uint32_t> work_of_sync_point;  // sync point n is that of work [n]
};

// The hook for a function of cl_khr_command_buffer, whose driver's own is `address`; null for
// others.
void* command_buffer_hook(cl_platform_id platform, const char* name, void* address);

}  // namespace reel::layer
