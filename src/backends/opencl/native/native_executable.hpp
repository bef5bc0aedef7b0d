// native_executable.hpp - a plan replayed without the driver, for PoCL's CPU devices.
//
// One clEnqueueNativeKernel stands for a run of steps; where the queue is idle and the whole plan
// small, the caller's thread runs it and nothing is enqueued. Steps large enough to be worth
// PoCL's threads go to the driver as plain enqueues. Timed launches are plain enqueues too.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "backends/opencl/native/native_program.hpp"
#include "backends/opencl/work/enqueue_executable.hpp"

namespace reel::opencl {

class NativeExecutable final : public Executable {
 public:
  NativeExecutable(std::shared_ptr<DeviceContext> context, std::shared_ptr<const Plan> plan,
                   std::shared_ptr<const NativeProgram::Functions> functions);

  void launch(QueueDriver& driver) override;
  std::unique_ptr<StepTimes> launch_timed(QueueDriver& queue) override;
  bool can_run_alone() override;
  void run_alone() override;
  void set_argument(std::uint32_t step, std::uint32_t index, const Argument& value) override;
  void set_groups(std::uint32_t step, Dim3 groups) override;
  void set_enabled(std::uint32_t step, bool enabled) override;
  void replace(std::uint32_t step, const Command& command) override;
  std::unique_ptr<Executable> clone() const override;
  Footprint footprint() const override;
  std::string lowering() const override;
  bool is_timed_step_by_step() const override { return true; }

 private:
  // What steps took when last measured; written by whichever thread ran them.
  struct Times {
    explicit Times(std::size_t steps) : ns(steps) {}
    std::vector<std::atomic<float>> ns;
    std::atomic<bool> fresh = false;
  };
  struct Run;
  static void run(void* data);

  NativeExecutable(const NativeExecutable& other);
  void decide();
  void enqueue(CommandQueue& queue, std::size_t begin, std::size_t end, bool measure);
  NativeProgram& writable(std::uint32_t step);

  std::shared_ptr<DeviceContext> context_;
  std::shared_ptr<const NativeProgram::Functions> functions_;
  std::unique_ptr<EnqueueExecutable> plain_;
  std::shared_ptr<NativeProgram> current_;
  std::vector<std::shared_ptr<NativeProgram>> programs_;  // current_ among them
  std::shared_ptr<Times> times_;

  std::vector<float> unit_ns_;           // of one group, or of a whole transfer
  std::vector<unsigned char> natively_;  // by step, as decided
  std::vector<unsigned char> fits_;      // its function is for grids of this size
  std::size_t native_steps_ = 0;
  double native_ns_ = 0;
  bool undecided_ = true;
  std::uint32_t launches_ = 0;
};

}  // namespace reel::opencl
