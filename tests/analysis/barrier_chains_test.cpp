// Barriers of a queue against a model that tries every chain of them.
#include "analysis/sync/barrier_chains.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <set>

namespace reel::analysis {
namespace {

using Range = BarrierChains::Range;

// Bits of Vulkan, as its headers have them.
constexpr std::uint64_t top = 0x1, indirect = 0x2, compute = 0x800, transfer = 0x1000,
                        bottom = 0x2000, host = 0x4000, all = 0x10000;
constexpr std::uint64_t indirect_read = 0x1, shader_read = 0x20, shader_write = 0x40,
                        transfer_read = 0x800, transfer_write = 0x1000, host_read = 0x2000,
                        host_write = 0x4000, memory_read = 0x8000, memory_write = 0x10000;

struct Row {
  std::uint32_t command;
  std::uint64_t source_stages, source_accesses, target_stages, target_accesses;
  Range range;
};
struct Use {
  std::uint64_t stage, access;
};

// The rules of the specification, one by one.
bool waits_for(const Row& row, std::uint64_t stage) {
  if (row.source_stages & (all | bottom)) return stage != host || row.source_stages & host;
  return row.source_stages & stage;
}
bool holds_back(const Row& row, std::uint64_t stage) {
  if (row.target_stages & (all | top)) return stage != host || row.target_stages & host;
  return row.target_stages & stage;
}
bool names(std::uint64_t stages, std::uint64_t accesses, const Use& use) {
  const bool has_stage = stages & use.stage || (stages & all && use.stage != host);
  const bool writes = use.access & (shader_write | transfer_write | host_write);
  return has_stage && (accesses & use.access || accesses & (writes ? memory_write : memory_read));
}
bool chains(const Row& first, const Row& second) {
  for (const std::uint64_t stage : {indirect, compute, transfer, host, std::uint64_t{0x80}})
    if (holds_back(first, stage) && waits_for(second, stage)) return true;
  return false;
}
bool covers(const Row& row, const std::vector<Range>& ranges) {
  return row.range == BarrierChains::all_memory ||
         std::ranges::find(ranges, row.range) != ranges.end();
}

BarrierChains::Answer model(const std::vector<Row>& rows, std::uint32_t from, const Use& earlier,
                            std::uint32_t to, const Use& later, const std::vector<Range>& ranges) {
  const bool writes = earlier.access & (shader_write | transfer_write | host_write);
  BarrierChains::Answer answer{false, !writes};
  // Every sequence of rows, by its last one, with what its first one did to the bytes.
  struct Chain {
    std::size_t last;
    bool available;
  };
  std::vector<Chain> open;
  for (std::size_t i = 0; i < rows.size(); ++i)
    if (rows[i].command > from && rows[i].command < to) {
      const bool flushes =
          covers(rows[i], ranges) && names(rows[i].source_stages, rows[i].source_accesses, earlier);
      if (waits_for(rows[i], earlier.stage)) open.push_back({i, flushes});
    }
  while (!open.empty()) {
    const Chain chain = open.back();
    open.pop_back();
    const Row& row = rows[chain.last];
    if (holds_back(row, later.stage)) {
      answer.is_ordered = true;
      if (chain.available && covers(row, ranges) &&
          names(row.target_stages, row.target_accesses, later))
        answer.is_visible = true;
    }
    for (std::size_t i = chain.last + 1; i < rows.size(); ++i)
      if (rows[i].command > row.command && rows[i].command < to && chains(row, rows[i]))
        open.push_back({i, chain.available});
  }
  return answer;
}

SyncUse as_use(const Use& use) {
  const SyncScope scope = source_scope(use.stage, use.access);
  return {scope.stages, scope.accesses};
}

constexpr Use uses[] = {{compute, shader_read},    {compute, shader_write},
                        {transfer, transfer_read}, {transfer, transfer_write},
                        {indirect, indirect_read}, {host, host_read},
                        {host, host_write}};

std::vector<Row> random_rows(std::mt19937& random) {
  const auto pick = [&](std::initializer_list<std::uint64_t> of) {
    return *(of.begin() + random() % of.size());
  };
  std::vector<Row> rows;
  std::uint32_t command = 0;
  for (std::size_t i = 1 + random() % 7; i > 0; --i) {
    command += random() % 3;  // several rows of one command, or commands in between
    const auto stages = [&] {
      return pick({top, bottom, all, compute, transfer, indirect, host, compute | transfer,
                   compute | indirect, host | transfer, all | host, std::uint64_t{0x80}});
    };
    const auto accesses = [&] {
      return pick({0, shader_write, shader_read, shader_read | shader_write, transfer_write,
                   transfer_read, memory_write, memory_read | memory_write, indirect_read,
                   host_write | host_read, transfer_write | shader_write});
    };
    rows.push_back({command, stages(), accesses(), stages(), accesses(),
                    pick({BarrierChains::all_memory, BarrierChains::all_memory, 1, 2}) ==
                            BarrierChains::all_memory
                        ? BarrierChains::all_memory
                        : static_cast<Range>(1 + random() % 2)});
  }
  return rows;
}

TEST(BarrierChains, AnswerAsEveryChainOfBarriersDoes) {
  int ordered = 0, visible = 0, asked = 0;
  for (std::uint32_t seed = 0; seed < 20'000; ++seed) {
    std::mt19937 random(seed);
    const std::vector<Row> rows = random_rows(random);
    BarrierChains chains;
    for (const Row& row : rows)
      chains.add(row.command, source_scope(row.source_stages, row.source_accesses),
                 target_scope(row.target_stages, row.target_accesses), row.range);
    for (int question = 0; question < 8; ++question) {
      const Use earlier = uses[random() % std::size(uses)],
                later = uses[random() % std::size(uses)];
      const std::uint32_t last = rows.back().command + 2;
      const auto from = static_cast<std::uint32_t>(random() % last);
      const auto to = static_cast<std::uint32_t>(from + 1 + random() % last);
      const std::vector<Range> ranges = random() % 2 ? std::vector<Range>{1} : std::vector<Range>{};
      const BarrierChains::Answer expected = model(rows, from, earlier, to, later, ranges);
      std::set<std::uint32_t> needed;
      const BarrierChains::Answer found =
          chains.ask(from, as_use(earlier), to, as_use(later), ranges,
                     [&](std::uint32_t command) { needed.insert(command); });
      ASSERT_EQ(found.is_ordered, expected.is_ordered) << "seed " << seed;
      ASSERT_EQ(found.is_fine(), expected.is_ordered && expected.is_visible) << "seed " << seed;
      ++asked, ordered += expected.is_ordered, visible += found.is_fine();
      if (!found.is_fine()) continue;
      // Without all barriers that were not needed, it is still fine.
      std::vector<Row> rest;
      for (const Row& row : rows)
        if (needed.contains(row.command)) rest.push_back(row);
      const BarrierChains::Answer still = model(rest, from, earlier, to, later, ranges);
      ASSERT_TRUE(still.is_fine()) << "seed " << seed;
    }
  }
  // The questions tell something: each answer is there often.
  EXPECT_GT(ordered, asked / 20);
  EXPECT_GT(visible, asked / 100);
  EXPECT_GT(ordered - visible, asked / 100);
}

}  // namespace
}  // namespace reel::analysis
