// enqueue_executable.hpp - a plan as a loop of plain enqueues.
//
// Each dispatch has a cl_kernel of its own with all arguments set, so a launch is one driver call
// a step: no events, no arguments, one flush. An enqueue captures the arguments, so changing one
// is a clSetKernelArg and leaves launches in flight alone.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "backends/opencl/kernels/kernel.hpp"
#include "backends/opencl/work/queue.hpp"
#include "graph/commands/kept_command.hpp"
#include "runtime/driver.hpp"

namespace reel::opencl {

class EnqueueExecutable final : public Executable {
 public:
  // Kernels are made here, or each when it is first launched.
  enum class Make : bool { at_once, when_needed };
  EnqueueExecutable(std::shared_ptr<const Plan> plan, std::string why, Make make = Make::at_once);

  void launch(QueueDriver& driver) override;
  std::unique_ptr<StepTimes> launch_timed(QueueDriver& driver) override;
  void set_argument(std::uint32_t step, std::uint32_t index, const Argument& value) override;
  void set_groups(std::uint32_t step, Dim3 groups) override;
  void set_enabled(std::uint32_t step, bool enabled) override;
  void replace(std::uint32_t step, const Command& command) override;
  std::unique_ptr<Executable> clone() const override;
  Footprint footprint() const override;
  std::string lowering() const override;

  // --- for executables built on this one ------------------------------------------------------
  // What a launch reads: one cache line a step.
  struct Step {
    cl_kernel kernel = nullptr;  // null: not a dispatch (see work()), or not made yet
    Grid grid;
    bool is_dispatch = false;
    bool is_sharing = false;  // uses shared virtual memory
    bool enabled = true;
    bool runs() const noexcept { return enabled && !(is_dispatch && grid.empty()); }
  };
  const std::vector<Step>& steps() const noexcept { return steps_; }
  const Work& work(std::size_t step) const { return details_[step].command.work; }
  const std::vector<Argument>& arguments(std::size_t step) const {
    return details_[step].arguments;
  }
  void launch_step(CommandQueue& queue, std::size_t step, CommandEvents* events);
  void make_kernel(std::size_t step);  // unless made already
  // A copy with kernels of its own.
  std::unique_ptr<EnqueueExecutable> copy() const;
  const std::shared_ptr<const Plan>& plan() const noexcept { return plan_; }

 private:
  struct Detail : KeptCommand {
    KernelHandle kernel;
    std::vector<MemoryHandle> held;  // sub-buffers among its arguments
    Dispatch& dispatch() { return std::get<Dispatch>(command.work); }
  };
  EnqueueExecutable() = default;

  std::shared_ptr<const Plan> plan_;
  std::string why_;
  std::vector<Step> steps_;
  std::vector<Detail> details_;
};

}  // namespace reel::opencl
