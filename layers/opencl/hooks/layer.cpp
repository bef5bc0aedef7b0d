// layer.cpp - where the loader comes in.
#include <dlfcn.h>

#include <array>
#include <cstring>

#include "layers/opencl/hooks/hooks.hpp"
#include "layers/opencl/objects/objects.hpp"
#include "layers/session/process.hpp"

namespace reel::layer {

const cl_icd_dispatch* next_table = nullptr;

namespace {

cl_icd_dispatch hooks;

constexpr char layer_name[] = "reel";

}  // namespace

const cl_icd_dispatch& hook_table() noexcept { return hooks; }

namespace {

// A program may close the loader, and other layers with it; our handlers run later than that, and
// call through their table. They stay for the rest of the process, as the drivers do, which no
// loader closes.
void keep_loaded(const cl_icd_dispatch& table) noexcept {
  constexpr std::size_t count = sizeof(cl_icd_dispatch) / sizeof(void*);
  std::array<void*, count> functions{};
  std::memcpy(functions.data(), &table, sizeof functions);
  const void* last = nullptr;
  const auto keep = [&](const void* address) {
    Dl_info found{};
    if (!address || dladdr(address, &found) == 0 || found.dli_fbase == last) return;
    last = found.dli_fbase;
    static_cast<void>(dlopen(found.dli_fname, RTLD_LAZY | RTLD_NOLOAD | RTLD_NODELETE));
  };
  keep(&table);
  for (const void* function : functions) keep(function);
}

}  // namespace

}  // namespace reel::layer

extern "C" {

#define REEL_EXPORT __attribute__((visibility("default")))

REEL_EXPORT cl_int CL_API_CALL clGetLayerInfo(cl_layer_info param_name, size_t param_value_size,
                                              void* param_value, size_t* param_value_size_ret) {
  const auto answer = [&](const void* data, size_t bytes) {
    if (param_value && param_value_size < bytes) return CL_INVALID_VALUE;
    if (param_value) std::memcpy(param_value, data, bytes);
    if (param_value_size_ret) *param_value_size_ret = bytes;
    return CL_SUCCESS;
  };
  if (param_name == CL_LAYER_API_VERSION) {
    const cl_layer_api_version version = CL_LAYER_API_VERSION_100;
    return answer(&version, sizeof version);
  }
  if (param_name == CL_LAYER_NAME)
    return answer(reel::layer::layer_name, sizeof reel::layer::layer_name);
  return CL_INVALID_VALUE;
}

REEL_EXPORT cl_int CL_API_CALL clInitLayer(cl_uint num_entries,
                                           const cl_icd_dispatch* target_dispatch,
                                           cl_uint* num_entries_ret,
                                           const cl_icd_dispatch** layer_dispatch_ret) {
  using namespace reel::layer;
  if (!target_dispatch || !num_entries_ret || !layer_dispatch_ret) return CL_INVALID_VALUE;
  // A loader that knows fewer functions than we were built with would read past its own table.
  constexpr cl_uint known = sizeof(cl_icd_dispatch) / sizeof(void*);
  if (num_entries < known) return CL_INVALID_VALUE;
  next_table = target_dispatch;
  keep_loaded(*target_dispatch);
  add_object_hooks(hooks);
  add_memory_hooks(hooks);
  add_program_hooks(hooks);
  add_dispatch_hooks(hooks);
  add_transfer_hooks(hooks);
  add_image_hooks(hooks);
  add_map_hooks(hooks);
  add_svm_hooks(hooks);
  add_order_hooks(hooks);
  add_extension_hooks(hooks);
  api_loaded(opencl_api());
  *num_entries_ret = known;
  *layer_dispatch_ret = &hooks;
  return CL_SUCCESS;
}
}
