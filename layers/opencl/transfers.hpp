// transfers.hpp - what the hooks of reads, writes, copies and fills have in common.
#pragma once

#include <memory>

#include "layers/opencl/given.hpp"

namespace reel::layer {

// Where the program's own bytes of a transfer are.
struct HostBytes {
  const void* base = nullptr;
  Box box;
};

inline Box line_at(std::uint64_t offset, std::uint64_t size) {
  Box box = line(size);
  box.offset_bytes = offset;
  return box;
}

// Ranges of what a box covers. A box that ends past its memory adds nothing: the driver refuses.
void add_box(Work& work, Access access, const std::shared_ptr<Memory>& memory, const Box& box);
void add_range(Work& work, Access access, const std::shared_ptr<Memory>& memory,
               std::uint64_t offset, std::uint64_t size);
// Pairs of ranges of equal size.
void add_copy(Work& work, const std::shared_ptr<Memory>& source, const Box& source_box,
              const std::shared_ptr<Memory>& target, const Box& target_box);
// The same on storages, for shared virtual memory.
void add_box(Work& work, Access access, Storage* storage, std::uint64_t base, std::uint64_t size,
             const Box& box);
void add_copy(Work& work, const Range& source, const Range& target);

// Of up to four bytes it is a fill; longer ones are written as bytes (give_pattern).
void set_pattern(Work& work, const void* pattern, std::size_t size);
void give_pattern(Given& given, const void* pattern, std::size_t size) noexcept;

// Waits for an event that only the program completes: until then its memory may still change.
bool waits_for_user(cl_uint wait_count, const cl_event* waits) noexcept;

template <class F>
void fill(Given& given, WorkKind kind, const char* function, F&& add) noexcept {
  if (!given) return;
  bool filled = false;
  quietly([&] {
    Work& work = given.work();
    work.clear();
    work.row.kind = kind;
    work.label = function;
    add(work);
    filled = true;
  });
  if (filled)
    given.ready();
  else
    given.give_up();
}

// What the program got is a check of what the device wrote: out of its own memory after a blocking
// read; otherwise nobody knows when the program changes that memory, and we read ourselves.
template <class Driver>
cl_int read(Given& given, cl_bool blocking, const HostBytes& bytes, Driver&& driver) noexcept {
  const bool wanted = given.wants_contents() && given.is_device_written();
  std::pmr::vector<WorkArgument> ranges;
  if (wanted && blocking) quietly([&] { ranges = given.work().arguments; });
  const cl_bool block = given.block(blocking);
  const cl_int status =
      given.call([&](cl_uint n, const cl_event* w, cl_event* e) { return driver(block, n, w, e); });
  if (status != CL_SUCCESS) return status;
  if (wanted && !blocking) given.check();
  if (!blocking) return status;
  const std::uint32_t command = given.command(), capture = given.capture();
  const cl_int waited = given.wait(status);
  if (wanted && waited == CL_SUCCESS && bytes.base) {
    const RecordingUse use;
    BoxSource source(bytes.base, bytes.box);
    if (use && use->number == capture) use->found(command, ranges, source);
  }
  return waited;
}

// The bytes are the program's until the command is done, so they are taken here and now; unless it
// waits for the program to say when they are ready: then they are read back.
template <class Driver>
cl_int write(Given& given, cl_bool blocking, const HostBytes& bytes, Driver&& driver) noexcept {
  const bool later = given && waits_for_user(given.ticket().wait_count, given.ticket().waits);
  if (given && bytes.base && !later) {
    BoxSource source(bytes.base, bytes.box);
    given.written(source);
  }
  const cl_bool block = given.block(blocking);
  const cl_int status =
      given.call([&](cl_uint n, const cl_event* w, cl_event* e) { return driver(block, n, w, e); });
  if (status == CL_SUCCESS && later) given.check(ContentRole::written);
  return blocking ? given.wait(status) : status;
}

}  // namespace reel::layer
