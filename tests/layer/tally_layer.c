// tally_layer.c - an OpenCL layer that counts kernels given to queues, and writes the number to
// $TALLY at the end.
//
// It lies between the layer under test and the driver and shares nothing with it.
#define CL_TARGET_OPENCL_VERSION 300
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#include <CL/cl_layer.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct _cl_icd_dispatch table;
static const struct _cl_icd_dispatch* next;
static unsigned long taken, asked;

static void count(cl_int status) {
  __atomic_add_fetch(&asked, 1, __ATOMIC_RELAXED);
  if (status == CL_SUCCESS) __atomic_add_fetch(&taken, 1, __ATOMIC_RELAXED);
}

static cl_int CL_API_CALL count_kernel(cl_command_queue queue, cl_kernel kernel, cl_uint dimensions,
                                       const size_t* offset, const size_t* global,
                                       const size_t* local, cl_uint waits,
                                       const cl_event* wait_list, cl_event* event) {
  const cl_int status = next->clEnqueueNDRangeKernel(queue, kernel, dimensions, offset, global,
                                                     local, waits, wait_list, event);
  count(status);
  return status;
}

static cl_int CL_API_CALL count_task(cl_command_queue queue, cl_kernel kernel, cl_uint waits,
                                     const cl_event* wait_list, cl_event* event) {
  const cl_int status = next->clEnqueueTask(queue, kernel, waits, wait_list, event);
  count(status);
  return status;
}

__attribute__((destructor)) static void write_tally(void) {
  const char* path = getenv("TALLY");
  FILE* file = path && next ? fopen(path, "w") : NULL;
  if (!file) return;
  fprintf(file, "%lu %lu\n", taken, asked);
  fclose(file);
}

CL_API_ENTRY cl_int CL_API_CALL clGetLayerInfo(cl_layer_info name, size_t size, void* value,
                                               size_t* size_ret) {
  if (name == CL_LAYER_API_VERSION) {
    const cl_layer_api_version version = CL_LAYER_API_VERSION_100;
    if (size_ret) *size_ret = sizeof version;
    if (value && size >= sizeof version) memcpy(value, &version, sizeof version);
    return CL_SUCCESS;
  }
  if (name == CL_LAYER_NAME) {
    if (size_ret) *size_ret = sizeof "tally";
    if (value && size >= sizeof "tally") memcpy(value, "tally", sizeof "tally");
    return CL_SUCCESS;
  }
  return CL_INVALID_VALUE;
}

CL_API_ENTRY cl_int CL_API_CALL clInitLayer(cl_uint entries, const struct _cl_icd_dispatch* target,
                                            cl_uint* entries_ret,
                                            const struct _cl_icd_dispatch** table_ret) {
  if (!target || !entries_ret || !table_ret || entries < sizeof table / sizeof(void*))
    return CL_INVALID_VALUE;
  next = target;
  table.clEnqueueNDRangeKernel = count_kernel;
  table.clEnqueueTask = count_task;
  *table_ret = &table;
  *entries_ret = sizeof table / sizeof(void*);
  return CL_SUCCESS;
}
