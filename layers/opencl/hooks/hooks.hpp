// hooks.hpp - the functions of OpenCL that the layer stands before, file by file.
#pragma once

#include "layers/opencl/objects/api.hpp"

namespace reel::layer {

void add_object_hooks(cl_icd_dispatch& table);    // hooks_objects.cpp: contexts, queues, events
void add_memory_hooks(cl_icd_dispatch& table);    // hooks_memory.cpp: buffers, images, samplers
void add_program_hooks(cl_icd_dispatch& table);   // hooks_program.cpp: programs, kernels, arguments
void add_dispatch_hooks(cl_icd_dispatch& table);  // hooks_dispatch.cpp: kernels, native ones, tasks
void add_transfer_hooks(cl_icd_dispatch& table);  // hooks_transfer.cpp: read, write, copy, fill
void add_image_hooks(cl_icd_dispatch& table);     // hooks_image.cpp: the same for images
void add_map_hooks(cl_icd_dispatch& table);       // hooks_map.cpp
void add_svm_hooks(cl_icd_dispatch& table);       // hooks_svm.cpp
void add_order_hooks(cl_icd_dispatch& table);     // hooks_order.cpp: markers, barriers, waits
void add_extension_hooks(cl_icd_dispatch& table);  // hooks_extension.cpp

// The table the loader got from us; entries that we don't stand before are the next's.
const cl_icd_dispatch& hook_table() noexcept;

}  // namespace reel::layer
