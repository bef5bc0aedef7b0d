// kernel.hpp - a built program and its entry point.
//
// A cl_kernel carries its arguments from call to call and is not safe to use from two threads, so
// direct dispatches lock it; graphs make kernels of their own. Arguments that a dispatch has in
// common with the one before are not set again: on PoCL two calls of clSetKernelArg make a
// dispatch 1.06 to 1.26 times slower.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "backends/opencl/device/context.hpp"
#include "backends/opencl/kernels/program.hpp"
#include "backends/opencl/native/native_function.hpp"
#include "base/process/biased_mutex.hpp"
#include "graph/commands/resource.hpp"
#include "reel/command.hpp"

namespace reel::opencl {

// A launch's size as OpenCL takes it: items in place of groups.
struct Grid {
  cl_uint dimensions = 1;
  std::array<std::size_t, 3> global{}, local{}, offset{};
  bool has_local = true;  // otherwise the driver chooses
  bool has_offset = false;
  const std::size_t* local_or_null() const noexcept { return has_local ? local.data() : nullptr; }
  const std::size_t* offset_or_null() const noexcept {
    return has_offset ? offset.data() : nullptr;
  }
  // PoCL divides by zero when there are no items, so such a launch must not reach it.
  bool empty() const noexcept { return global[0] == 0 || global[1] == 0 || global[2] == 0; }
};
Grid make_grid(Dim3 groups, Dim3 group_size) noexcept;
Grid make_grid(const Dispatch& dispatch) noexcept;

// A driver holds on to buffers that kernels under way were given, and to no shared virtual memory,
// of which it was given addresses. hold_shared() does, until the event is reached.
bool uses_shared(std::span<const Argument> arguments) noexcept;
void hold_shared(std::span<const Argument> arguments, cl_event until);

// Sets one argument. The reference it returns (null for a value or a whole buffer) must live as
// long as the kernel may be enqueued with the argument: setting it keeps nothing alive.
[[nodiscard]] MemoryHandle set_argument(DeviceContext& context, cl_kernel kernel,
                                        std::uint32_t index, const Argument& argument);

// The functions of one kernel that were found to do what the driver does, by group size.
class NativeFunctions {
 public:
  // Null: not checked yet, or `refusal` is set.
  std::shared_ptr<const NativeFunction> find(Dim3 group_size, bool small_grid) const;
  std::string refusal() const;
  void add(Dim3 group_size, bool small_grid, std::shared_ptr<const NativeFunction> function);
  void refuse(std::string why);  // for good

 private:
  struct Entry {
    Dim3 group_size;
    bool small_grid;
    std::shared_ptr<const NativeFunction> function;
  };
  mutable std::mutex mutex_;
  std::string refusal_;
  std::vector<Entry> entries_;
};

struct BuiltKernel : KernelResource {
  BuiltKernel(std::shared_ptr<DeviceContext> context, std::shared_ptr<const BuiltProgram> program,
              const KernelSource& source);

  // Another cl_kernel of the same entry point, no arguments set.
  KernelHandle make_kernel() const;
  void enqueue(cl_command_queue queue, const Grid& grid, std::span<const Argument> arguments,
               cl_event* event);
  cl_program program() const noexcept { return program_->handle.get(); }
  std::vector<std::byte> binary() const override;
  DeviceContext& context() const noexcept { return *context_; }
  const std::string& entry() const noexcept { return entry_; }

  // What is known of calling it natively; filled by NativeCheck. Any thread.
  NativeFunctions native;

 private:
  // What an argument was last set to; buffers by serial, since addresses come back.
  struct LastArgument {
    ArgumentKind kind = ArgumentKind::value;
    std::uint32_t value_bytes = 0;  // 0 with kind value: never set
    union {
      std::uint64_t words[3] = {};  // serial, offset and size; or the size of shared memory
      std::byte bytes[max_value_bytes];
    };
    bool is(const Argument& argument) const noexcept;
    void become(const Argument& argument) noexcept;
    void become_range(const Argument& argument) noexcept;  // of a buffer, or an image
    void forget() noexcept {
      kind = ArgumentKind::value;
      value_bytes = 0;
    }
  };

  // With the lock held:
  void set_range(std::uint32_t index, const Argument& argument);
  [[gnu::noinline]] void set_slowly(std::uint32_t index, const Argument& argument);
  cl_int enqueue_bound(cl_command_queue queue, const Grid& grid, cl_event* event) const;
  // Where any of them is_shared().
  [[gnu::noinline]] void enqueue_sharing(cl_command_queue queue, const Grid& grid,
                                         std::span<const Argument> arguments, cl_event* event);
  void check_enqueued(cl_int status) const;

  std::shared_ptr<DeviceContext> context_;
  std::string entry_;
  std::shared_ptr<const BuiltProgram> program_;
  const Api& api_;
  BiasedMutex mutex_;
  KernelHandle kernel_;
  std::vector<LastArgument> last_;
  std::size_t argument_count_ = 0;  // the size of last_, which is a division
  std::vector<MemoryHandle> held_;  // sub-buffers that may pass, during one enqueue
};

}  // namespace reel::opencl
