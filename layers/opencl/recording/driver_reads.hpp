// driver_reads.hpp - how bytes of a storage are read with OpenCL.
//
// In: a storage, an offset and memory of ours. Out: a command of the driver's that reads into it,
// in the order of a queue; or the bytes, read now by a queue of our own.
#pragma once

#include <map>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "layers/opencl/objects/held.hpp"
#include "layers/opencl/work.hpp"

namespace reel::layer {

// Of an image: all of it. What of `scratch` is given back later than that is the driver's.
cl_int enqueue_read(cl_command_queue queue, const Storage& storage, std::uint64_t offset,
                    std::span<std::byte> target, cl_uint wait_count, const cl_event* waits,
                    cl_event* event, std::vector<HeldMemory>& scratch);
std::string answered(cl_int status);  // why it could not be read

// One a context, as long as they are needed.
using OwnQueues = std::map<cl_context, HeldQueue>;
// Bytes that no command under way writes, read and waited for. Returns why they can't be; empty:
// they are there.
std::string read_beside(OwnQueues& queues, const BufferRange& range, std::span<std::byte> target);

// An object of the program that its threads may release at any moment, kept while it is read: by a
// reference of ours; where the driver reads memory that the program lent, the release waits for us.
class Kept {
 public:
  explicit Kept(Storage& storage);
  explicit operator bool() const noexcept { return memory_ != nullptr; }

 private:
  std::unique_lock<std::mutex> lock_;
  HeldMemory memory_;
};

}  // namespace reel::layer
