// Shared virtual memory.
#include <algorithm>

#include "layers/opencl/hooks/hooks.hpp"
#include "layers/opencl/hooks/map_hooks.hpp"
#include "layers/opencl/objects/svm_pointers.hpp"

namespace reel::layer {

namespace {

void* CL_API_CALL svm_alloc(cl_context context, cl_svm_mem_flags flags, size_t size,
                            cl_uint alignment) {
  const Call call("clSVMAlloc");
  void* pointer = next().clSVMAlloc(context, flags, size, alignment);
  if (!pointer) return pointer;
  quietly([&] {
    auto storage = std::make_shared<Storage>();
    storage->kind = BufferKind::svm;
    storage->context = context;
    storage->size_bytes = size;
    storage->address = static_cast<std::byte*>(pointer);
    storage->is_fine = (flags & CL_MEM_SVM_FINE_GRAIN_BUFFER) != 0;
    storage->parts = 1;
    const RecordingUse use;
    if (use) remember_fresh_words(*storage);
    add_svm(pointer, size, storage);
    if (use) use->allocated(*storage);
  });
  return pointer;
}

void freed(const void* pointer) noexcept {
  quietly([&] {
    const auto storage = remove_svm(pointer);
    if (!storage || storage->parts.fetch_sub(1, std::memory_order_acq_rel) != 1) return;
    const RecordingUse use;
    if (use) use->freed(*storage);
  });
}

// To be called when nothing uses it any more, so its last results are read before.
void CL_API_CALL svm_free(cl_context context, void* pointer) {
  const Call call("clSVMFree");
  freed(pointer);
  next().clSVMFree(context, pointer);
}

cl_int CL_API_CALL enqueue_free(cl_command_queue queue, cl_uint count, void* pointers[],
                                void(CL_CALLBACK* function)(cl_command_queue, cl_uint, void*[],
                                                            void*),
                                void* data, cl_uint wait_count, const cl_event* waits,
                                cl_event* event) {
  Given given(queue, wait_count, waits, event);
  fill(given, WorkKind::barrier, "clEnqueueSVMFree", [](Work&) {});
  const cl_int status = given.call([&](cl_uint n, const cl_event* w, cl_event* e) {
    return next().clEnqueueSVMFree(queue, count, pointers, function, data, n, w, e);
  });
  // Results that stand only there are lost: nothing may be read once the free is on its way.
  if (status == CL_SUCCESS)
    for (cl_uint i = 0; pointers && i < count; ++i) quietly([&] { remove_svm(pointers[i]); });
  return status;
}

struct Place {
  std::shared_ptr<Storage> storage;
  Range range;
};

// Where [pointer, pointer + size) is in shared virtual memory; none: in the program's own.
std::optional<Place> place_of(const void* pointer, std::uint64_t size) {
  const auto block = svm_at(pointer);
  if (!block) return std::nullopt;
  const auto offset =
      static_cast<std::uint64_t>(static_cast<const std::byte*>(pointer) - block->begin);
  if (size > block->size_bytes - offset) return std::nullopt;
  return Place{block->storage, {block->storage.get(), offset, size}};
}

cl_int CL_API_CALL enqueue_memcpy(cl_command_queue queue, cl_bool blocking, void* target,
                                  const void* source, size_t size, cl_uint wait_count,
                                  const cl_event* waits, cl_event* event) {
  Given given(queue, wait_count, waits, event);
  std::optional<Place> from, to;
  quietly([&] {
    from = place_of(source, size);
    to = place_of(target, size);
  });
  if (to && !session::mode())
    host_wrote(*to->storage);  // looked at when somebody captures
  else if (to && from)
    pointers_copied(*from->storage, *to->storage);
  else if (to)
    host_writes(*to->storage, source, size);
  const auto driver = [&](cl_bool block, cl_uint n, const cl_event* w, cl_event* e) {
    return next().clEnqueueSVMMemcpy(queue, block, target, source, size, n, w, e);
  };
  constexpr const char* function = "clEnqueueSVMMemcpy";
  if (!from && to) {
    fill(given, WorkKind::write, function, [&](Work& work) { work.write(to->range); });
    return write(given, blocking, {source, line(size)}, driver);
  }
  if (from && !to) {
    fill(given, WorkKind::read, function, [&](Work& work) { work.read(from->range); });
    return read(given, blocking, {target, line(size)}, driver);
  }
  fill(given, from ? WorkKind::copy : WorkKind::barrier, function, [&](Work& work) {
    if (from) add_copy(work, from->range, to->range);
  });
  const cl_bool block = given.block(blocking);
  const cl_int status =
      given.call([&](cl_uint n, const cl_event* w, cl_event* e) { return driver(block, n, w, e); });
  return blocking ? given.wait(status) : status;
}

cl_int CL_API_CALL enqueue_memfill(cl_command_queue queue, void* target, const void* pattern,
                                   size_t pattern_size, size_t size, cl_uint wait_count,
                                   const cl_event* waits, cl_event* event) {
  Given given(queue, wait_count, waits, event);
  fill(given, WorkKind::fill, "clEnqueueSVMMemFill", [&](Work& work) {
    if (const auto to = place_of(target, size)) {
      host_writes(*to->storage, pattern, pattern_size);
      work.write(to->range);
      set_pattern(work, pattern, pattern_size);
    } else {
      work.row.kind = WorkKind::barrier;
    }
  });
  give_pattern(given, pattern, pattern_size);
  return given.call([&](cl_uint n, const cl_event* w, cl_event* e) {
    return next().clEnqueueSVMMemFill(queue, target, pattern, pattern_size, size, n, w, e);
  });
}

cl_int CL_API_CALL enqueue_map(cl_command_queue queue, cl_bool blocking, cl_map_flags flags,
                               void* pointer, size_t size, cl_uint wait_count,
                               const cl_event* waits, cl_event* event) {
  Given given(queue, wait_count, waits, event);
  Work mapped;
  quietly([&] {
    if (const auto place = place_of(pointer, size)) mapped.read(place->range);
  });
  fill(given, WorkKind::read, "clEnqueueSVMMap",
       [&](Work& work) { work.arguments = mapped.arguments; });
  MapInProgress map(given, mapped.arguments, flags, false);
  const cl_bool block = given.block(blocking);
  const cl_int status = given.call([&](cl_uint n, const cl_event* w, cl_event* e) {
    return next().clEnqueueSVMMap(queue, block, flags, pointer, size, n, w, e);
  });
  if (status == CL_SUCCESS) map.done(pointer, line(size));
  return blocking ? given.wait(status) : status;
}

cl_int CL_API_CALL enqueue_unmap(cl_command_queue queue, void* pointer, cl_uint wait_count,
                                 const cl_event* waits, cl_event* event) {
  Given given(queue, wait_count, waits, event);
  std::optional<Map> map;
  quietly([&] {
    if (const auto block = svm_at(pointer)) {
      map = take_map(block->storage.get(), pointer);
      host_wrote(*block->storage);
    }
  });
  return unmap(given, "clEnqueueSVMUnmap", std::move(map), pointer,
               [&](cl_uint n, const cl_event* w, cl_event* e) {
                 return next().clEnqueueSVMUnmap(queue, pointer, n, w, e);
               });
}

cl_int CL_API_CALL enqueue_migrate(cl_command_queue queue, cl_uint count, const void** pointers,
                                   const size_t* sizes, cl_mem_migration_flags flags,
                                   cl_uint wait_count, const cl_event* waits, cl_event* event) {
  Given given(queue, wait_count, waits, event);
  fill(given, WorkKind::barrier, "clEnqueueSVMMigrateMem", [](Work&) {});
  return given.call([&](cl_uint n, const cl_event* w, cl_event* e) {
    return next().clEnqueueSVMMigrateMem(queue, count, pointers, sizes, flags, n, w, e);
  });
}

}  // namespace

void add_svm_hooks(cl_icd_dispatch& table) {
  table.clSVMAlloc = svm_alloc;
  table.clSVMFree = svm_free;
  table.clEnqueueSVMFree = enqueue_free;
  table.clEnqueueSVMMemcpy = enqueue_memcpy;
  table.clEnqueueSVMMemFill = enqueue_memfill;
  table.clEnqueueSVMMap = enqueue_map;
  table.clEnqueueSVMUnmap = enqueue_unmap;
  table.clEnqueueSVMMigrateMem = enqueue_migrate;
}

}  // namespace reel::layer
