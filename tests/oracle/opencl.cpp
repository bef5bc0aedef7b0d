// opencl.cpp - runs a program of steps on plain OpenCL, and prints what it read.
//
// It knows nothing of Reel but the header for captures from inside, whose calls do nothing without
// it. Objects are slots that steps name by number. What is asked of them is what the text says,
// right or wrong: a call that fails is printed with its code, and the program goes on.
#define CL_TARGET_OPENCL_VERSION 300
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#include <CL/cl.h>
#include <CL/cl_ext.h>
#include <reel_app.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <mutex>
#include <thread>

#include "steps.hpp"

namespace {

using namespace oracle;

struct Mapped {
  cl_mem memory = nullptr;
  void* shared = nullptr;
  std::uint32_t* at = nullptr;
  std::size_t row_bytes = 0, width = 0;  // of an image
};

struct Image {
  std::size_t width = 0, height = 0;
};

struct CommandBufferCalls {
  clCreateCommandBufferKHR_fn create;
  clFinalizeCommandBufferKHR_fn finalize;
  clReleaseCommandBufferKHR_fn release;
  clEnqueueCommandBufferKHR_fn enqueue;
  clCommandNDRangeKernelKHR_fn kernel;
  clCommandCopyBufferKHR_fn copy;
  clCommandFillBufferKHR_fn fill;
};

constexpr std::size_t slots = 4096;

// All of it lives until the process is gone: programs leave with work under way.
struct World {
  explicit World(std::size_t steps) : said(steps), kept(steps) {}

  Said said;
  Flags flags;
  std::vector<std::vector<std::uint32_t>> kept;  // memory of the host, by step
  cl_platform_id platform = nullptr;
  cl_device_id device = nullptr;
  cl_context contexts[8] = {};
  cl_command_queue queues[64] = {};
  cl_program programs[64] = {};
  cl_mem memories[slots] = {};
  std::vector<std::uint32_t> host[slots];
  Image images[slots] = {};
  void* shared[slots] = {};
  cl_event events[slots] = {};
  Mapped maps[slots] = {};
  cl_command_buffer_khr command_buffers[64] = {};
  cl_sync_point_khr last_point[64] = {};
  bool has_point[64] = {};
  std::map<std::string, cl_kernel> kernels[16];  // by thread: setting arguments is not for two
  CommandBufferCalls calls = {};
};

World* world = nullptr;

void told(const Step& step, cl_int status) {
  if (status != CL_SUCCESS)
    world->said.say(step, step.operation + " gave " + std::to_string(status));
}

// The events a step waits for, and the one it makes.
struct Order {
  explicit Order(const Step& step) : slot(static_cast<int>(step.option("event", -1))) {
    for (const int one : step.list("wait")) list.push_back(world->events[one]);
  }
  cl_uint count() const { return static_cast<cl_uint>(list.size()); }
  const cl_event* waits() const { return list.empty() ? nullptr : list.data(); }
  cl_event* made() { return slot < 0 ? nullptr : &world->events[slot]; }
  std::vector<cl_event> list;
  int slot;
};

cl_command_queue queue_of(const Step& step) { return world->queues[step.number_at(0)]; }
cl_mem memory_at(const Step& step, std::size_t word) {
  return world->memories[step.number_at(word)];
}
std::size_t bytes_at(const Step& step, std::size_t word) {
  return static_cast<std::size_t>(step.number_at(word)) * 4;
}
std::size_t size_at(const Step& step, std::size_t word) {
  return static_cast<std::size_t>(step.number_at(word));
}
cl_bool blocks(const Step& step) { return step.option("block", 1) ? CL_TRUE : CL_FALSE; }
std::vector<std::uint32_t>& kept(const Step& step) { return world->kept[step.number]; }

void say_digest(const Step& step, const std::vector<std::uint32_t>& numbers) {
  world->said.say(step, digest(numbers.data(), numbers.size() * 4));
}

cl_mem_flags flags_of(const Step& step, std::size_t from) {
  cl_mem_flags flags = 0;
  for (std::size_t i = from; i < step.words.size(); ++i) {
    if (step.words[i] == "copy") flags |= CL_MEM_COPY_HOST_PTR;
    if (step.words[i] == "use") flags |= CL_MEM_USE_HOST_PTR;
    if (step.words[i] == "alloc") flags |= CL_MEM_ALLOC_HOST_PTR;
    if (step.words[i] == "ro") flags |= CL_MEM_READ_ONLY;
    if (step.words[i] == "wo") flags |= CL_MEM_WRITE_ONLY;
  }
  return flags;
}

// --- objects ---------------------------------------------------------------------------------

void make_context(const Step& step) {
  cl_int status = CL_SUCCESS;
  world->contexts[step.number_at(0)] =
      clCreateContext(nullptr, 1, &world->device, nullptr, nullptr, &status);
  told(step, status);
}

void make_queue(const Step& step) {
  cl_queue_properties flags = 0;
  for (const std::string& word : step.words) {
    if (word == "ooo") flags |= CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE;
    if (word == "profiling") flags |= CL_QUEUE_PROFILING_ENABLE;
  }
  const cl_queue_properties properties[] = {CL_QUEUE_PROPERTIES, flags, 0};
  cl_int status = CL_SUCCESS;
  world->queues[step.number_at(0)] = clCreateCommandQueueWithProperties(
      world->contexts[step.number_at(1)], world->device, properties, &status);
  told(step, status);
}

void make_program(const Step& step) {
  cl_int status = CL_SUCCESS;
  const char* text = step.text.c_str();
  cl_program program =
      clCreateProgramWithSource(world->contexts[step.number_at(1)], 1, &text, nullptr, &status);
  told(step, status);
  std::string options;
  for (std::size_t i = 2; i < step.words.size(); ++i) options += step.words[i] + " ";
  told(step, clBuildProgram(program, 1, &world->device, options.c_str(), nullptr, nullptr));
  world->programs[step.number_at(0)] = program;
}

void make_buffer(const Step& step) {
  const std::size_t id = size_at(step, 0), count = size_at(step, 2);
  const cl_mem_flags flags = flags_of(step, 3);
  void* host = nullptr;
  if (flags & (CL_MEM_COPY_HOST_PTR | CL_MEM_USE_HOST_PTR)) {
    world->host[id] = patterns(static_cast<std::uint32_t>(step.option("seed", 0)), count);
    host = world->host[id].data();
  }
  cl_int status = CL_SUCCESS;
  world->memories[id] =
      clCreateBuffer(world->contexts[step.number_at(1)], flags, count * 4, host, &status);
  told(step, status);
  if (flags & CL_MEM_COPY_HOST_PTR) {  // nobody may look at it any more
    std::fill(world->host[id].begin(), world->host[id].end(), 0xdeadbeefU);
    std::vector<std::uint32_t>().swap(world->host[id]);
  }
}

void make_part(const Step& step) {
  const cl_buffer_region region{bytes_at(step, 2), bytes_at(step, 3)};
  cl_int status = CL_SUCCESS;
  world->memories[step.number_at(0)] =
      clCreateSubBuffer(memory_at(step, 1), 0, CL_BUFFER_CREATE_TYPE_REGION, &region, &status);
  told(step, status);
}

void make_image(const Step& step) {
  const std::size_t id = size_at(step, 0), width = size_at(step, 2), height = size_at(step, 3);
  cl_image_format format{CL_R, CL_UNSIGNED_INT32};
  if (step.word(4) == "rgba8") format = {CL_RGBA, CL_UNSIGNED_INT8};
  cl_image_desc shape{};
  shape.image_type = CL_MEM_OBJECT_IMAGE2D;
  shape.image_width = width;
  shape.image_height = height;
  const cl_mem_flags flags = flags_of(step, 5);
  std::vector<std::uint32_t> host;
  if (flags & CL_MEM_COPY_HOST_PTR)
    host = patterns(static_cast<std::uint32_t>(step.option("seed", 0)), width * height);
  cl_int status = CL_SUCCESS;
  world->memories[id] = clCreateImage(world->contexts[step.number_at(1)], flags, &format, &shape,
                                      host.empty() ? nullptr : host.data(), &status);
  world->images[id] = {width, height};
  told(step, status);
}

void make_shared(const Step& step) {
  const bool fine = step.words.size() > 3 && step.word(3) == "fine";
  world->shared[step.number_at(0)] = clSVMAlloc(
      world->contexts[step.number_at(1)],
      CL_MEM_READ_WRITE | (fine ? CL_MEM_SVM_FINE_GRAIN_BUFFER : 0), bytes_at(step, 2), 0);
}

void release(const Step& step) {
  const std::string& kind = step.word(0);
  const std::size_t id = size_at(step, 1);
  cl_int status = CL_SUCCESS;
  if (kind == "memory") status = clReleaseMemObject(world->memories[id]);
  if (kind == "queue") status = clReleaseCommandQueue(world->queues[id]);
  if (kind == "program") status = clReleaseProgram(world->programs[id]);
  if (kind == "event") status = clReleaseEvent(world->events[id]);
  if (kind == "context") status = clReleaseContext(world->contexts[id]);
  if (kind == "commands") status = world->calls.release(world->command_buffers[id]);
  if (kind == "shared") clSVMFree(world->contexts[step.option("context", 0)], world->shared[id]);
  if (kind == "kernels")
    for (auto& [name, kernel] : world->kernels[step.thread]) status |= clReleaseKernel(kernel);
  if (kind == "kernels") world->kernels[step.thread].clear();
  told(step, status);
}

// --- transfers -------------------------------------------------------------------------------

void write(const Step& step) {
  Order order(step);
  kept(step) = patterns(static_cast<std::uint32_t>(step.option("seed", 0)), size_at(step, 3));
  told(step, clEnqueueWriteBuffer(queue_of(step), memory_at(step, 1), blocks(step),
                                  bytes_at(step, 2), bytes_at(step, 3), kept(step).data(),
                                  order.count(), order.waits(), order.made()));
  if (blocks(step)) std::vector<std::uint32_t>().swap(kept(step));
}

void read(const Step& step) {
  Order order(step);
  kept(step).assign(size_at(step, 3), 0xabababab);
  told(step, clEnqueueReadBuffer(queue_of(step), memory_at(step, 1), blocks(step),
                                 bytes_at(step, 2), bytes_at(step, 3), kept(step).data(),
                                 order.count(), order.waits(), order.made()));
  if (blocks(step)) say_digest(step, kept(step));
}

// Words: queue, memory, width of a row of the buffer, first column, first row, columns, rows.
void rectangle(const Step& step) {
  Order order(step);
  const std::size_t pitch = bytes_at(step, 2), columns = size_at(step, 5), rows = size_at(step, 6);
  const std::size_t origin[3] = {bytes_at(step, 3), size_at(step, 4), 0}, zero[3] = {};
  const std::size_t region[3] = {columns * 4, rows, 1};
  const bool reads = step.operation == "readrect";
  if (reads)
    kept(step).assign(columns * rows, 0xabababab);
  else
    kept(step) = patterns(static_cast<std::uint32_t>(step.option("seed", 0)), columns * rows);
  const cl_int status =
      reads ? clEnqueueReadBufferRect(queue_of(step), memory_at(step, 1), blocks(step), origin,
                                      zero, region, pitch, 0, columns * 4, 0, kept(step).data(),
                                      order.count(), order.waits(), order.made())
            : clEnqueueWriteBufferRect(queue_of(step), memory_at(step, 1), blocks(step), origin,
                                       zero, region, pitch, 0, columns * 4, 0, kept(step).data(),
                                       order.count(), order.waits(), order.made());
  told(step, status);
  if (reads && blocks(step)) say_digest(step, kept(step));
}

void copy(const Step& step) {
  Order order(step);
  told(step, clEnqueueCopyBuffer(queue_of(step), memory_at(step, 1), memory_at(step, 3),
                                 bytes_at(step, 2), bytes_at(step, 4), bytes_at(step, 5),
                                 order.count(), order.waits(), order.made()));
}

void fill(const Step& step) {
  Order order(step);
  const std::vector<std::uint32_t> numbers =
      patterns(static_cast<std::uint32_t>(step.option("seed", 0)), size_at(step, 4));
  told(step, clEnqueueFillBuffer(queue_of(step), memory_at(step, 1), numbers.data(),
                                 numbers.size() * 4, bytes_at(step, 2), bytes_at(step, 3),
                                 order.count(), order.waits(), order.made()));
}

// Words: queue, image; all of it.
void image_transfer(const Step& step) {
  Order order(step);
  const Image image = world->images[step.number_at(1)];
  const std::size_t origin[3] = {}, region[3] = {image.width, image.height, 1};
  const std::size_t count = image.width * image.height;
  cl_int status = CL_SUCCESS;
  if (step.operation == "readimage") {
    kept(step).assign(count, 0xabababab);
    status = clEnqueueReadImage(queue_of(step), memory_at(step, 1), blocks(step), origin, region, 0,
                                0, kept(step).data(), order.count(), order.waits(), order.made());
    if (blocks(step)) say_digest(step, kept(step));
  } else if (step.operation == "writeimage") {
    kept(step) = patterns(static_cast<std::uint32_t>(step.option("seed", 0)), count);
    status =
        clEnqueueWriteImage(queue_of(step), memory_at(step, 1), blocks(step), origin, region, 0, 0,
                            kept(step).data(), order.count(), order.waits(), order.made());
  } else if (step.operation == "copyimage") {
    status = clEnqueueCopyImage(queue_of(step), memory_at(step, 1), memory_at(step, 2), origin,
                                origin, region, order.count(), order.waits(), order.made());
  } else if (step.operation == "imagetobuffer") {
    status = clEnqueueCopyImageToBuffer(queue_of(step), memory_at(step, 1), memory_at(step, 2),
                                        origin, region, bytes_at(step, 3), order.count(),
                                        order.waits(), order.made());
  } else if (step.operation == "buffertoimage") {
    status = clEnqueueCopyBufferToImage(queue_of(step), memory_at(step, 2), memory_at(step, 1),
                                        bytes_at(step, 3), origin, region, order.count(),
                                        order.waits(), order.made());
  }
  told(step, status);
}

// --- maps ------------------------------------------------------------------------------------

cl_map_flags map_flags(const std::string& words) {
  if (words == "r") return CL_MAP_READ;
  if (words == "w") return CL_MAP_WRITE;
  if (words == "i") return CL_MAP_WRITE_INVALIDATE_REGION;
  return CL_MAP_READ | CL_MAP_WRITE;
}

// Words: queue, memory, first number, count, flags, map.
void map(const Step& step) {
  Order order(step);
  Mapped& mapped = world->maps[step.number_at(5)];
  cl_int status = CL_SUCCESS;
  mapped.memory = memory_at(step, 1);
  const Image image = world->images[step.number_at(1)];
  if (image.width) {
    const std::size_t origin[3] = {}, region[3] = {image.width, image.height, 1};
    mapped.width = image.width;
    mapped.at = static_cast<std::uint32_t*>(clEnqueueMapImage(
        queue_of(step), mapped.memory, blocks(step), map_flags(step.word(4)), origin, region,
        &mapped.row_bytes, nullptr, order.count(), order.waits(), order.made(), &status));
  } else {
    mapped.at = static_cast<std::uint32_t*>(clEnqueueMapBuffer(
        queue_of(step), mapped.memory, blocks(step), map_flags(step.word(4)), bytes_at(step, 2),
        bytes_at(step, 3), order.count(), order.waits(), order.made(), &status));
  }
  told(step, status);
}

void map_shared(const Step& step) {
  Order order(step);
  Mapped& mapped = world->maps[step.number_at(5)];
  mapped.shared = world->shared[step.number_at(1)];
  mapped.at = static_cast<std::uint32_t*>(mapped.shared);
  told(step, clEnqueueSVMMap(queue_of(step), blocks(step), map_flags(step.word(4)), mapped.shared,
                             bytes_at(step, 3), order.count(), order.waits(), order.made()));
}

void unmap(const Step& step) {
  Order order(step);
  const Mapped& mapped = world->maps[step.number_at(1)];
  told(step, mapped.shared ? clEnqueueSVMUnmap(queue_of(step), mapped.shared, order.count(),
                                               order.waits(), order.made())
                           : clEnqueueUnmapMemObject(queue_of(step), mapped.memory, mapped.at,
                                                     order.count(), order.waits(), order.made()));
}

std::uint32_t& mapped_number(const Mapped& mapped, std::size_t i) {
  if (!mapped.row_bytes) return mapped.at[i];
  return mapped.at[i / mapped.width * (mapped.row_bytes / 4) + i % mapped.width];
}

// Words: map, first number, count.
void poke(const Step& step) {
  const std::vector<std::uint32_t> numbers =
      patterns(static_cast<std::uint32_t>(step.option("seed", 0)), size_at(step, 2));
  for (std::size_t i = 0; i < numbers.size(); ++i)
    mapped_number(world->maps[step.number_at(0)], size_at(step, 1) + i) = numbers[i];
}

void peek(const Step& step) {
  std::vector<std::uint32_t> numbers;
  for (std::size_t i = 0; i < size_at(step, 2); ++i)
    numbers.push_back(mapped_number(world->maps[step.number_at(0)], size_at(step, 1) + i));
  say_digest(step, numbers);
}

// The same, of memory that is shared in fine grain and so needs no map. Words: shared, first,
// count.
void poke_shared(const Step& step) {
  auto* at = static_cast<std::uint32_t*>(world->shared[step.number_at(0)]) + step.number_at(1);
  for (std::uint32_t i = 0; i < step.number_at(2); ++i)
    at[i] = pattern(static_cast<std::uint32_t>(step.option("seed", 0)), i);
}

void peek_shared(const Step& step) {
  const auto* at =
      static_cast<std::uint32_t*>(world->shared[step.number_at(0)]) + step.number_at(1);
  world->said.say(step, digest(at, bytes_at(step, 2)));
}

// Memory lent to a buffer, written without a map, as programs for CPUs do. Words: memory, first,
// count.
void poke_host(const Step& step) {
  const std::vector<std::uint32_t> numbers =
      patterns(static_cast<std::uint32_t>(step.option("seed", 0)), size_at(step, 2));
  std::copy(numbers.begin(), numbers.end(),
            world->host[step.number_at(0)].begin() + step.number_at(1));
}

void shared_transfer(const Step& step) {
  Order order(step);
  auto* to = static_cast<std::uint32_t*>(world->shared[step.number_at(1)]) + step.number_at(2);
  if (step.operation == "sharedfill") {
    const std::uint32_t number = pattern(static_cast<std::uint32_t>(step.option("seed", 0)), 0);
    told(step, clEnqueueSVMMemFill(queue_of(step), to, &number, 4, bytes_at(step, 3), order.count(),
                                   order.waits(), order.made()));
    return;
  }
  const auto* from =
      static_cast<std::uint32_t*>(world->shared[step.number_at(3)]) + step.number_at(4);
  told(step, clEnqueueSVMMemcpy(queue_of(step), blocks(step), to, from, bytes_at(step, 5),
                                order.count(), order.waits(), order.made()));
}

// --- kernels ---------------------------------------------------------------------------------

cl_int set_argument(cl_kernel kernel, cl_uint index, const std::string& word) {
  const std::size_t value = std::stoull(word.substr(1));
  if (word[0] == 'v') {
    const auto number = static_cast<cl_uint>(value);
    return clSetKernelArg(kernel, index, sizeof number, &number);
  }
  if (word[0] == 'l') return clSetKernelArg(kernel, index, value, nullptr);
  if (word[0] == 's') return clSetKernelArgSVMPointer(kernel, index, world->shared[value]);
  return clSetKernelArg(kernel, index, sizeof(cl_mem), &world->memories[value]);
}

// From word `at` on: program, kernel, items, arguments.
void set_arguments(const Step& step, std::size_t at, cl_kernel kernel) {
  for (std::size_t i = at + 3; i < step.words.size(); ++i)
    told(step, set_argument(kernel, static_cast<cl_uint>(i - at - 3), step.word(i)));
}

cl_kernel kernel_of(const Step& step, std::size_t at) {
  const std::string key = step.word(at) + " " + step.word(at + 1);
  cl_kernel& known = world->kernels[step.thread][key];
  cl_int status = CL_SUCCESS;
  if (!known || step.has("fresh")) {
    if (known) told(step, clReleaseKernel(known));
    known = clCreateKernel(world->programs[step.number_at(at)], step.word(at + 1).c_str(), &status);
    told(step, status);
  }
  set_arguments(step, at, known);
  return known;
}

void run(const Step& step) {
  Order order(step);
  cl_kernel kernel = kernel_of(step, 1);
  const std::size_t items = size_at(step, 3),
                    group = static_cast<std::size_t>(step.option("group", 0));
  told(step,
       clEnqueueNDRangeKernel(queue_of(step), kernel, 1, nullptr, &items, group ? &group : nullptr,
                              order.count(), order.waits(), order.made()));
}

void CL_CALLBACK run_native(void* arguments) {
  struct {
    std::uint32_t* at;
    std::size_t count;
  } given;
  std::memcpy(&given, arguments, sizeof given);
  for (std::size_t i = 0; i < given.count; ++i) given.at[i] = given.at[i] * 3 + 7;
}

void native(const Step& step) {
  Order order(step);
  struct {
    void* at;
    std::size_t count;
  } arguments{nullptr, size_at(step, 2)};
  const cl_mem memory = memory_at(step, 1);
  const void* place = &arguments.at;
  told(step, clEnqueueNativeKernel(queue_of(step), run_native, &arguments, sizeof arguments, 1,
                                   &memory, &place, order.count(), order.waits(), order.made()));
}

// --- command buffers: each command after the one before it --------------------------------------

struct Point {
  explicit Point(std::size_t commands) : of(commands), before(world->last_point[commands]) {}
  cl_uint count() const { return world->has_point[of] ? 1 : 0; }
  const cl_sync_point_khr* waits() const { return count() ? &before : nullptr; }
  cl_sync_point_khr* made() { return &world->last_point[of]; }
  void take() { world->has_point[of] = true; }
  std::size_t of;
  cl_sync_point_khr before;
};

void make_commands(const Step& step) {
  cl_int status = CL_SUCCESS;
  cl_command_queue queue = world->queues[step.number_at(1)];
  world->command_buffers[step.number_at(0)] = world->calls.create(1, &queue, nullptr, &status);
  told(step, status);
}

void add_command(const Step& step) {
  const std::size_t id = size_at(step, 0);
  cl_command_buffer_khr commands = world->command_buffers[id];
  Point point(id);
  if (step.operation == "addrun") {
    const std::size_t items = size_at(step, 3);
    // A kernel of its own, whose arguments nobody changes: PoCL 3.1 takes those that are set when
    // the buffer is launched, not those of now.
    cl_int status = CL_SUCCESS;
    cl_kernel kernel =
        clCreateKernel(world->programs[step.number_at(1)], step.word(2).c_str(), &status);
    told(step, status);
    set_arguments(step, 1, kernel);
    told(step, world->calls.kernel(commands, nullptr, nullptr, kernel, 1, nullptr, &items, nullptr,
                                   point.count(), point.waits(), point.made(), nullptr));
  } else if (step.operation == "addcopy") {
    told(step, world->calls.copy(commands, nullptr, memory_at(step, 1), memory_at(step, 3),
                                 bytes_at(step, 2), bytes_at(step, 4), bytes_at(step, 5),
                                 point.count(), point.waits(), point.made(), nullptr));
  } else {
    const std::uint32_t number = pattern(static_cast<std::uint32_t>(step.option("seed", 0)), 0);
    told(step,
         world->calls.fill(commands, nullptr, memory_at(step, 1), &number, 4, bytes_at(step, 2),
                           bytes_at(step, 3), point.count(), point.waits(), point.made(), nullptr));
  }
  point.take();
}

void enqueue_commands(const Step& step) {
  Order order(step);
  told(step, world->calls.enqueue(0, nullptr, world->command_buffers[step.number_at(0)],
                                  order.count(), order.waits(), order.made()));
}

// --- order -----------------------------------------------------------------------------------

void CL_CALLBACK event_done(cl_event, cl_int, void* flag) {
  world->flags.set(reinterpret_cast<std::size_t>(flag));
}

void nap() { std::this_thread::sleep_for(std::chrono::microseconds(30)); }

void poll(const Step& step) {
  for (cl_int status = CL_QUEUED; status > CL_COMPLETE; nap())
    if (clGetEventInfo(world->events[step.number_at(0)], CL_EVENT_COMMAND_EXECUTION_STATUS,
                       sizeof status, &status, nullptr) != CL_SUCCESS)
      return told(step, -9999);
}

// Times are there once a command has ended, which is another way to know that it has.
void poll_times(const Step& step) {
  for (cl_ulong time = 0;
       clGetEventProfilingInfo(world->events[step.number_at(0)], CL_PROFILING_COMMAND_END,
                               sizeof time, &time, nullptr) != CL_SUCCESS;)
    nap();
}

void user_event(const Step& step) {
  cl_int status = CL_SUCCESS;
  world->events[step.number_at(0)] = clCreateUserEvent(world->contexts[step.number_at(1)], &status);
  told(step, status);
}

void wait_for(const Step& step) {
  Order order(step);
  told(step, clWaitForEvents(order.count(), order.waits()));
}

// --- calls that are wrong on purpose -------------------------------------------------------------

void wrong(const Step& step) {
  const std::string& what = step.word(0);
  cl_command_queue queue = world->queues[step.number_at(1)];
  cl_mem memory = world->memories[step.number_at(2)];
  cl_context context = world->contexts[step.number_at(3)];
  static std::uint32_t place[4];
  const std::size_t none = 0;
  cl_int status = CL_SUCCESS;
  if (what == "read")
    status = clEnqueueReadBuffer(queue, memory, CL_TRUE, 1 << 30, 4, place, 0, nullptr, nullptr);
  if (what == "write")
    status = clEnqueueWriteBuffer(queue, memory, CL_TRUE, 0, 4, nullptr, 0, nullptr, nullptr);
  if (what == "copy")
    status = clEnqueueCopyBuffer(queue, memory, memory, 0, 4, 16, 0, nullptr, nullptr);
  if (what == "fill")
    status = clEnqueueFillBuffer(queue, memory, place, 3, 0, 12, 0, nullptr, nullptr);
  if (what == "wait")
    status = clEnqueueReadBuffer(queue, memory, CL_TRUE, 0, 4, place, 1, nullptr, nullptr);
  if (what == "kernel")
    status =
        clEnqueueNDRangeKernel(queue, nullptr, 1, nullptr, &none, nullptr, 0, nullptr, nullptr);
  if (what == "map")
    clEnqueueMapBuffer(queue, memory, CL_TRUE, CL_MAP_READ, 1 << 30, 4, 0, nullptr, nullptr,
                       &status);
  if (what == "buffer") clCreateBuffer(context, CL_MEM_READ_WRITE, 0, nullptr, &status);
  if (what == "release") status = clReleaseMemObject(nullptr);
  if (what == "build") {
    const char* text = "kernel void broken(global uint* x) { x[0] = ; }";
    cl_program program = clCreateProgramWithSource(context, 1, &text, nullptr, &status);
    status = clBuildProgram(program, 1, &world->device, "", nullptr, nullptr);
    clReleaseProgram(program);
  }
  world->said.say(step, what + " gave " + std::to_string(status));
}

void capture(const Step& step) {
  if (step.word(0) == "start")
    reel_app_start(nullptr);
  else
    reel_app_stop();
}

// --- which step does what ------------------------------------------------------------------------

const Operations operations = {
    {"context", make_context},
    {"queue", make_queue},
    {"program", make_program},
    {"buffer", make_buffer},
    {"part", make_part},
    {"image", make_image},
    {"shared", make_shared},
    {"release", release},
    {"write", write},
    {"read", read},
    {"readrect", rectangle},
    {"writerect", rectangle},
    {"copy", copy},
    {"fill", fill},
    {"readimage", image_transfer},
    {"writeimage", image_transfer},
    {"copyimage", image_transfer},
    {"imagetobuffer", image_transfer},
    {"buffertoimage", image_transfer},
    {"map", map},
    {"mapshared", map_shared},
    {"unmap", unmap},
    {"poke", poke},
    {"peek", peek},
    {"pokehost", poke_host},
    {"pokeshared", poke_shared},
    {"peekshared", peek_shared},
    {"sharedfill", shared_transfer},
    {"sharedcopy", shared_transfer},
    {"run", run},
    {"native", native},
    {"commands", make_commands},
    {"addrun", add_command},
    {"addcopy", add_command},
    {"addfill", add_command},
    {"finalize",
     [](const Step& s) { told(s, world->calls.finalize(world->command_buffers[s.number_at(0)])); }},
    {"enqueue", enqueue_commands},
    {"show", [](const Step& s) { say_digest(s, world->kept[s.number_at(0)]); }},
    {"userevent", user_event},
    {"complete",
     [](const Step& s) {
       told(s, clSetUserEventStatus(world->events[s.number_at(0)], CL_COMPLETE));
     }},
    {"waitfor", wait_for},
    {"poll", poll},
    {"polltimes", poll_times},
    {"callback",
     [](const Step& s) {
       told(s, clSetEventCallback(world->events[s.number_at(0)], CL_COMPLETE, event_done,
                                  reinterpret_cast<void*>(s.number_at(1))));
     }},
    {"signal", [](const Step& s) { world->flags.set(size_at(s, 0)); }},
    {"await", [](const Step& s) { world->flags.await(size_at(s, 0)); }},
    {"finish", [](const Step& s) { told(s, clFinish(queue_of(s))); }},
    {"flush", [](const Step& s) { told(s, clFlush(queue_of(s))); }},
    {"marker",
     [](const Step& s) {
       Order order(s);
       told(s,
            clEnqueueMarkerWithWaitList(queue_of(s), order.count(), order.waits(), order.made()));
     }},
    {"barrier",
     [](const Step& s) {
       Order order(s);
       told(s,
            clEnqueueBarrierWithWaitList(queue_of(s), order.count(), order.waits(), order.made()));
     }},
    {"sleep",
     [](const Step& s) { std::this_thread::sleep_for(std::chrono::milliseconds(s.number_at(0))); }},
    {"wrong", wrong},
    {"capture", capture},
};

template <typename Function>
void find(Function& function, const char* name) {
  void* address = clGetExtensionFunctionAddressForPlatform(world->platform, name);
  std::memcpy(&function, &address, sizeof address);
}

void open_driver() {
  clGetPlatformIDs(1, &world->platform, nullptr);
  clGetDeviceIDs(world->platform, CL_DEVICE_TYPE_ALL, 1, &world->device, nullptr);
  find(world->calls.create, "clCreateCommandBufferKHR");
  find(world->calls.finalize, "clFinalizeCommandBufferKHR");
  find(world->calls.release, "clReleaseCommandBufferKHR");
  find(world->calls.enqueue, "clEnqueueCommandBufferKHR");
  find(world->calls.kernel, "clCommandNDRangeKernelKHR");
  find(world->calls.copy, "clCommandCopyBufferKHR");
  find(world->calls.fill, "clCommandFillBufferKHR");
}

}  // namespace

int main(int count, char** words) {
  return run_program(
      count, words,
      [](std::size_t steps) -> Said& {
        world = new World(steps);
        open_driver();
        return world->said;
      },
      operations);
}
