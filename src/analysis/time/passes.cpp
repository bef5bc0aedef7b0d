// Passes: the times the program did its work over again. docs/analysis.md has the rule.
#include <algorithm>
#include <array>
#include <cctype>
#include <map>
#include <set>
#include <string_view>
#include <unordered_map>

#include "analysis/time/deciding_launches.hpp"
#include "analysis/time/repetitions.hpp"
#include "analysis/time/timed_runs.hpp"
#include "document/trace/ranges.hpp"

namespace reel::analysis {

namespace {

// "step 12", "token12": names of passes. "layer12" and "stage12" are parts of one.
bool counts_passes(const std::string& scope) {
  const std::string last = scope.substr(scope.rfind('/') + 1);
  std::string word;
  for (const char c : last)
    if (std::isalpha(static_cast<unsigned char>(c)))
      word += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  constexpr std::array words{"batch", "epoch", "frame",   "iter",   "iteration", "pass",
                             "run",   "step",  "request", "sample", "token"};
  return std::ranges::find(words, word) != words.end();
}

class PassSearch {
 public:
  explicit PassSearch(const Trace& trace)
      : trace_(trace), commands_(trace.commands()), deciding_(trace) {}

  std::vector<Pass> run(bool something_repeats) {
    std::vector<Pass> sessions = from_regions(TraceRegion::Kind::pass, Pass::Kind::session);
    // The program's own marks count most, where they are about most of what it did.
    if (covered(sessions) * 2 >= commands_.size() && !sessions.empty()) return finish(sessions);
    std::vector<std::vector<Pass>> candidates;
    candidates.push_back(std::move(sessions));
    candidates.push_back(from_launches());
    candidates.push_back(from_regions(TraceRegion::Kind::named, Pass::Kind::scope));
    candidates.push_back(from_scopes());
    if (something_repeats) candidates.push_back(from_repetition());
    for (auto& passes : candidates)
      if (are_rounds(passes)) passes.clear();
    std::uint64_t most = 0;
    for (const auto& passes : candidates)
      if (passes.size() > 1) most = std::max(most, covered(passes));
    for (auto& passes : candidates)
      if (passes.size() > 1 && covered(passes) * 10 >= most * 9) return finish(passes);
    return finish(candidates[0]);
  }

 private:
  static std::uint64_t covered(const std::vector<Pass>& passes) {
    std::uint64_t sum = 0;
    for (const Pass& pass : passes) sum += pass.end - pass.first;
    return sum;
  }

  // Outermost regions, each with what was given from its begin to its end, or to the begin of the
  // next where they overlap. Of named ones, those of the name that covers most.
  std::vector<Pass> from_regions(TraceRegion::Kind of, Pass::Kind kind) const {
    std::map<std::uint32_t, std::vector<const TraceRegion*>> by_name;
    for (const TraceRegion& region : trace_.regions())
      if (region.kind == of && region.end_ns >= region.begin_ns)
        by_name[of == TraceRegion::Kind::named ? region.name : 0].push_back(&region);
    std::vector<Pass> best;
    for (auto& [name, regions] : by_name) {
      std::vector<Pass> passes = within(outermost(regions), kind);
      if (covered(passes) > covered(best)) best = std::move(passes);
    }
    return best;
  }

  static std::vector<const TraceRegion*> outermost(std::vector<const TraceRegion*>& regions) {
    std::ranges::stable_sort(
        regions, {}, [](const TraceRegion* r) { return std::pair(r->begin_ns, ~r->end_ns); });
    std::vector<const TraceRegion*> list;
    for (const TraceRegion* region : regions)
      if (list.empty() || region->end_ns > list.back()->end_ns) list.push_back(region);
    return list;
  }

  std::vector<Pass> within(const std::vector<const TraceRegion*>& regions, Pass::Kind kind) const {
    std::vector<Pass> passes;
    std::uint32_t c = 0;
    for (std::size_t r = 0; r < regions.size(); ++r) {
      const TraceRegion& region = *regions[r];
      while (c < commands_.size() && commands_[c].call_begin_ns < region.begin_ns) ++c;
      Pass pass{.kind = kind, .first = c, .begin_ns = region.begin_ns, .end_ns = region.end_ns};
      pass.name = region.name;
      const bool is_last = r + 1 == regions.size();
      while (c < commands_.size() && commands_[c].call_begin_ns <= region.end_ns &&
             (is_last || commands_[c].call_begin_ns < regions[r + 1]->begin_ns))
        ++c;
      pass.end = c;
      if (pass.first < pass.end) passes.push_back(pass);
    }
    return passes;
  }

  // Rounds of a loop within one launch: the launch is what the program did over again.
  bool are_rounds(const std::vector<Pass>& passes) const {
    if (deciding_.empty()) return false;
    return std::ranges::adjacent_find(passes, [&](const Pass& a, const Pass& b) {
             const std::uint32_t launch = deciding_.launch_of(a.first);
             return launch != no_index && deciding_.launch_of(b.first) == launch;
           }) != passes.end();
  }

  // Launches of the graph whose launches cover most. One that decides is a launch with all its
  // parts, which are launches in the document.
  std::vector<Pass> from_launches() const {
    std::map<std::uint32_t, std::vector<Pass>> by_graph;
    for (std::uint32_t l = 0; l < deciding_.count(); ++l) {
      const auto [first, end] = deciding_.commands(l);
      if (first >= end) continue;
      const TraceRegion& region = deciding_.region(l);
      by_graph[region.number].push_back(
          {.kind = Pass::Kind::launch, .first = first, .end = end, .name = region.name});
    }
    std::unordered_map<std::uint32_t, std::pair<std::uint32_t, std::size_t>> open;  // by launch
    for (std::uint32_t c = 0; c < commands_.size(); ++c) {
      const TraceCommand& command = commands_[c];
      if (command.launch != no_index) {
        if (const auto found = open.find(command.launch); found != open.end())
          by_graph[found->second.first][found->second.second].end = c + 1;
        continue;
      }
      const TraceWork& work = trace_.works()[command.work];
      if (work.kind != WorkKind::launch || work.graph == no_index) continue;
      if (deciding_.launch_of(c) != no_index) continue;
      std::vector<Pass>& passes = by_graph[work.graph];
      open[c] = {work.graph, passes.size()};
      passes.push_back({.kind = Pass::Kind::launch, .first = c, .end = c + 1, .name = work.label});
    }
    std::vector<Pass> best;
    for (auto& [graph, passes] : by_graph) {
      // Launches that several threads gave at once: what lies between two belongs to the first.
      for (std::size_t i = 1; i < passes.size(); ++i)
        passes[i - 1].end = std::min(passes[i - 1].end, passes[i].first);
      if (covered(passes) > covered(best)) best = std::move(passes);
    }
    return best;
  }

  // Scopes that follow each other in the same order again and again, as "embedding", "layer0",
  // "layer1", "head" do. The sizes of their launches may differ from pass to pass.
  std::vector<Pass> from_scopes() const {
    struct Run {
      std::uint32_t first, end;
    };
    constexpr std::size_t deepest = 8;
    for (std::size_t depth = 1; depth <= deepest; ++depth) {
      const std::vector<ScopeName> names = scope_names(depth);
      std::vector<Run> runs;
      std::vector<std::uint32_t> exact, alike;
      bool is_deepest = true;
      for (std::uint32_t c = 0; c < commands_.size(); ++c) {
        const ScopeName& name = names[trace_.works()[commands_[c].work].scope];
        is_deepest = is_deepest && !name.goes_deeper;
        if (name.exact == 0) continue;
        if (!runs.empty() && runs.back().end == c && exact.back() == name.exact) {
          runs.back().end = c + 1;
          continue;
        }
        runs.push_back({c, c + 1});
        exact.push_back(name.exact);
        alike.push_back(name.alike);
      }
      const auto as_commands = [&](const Repetition& found, std::uint32_t i) {
        return std::pair(runs[found.first + i * found.period].first,
                         runs[found.first + (i + 1) * found.period - 1].end);
      };
      const auto uses_the_same = [&](const Repetition& found) {
        return same_buffers(as_commands(found, 0), as_commands(found, 1));
      };
      const auto passes_of = [&](const std::vector<Repetition>& found) {
        std::vector<Pass> passes;
        for (std::uint32_t i = 0; !found.empty() && i < longest(found).count; ++i) {
          const auto [first, end] = as_commands(longest(found), i);
          passes.push_back({.kind = Pass::Kind::scope, .first = first, .end = end});
        }
        return passes;
      };
      std::vector<Pass> passes = passes_of(best_runs(exact, uses_the_same));
      std::vector<Pass> numbered = passes_of(best_runs(alike, uses_the_same));
      if (covered(numbered) > covered(passes)) passes = std::move(numbered);
      if (covered(passes) * 2 >= commands_.size()) return passes;
      // A scope around everything doesn't come again; what is in it may.
      if (is_deepest) break;
    }
    return {};
  }

  struct ScopeName {
    std::uint32_t exact = 0, alike = 0;  // alike: whatever its numbers are; 0: no scope
    bool goes_deeper = false;
  };

  // By text: the first `depth` parts of a scope.
  std::vector<ScopeName> scope_names(std::size_t depth) const {
    std::unordered_map<std::string, std::uint32_t> known;
    std::vector<ScopeName> names;
    for (const TraceWork& work : trace_.works()) {
      if (work.scope >= names.size()) names.resize(work.scope + 1);
      const std::string& scope = trace_.text(work.scope);
      if (scope.empty() || names[work.scope].exact != 0) continue;
      std::size_t end = 0;
      for (std::size_t part = 0; part < depth && end != std::string::npos; ++part)
        end = scope.find('/', part == 0 ? 0 : end + 1);
      const auto number = [&](std::string name) {
        return known.try_emplace(std::move(name), static_cast<std::uint32_t>(known.size() + 1))
            .first->second;
      };
      const std::string name = scope.substr(0, end);
      names[work.scope] = {number(name), number(counts_passes(name) ? without_numbers(name) : name),
                           end != std::string::npos};
    }
    return names;
  }

  // What repeats with its names and its memory, most of the document over.
  std::vector<Pass> from_repetition() const {
    const std::vector<Repetition> runs = best_runs(identities(trace_, false));
    std::vector<Pass> passes;
    if (runs.empty()) return passes;
    const Repetition& run = longest(runs);
    if (std::uint64_t{run.period} * run.count * 10 < commands_.size() * std::uint64_t{8})
      return passes;
    for (std::uint32_t i = 0; i < run.count; ++i)
      passes.push_back({.kind = Pass::Kind::repetition,
                        .first = run.first + i * run.period,
                        .end = run.first + (i + 1) * run.period});
    return passes;
  }

  // Passes work on the same memory, apart from what is allocated and freed in each. Layers that
  // nobody named look alike too, but have weights of their own: fewer than three quarters of their
  // buffers are in both.
  bool same_buffers(std::pair<std::uint32_t, std::uint32_t> a,
                    std::pair<std::uint32_t, std::uint32_t> b) const {
    const std::set<std::uint32_t> mine = lasting_buffers(a), other = lasting_buffers(b);
    const auto both = static_cast<std::size_t>(
        std::ranges::count_if(mine, [&](std::uint32_t buffer) { return other.contains(buffer); }));
    return both * 4 >= (mine.size() + other.size() - both) * 3;
  }

  std::set<std::uint32_t> lasting_buffers(std::pair<std::uint32_t, std::uint32_t> part) const {
    constexpr std::uint32_t most_looked_at = 4096;
    std::set<std::uint32_t> works, buffers;
    const std::uint32_t end = std::min(part.second, part.first + most_looked_at);
    for (std::uint32_t c = part.first; c < end; ++c) works.insert(commands_[c].work);
    for (const std::uint32_t work : works)
      for_each_range(trace_, trace_.works()[work], [&](const TraceArgument& range, Access) {
        if (is_lasting(trace_.buffers()[range.buffer])) buffers.insert(range.buffer);
      });
    return buffers;
  }

  std::vector<Pass>& finish(std::vector<Pass>& passes) const {
    // What was cut off in a pass doesn't make a shorter one, nor does one whose times came too late
    // to be written.
    if (was_cut(trace_)) {
      const std::uint64_t usual = passes.empty() ? 0 : untimed(passes.front());
      while (passes.size() > 1) {
        const Pass &last = passes.back(), &before = passes[passes.size() - 2];
        if (last.end - last.first >= before.end - before.first && untimed(last) <= usual) break;
        passes.pop_back();
      }
    }
    for (Pass& pass : passes) add_times(pass);
    return passes;
  }

  std::uint64_t untimed(const Pass& pass) const {
    std::uint64_t count = 0;
    for (std::uint32_t c = pass.first; c < pass.end; ++c)
      count += !commands_[c].has_run_times() && !trace_.interval_of(c);
    return count;
  }

  void add_times(Pass& pass) const {
    std::vector<std::pair<std::uint64_t, std::uint64_t>> runs;
    std::uint64_t begin = ~std::uint64_t{0}, end = 0;
    for (std::uint32_t c = pass.first; c < pass.end; ++c) {
      const TraceCommand& command = commands_[c];
      if (command.call_begin_ns) begin = std::min(begin, command.call_begin_ns);
      end = std::max({end, command.call_end_ns, command.ended_ns});
      if (command.has_run_times() && command.ended_ns >= command.started_ns &&
          is_device_work(trace_, trace_.works()[command.work]))
        runs.emplace_back(command.started_ns, command.ended_ns);
    }
    const auto& intervals = trace_.intervals();
    for (auto i = std::ranges::lower_bound(intervals, pass.first, {}, &TraceInterval::first);
         i != intervals.end() && i->first + i->count <= pass.end; ++i) {
      end = std::max(end, i->end_ns);
      if (works_of(trace_, *i).count > 0) runs.emplace_back(i->begin_ns, i->end_ns);
    }
    if (pass.begin_ns == 0) pass.begin_ns = begin > end ? 0 : begin;
    pass.end_ns = std::max(pass.end_ns, end);
    if (runs.empty()) return;
    std::ranges::sort(runs);
    pass.started_ns = pass.ended_ns = runs[0].first;
    for (const auto& [started, ended] : runs) {
      if (ended <= pass.ended_ns) continue;
      pass.busy_ns += ended - std::max(started, pass.ended_ns);
      pass.ended_ns = ended;
    }
  }

  const Trace& trace_;
  const TraceCommands& commands_;
  const DecidingLaunches deciding_;
};

}  // namespace

bool was_cut(const Trace& trace) {
  const auto& end = trace.end_facts();
  const auto complete = end.find("complete");
  return !trace.is_complete() || complete == end.end() || complete->second != "yes";
}

std::vector<Pass> find_passes(const Trace& trace, const std::vector<Repetition>& repetitions) {
  return PassSearch(trace).run(!repetitions.empty());
}

}  // namespace reel::analysis
