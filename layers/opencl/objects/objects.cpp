#include "layers/opencl/objects/objects.hpp"

#include <algorithm>
#include <cstddef>
#include <map>
#include <shared_mutex>
#include <span>
#include <unordered_map>

#include "layers/opencl/objects/image_shape.hpp"
#include "recording/calls/call_queue.hpp"

namespace reel::layer {

namespace {

std::atomic<std::uint32_t> svm_changes{0};
std::atomic<std::uint64_t> versions{1};
std::atomic<std::size_t> svm_blocks{0};

struct SvmTable {
  std::shared_mutex mutex;
  std::map<const std::byte*, SvmBlock> blocks;  // by begin
};

}  // namespace

void add(const void* handle, std::shared_ptr<Object> object) {
  if (!handle) return;
  object->handle = handle;
  Object* raw = object.get();
  raw->self = std::move(object);
  handles().insert(handle, raw);
}

void retained(const void* handle) noexcept {
  if (Object* object = handles().find(handle))
    object->references.fetch_add(1, std::memory_order_relaxed);
}

bool released(const void* handle, std::shared_ptr<Object>& object) noexcept {
  Object* found = handles().find(handle);
  if (!found) return false;
  object = found->shared_from_this();
  if (found->references.fetch_sub(1, std::memory_order_acq_rel) != 1) return false;
  handles().remove(handle);
  return true;
}

void release_failed(const void* handle, const std::shared_ptr<Object>& object, bool was_last) {
  if (!object) return;
  object->references.fetch_add(1, std::memory_order_relaxed);
  if (was_last) add(handle, object);
}

void Kernel::take_versions() noexcept {
  constexpr std::uint64_t count = 1024;
  version = versions.fetch_add(count, std::memory_order_relaxed);
  versions_end_ = version + count;
}
std::uint32_t svm_version() noexcept { return svm_changes.load(std::memory_order_relaxed); }

// --- adopting -----------------------------------------------------------------------------------

std::shared_ptr<Queue> queue_of(cl_command_queue handle) {
  if (auto* known = find<Queue>(handle)) return shared(known);
  const auto get = next().clGetCommandQueueInfo;
  cl_context context = nullptr;
  if (!handle || !driver_has(handle, &cl_icd_dispatch::clGetCommandQueueInfo) ||
      get(handle, CL_QUEUE_CONTEXT, sizeof(void*), static_cast<void*>(&context), nullptr) !=
          CL_SUCCESS)
    return nullptr;
  auto queue = std::make_shared<Queue>();
  queue->context = context;
  queue->device = ask<cl_device_id>(get, handle, CL_QUEUE_DEVICE);
  const auto properties = ask<cl_command_queue_properties>(get, handle, CL_QUEUE_PROPERTIES);
  queue->in_order = (properties & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE) == 0;
  queue->on_device = (properties & CL_QUEUE_ON_DEVICE) != 0;
  queue->can_stamp = (properties & CL_QUEUE_PROFILING_ENABLE) != 0;
  queue->references = ask<cl_uint>(get, handle, CL_QUEUE_REFERENCE_COUNT);
  add(handle, queue);
  return queue;
}

namespace {

std::shared_ptr<Storage> make_storage(cl_mem handle, cl_mem_object_type type) {
  const auto get = next().clGetMemObjectInfo;
  auto storage = std::make_shared<Storage>();
  storage->context = ask<cl_context>(get, handle, CL_MEM_CONTEXT);
  storage->flags = ask<cl_mem_flags>(get, handle, CL_MEM_FLAGS);
  storage->memory = handle;
  if (type == CL_MEM_OBJECT_BUFFER) {
    storage->size_bytes = ask<std::size_t>(get, handle, CL_MEM_SIZE);
  } else if (const auto shape = image_shape(handle, type)) {
    storage->kind = BufferKind::image;
    storage->image = shape;
    storage->size_bytes = shape->size_bytes();
  } else {
    storage->is_strange = true;  // a pipe, or an image of a kind that can't be read back
    storage->size_bytes = ask<std::size_t>(get, handle, CL_MEM_SIZE);
  }
  // What the host sees of an image has rows of its own length.
  storage->is_lent = (storage->flags & CL_MEM_USE_HOST_PTR) != 0;
  if (storage->is_lent && !storage->image)
    storage->address = ask<std::byte*>(get, handle, CL_MEM_HOST_PTR);
  return storage;
}

}  // namespace

std::shared_ptr<Memory> memory_of(cl_mem handle) {
  if (auto* known = find<Memory>(handle)) return shared(known);
  const auto get = next().clGetMemObjectInfo;
  cl_mem_object_type type = 0;
  if (!handle || !driver_has(handle, &cl_icd_dispatch::clGetMemObjectInfo) ||
      get(handle, CL_MEM_TYPE, sizeof type, &type, nullptr) != CL_SUCCESS)
    return nullptr;
  auto memory = std::make_shared<Memory>();
  memory->references = ask<cl_uint>(get, handle, CL_MEM_REFERENCE_COUNT);
  const auto flags = ask<cl_mem_flags>(get, handle, CL_MEM_FLAGS);
  const auto* host = ask<const std::byte*>(get, handle, CL_MEM_HOST_PTR);
  // A buffer over shared virtual memory is a part of that.
  if (const auto svm = type == CL_MEM_OBJECT_BUFFER && (flags & CL_MEM_USE_HOST_PTR) && host
                           ? svm_at(host)
                           : std::nullopt) {
    memory->storage = svm->storage;
    memory->offset_bytes = static_cast<std::uint64_t>(host - svm->begin);
    memory->size_bytes = std::min<std::uint64_t>(ask<std::size_t>(get, handle, CL_MEM_SIZE),
                                                 svm->size_bytes - memory->offset_bytes);
    memory->storage->parts.fetch_add(1, std::memory_order_relaxed);
    add(handle, memory);
    return memory;
  }
  const auto parent_handle = ask<cl_mem>(get, handle, CL_MEM_ASSOCIATED_MEMOBJECT);
  const auto parent = parent_handle ? memory_of(parent_handle) : nullptr;
  if (!parent) {
    memory->storage = make_storage(handle, type);
    memory->size_bytes = memory->storage->size_bytes;
  } else if (type == CL_MEM_OBJECT_BUFFER) {
    memory->storage = parent->storage;
    memory->offset_bytes = parent->offset_bytes + ask<std::size_t>(get, handle, CL_MEM_OFFSET);
    memory->size_bytes = ask<std::size_t>(get, handle, CL_MEM_SIZE);
  } else {
    // An image made on a buffer: its bytes are the buffer's.
    memory->view = make_storage(handle, type);
    memory->storage = parent->storage;
    memory->offset_bytes = parent->offset_bytes;
    const auto& shape = memory->view->image;
    const std::uint64_t pitch = shape ? shape->row_pitch_bytes : 0;
    memory->size_bytes = shape && pitch
                             ? pitch * (shape->height - 1) + shape->width * shape->pixel_bytes
                             : memory->view->size_bytes;
    if (memory->size_bytes > parent->size_bytes) memory->size_bytes = parent->size_bytes;
  }
  memory->storage->parts.fetch_add(1, std::memory_order_relaxed);
  add(handle, memory);
  return memory;
}

Kernel* kernel_of(cl_kernel handle) {
  if (auto* known = find<Kernel>(handle)) return known;
  const auto get = next().clGetKernelInfo;
  cl_uint count = 0;
  if (!handle || !driver_has(handle, &cl_icd_dispatch::clGetKernelInfo) ||
      get(handle, CL_KERNEL_NUM_ARGS, sizeof count, &count, nullptr) != CL_SUCCESS)
    return nullptr;
  auto kernel = std::make_shared<Kernel>();
  kernel->name = ask_text(get, handle, CL_KERNEL_FUNCTION_NAME);
  kernel->program_handle = ask<cl_program>(get, handle, CL_KERNEL_PROGRAM);
  kernel->program = shared(find<Program>(kernel->program_handle));
  constexpr cl_uint most_arguments = 4096;  // of a driver that is in its right mind
  kernel->arguments.resize(count < most_arguments ? count : most_arguments);
  kernel->change();
  kernel->references = ask<cl_uint>(get, handle, CL_KERNEL_REFERENCE_COUNT);
  add(handle, kernel);
  return kernel.get();
}

std::shared_ptr<KernelIdentity> identity_of(const Kernel& kernel) {
  std::string key = kernel.name + '\0' + kernel.label + '\0';
  if (kernel.program) {
    const std::lock_guard lock(kernel.program->mutex);
    key += kernel.program->options + '\0' + kernel.program->text;
    for (const Program::Part& part : kernel.program->parts) {
      key += '\0' + part.options;
      for (const auto& [name, text] : part.headers)
        key.append(1, '\0').append(name).append(1, '\0').append(text);
    }
  } else {
    key += std::to_string(reinterpret_cast<std::uintptr_t>(kernel.program_handle));
  }
  struct Identities {
    std::mutex mutex;
    std::unordered_map<Hash128, std::shared_ptr<KernelIdentity>> all;
  };
  auto& known = forever<Identities>();
  const Hash128 hash = hash128(std::as_bytes(std::span(key.data(), key.size())));
  const std::lock_guard lock(known.mutex);
  auto& identity = known.all[hash];
  if (!identity) identity = std::make_shared<KernelIdentity>();
  return identity;
}

// --- shared virtual memory ----------------------------------------------------------------------

void add_svm(void* begin, std::uint64_t size, std::shared_ptr<Storage> storage) {
  auto& table = forever<SvmTable>();
  const std::unique_lock lock(table.mutex);
  svm_changes.fetch_add(1, std::memory_order_relaxed);
  auto* first = static_cast<std::byte*>(begin);
  table.blocks.insert_or_assign(first, SvmBlock{first, size, std::move(storage)});
  svm_blocks.store(table.blocks.size(), std::memory_order_relaxed);
}

std::shared_ptr<Storage> remove_svm(const void* begin) {
  auto& table = forever<SvmTable>();
  const std::unique_lock lock(table.mutex);
  svm_changes.fetch_add(1, std::memory_order_relaxed);
  const auto it = table.blocks.find(static_cast<const std::byte*>(begin));
  if (it == table.blocks.end()) return nullptr;
  auto storage = std::move(it->second.storage);
  table.blocks.erase(it);
  svm_blocks.store(table.blocks.size(), std::memory_order_relaxed);
  return storage;
}

std::optional<SvmBlock> svm_at(const void* address) {
  auto& table = forever<SvmTable>();
  const std::shared_lock lock(table.mutex);
  const auto* at = static_cast<const std::byte*>(address);
  auto it = table.blocks.upper_bound(at);
  if (it == table.blocks.begin()) return std::nullopt;
  --it;
  if (at >= it->first + it->second.size_bytes) return std::nullopt;
  return it->second;
}

SvmBounds svm_bounds() noexcept {
  if (svm_blocks.load(std::memory_order_relaxed) == 0) [[likely]]
    return {};
  auto& table = forever<SvmTable>();
  const std::shared_lock lock(table.mutex);
  if (table.blocks.empty()) return {};
  const SvmBlock& last = table.blocks.rbegin()->second;
  return {reinterpret_cast<std::uintptr_t>(table.blocks.begin()->first),
          reinterpret_cast<std::uintptr_t>(last.begin) + last.size_bytes};
}

}  // namespace reel::layer
