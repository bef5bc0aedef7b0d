#include "analysis/sync/sync_scopes.hpp"

namespace reel::analysis {

namespace {

// VkPipelineStageFlagBits2.
constexpr std::uint64_t top_of_pipe = 0x1, draw_indirect = 0x2, compute_shader = 0x800,
                        all_transfer = 0x1000, bottom_of_pipe = 0x2000, host_stage = 0x4000,
                        all_commands = 0x10000, conditional_rendering = 0x40000,
                        copy_to_clear = 0xf'0000'0000;
constexpr std::uint64_t transfers = all_transfer | copy_to_clear;
constexpr std::uint64_t known_stages = top_of_pipe | draw_indirect | compute_shader | transfers |
                                       bottom_of_pipe | host_stage | all_commands |
                                       conditional_rendering;

// VkAccessFlagBits2. Which kind of descriptor a shader reads through is not looked at: a uniform
// buffer is read like any other.
constexpr std::uint64_t indirect_command_read = 0x1, shader_reads = 0x8 | 0x20 | 0x3'0000'0000,
                        shader_writes = 0x40 | 0x4'0000'0000, transfer_reads = 0x800,
                        transfer_writes = 0x1000, host_reads = 0x2000, host_writes = 0x4000,
                        memory_read = 0x8000, memory_write = 0x10000,
                        conditional_rendering_read = 0x100000;
// What graphics and acceleration structures write; every other bit that isn't named is a read.
constexpr std::uint64_t graphics_writes = 0x100 | 0x400 | 0x400000 | 0x4000000;
constexpr std::uint64_t named = indirect_command_read | shader_reads | shader_writes |
                                transfer_reads | transfer_writes | host_reads | host_writes |
                                memory_read | memory_write | conditional_rendering_read |
                                graphics_writes;

std::uint8_t stages_of(std::uint64_t stages) {
  std::uint8_t found = 0;
  if (stages & all_commands) found |= sync_stage::commands;
  if (stages & draw_indirect) found |= sync_stage::indirect;
  if (stages & conditional_rendering) found |= sync_stage::predicate;
  if (stages & compute_shader) found |= sync_stage::compute;
  if (stages & transfers) found |= sync_stage::transfer;
  if (stages & host_stage) found |= sync_stage::host;
  if (stages & ~known_stages) found |= sync_stage::other;
  return found;
}

std::uint16_t accesses_of(std::uint64_t accesses, std::uint8_t stages) {
  namespace a = sync_access;
  const bool reads = accesses & memory_read, writes = accesses & memory_write;
  std::uint16_t found = 0;
  const auto add = [&](std::uint8_t stage, bool is_named, std::uint16_t access) {
    if ((stages & stage) && is_named) found |= access;
  };
  add(sync_stage::host, reads || accesses & host_reads, a::host_read);
  add(sync_stage::host, writes || accesses & host_writes, a::host_write);
  add(sync_stage::transfer, reads || accesses & transfer_reads, a::transfer_read);
  add(sync_stage::transfer, writes || accesses & transfer_writes, a::transfer_write);
  add(sync_stage::compute, reads || accesses & shader_reads, a::shader_read);
  add(sync_stage::compute, writes || accesses & shader_writes, a::shader_write);
  add(sync_stage::indirect, reads || accesses & indirect_command_read, a::indirect_read);
  add(sync_stage::predicate, reads || accesses & conditional_rendering_read, a::predicate_read);
  add(sync_stage::other, reads || accesses & (shader_reads | transfer_reads | ~named),
      a::other_read);
  add(sync_stage::other, writes || accesses & (shader_writes | transfer_writes | graphics_writes),
      a::other_write);
  return found;
}

}  // namespace

SyncScope source_scope(std::uint64_t stages, std::uint64_t accesses) noexcept {
  // All that comes before reaches the bottom of the pipe, which accesses nothing itself.
  const std::uint8_t named_stages = stages_of(stages);
  const std::uint8_t found =
      stages & bottom_of_pipe ? named_stages | sync_stage::commands : named_stages;
  return {found, accesses_of(accesses, named_stages)};
}

SyncScope target_scope(std::uint64_t stages, std::uint64_t accesses) noexcept {
  const std::uint8_t named_stages = stages_of(stages);
  const std::uint8_t found =
      stages & top_of_pipe ? named_stages | sync_stage::commands : named_stages;
  return {found, accesses_of(accesses, named_stages)};
}

}  // namespace reel::analysis
