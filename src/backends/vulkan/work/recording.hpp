// recording.hpp - a plan with its present arguments, recorded into command buffers.
//
// One command buffer, or one for each stretch between host calls. Holds all that its commands
// name. Recorded by one thread; launches of it may be in flight on any number of queues.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "backends/vulkan/kernels/descriptor_cache.hpp"
#include "backends/vulkan/work/batch.hpp"
#include "backends/vulkan/work/recorder.hpp"
#include "graph/commands/kept_command.hpp"
#include "runtime/driver.hpp"

namespace reel::vulkan {

// One step of a plan as it will be recorded next.
struct StepState {
  Work work;
  std::string label;  // of a host call
  bool barrier_before = false;
  bool enabled = true;
  std::uint32_t first_argument = 0;  // of a dispatch, in the executable's arguments
  KeptBytes data;                    // of a write that was replaced
};

class DecisionKernels;
class IndirectGrids;

// How dispatches of branches that aren't taken are kept from running.
enum class SkippedBy : std::uint8_t {
  conditional,  // rendering: VK_EXT_conditional_rendering
  indirect,     // dispatches, which have no groups then
  host,         // it doesn't give them
};

class Recording final : public InFlight {
 public:
  struct Segment {
    VkCommandBuffer commands = VK_NULL_HANDLE;  // none: nothing for the device
    std::vector<ReadBack> read_backs;
    std::function<void()> host;  // after the commands; may be empty
  };

  explicit Recording(std::shared_ptr<Context> context);
  ~Recording() override;
  Recording(const Recording&) = delete;
  Recording& operator=(const Recording&) = delete;

  // Only while nothing of it is in flight. `timed`: with stamps around every step.
  void record(std::span<const StepState> steps, std::span<const Argument> arguments,
              DescriptorCache& descriptors, bool timed);

  // A decision that the device takes, of at most so many commands. Launches of it follow one
  // another on one queue.
  void record(const DecidedOnDevice& decision, SkippedBy way, std::uint64_t commands,
              DecisionKernels& kernels, DescriptorCache& descriptors);
  // Of that; null where it can't stop.
  static std::shared_ptr<const Stops> stops(const std::shared_ptr<Recording>& recording) {
    if (recording->stops_.places.empty()) return nullptr;
    return {recording, &recording->stops_};
  }

  bool is_idle() const noexcept { return batches.load(std::memory_order_acquire) == 0; }
  // Two launches at once would share the place that reads go through.
  bool can_overlap() const noexcept { return !has_reads_; }
  const std::vector<Segment>& segments() const noexcept { return segments_; }
  std::uint64_t staging_bytes() const noexcept { return staging_.held_bytes(); }
  std::vector<StepTime> times() const;  // of the last launch; when timed

  std::uint64_t version = 0;  // of the arguments

 private:
  void restart(DescriptorCache& descriptors);
  void begin_commands();
  void end_commands();
  std::uint32_t stamp_begin(std::uint32_t step, bool after_barrier, std::uint32_t last_end);
  void add(const StepState& step, std::span<const Argument> arguments);
  void hold_all_of(const Dispatch& dispatch);
  void add_host_call(const StepState& step, std::uint32_t index);
  // What is skipped together, a branch or a round of a loop: by its predicate, or by its number.
  struct Region {
    Predicate predicate;
    std::uint32_t number = 0;
  };
  // A look at a condition, at the end of a loop without branches to choose from.
  struct LookAt {
    const DecidedOnDevice& decision;
    std::uint32_t words;         // from which on predicates are its own
    std::uint32_t branches = 0;  // it chooses from
    std::uint32_t limit = 0;     // stops from this number on
    std::uint64_t round = 0;     // it stops at
    bool is_first = false;       // of the launch, so that nothing has stopped
  };
  // Each is in `part` of its exec, and in `outer`, which is null where it surely runs. `words`: so
  // many are predicates of what it is in.
  void add_decision(const DecidedOnDevice& decision, std::uint32_t part, const Region* outer,
                    std::uint32_t words);
  void add_choice(const DecidedOnDevice& decision, std::uint32_t part, const Region* outer,
                  std::uint32_t words);
  void add_while(const DecidedOnDevice& decision, std::uint32_t part, const Region* outer,
                 std::uint32_t words);
  void add_branch(const DecidedOnDevice::Parts& parts, const Region* region, std::uint32_t words,
                  const StoppedAt& at);
  void add_parts(const DecidedOnDevice::Parts& parts, const Region* region, std::uint32_t words);
  // Returns the first of its branches among the grids.
  std::uint32_t look(const LookAt& at, std::uint32_t part, const Region* outer);
  void copy_condition(const DecidedOnDevice& decision, std::uint32_t word);
  void barrier_of_decisions();
  // By dispatches alone.
  void add_skippable(const StepState& step, std::span<const Argument> arguments,
                     const Region& region);
  void dispatch_ours(const std::shared_ptr<VulkanKernel>& kernel, Dim3 groups,
                     std::span<const Argument> arguments, const Region* region);
  void dispatch_in(Dispatch dispatch, const Region& region);
  template <class Resource>
  void hold(Resource& resource) {
    if (resource.holder.load(std::memory_order_relaxed) == holder_) return;
    resource.holder.store(holder_, std::memory_order_relaxed);
    held_.push_back(resource.shared_from_this());
  }

  const std::shared_ptr<Context> context_;
  VkCommandPool pool_ = VK_NULL_HANDLE;
  std::vector<VkCommandBuffer> buffers_;  // of the pool; the first `used_` are taken
  std::size_t used_ = 0;
  Recorder recorder_;
  StagingArena staging_;
  std::vector<Segment> segments_;
  std::vector<std::shared_ptr<const void>> held_;
  std::shared_ptr<DescriptorGeneration> descriptors_;
  std::uint64_t holder_ = 0;
  bool recording_ = false, has_reads_ = false, timed_ = false;

  // Of a decision that is being recorded.
  VulkanBuffer* words_ = nullptr;   // the place where it stopped, then predicates or grids
  IndirectGrids* grids_ = nullptr;  // null: by conditional rendering
  DecisionKernels* kernels_ = nullptr;
  std::vector<StoppedAt> around_;  // the place that is recorded now
  Stops stops_;

  static constexpr std::uint32_t no_query = ~0u;
  VkQueryPool queries_ = VK_NULL_HANDLE;  // two a step; the second is its end
  std::vector<std::uint32_t> begins_;     // by step, the query of its begin; none where not stamped
  std::vector<StepTime> host_times_;      // of host calls, when timed
};

}  // namespace reel::vulkan
