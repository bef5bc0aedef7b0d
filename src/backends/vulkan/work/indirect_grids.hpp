// indirect_grids.hpp - how many groups the dispatches of a decision have, in memory of the device.
//
// Where conditional rendering can't skip a dispatch, one of no groups is as good. Each dispatch has
// a slot with its grid, and belongs to a region, which is a branch or a round of a loop. A launch
// begins with the grids of the outermost region; a shader that decides for a region writes that
// one's. Filled by one thread, while the decision is recorded; each launch then starts with
// start().
#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "backends/vulkan/device/buffer.hpp"
#include "backends/vulkan/work/recorder.hpp"
#include "reel/command.hpp"

namespace reel::vulkan {

class IndirectGrids {
 public:
  static constexpr std::uint32_t outermost = 0, nobody = ~0u;  // regions

  // For a decision of so many commands, each of which has two slots and decides over one branch.
  IndirectGrids(const std::shared_ptr<Context>& context, std::uint64_t commands);

  std::uint32_t new_region() noexcept { return ++regions_; }
  std::uint32_t slot_count() const noexcept { return slots_; }
  // The range that an indirect dispatch reads. Of nobody's, no decision writes it.
  BufferRange add(std::uint32_t region, Dim3 groups);
  // A region for each branch of a decision, to be told when its slots are known.
  std::uint32_t add_branches(std::uint32_t count);
  void set_branch(std::uint32_t branch, std::uint32_t region, std::uint32_t first_slot) noexcept;

  void start(Recorder& recorder) const;

  // The word in which a launch leaves where it stopped, and behind it the slots.
  const std::shared_ptr<VulkanBuffer>& words() const noexcept { return words_; }
  // What deciding shaders go by, and from which word on.
  const std::shared_ptr<VulkanBuffer>& table() const noexcept { return table_; }
  std::uint32_t grids_at() const noexcept { return most_words(); }
  std::uint32_t owners_at() const noexcept { return grids_at() + 3 * most_slots_; }
  std::uint32_t branch_at(std::uint32_t branch) const noexcept {
    return branches_at() + 3 * branch;
  }
  std::uint32_t slot_words() const noexcept { return 3 * most_slots_; }

 private:
  std::uint32_t branches_at() const noexcept { return owners_at() + most_slots_; }
  std::uint32_t most_words() const noexcept { return 1 + 3 * most_slots_; }
  std::uint32_t* at(std::uint32_t word) const noexcept;

  const std::uint32_t most_slots_, most_branches_;
  std::uint32_t slots_ = 0, regions_ = 0, branches_ = 0;
  std::shared_ptr<VulkanBuffer> words_, table_;
};

}  // namespace reel::vulkan
