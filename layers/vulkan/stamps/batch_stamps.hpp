// batch_stamps.hpp - the timestamps of one batch: its own around it, those within the program's
// command buffers, and which commands ran between which of them.
//
// Filled while the batch is read, under the queue's lock; read once what stands behind it is done.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "layers/vulkan/objects/command_buffer.hpp"
#include "layers/vulkan/stamps/stamp_plan.hpp"
#include "layers/vulkan/stamps/stamp_run.hpp"
#include "layers/vulkan/stamps/stamp_set.hpp"

namespace reel::layer::vk {

class BatchStamps {
 public:
  // `learns`: what its commands took is for the guesses of later ones.
  BatchStamps(std::shared_ptr<Device> device, std::uint32_t family, Done& done, bool learns)
      : device_(std::move(device)), family_(family), done_(done), learns_(learns) {}

  // --- while it is read, in order
  void begin_buffer(std::size_t number);  // of the batch, from 0
  // What is recorded with these timestamps: the number that their own numbers count from.
  std::uint32_t add_set(const std::shared_ptr<StampSet>& set);
  void add_op(const OpHeader& header, const void* op, std::uint32_t first_stamp,
              std::uint32_t first_command, std::uint32_t end_command);

  // --- when it is given
  // Takes command buffers of ours; false: nothing of it takes time, or the driver can't.
  bool close(std::uint32_t first_command);
  VkCommandBuffer first() const noexcept { return run_->command(0); }
  VkCommandBuffer before_buffer(std::size_t number) const noexcept;  // null: none
  VkCommandBuffer last() const noexcept { return run_->command(run_count_ - 1); }

  // --- when it is done
  void read() noexcept;  // once
  std::uint32_t first_command() const noexcept { return first_command_; }
  const std::vector<capture::TimedCommands>& times() const noexcept { return times_; }

 private:
  struct Source {
    std::uint32_t set;    // number in sets_; none: before a buffer of the batch
    std::uint32_t query;  // of that set; else the number of the buffer, then that in our run
  };
  struct Use {
    std::shared_ptr<StampSet> set;
    std::uint64_t submission;
  };
  // Commands of one kind that no timestamp of ours stands between.
  struct Weight {
    std::uint32_t command;  // the first of them
    WorkCost* cost;
    float size, count;
  };
  void weigh(const OpHeader& header, const void* op, std::uint32_t command);
  void find_times();
  void learn() const;

  const std::shared_ptr<Device> device_;
  const std::uint32_t family_;
  Done& done_;  // has us
  const bool learns_;
  StampPlan plan_;
  std::vector<StageBarrier> parts_;  // reused
  std::vector<Source> sources_;      // by number of timestamp
  std::vector<Use> sets_;
  WorkCost* bound_cost_ = nullptr;      // of the pipeline that is bound
  std::vector<Weight> weights_;         // by command
  std::size_t last_weights_ = 0;        // from here on, behind the last timestamp
  std::uint32_t own_begin_ = no_index;  // a timestamp that stands before one command
  std::uint32_t own_command_ = 0;       // that command
  std::shared_ptr<StampRun> run_;
  std::size_t run_count_ = 0;
  std::vector<std::pair<std::size_t, std::uint32_t>> between_;  // buffer, query of the run
  std::uint32_t first_command_ = no_index;
  std::vector<capture::TimedCommands> times_;
};

}  // namespace reel::layer::vk
