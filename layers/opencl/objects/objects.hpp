// objects.hpp - what the layer keeps for each handle of the program, from its first call on.
//
// An object holds what a capture that begins later will have to tell: the source of a program, the
// arguments of a kernel. It lives as long as the program's references, and as anything recorded
// needs it. Handles that we did not see being made are adopted: the driver is asked.
// As in OpenCL, a kernel's arguments belong to one thread at a time; the rest is for any thread.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <new>
#include <optional>
#include <string>
#include <vector>

#include "base/bytes/hash128.hpp"
#include "document/columns/rows.hpp"
#include "graph/commands/resource.hpp"
#include "layers/opencl/objects/api.hpp"
#include "layers/tracking/handle_table.hpp"
#include "recording/calls/tracked.hpp"
#include "recording/order/queue_log.hpp"
#include "reel/trace.hpp"

namespace reel::layer {

using capture::KernelIdentity;
using capture::Point;

capture::ApiAdapter& opencl_api() noexcept;

// Never destroyed: a program may call OpenCL from its last destructor. Nor does it take memory that
// may be used up.
template <class T>
T& forever() {
  alignas(T) static std::byte place[sizeof(T)];
  static T& one = *new (place) T;
  return one;
}

enum class ObjectKind : std::uint8_t {
  queue,
  memory,
  program,
  kernel,
  event,
  sampler,
  command_buffer
};

struct Object : std::enable_shared_from_this<Object> {
  explicit Object(ObjectKind object_kind) : kind(object_kind) {}
  virtual ~Object() = default;
  Object(const Object&) = delete;
  Object& operator=(const Object&) = delete;

  const ObjectKind kind;
  const void* handle = nullptr;
  std::atomic<std::uint32_t> references{1};  // the program's
  std::shared_ptr<Object> self;              // as long as the program has references
};

// --- memory -------------------------------------------------------------------------------------

// Bytes that are a buffer of documents: a buffer, an image, or shared virtual memory. Sub-buffers
// and images made on a buffer are parts of one.
struct Storage : capture::TrackedBuffer {
  Storage() : TrackedBuffer(opencl_api()) {}
  cl_context context = nullptr;
  cl_mem memory = nullptr;  // of the whole; null for shared virtual memory
  bool is_fine = false;     // shared virtual memory that needs no map
  // Of shared virtual memory: the host was seen to put addresses of such memory into it; it may
  // have put others there since.
  std::atomic<bool> holds_pointers{false}, has_host_writes{false};
  // … and what the heap had left there when it was made: by offset, words that might be addresses.
  struct FreshWord {
    std::uint64_t offset_bytes;
    std::uintptr_t word;
  };
  std::vector<FreshWord> fresh_words;
  cl_mem_flags flags = 0;
  std::mutex life_mutex;  // of is_gone
  bool is_gone = false;   // the program is releasing the last object of it
};

struct Memory final : Object {
  Memory() : Object(ObjectKind::memory) {}
  std::shared_ptr<Storage> storage;
  std::uint64_t offset_bytes = 0, size_bytes = 0;
  std::shared_ptr<Storage> view;  // of an image made on a buffer: the image's own row
};

struct Sampler final : Object {
  Sampler() : Object(ObjectKind::sampler) {}
  SamplerShape shape;
};

// --- programs -----------------------------------------------------------------------------------

struct Program final : Object {
  Program() : Object(ObjectKind::program) {}
  enum class From : std::uint8_t { unknown, source, binary, il, built_in, linked } from{};
  cl_context context = nullptr;
  std::mutex mutex;     // of what follows
  std::string text;     // source, IL or binary
  std::string options;  // of the last build, compilation or link
  struct Part {         // of a linked program
    bool is_binary = false;
    std::string text, options;
    std::vector<std::pair<std::string, std::string>> headers;
  };
  std::vector<Part> parts;
  std::vector<std::pair<std::string, std::string>> headers;  // of the last compilation
};

struct KernelArgument {
  ArgumentKind kind = ArgumentKind::null;  // also while it is not set: the driver refuses that
  bool is_plain = false;  // a value, in `bytes`; whatever is set of the same size is one
  std::uint32_t size_bytes = 0;
  std::array<std::byte, 32> bytes{};  // of a value that fits
  std::vector<std::byte> more;        // of one that doesn't
  std::shared_ptr<Memory> memory;     // of a buffer or an image without a `pointer`
  std::shared_ptr<Sampler> sampler;
  std::uint64_t local_bytes = 0;
  const void* pointer = nullptr;  // into shared virtual memory, which is found when used
};

struct Kernel final : Object, capture::TrackedKernel {
  Kernel() : Object(ObjectKind::kernel) {}
  std::shared_ptr<Program> program;
  cl_program program_handle = nullptr;
  bool reflected = false;       // parameters are known, from the driver or the source
  bool told_by_driver = false;  // by the driver
  std::vector<Parameter> parameters;
  std::vector<KernelArgument> arguments;
  // Of the arguments as they are: no other arguments of any kernel of the process have it. `shape`
  // is the one that they had when anything but a plain value was changed last.
  std::uint64_t version = 0, shape = 0;
  void change_value() noexcept {
    if (++version >= versions_end_) [[unlikely]]
      take_versions();
  }
  void change() noexcept {
    change_value();
    shape = version;
  }
  std::vector<const void*> svm_pointers;  // reached by pointers inside memory
  bool uses_any_svm = false;

 private:
  // Taken by the thousand: a counter that all threads share takes as long as all else that is done
  // when an argument is set.
  void take_versions() noexcept;
  std::uint64_t versions_end_ = 0;
};

// --- queues and events --------------------------------------------------------------------------

struct Queue final : Object, capture::TrackedQueue {
  Queue() : Object(ObjectKind::queue), TrackedQueue(opencl_api()) {}
  std::shared_ptr<TrackedQueue> share() override {
    return std::static_pointer_cast<Queue>(shared_from_this());
  }
  void* driver_handle() const noexcept override { return const_cast<void*>(handle); }

  cl_context context = nullptr;
  bool on_device = false;
  bool stamps_are_ours = false;                 // the program did not ask for them, and isn't told
  std::vector<cl_queue_properties> properties;  // as the program gave them
};

struct Event final : Object, capture::RecordedEvent {
  Event() : Object(ObjectKind::event) {}
  bool is_user = false;
  std::uint64_t user_number = 0;  // held_back::made()
};

// --- all of them --------------------------------------------------------------------------------

struct SvmBlock {
  std::byte* begin = nullptr;
  std::uint64_t size_bytes = 0;
  std::shared_ptr<Storage> storage;
};

// Never destroyed, as above, and made before anything runs: nobody asks whether it is there.
union AllHandles {
  constexpr AllHandles() : table() {}
  ~AllHandles() {}
  HandleTable table;
};
inline constinit AllHandles all_handles;
inline HandleTable& handles() noexcept { return all_handles.table; }

template <class T>
constexpr ObjectKind kind_of() noexcept {
  if constexpr (std::is_same_v<T, Queue>) return ObjectKind::queue;
  if constexpr (std::is_same_v<T, Memory>) return ObjectKind::memory;
  if constexpr (std::is_same_v<T, Program>) return ObjectKind::program;
  if constexpr (std::is_same_v<T, Kernel>) return ObjectKind::kernel;
  if constexpr (std::is_same_v<T, Event>) return ObjectKind::event;
  if constexpr (std::is_same_v<T, Sampler>) return ObjectKind::sampler;
}

// Null: we don't know it, or it is something else.
template <class T>
T* find(const void* handle) noexcept {
  Object* object = handles().find(handle);
  return object && object->kind == kind_of<T>() ? static_cast<T*>(object) : nullptr;
}

template <class T>
std::shared_ptr<T> shared(T* object) {
  return object ? std::static_pointer_cast<T>(object->shared_from_this()) : nullptr;
}

// The program has it from now on.
void add(const void* handle, std::shared_ptr<Object> object);
void retained(const void* handle) noexcept;
// True when that was the last reference; the object is no longer found. To be called before the
// driver is: the moment it frees the handle, another thread may get the same one.
bool released(const void* handle, std::shared_ptr<Object>& object) noexcept;
void release_failed(const void* handle, const std::shared_ptr<Object>& object, bool was_last);

// Found, or made from what the driver tells. Null: the driver doesn't know it either.
std::shared_ptr<Queue> queue_of(cl_command_queue handle);
std::shared_ptr<Memory> memory_of(cl_mem handle);
Kernel* kernel_of(cl_kernel handle);

std::shared_ptr<KernelIdentity> identity_of(const Kernel& kernel);
std::uint32_t svm_version() noexcept;  // changes when shared virtual memory comes or goes

// Shared virtual memory by address.
void add_svm(void* begin, std::uint64_t size, std::shared_ptr<Storage> storage);
std::shared_ptr<Storage> remove_svm(const void* begin);
std::optional<SvmBlock> svm_at(const void* address);
struct SvmBounds {
  std::uintptr_t begin = 0, end = 0;  // of all of it; the same: there is none
};
SvmBounds svm_bounds() noexcept;

}  // namespace reel::layer
