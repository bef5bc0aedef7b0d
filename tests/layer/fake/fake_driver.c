// fake_driver.c - an OpenCL driver that misbehaves in the way that $FAKE_DRIVER names.
//
//   works        does what it should: a kernel adds 1 to each byte of its first buffer
//   errors       calls fail here and there, by $FAKE_SEED
//   nulls        success, and for every other size no object; never an event
//   repeats      gives out the same two handles of a kind again and again, though they are alive
//   no_devices   a platform without any
//   long_names   names of 300 000 characters
//   old          OpenCL 1.0: every newer entry of the table is null, as in drivers of that time
//   no_profiling refuses queues with times, and times
//   wild_times   times that go backwards and beyond all bounds
//   still_times  a clock that stands still
//   no_events    success, but no event where one was asked for
//   bad_maps     success, and a null pointer
//   no_answers   questions about memory, queues and contexts have no entry in the table
//
// Whether a call fails depends on its arguments only, never on how many calls came before: somebody
// who makes calls of their own in between changes nothing. Nothing is ever freed, so no handle
// dangles.
#define _POSIX_C_SOURCE 200809L
#define CL_TARGET_OPENCL_VERSION 300
#define CL_USE_DEPRECATED_OPENCL_1_0_APIS
#define CL_USE_DEPRECATED_OPENCL_1_1_APIS
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#include <CL/cl.h>
#include <CL/cl_icd.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

// What every handle points to. The loader wants the table first.
typedef struct Object {
  const cl_icd_dispatch* table;
  unsigned char* bytes;
  size_t size;
  struct Object* argument;
} Object;

static cl_icd_dispatch table;
static Object platform = {&table, NULL, 0, NULL}, device = {&table, NULL, 0, NULL};
static char long_name[300001];

static int is(const char* behaviour) {
  const char* wanted = getenv("FAKE_DRIVER");
  return wanted && strcmp(wanted, behaviour) == 0;
}

// Whether this call fails: one in three, by seed, function and one argument.
static int fails(const char* function, uint64_t argument) {
  if (!is("errors")) return 0;
  const char* seed = getenv("FAKE_SEED");
  uint64_t hash =
      1469598103934665603ULL + strtoull(seed ? seed : "0", NULL, 10) * 7919 + argument * 104729;
  for (; *function; ++function) hash = (hash ^ (unsigned char)*function) * 1099511628211ULL;
  return (hash >> 32) % 3 == 0;
}

static Object* make(const char* function, size_t size) {
  static struct {
    const char* function;
    Object objects[2];
    unsigned turn;
  } repeated[32];
  Object* made = NULL;
  if (is("repeats")) {
    int kind = 0;
    while (repeated[kind].function && strcmp(repeated[kind].function, function) != 0) ++kind;
    repeated[kind].function = function;
    made = &repeated[kind].objects[repeated[kind].turn++ % 2];
  } else {
    made = calloc(1, sizeof *made);
  }
  made->table = &table;
  if (made->size < size) {
    made->bytes = calloc(1, size);
    made->size = size;
  }
  return made;
}

// An object or none, with the status that goes with it.
static void* answer(const char* function, uint64_t argument, size_t size, cl_int* status) {
  const int failed = fails(function, argument);
  if (status) *status = failed ? CL_OUT_OF_RESOURCES : CL_SUCCESS;
  // Half of them: without any object a program would end at once.
  return failed || (is("nulls") && argument / 64 % 2) ? NULL : make(function, size);
}

static cl_int event_for(const char* function, uint64_t argument, cl_event* event) {
  if (fails(function, argument)) return CL_OUT_OF_RESOURCES;
  if (event && !is("no_events") && !is("nulls")) *event = (cl_event)make("event", 0);
  return CL_SUCCESS;
}

static cl_int give(const void* from, size_t have, size_t size, void* value, size_t* size_ret) {
  if (value && size < have) return CL_INVALID_VALUE;
  if (value) memcpy(value, from, have);
  if (size_ret) *size_ret = have;
  return CL_SUCCESS;
}
static cl_int give_text(const char* from, size_t size, void* value, size_t* size_ret) {
  return give(from, strlen(from) + 1, size, value, size_ret);
}

static cl_int CL_API_CALL platform_info(cl_platform_id id, cl_platform_info name, size_t size,
                                        void* value, size_t* size_ret) {
  (void)id;
  switch (name) {
    case CL_PLATFORM_PROFILE:
      return give_text("FULL_PROFILE", size, value, size_ret);
    case CL_PLATFORM_VERSION:
      return give_text(is("old") ? "OpenCL 1.0 fake" : "OpenCL 1.2 fake", size, value, size_ret);
    case CL_PLATFORM_EXTENSIONS:
      return give_text("cl_khr_icd", size, value, size_ret);
    case CL_PLATFORM_ICD_SUFFIX_KHR:
      return give_text("FAKE", size, value, size_ret);
    case CL_PLATFORM_NAME:
    case CL_PLATFORM_VENDOR:
      return give_text(is("long_names") ? long_name : "fake", size, value, size_ret);
    default:
      return CL_INVALID_VALUE;
  }
}

static cl_int CL_API_CALL device_ids(cl_platform_id id, cl_device_type type, cl_uint entries,
                                     cl_device_id* devices, cl_uint* count) {
  (void)id, (void)type;
  if (is("no_devices")) {
    if (count) *count = 0;
    return CL_DEVICE_NOT_FOUND;
  }
  if (devices && entries) devices[0] = (cl_device_id)&device;
  if (count) *count = 1;
  return CL_SUCCESS;
}

static cl_int CL_API_CALL device_info(cl_device_id id, cl_device_info name, size_t size,
                                      void* value, size_t* size_ret) {
  (void)id;
  if (fails("device_info", name)) return CL_OUT_OF_HOST_MEMORY;
  const cl_device_type type = CL_DEVICE_TYPE_GPU;
  const cl_platform_id on = (cl_platform_id)&platform;
  const size_t one = 1;
  switch (name) {
    case CL_DEVICE_TYPE:
      return give(&type, sizeof type, size, value, size_ret);
    case CL_DEVICE_PLATFORM:
      return give(&on, sizeof on, size, value, size_ret);
    case CL_DEVICE_VERSION:
      return give_text(is("old") ? "OpenCL 1.0 fake" : "OpenCL 1.2 fake", size, value, size_ret);
    case CL_DRIVER_VERSION:
    case CL_DEVICE_NAME:
    case CL_DEVICE_VENDOR:
      return give_text(is("long_names") ? long_name : "fake", size, value, size_ret);
    case CL_DEVICE_EXTENSIONS:
      return give_text("", size, value, size_ret);
    case CL_DEVICE_MAX_WORK_GROUP_SIZE:
      return give(&one, sizeof one, size, value, size_ret);
    default:
      return CL_INVALID_VALUE;
  }
}

static cl_context CL_API_CALL create_context(const cl_context_properties* properties, cl_uint count,
                                             const cl_device_id* devices,
                                             void(CL_CALLBACK* notify)(const char*, const void*,
                                                                       size_t, void*),
                                             void* data, cl_int* status) {
  (void)properties, (void)devices, (void)notify, (void)data;
  return answer("create_context", count, 0, status);
}

static cl_command_queue CL_API_CALL create_queue(cl_context context, cl_device_id id,
                                                 cl_command_queue_properties properties,
                                                 cl_int* status) {
  (void)context, (void)id;
  if (is("no_profiling") && (properties & CL_QUEUE_PROFILING_ENABLE)) {
    if (status) *status = CL_INVALID_QUEUE_PROPERTIES;
    return NULL;
  }
  return answer("create_queue", 0, 0, status);
}

static cl_mem CL_API_CALL create_buffer(cl_context context, cl_mem_flags flags, size_t size,
                                        void* host, cl_int* status) {
  (void)context;
  Object* made = answer("create_buffer", size, size, status);
  if (made && host && (flags & CL_MEM_COPY_HOST_PTR)) memcpy(made->bytes, host, size);
  return (cl_mem)made;
}

static cl_program CL_API_CALL create_program(cl_context context, cl_uint count, const char** pieces,
                                             const size_t* lengths, cl_int* status) {
  (void)context, (void)pieces, (void)lengths;
  return answer("create_program", count, 0, status);
}
static cl_int CL_API_CALL build_program(cl_program program, cl_uint count,
                                        const cl_device_id* devices, const char* options,
                                        void(CL_CALLBACK* notify)(cl_program, void*), void* data) {
  (void)count, (void)devices;
  if (notify) notify(program, data);
  return fails("build_program", options ? strlen(options) : 0) ? CL_BUILD_PROGRAM_FAILURE
                                                               : CL_SUCCESS;
}
static cl_int CL_API_CALL program_info(cl_program program, cl_program_info name, size_t size,
                                       void* value, size_t* size_ret) {
  (void)program, (void)name, (void)size, (void)value;
  if (size_ret) *size_ret = (size_t)-1;  // nobody should believe it
  return CL_INVALID_VALUE;
}
static cl_int CL_API_CALL program_build_info(cl_program program, cl_device_id id,
                                             cl_program_build_info name, size_t size, void* value,
                                             size_t* size_ret) {
  (void)program, (void)id;
  if (name != CL_PROGRAM_BUILD_LOG) return CL_INVALID_VALUE;
  return give_text(is("long_names") ? long_name : "", size, value, size_ret);
}

static cl_kernel CL_API_CALL create_kernel(cl_program program, const char* name, cl_int* status) {
  (void)program;
  return answer("create_kernel", strlen(name), 0, status);
}
static cl_int CL_API_CALL kernel_info(cl_kernel kernel, cl_kernel_info name, size_t size,
                                      void* value, size_t* size_ret) {
  (void)kernel;
  const cl_uint count = is("wild_times") ? 0xffffffff : 2;
  if (name == CL_KERNEL_NUM_ARGS) return give(&count, sizeof count, size, value, size_ret);
  return CL_INVALID_VALUE;
}
static cl_int CL_API_CALL set_kernel_arg(cl_kernel kernel, cl_uint index, size_t size,
                                         const void* value) {
  if (fails("set_kernel_arg", index)) return CL_INVALID_ARG_INDEX;
  if (index == 0 && value && size == sizeof(cl_mem))
    memcpy(&((Object*)kernel)->argument, value, sizeof(cl_mem));
  return CL_SUCCESS;
}

static cl_int CL_API_CALL enqueue_kernel(cl_command_queue queue, cl_kernel kernel,
                                         cl_uint dimensions, const size_t* offset,
                                         const size_t* global, const size_t* local, cl_uint waits,
                                         const cl_event* wait_list, cl_event* event) {
  (void)queue, (void)dimensions, (void)offset, (void)local, (void)waits, (void)wait_list;
  const cl_int status = event_for("enqueue_kernel", global ? global[0] : 0, event);
  Object* buffer = ((Object*)kernel)->argument;
  if (status == CL_SUCCESS && buffer)
    for (size_t i = 0; i < buffer->size; ++i) ++buffer->bytes[i];
  return status;
}

static cl_int CL_API_CALL enqueue_read(cl_command_queue queue, cl_mem memory, cl_bool blocking,
                                       size_t at, size_t size, void* to, cl_uint waits,
                                       const cl_event* wait_list, cl_event* event) {
  (void)queue, (void)blocking, (void)waits, (void)wait_list;
  Object* buffer = (Object*)memory;
  if (at > buffer->size || size > buffer->size - at) return CL_INVALID_VALUE;
  const cl_int status = event_for("enqueue_read", at, event);
  if (status == CL_SUCCESS) memcpy(to, buffer->bytes + at, size);
  return status;
}
static cl_int CL_API_CALL enqueue_write(cl_command_queue queue, cl_mem memory, cl_bool blocking,
                                        size_t at, size_t size, const void* from, cl_uint waits,
                                        const cl_event* wait_list, cl_event* event) {
  (void)queue, (void)blocking, (void)waits, (void)wait_list;
  Object* buffer = (Object*)memory;
  if (at > buffer->size || size > buffer->size - at) return CL_INVALID_VALUE;
  const cl_int status = event_for("enqueue_write", at, event);
  if (status == CL_SUCCESS) memcpy(buffer->bytes + at, from, size);
  return status;
}

static void* CL_API_CALL enqueue_map(cl_command_queue queue, cl_mem memory, cl_bool blocking,
                                     cl_map_flags flags, size_t at, size_t size, cl_uint waits,
                                     const cl_event* wait_list, cl_event* event, cl_int* status) {
  (void)queue, (void)blocking, (void)flags, (void)size, (void)waits, (void)wait_list;
  const cl_int found = event_for("enqueue_map", at, event);
  if (status) *status = found;
  return found != CL_SUCCESS || is("bad_maps") ? NULL : ((Object*)memory)->bytes + at;
}
static cl_int CL_API_CALL enqueue_unmap(cl_command_queue queue, cl_mem memory, void* mapped,
                                        cl_uint waits, const cl_event* wait_list, cl_event* event) {
  (void)queue, (void)memory, (void)mapped, (void)waits, (void)wait_list;
  return event_for("enqueue_unmap", 0, event);
}

static cl_int CL_API_CALL wait_for_events(cl_uint count, const cl_event* events) {
  // Never fails: a blocking call may be one that doesn't block, and a wait.
  return (void)count, (void)events, CL_SUCCESS;
}
static cl_int CL_API_CALL event_info(cl_event event, cl_event_info name, size_t size, void* value,
                                     size_t* size_ret) {
  (void)event;
  const cl_int complete = CL_COMPLETE;
  if (name == CL_EVENT_COMMAND_EXECUTION_STATUS)
    return give(&complete, sizeof complete, size, value, size_ret);
  return CL_INVALID_VALUE;
}
static cl_int CL_API_CALL profiling_info(cl_event event, cl_profiling_info name, size_t size,
                                         void* value, size_t* size_ret) {
  (void)event;
  if (is("no_profiling")) return CL_PROFILING_INFO_NOT_AVAILABLE;
  if (fails("profiling_info", name)) return CL_OUT_OF_HOST_MEMORY;
  cl_ulong stamp = 1000;
  if (!is("still_times")) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    stamp = (cl_ulong)now.tv_sec * 1000000000 + (cl_ulong)now.tv_nsec +
            (name - CL_PROFILING_COMMAND_QUEUED);
  }
  if (is("wild_times"))
    stamp = name == CL_PROFILING_COMMAND_START ? ~0ULL
            : name == CL_PROFILING_COMMAND_END ? 0
                                               : 1ULL << 63;
  return give(&stamp, sizeof stamp, size, value, size_ret);
}

// Questions that it has no answer to.
static cl_int CL_API_CALL context_info(cl_context context, cl_context_info name, size_t size,
                                       void* value, size_t* size_ret) {
  (void)context, (void)name, (void)size, (void)value, (void)size_ret;
  return CL_INVALID_VALUE;
}
static cl_int CL_API_CALL queue_info(cl_command_queue queue, cl_command_queue_info name,
                                     size_t size, void* value, size_t* size_ret) {
  (void)queue, (void)name, (void)size, (void)value, (void)size_ret;
  return CL_INVALID_VALUE;
}
static cl_int CL_API_CALL memory_info(cl_mem memory, cl_mem_info name, size_t size, void* value,
                                      size_t* size_ret) {
  const cl_mem_object_type type = CL_MEM_OBJECT_BUFFER;
  const size_t bytes = ((Object*)memory)->size;
  if (fails("memory_info", name)) return CL_OUT_OF_RESOURCES;
  if (name == CL_MEM_TYPE) return give(&type, sizeof type, size, value, size_ret);
  if (name == CL_MEM_SIZE) return give(&bytes, sizeof bytes, size, value, size_ret);
  return CL_INVALID_VALUE;
}

static cl_int CL_API_CALL argument_info(cl_kernel kernel, cl_uint index, cl_kernel_arg_info name,
                                        size_t size, void* value, size_t* size_ret) {
  (void)kernel, (void)index, (void)name, (void)size, (void)value, (void)size_ret;
  return CL_KERNEL_ARG_INFO_NOT_AVAILABLE;
}
static cl_int CL_API_CALL group_info(cl_kernel kernel, cl_device_id id,
                                     cl_kernel_work_group_info name, size_t size, void* value,
                                     size_t* size_ret) {
  (void)kernel, (void)id, (void)name, (void)size, (void)value, (void)size_ret;
  return CL_INVALID_VALUE;
}

static cl_int finish(const char* which) {
  return fails(which, 0) ? CL_OUT_OF_RESOURCES : CL_SUCCESS;
}
static cl_int CL_API_CALL flush_queue(cl_command_queue queue) {
  return (void)queue, finish("flush");
}
static cl_int CL_API_CALL finish_queue(cl_command_queue queue) {
  return (void)queue, finish("finish");
}

// One for each kind of handle: calls through a pointer of another type would be wrong.
static cl_int CL_API_CALL keep_context(cl_context object) { return (void)object, CL_SUCCESS; }
static cl_int CL_API_CALL keep_queue(cl_command_queue object) { return (void)object, CL_SUCCESS; }
static cl_int CL_API_CALL keep_memory(cl_mem object) { return (void)object, CL_SUCCESS; }
static cl_int CL_API_CALL keep_program(cl_program object) { return (void)object, CL_SUCCESS; }
static cl_int CL_API_CALL keep_kernel(cl_kernel object) { return (void)object, CL_SUCCESS; }
static cl_int CL_API_CALL keep_event(cl_event object) { return (void)object, CL_SUCCESS; }

static cl_int CL_API_CALL set_event_callback(cl_event event, cl_int type,
                                             void(CL_CALLBACK* notify)(cl_event, cl_int, void*),
                                             void* data) {
  notify(event, type, data);
  return CL_SUCCESS;
}
static cl_int CL_API_CALL enqueue_marker(cl_command_queue queue, cl_uint waits,
                                         const cl_event* wait_list, cl_event* event) {
  (void)queue, (void)wait_list;
  return event_for("enqueue_marker", waits, event);
}

CL_API_ENTRY cl_int CL_API_CALL clIcdGetPlatformIDsKHR(cl_uint entries, cl_platform_id* platforms,
                                                       cl_uint* count) {
  memset(long_name, 'n', sizeof long_name - 1);
  table.clGetPlatformInfo = platform_info;
  table.clGetDeviceIDs = device_ids;
  table.clGetDeviceInfo = device_info;
  table.clCreateContext = create_context;
  table.clRetainContext = table.clReleaseContext = keep_context;
  table.clCreateCommandQueue = create_queue;
  table.clRetainCommandQueue = table.clReleaseCommandQueue = keep_queue;
  table.clCreateBuffer = create_buffer;
  table.clRetainMemObject = table.clReleaseMemObject = keep_memory;
  table.clCreateProgramWithSource = create_program;
  table.clRetainProgram = table.clReleaseProgram = keep_program;
  table.clBuildProgram = build_program;
  table.clGetProgramInfo = program_info;
  table.clGetProgramBuildInfo = program_build_info;
  table.clCreateKernel = create_kernel;
  table.clRetainKernel = table.clReleaseKernel = keep_kernel;
  table.clGetKernelInfo = kernel_info;
  table.clSetKernelArg = set_kernel_arg;
  table.clEnqueueNDRangeKernel = enqueue_kernel;
  table.clEnqueueReadBuffer = enqueue_read;
  table.clEnqueueWriteBuffer = enqueue_write;
  table.clEnqueueMapBuffer = enqueue_map;
  table.clEnqueueUnmapMemObject = enqueue_unmap;
  table.clWaitForEvents = wait_for_events;
  table.clGetEventInfo = event_info;
  table.clGetEventProfilingInfo = profiling_info;
  table.clRetainEvent = table.clReleaseEvent = keep_event;
  table.clFlush = flush_queue;
  table.clFinish = finish_queue;
  if (!is("no_answers")) {
    table.clGetContextInfo = context_info;
    table.clGetCommandQueueInfo = queue_info;
    table.clGetMemObjectInfo = memory_info;
    table.clGetKernelWorkGroupInfo = group_info;
  }
  if (!is("old")) {
    table.clGetKernelArgInfo = argument_info;
    table.clSetEventCallback = set_event_callback;
    table.clEnqueueMarkerWithWaitList = enqueue_marker;
  }
  if (platforms && entries) platforms[0] = (cl_platform_id)&platform;
  if (count) *count = 1;
  return CL_SUCCESS;
}

CL_API_ENTRY cl_int CL_API_CALL clGetPlatformInfo(cl_platform_id id, cl_platform_info name,
                                                  size_t size, void* value, size_t* size_ret) {
  return platform_info(id, name, size, value, size_ret);
}

CL_API_ENTRY void* CL_API_CALL clGetExtensionFunctionAddress(const char* name) {
  union {
    cl_int(CL_API_CALL* function)(cl_uint, cl_platform_id*, cl_uint*);
    void* plain;
  } found = {.function = clIcdGetPlatformIDsKHR};
  return strcmp(name, "clIcdGetPlatformIDsKHR") == 0 ? found.plain : NULL;
}
