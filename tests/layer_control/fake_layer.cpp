// fake_layer.cpp - a layer as OpenCL's loader loads it, which takes each clGetPlatformIDs for a
// command and records nothing: for tests of what starts and ends captures in real programs.
#include <CL/cl_layer.h>
#include <pthread.h>

#include <atomic>
#include <cstdlib>
#include <cstring>

#include "files_session.hpp"
#include "layers/control/control.hpp"
#include "layers/session/session.hpp"

namespace {

namespace control = reel::layer::control;
namespace session = reel::layer::session;

cl_icd_dispatch table{};
const cl_icd_dispatch* target = nullptr;
std::atomic<bool> has_called{false};

cl_int CL_API_CALL get_platform_ids(cl_uint entries, cl_platform_id* platforms, cl_uint* count) {
  if (!has_called.exchange(true)) control::first_call();
  if (session::mode() & session::attention) control::before_command();
  const cl_int status = target->clGetPlatformIDs(entries, platforms, count);
  if ((session::mode() & session::recording) && control::selects("get_platform_ids"))
    reel::test::count_command();
  return status;
}

}  // namespace

#define EXPORTED extern "C" __attribute__((visibility("default")))

EXPORTED cl_int CL_API_CALL clGetLayerInfo(cl_layer_info what, size_t size, void* value,
                                           size_t* size_ret) {
  if (what != CL_LAYER_API_VERSION) return CL_INVALID_VALUE;
  const cl_layer_api_version version = CL_LAYER_API_VERSION_100;
  if (value && size >= sizeof version) std::memcpy(value, &version, sizeof version);
  if (size_ret) *size_ret = sizeof version;
  return CL_SUCCESS;
}

EXPORTED cl_int CL_API_CALL clInitLayer(cl_uint entries, const cl_icd_dispatch* below,
                                        cl_uint* entries_ret, const cl_icd_dispatch** ours) {
  target = below;
  const size_t size = std::min(sizeof table, entries * sizeof(void*));
  std::memcpy(&table, below, size);
  table.clGetPlatformIDs = get_platform_ids;
  *entries_ret = static_cast<cl_uint>(size / sizeof(void*));
  *ours = &table;
  control::layer_loaded();
  std::atexit(control::process_ends);
  pthread_atfork(nullptr, nullptr, [] {
    has_called = false;
    reel::test::forget_session();
    control::process_forked();
  });
  return CL_SUCCESS;
}
