// sync_scopes.hpp - which stages and accesses of Vulkan a barrier names, as far as commands of
// documents can do them.
//
// An access belongs to one stage, so a mask of accesses that is cut down to the stages of its
// barrier says everything. Pure values, any thread.
#pragma once

#include <cstdint>

#include "reel/command.hpp"

namespace reel::analysis {

namespace sync_stage {
inline constexpr std::uint8_t host = 1, transfer = 2, compute = 4, indirect = 8, predicate = 16,
                              other = 32;
inline constexpr std::uint8_t commands = transfer | compute | indirect | predicate | other;
inline constexpr int count = 6;
}  // namespace sync_stage

namespace sync_access {
inline constexpr std::uint16_t host_read = 1, host_write = 2, transfer_read = 4, transfer_write = 8,
                               shader_read = 16, shader_write = 32, indirect_read = 64,
                               predicate_read = 128, other_read = 256, other_write = 512;
inline constexpr std::uint16_t writes = host_write | transfer_write | shader_write | other_write;
inline constexpr int count = 10;
}  // namespace sync_access

struct SyncScope {
  std::uint8_t stages = 0;
  std::uint16_t accesses = 0;  // of these stages alone

  friend bool operator==(const SyncScope&, const SyncScope&) = default;
};

// Of VkPipelineStageFlags2 and VkAccessFlags2, whose lower halves are those of Vulkan 1.0. What
// comes first and what comes then don't take TOP and BOTTOM of the pipe alike.
SyncScope source_scope(std::uint64_t stages, std::uint64_t accesses) noexcept;
SyncScope target_scope(std::uint64_t stages, std::uint64_t accesses) noexcept;

inline constexpr SyncScope everything{sync_stage::commands | sync_stage::host, 0x3ff};

// One access of one command: one bit of each.
struct SyncUse {
  std::uint8_t stage = 0;
  std::uint16_t access = 0;
  bool writes() const noexcept { return access & sync_access::writes; }
};

}  // namespace reel::analysis
