#include "analysis/ranks/same_work.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "reel/units.hpp"

namespace reel::analysis {

namespace {

// Nine tenths of the steps that both have.
bool do_the_same(const RankSteps& a, const RankSteps& b) {
  const std::size_t both = std::min(a.steps.size(), b.steps.size());
  std::size_t same = 0;
  for (std::size_t s = 0; s < both; ++s) same += a.steps[s].work == b.steps[s].work;
  return same * 10 >= both * 9;
}

using Shapes = std::map<std::pair<std::string, std::uint64_t>, std::uint32_t>;  // shape: how often

// What a step does, by row.
std::map<RankRow, Shapes> work_of(const RankSteps& document, std::size_t step) {
  std::map<RankRow, Shapes> all;
  for (const RankWork& work : document.works.at(document.steps[step].work))
    all[document.rows[work.row]][{grid_text(work.items), work.bytes}] += work.count;
  return all;
}

std::uint32_t runs_of(const Shapes& shapes) {
  std::uint32_t runs = 0;
  for (const auto& [shape, count] : shapes) runs += count;
  return runs;
}

std::string shape_text(const Shapes& shapes) {
  const auto most =
      std::ranges::max_element(shapes, {}, [](const auto& entry) { return entry.second; });
  if (most == shapes.end()) return "-";
  const auto& [grid, bytes] = most->first;
  return bytes > 0 ? size_text(bytes) : grid + " items";
}

std::string difference_of(const Shapes& its, const Shapes& usual) {
  const std::uint32_t runs = runs_of(its), usual_runs = runs_of(usual);
  if (its == usual) return {};
  if (runs != usual_runs)
    return fmt::format("runs {} a step, {} in the others", count_text(runs, "time"), usual_runs);
  return fmt::format("has {}, {} in the others", shape_text(its), shape_text(usual));
}

// The first step in which they differ.
std::optional<std::size_t> first_other(const RankSteps& a, const RankSteps& b) {
  for (std::size_t s = 0; s < std::min(a.steps.size(), b.steps.size()); ++s)
    if (a.steps[s].work != b.steps[s].work) return s;
  return std::nullopt;
}

std::size_t usual_place(const std::vector<RankReport>& ranks) {
  return static_cast<std::size_t>(std::ranges::find(ranks, 0u, &RankReport::work_group) -
                                  ranks.begin());
}

}  // namespace

std::string ranks_text(const std::vector<std::uint32_t>& ranks) {
  std::vector<std::string> parts;
  for (std::size_t i = 0; i < ranks.size();) {
    std::size_t end = i + 1;
    while (end < ranks.size() && ranks[end] == ranks[end - 1] + 1) ++end;
    if (end - i > 2) {
      parts.push_back(fmt::format("{} to {}", ranks[i], ranks[end - 1]));
    } else {
      end = i + 1;
      parts.push_back(std::to_string(ranks[i]));
    }
    i = end;
  }
  std::string text = ranks.size() == 1 ? "rank " : "ranks ";
  for (std::size_t i = 0; i < parts.size(); ++i)
    text += (i == 0 ? "" : i + 1 == parts.size() ? " and " : ", ") + parts[i];
  return text;
}

std::vector<std::string> group_by_work(const StepTable& table, std::vector<RankReport>& ranks) {
  std::vector<std::vector<std::size_t>> groups;
  for (std::size_t r = 0; r < ranks.size(); ++r) {
    if (table.document(r).steps.empty()) continue;
    const auto its = std::ranges::find_if(groups, [&](const std::vector<std::size_t>& group) {
      return do_the_same(table.document(group.front()), table.document(r));
    });
    if (its == groups.end())
      groups.push_back({r});
    else
      its->push_back(r);
  }
  std::ranges::stable_sort(groups, std::greater{}, &std::vector<std::size_t>::size);
  std::vector<std::string> sentences;
  for (std::uint32_t g = 0; g < groups.size(); ++g) {
    std::vector<std::uint32_t> names;
    for (const std::size_t r : groups[g]) {
      ranks[r].work_group = g;
      names.push_back(ranks[r].rank);
    }
    std::string sentence = ranks_text(names);
    sentence[0] = 'R';
    if (g == 0) {
      if (groups.size() > 1 && names.size() > 1)
        sentences.push_back(sentence + " do the same work.");
      continue;
    }
    const RankSteps &its = table.document(groups[g].front()),
                    &usual = table.document(groups[0].front());
    const auto step = first_other(usual, its);
    if (!step) continue;
    const auto mine = work_of(its, *step), others = work_of(usual, *step);
    std::set<RankRow> rows;
    for (const auto& [row, shapes] : mine) rows.insert(row);
    for (const auto& [row, shapes] : others) rows.insert(row);
    std::string list;
    std::size_t told = 0, more = 0;
    for (const RankRow& row : rows) {
      const auto at = [&](const std::map<RankRow, Shapes>& all) {
        const auto found = all.find(row);
        return found == all.end() ? Shapes{} : found->second;
      };
      const std::string difference = difference_of(at(mine), at(others));
      if (difference.empty()) continue;
      constexpr std::size_t most_told = 3;
      if (++told > most_told)
        ++more;
      else
        list += fmt::format("{}{} {}", told > 1 ? "; " : "", text_of(row), difference);
    }
    if (more > 0) list += fmt::format("; {} more", more);
    sentences.push_back(fmt::format("{} {} other work: {} (step {}).", sentence,
                                    names.size() == 1 ? "does" : "do", list, *step));
  }
  return sentences;
}

std::string difference_in(const StepTable& table, const std::vector<RankReport>& ranks,
                          std::size_t r, const RankRow& row) {
  const std::size_t usual = usual_place(ranks);
  if (usual == ranks.size() || ranks[r].work_group == 0) return {};
  const auto step = first_other(table.document(usual), table.document(r));
  if (!step) return {};
  const auto mine = work_of(table.document(r), *step),
             others = work_of(table.document(usual), *step);
  const auto its = mine.find(row);
  if (its == mine.end()) return {};
  const auto theirs = others.find(row);
  return difference_of(its->second, theirs == others.end() ? Shapes{} : theirs->second);
}

}  // namespace reel::analysis
