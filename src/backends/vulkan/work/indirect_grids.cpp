#include "backends/vulkan/work/indirect_grids.hpp"

#include "base/fail.hpp"

namespace reel::vulkan {
namespace {

constexpr std::uint32_t bytes_of_a_word = sizeof(std::uint32_t);

}  // namespace

IndirectGrids::IndirectGrids(const std::shared_ptr<Context>& context, std::uint64_t commands)
    : most_slots_(static_cast<std::uint32_t>(2 * commands)),
      most_branches_(static_cast<std::uint32_t>(commands)) {
  MemoryRequest request;
  request.size_bytes = std::uint64_t{most_words()} * bytes_of_a_word;
  request.label = "grids";
  words_ = std::make_shared<VulkanBuffer>(context, request);
  request.size_bytes = std::uint64_t{branch_at(most_branches_)} * bytes_of_a_word;
  request.label = "grids of branches";
  request.host_visible = true;
  table_ = std::make_shared<VulkanBuffer>(context, request);
}

std::uint32_t* IndirectGrids::at(std::uint32_t word) const noexcept {
  return reinterpret_cast<std::uint32_t*>(table_->mapped) + word;
}

BufferRange IndirectGrids::add(std::uint32_t region, Dim3 groups) {
  if (slots_ == most_slots_)
    fail(Code::driver_failed, "A decision has more than the {} dispatches that were counted.",
         most_slots_);
  const std::uint32_t slot = slots_++;
  const std::uint32_t grid[3] = {groups.x, groups.y, groups.z};
  for (std::uint32_t i = 0; i < 3; ++i) {
    at(1 + 3 * slot)[i] = region == outermost ? grid[i] : 0;
    at(grids_at() + 3 * slot)[i] = grid[i];
  }
  *at(owners_at() + slot) = region;
  BufferRange range;
  range.buffer = words_.get();
  range.offset_bytes = std::uint64_t{1 + 3 * slot} * bytes_of_a_word;
  range.size_bytes = std::uint64_t{3} * bytes_of_a_word;
  return range;
}

std::uint32_t IndirectGrids::add_branches(std::uint32_t count) {
  if (count > most_branches_ - branches_)
    fail(Code::driver_failed, "A decision has more than the {} branches that were counted.",
         most_branches_);
  const std::uint32_t first = branches_;
  branches_ += count;
  return first;
}

void IndirectGrids::set_branch(std::uint32_t branch, std::uint32_t region,
                               std::uint32_t first_slot) noexcept {
  std::uint32_t* words = at(branch_at(branch));
  words[0] = region;
  words[1] = first_slot;
  words[2] = slots_;
}

void IndirectGrids::start(Recorder& recorder) const {
  recorder.copy_bytes(table_->handle, 0, words_->handle, 0,
                      std::uint64_t{most_words()} * bytes_of_a_word);
}

}  // namespace reel::vulkan
