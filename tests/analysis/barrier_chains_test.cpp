// Barriers of a queue against a model that tries every chain of them.
#include "analysis/sync/barrier_chains.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <set>

#include "analysis/barrier_model.hpp"

namespace reel::analysis {
namespace {

using namespace test::vulkan;

using Range = BarrierChains::Range;

SyncUse as_use(const Use& use) {
  const SyncScope scope = source_scope(use.stage, use.access);
  return {scope.stages, scope.accesses};
}

constexpr Use uses[] = {{compute, shader_read},    {compute, shader_write},
                        {transfer, transfer_read}, {transfer, transfer_write},
                        {indirect, indirect_read}, {conditional, conditional_read},
                        {host, host_read},         {host, host_write}};

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
                   compute | indirect, host | transfer, all | host, conditional,
                   compute | conditional, std::uint64_t{0x80}});
    };
    const auto accesses = [&] {
      return pick({0, shader_write, shader_read, shader_read | shader_write, transfer_write,
                   transfer_read, memory_write, memory_read | memory_write, indirect_read,
                   conditional_read, host_write | host_read, transfer_write | shader_write});
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
      const auto covers = [&](const Row& row) {
        return row.range == BarrierChains::all_memory ||
               std::ranges::find(ranges, row.range) != ranges.end();
      };
      const Outlook expected = model(rows, from, earlier, to, later, covers);
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
      const Outlook still = model(rest, from, earlier, to, later, covers);
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
