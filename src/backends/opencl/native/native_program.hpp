// native_program.hpp - a plan as flat records that a thread can run without the driver.
//
// The records point into one block of arguments. A program may be run by several threads at a
// time; it is changed only while nobody runs it (NativeExecutable sees to that).
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "backends/opencl/native/native_function.hpp"
#include "graph/order/plan.hpp"

namespace reel::opencl {

struct NativeStep {
  enum class Kind : std::uint8_t { other, dispatch, move, fill };
  Kind kind = Kind::other;  // other: not for us (a host call)
  bool enabled = true;
  bool has_shared = false;  // some argument or __local array needs memory of the running thread
  std::uint32_t argument_count = 0;

  // dispatch
  WorkGroupFunction function = nullptr;
  void** arguments = nullptr;  // null entries: shared memory, its size in `addresses`
  std::uint64_t* addresses = nullptr;
  std::uint64_t body_local_bytes = 0;
  PoclContext context{};

  // move and fill
  std::byte* target = nullptr;
  const std::byte* source = nullptr;
  std::uint64_t size_bytes = 0;
  std::uint32_t pattern = 0, pattern_bytes = 0;

  std::uint64_t groups() const noexcept {
    return context.num_groups[0] * context.num_groups[1] * context.num_groups[2];
  }
};

class NativeProgram {
 public:
  using Functions = std::vector<std::shared_ptr<const NativeFunction>>;  // one a step; null: none

  NativeProgram(std::shared_ptr<const Plan> plan, std::shared_ptr<const Functions> functions);
  NativeProgram(const NativeProgram& other);  // with a block of its own
  NativeProgram& operator=(const NativeProgram&) = delete;

  std::span<const NativeStep> steps() const noexcept { return steps_; }
  void set_argument(std::uint32_t step, std::uint32_t index, const Argument& value);
  void set_groups(std::uint32_t step, Dim3 groups);
  void set_enabled(std::uint32_t step, bool enabled) { steps_[step].enabled = enabled; }
  void replace(std::uint32_t step, const Work& work, std::shared_ptr<const void> data);
  // Takes over one step of a program of the same plan.
  void copy_step(std::uint32_t step, const NativeProgram& from);
  std::size_t size_bytes() const noexcept;

  // Runs steps [begin, end). `times_ns`, where given, gets what each took.
  void run(std::size_t begin, std::size_t end, std::atomic<float>* times_ns) const noexcept;

  std::atomic<int> in_flight = 0;
  std::vector<std::uint32_t> stale;  // steps that the current program has newer values of

 private:
  void lay_out();
  void point_into_block(std::size_t step, std::size_t& offset);
  void set_work(std::uint32_t step, const Work& work);

  std::shared_ptr<const Plan> plan_;
  std::shared_ptr<const Functions> functions_;
  std::vector<NativeStep> steps_;
  std::unique_ptr<std::byte[]> block_;
  std::size_t block_bytes_ = 0;
  // What changes brought in: buffers by argument (first_kept_[step] + index), or by transfer.
  std::vector<std::uint32_t> first_kept_;
  std::vector<std::shared_ptr<const void>> kept_;
};

}  // namespace reel::opencl
