// barrier_model.hpp - what Vulkan says of barriers, tried chain by chain: slow, and as the
// specification has it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace reel::test::vulkan {

// Bits of Vulkan, as its headers have them.
inline constexpr std::uint64_t top = 0x1, indirect = 0x2, fragment = 0x80, compute = 0x800,
                               transfer = 0x1000, bottom = 0x2000, host = 0x4000, all = 0x10000,
                               conditional = 0x40000;
inline constexpr std::uint64_t indirect_read = 0x1, shader_read = 0x20, shader_write = 0x40,
                               transfer_read = 0x800, transfer_write = 0x1000, host_read = 0x2000,
                               host_write = 0x4000, memory_read = 0x8000, memory_write = 0x10000,
                               conditional_read = 0x100000;
inline constexpr std::uint64_t all_writes = shader_write | transfer_write | host_write;

// One memory barrier of a command.
struct Row {
  std::uint32_t command;
  std::uint64_t source_stages, source_accesses, target_stages, target_accesses;
  std::uint32_t range;  // the caller's
};
struct Use {
  std::uint64_t stage, access;
};
struct Outlook {
  bool is_ordered = false, is_visible = false;
  bool is_fine() const { return is_ordered && is_visible; }
};

inline bool waits_for(const Row& row, std::uint64_t stage) {
  if (row.source_stages & (all | bottom)) return stage != host || row.source_stages & host;
  return row.source_stages & stage;
}
inline bool holds_back(const Row& row, std::uint64_t stage) {
  if (row.target_stages & (all | top)) return stage != host || row.target_stages & host;
  return row.target_stages & stage;
}
inline bool names(std::uint64_t stages, std::uint64_t accesses, const Use& use) {
  const bool has_stage = stages & use.stage || (stages & all && use.stage != host);
  const std::uint64_t any = use.access & all_writes ? memory_write : memory_read;
  return has_stage && accesses & (use.access | any);
}
inline bool chains(const Row& first, const Row& second) {
  for (const std::uint64_t stage : {indirect, compute, transfer, host, fragment, conditional})
    if (holds_back(first, stage) && waits_for(second, stage)) return true;
  return false;
}

// Of two uses of one byte; covers(row): it is about that byte.
template <class Covers>
Outlook model(const std::vector<Row>& rows, std::uint32_t from, const Use& earlier,
              std::uint32_t to, const Use& later, Covers&& covers) {
  Outlook outlook{false, !(earlier.access & all_writes)};
  // Every sequence of rows, by its last one, with what its first one did to the bytes.
  struct Chain {
    std::size_t last;
    bool available;
  };
  std::vector<Chain> open;
  for (std::size_t i = 0; i < rows.size(); ++i)
    if (rows[i].command > from && rows[i].command < to && waits_for(rows[i], earlier.stage))
      open.push_back(
          {i, covers(rows[i]) && names(rows[i].source_stages, rows[i].source_accesses, earlier)});
  while (!open.empty()) {
    const Chain chain = open.back();
    open.pop_back();
    const Row& row = rows[chain.last];
    if (holds_back(row, later.stage)) {
      outlook.is_ordered = true;
      if (chain.available && covers(row) && names(row.target_stages, row.target_accesses, later))
        outlook.is_visible = true;
    }
    for (std::size_t i = chain.last + 1; i < rows.size(); ++i)
      if (rows[i].command > row.command && rows[i].command < to && chains(row, rows[i]))
        open.push_back({i, chain.available});
  }
  return outlook;
}

}  // namespace reel::test::vulkan
