#include "reel/decision_tree.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>

#include "analysis/time/device_work.hpp"
#include "reel/analysis.hpp"
#include "reel/units.hpp"

namespace reel::analysis {
namespace {

using Kind = TraceRegion::Kind;

// Deeper than this is no program but an attack on the stack.
constexpr std::size_t deepest_decision = 128;

bool is_of_launch(const TraceRegion& region) { return region.kind >= Kind::launch; }

// "while 'loop'"
std::string region_name(const Trace& trace, const TraceRegion& region) {
  const char* word = region.kind == Kind::launch        ? "launch"
                     : region.kind == Kind::if_else     ? "if"
                     : region.kind == Kind::while_loop  ? "while"
                     : region.kind == Kind::switch_case ? "switch"
                                                        : "repeat";
  const std::string& name = trace.text(region.name);
  const bool is_named = !name.empty() && (region.kind != Kind::launch || name != word);
  return is_named ? fmt::format("{} '{}'", word, name) : word;
}

const TraceRegion* parent_of(const Trace& trace, const TraceRegion& region) {
  return region.parent == no_index ? nullptr : &trace.regions()[region.parent];
}

// "then", "case 2"
std::string branch_title(const Trace& trace, const TraceRegion& branch) {
  const TraceRegion* decision = parent_of(trace, branch);
  if (decision && decision->kind == Kind::if_else) return branch.number == 0 ? "then" : "else";
  return fmt::format("case {}", branch.number);
}

std::string rounds_text(std::uint32_t count) {
  return count == 1 ? "1 round" : fmt::format("{} rounds", count);
}

}  // namespace

RegionTitles::RegionTitles(const Trace& trace)
    : trace_(trace), has_parts_(trace.regions().size(), false) {
  for (const TraceRegion& region : trace.regions())
    if ((region.kind == Kind::branch || region.kind == Kind::round) && region.parent != no_index)
      has_parts_[region.parent] = true;
}

std::string RegionTitles::of(std::uint32_t index) const {
  const TraceRegion& region = trace_.regions()[index];
  const std::string& name = trace_.text(region.name);
  switch (region.kind) {
    case Kind::pass:
      return name.empty() ? fmt::format("pass {}", region.number) : name;
    case Kind::named:
      return name.empty() ? "region" : name;
    case Kind::launch:
      return region_name(trace_, region);
    case Kind::if_else:
      return fmt::format("{}: {}, {}", region_name(trace_, region), region.number,
                         !has_parts_[index] ? "not taken"
                         : region.number    ? "then"
                                            : "else");
    case Kind::switch_case:
      return fmt::format("{}: {}", region_name(trace_, region), region.number);
    case Kind::while_loop:
    case Kind::repeat:
      return fmt::format("{}: {}", region_name(trace_, region), rounds_text(region.number));
    case Kind::branch:
      return branch_title(trace_, region);
    case Kind::round: {
      const TraceRegion* loop = parent_of(trace_, region);
      return loop && loop->kind == Kind::repeat
                 ? fmt::format("round {} of {}", region.number, loop->number)
                 : fmt::format("round {}", region.number);
    }
  }
  return {};
}

std::string RegionTitles::path(std::uint32_t index) const {
  std::vector<std::uint32_t> around;
  for (std::uint32_t r = index; r != no_index && around.size() < deepest_decision;
       r = trace_.regions()[r].parent) {
    const TraceRegion& region = trace_.regions()[r];
    if (!is_of_launch(region)) break;
    // An if or switch tells which branch ran.
    if (region.kind != Kind::branch) around.push_back(r);
  }
  std::string text;
  for (auto r = around.rbegin(); r != around.rend(); ++r)
    text += fmt::format("{}{}", text.empty() ? "" : " > ", of(*r));
  return text;
}

std::vector<std::uint32_t> regions_of_commands(const Trace& trace) {
  const auto& regions = trace.regions();
  std::vector<std::uint32_t> found(trace.commands().size(), no_index);
  struct Thread {
    std::vector<std::uint32_t> regions, commands;  // in time
  };
  std::map<std::uint32_t, Thread> threads;
  for (std::uint32_t r = 0; r < regions.size(); ++r)
    if (is_of_launch(regions[r])) threads[regions[r].thread].regions.push_back(r);
  if (threads.empty()) return found;
  for (std::uint32_t c = 0; c < trace.commands().size(); ++c) {
    const TraceCommand& command = trace.commands()[c];
    const auto thread = threads.find(command.thread);
    if (thread != threads.end() && command.call_begin_ns) thread->second.commands.push_back(c);
  }
  const auto given_ns = [&](std::uint32_t c) { return trace.commands()[c].call_begin_ns; };
  for (auto& [number, thread] : threads) {
    std::ranges::stable_sort(thread.commands, {}, given_ns);
    std::vector<std::uint32_t> around;
    std::size_t next = 0;
    for (const std::uint32_t c : thread.commands) {
      const std::uint64_t given = given_ns(c);
      for (; next < thread.regions.size(); ++next) {
        const TraceRegion& region = regions[thread.regions[next]];
        if (region.begin_ns > given) break;
        while (!around.empty() && regions[around.back()].end_ns < region.end_ns) around.pop_back();
        around.push_back(thread.regions[next]);
      }
      while (!around.empty() && regions[around.back()].end_ns <= given) around.pop_back();
      if (!around.empty()) found[c] = around.back();
    }
  }
  return found;
}

DecisionNode find_decisions(const Trace& trace) {
  // Nodes by what they are called and what they lie in; below those of all around them.
  struct Found {
    DecisionNode node;
    std::size_t parent, depth;
  };
  std::vector<Found> all{{{}, 0, 0}};
  std::map<std::pair<std::size_t, std::string>, std::size_t> known;
  const auto& regions = trace.regions();
  std::vector<std::size_t> node_of(regions.size(), 0);
  for (std::uint32_t r = 0; r < regions.size(); ++r) {
    const TraceRegion& region = regions[r];
    if (!is_of_launch(region)) continue;
    const std::size_t parent = region.parent == no_index ? 0 : node_of[region.parent];
    if (all[parent].depth == deepest_decision) {
      node_of[r] = parent;
      continue;
    }
    std::string title = region.kind == Kind::branch  ? branch_title(trace, region)
                        : region.kind == Kind::round ? "round"
                                                     : region_name(trace, region);
    const auto [place, is_new] = known.try_emplace({parent, title}, all.size());
    if (is_new) all.push_back({{.title = std::move(title)}, parent, all[parent].depth + 1});
    node_of[r] = place->second;
    ++all[place->second].node.times;
  }
  const std::vector<std::uint32_t> region_of = regions_of_commands(trace);
  const std::vector<std::uint64_t> run_ns = own_run_ns(trace);
  for (std::uint32_t c = 0; c < region_of.size(); ++c) {
    if (region_of[c] == no_index) continue;
    const TraceCommand& command = trace.commands()[c];
    DecisionNode& node = all[node_of[region_of[c]]].node;
    ++node.commands;
    if (!command.has_run_times() || !takes_device_time(trace, trace.work_of(command), run_ns[c]))
      continue;
    ++node.timed;
    node.run_ns += run_ns[c];
  }
  // Those around others came first.
  for (std::size_t i = all.size() - 1; i > 0; --i) {
    DecisionNode& above = all[all[i].parent].node;
    DecisionNode& node = all[i].node;
    std::ranges::reverse(node.below);
    above.commands += node.commands;
    above.timed += node.timed;
    above.run_ns += node.run_ns;
    above.below.push_back(std::move(node));
  }
  std::ranges::reverse(all[0].node.below);
  return std::move(all[0].node);
}

}  // namespace reel::analysis
