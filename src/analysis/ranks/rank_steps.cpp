// What is kept of one rank's document: the time of its steps, by kernel, copy and gap.
#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <unordered_map>

#include "analysis/ranks/mpi_calls.hpp"
#include "analysis/time/timed_runs.hpp"
#include "document/trace/ranges.hpp"
#include "reel/ranks.hpp"

namespace reel::analysis {

namespace {

// Kernels of NCCL, RCCL and oneCCL, and of those who name their own by what they do: they run until
// the last rank has come, so their time is mostly waiting.
bool is_collective(const std::string& name) {
  std::string letters;
  for (const char c : name)
    if (std::isalpha(static_cast<unsigned char>(c)))
      letters += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  constexpr std::array words{"nccl",      "rccl",          "oneccl",  "allreduce",
                             "allgather", "reducescatter", "alltoall"};
  return std::ranges::any_of(
      words, [&](const char* word) { return letters.find(word) != std::string::npos; });
}

// Spreads the bits of a number: sums of such are as good as different for different works.
std::uint64_t mixed(std::uint64_t x) {
  x ^= x >> 30;
  x *= 0xbf58476d1ce4e5b9u;
  x ^= x >> 27;
  x *= 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}

std::uint64_t hash_of(const RankRow& row, const Dim3& items, std::uint64_t bytes) {
  std::uint64_t hash = 0xcbf29ce484222325u;  // FNV-1a, for names
  for (const char c : row.name)
    hash = (hash ^ static_cast<unsigned char>(c)) * std::uint64_t{0x100000001b3u};
  for (const std::uint64_t number :
       {std::uint64_t{items.x}, std::uint64_t{items.y}, std::uint64_t{items.z}, bytes})
    hash = mixed(hash + number);
  return hash;
}

std::optional<std::uint32_t> number_in(const std::map<std::string, std::string>& facts,
                                       const char* key) {
  const auto fact = facts.find(key);
  if (fact == facts.end()) return std::nullopt;
  std::uint32_t number = 0;
  const char* end = fact->second.data() + fact->second.size();
  const auto [stop, error] = std::from_chars(fact->second.data(), end, number);
  if (error != std::errc{} || stop != end || fact->second.empty()) return std::nullopt;
  return number;
}

class StepSearch {
 public:
  explicit StepSearch(const Trace& trace)
      : trace_(trace), mpi_(trace), rows_of_work_(trace.works().size()) {}

  RankSteps run() {
    RankSteps found{.path = trace_.path()};
    found.facts = trace_.facts();
    found.rank = number_in(found.facts, "rank");
    found.ranks = number_in(found.facts, "ranks");
    found.clock = clock_source(trace_);
    for (const TraceNote& note : trace_.notes())
      if (note.kind == "clock") found.clock_notes.push_back(note.text);
    found.is_cut = was_cut(trace_);
    bool all_known = true;
    std::uint64_t error_ns = 0;
    for (const TraceDevice& device : trace_.devices()) {
      all_known = all_known && device.clock_error_ns;
      error_ns = std::max(error_ns, device.clock_error_ns.value_or(0));
    }
    if (all_known) found.clock_error_ns = error_ns;

    const std::vector<Pass> passes = passes_of(found.kind);
    Intervals busy;  // of the step before
    for (const Pass& pass : passes) {
      found.steps.push_back(step_of(pass, found));
      if (mpi_.empty()) continue;
      if (found.steps.size() > 1) {
        const std::size_t n = found.steps.size();
        mpi_.tell(found.steps[n - 2], found.steps[n - 1], busy);
      }
      busy = busy_of_runs();
    }
    found.rows = std::move(rows_);
    found.mpi = std::move(mpi_).kinds();
    return found;
  }

  RankRuns runs(const std::vector<std::uint32_t>& steps) {
    RankRuns found;
    std::optional<Pass::Kind> kind;
    const std::vector<Pass> passes = passes_of(kind);
    for (const std::uint32_t s : steps) {
      if (s >= passes.size()) continue;
      collect(passes[s]);
      found.steps[s] = runs_;
    }
    found.rows = std::move(rows_);
    return found;
  }

 private:
  // All of a document that repeats nothing is one step, unless something of it is missing.
  std::vector<Pass> passes_of(std::optional<Pass::Kind>& kind) const {
    std::vector<Pass> passes = find_passes(trace_, find_repetitions(trace_));
    const auto all = static_cast<std::uint32_t>(trace_.commands().size());
    if (!passes.empty())
      kind = passes.front().kind;
    else if (!was_cut(trace_) && all > 0)
      passes.push_back({.first = 0, .end = all});
    return passes;
  }

  struct WorkRow {
    std::uint32_t row = no_index;
    std::uint64_t hash = 0;
  };
  std::uint32_t row(RankRow::Kind kind, const std::string& name) {
    const auto [at, is_new] =
        numbers_.try_emplace({kind, name}, static_cast<std::uint32_t>(rows_.size()));
    if (is_new) rows_.push_back(at->first);
    return at->second;
  }

  std::uint64_t bytes_of(const TraceWork& work) const {
    std::uint64_t bytes = 0;
    if (work.kind != WorkKind::dispatch)
      for_each_range(trace_, work,
                     [&](const TraceArgument& range, Access) { bytes += range.size_bytes; });
    return bytes;
  }

  // Names are made once for each work, not for each command.
  const WorkRow& row_of(std::uint32_t number) {
    WorkRow& known = rows_of_work_[number];
    if (known.row != no_index) return known;
    const TraceWork& work = trace_.works()[number];
    if (work.kernel != no_index) {
      const std::string& name = trace_.kernels()[work.kernel].name;
      known.row =
          row(is_collective(name) ? RankRow::Kind::collective : RankRow::Kind::kernel, name);
    } else {
      std::string name = to_string(work.kind);
      if (work.label) name += " " + trace_.text(work.label);
      known.row = row(RankRow::Kind::copy, name);
    }
    known.hash = hash_of(rows_[known.row], work.all_items(), bytes_of(work));
    return known;
  }

  std::uint32_t gap_before(std::uint32_t of) {
    if (of >= gaps_.size()) gaps_.resize(of + 1, no_index);
    if (gaps_[of] == no_index) gaps_[of] = row(RankRow::Kind::gap, std::string(rows_[of].name));
    return gaps_[of];
  }

  // Runs of a pass into runs_, by start; returns the hash of its work.
  std::uint64_t collect(const Pass& pass) {
    std::uint64_t hash = 0;
    runs_.clear();
    for (std::uint32_t c = pass.first; c < pass.end; ++c) {
      const TraceCommand command = trace_.commands()[c];
      if (!is_device_work(trace_, trace_.works()[command.work])) continue;
      const WorkRow& known = row_of(command.work);
      hash += known.hash;
      if (command.has_run_times() && command.ended_ns >= command.started_ns)
        runs_.push_back({command.started_ns, command.ended_ns, known.row});
    }
    const auto& intervals = trace_.intervals();
    for (auto i = std::ranges::lower_bound(intervals, pass.first, {}, &TraceInterval::first);
         i != intervals.end() && i->first + i->count <= pass.end; ++i)
      if (works_of(trace_, *i).count > 0)
        runs_.push_back({i->begin_ns, i->end_ns, row_of_interval(*i)});
    if (!std::ranges::is_sorted(runs_, {}, &RankRun::started_ns))
      std::ranges::stable_sort(runs_, {}, &RankRun::started_ns);
    return hash;
  }

  RankStep step_of(const Pass& pass, RankSteps& found) {
    RankStep step;
    step.work = collect(pass);
    if (!found.works.contains(step.work)) found.works[step.work] = works_in(pass);
    add_times(step);
    return step;
  }

  std::uint32_t row_of_interval(const TraceInterval& interval) {
    std::uint32_t only = no_index;
    for (std::uint32_t c = interval.first; c < interval.first + interval.count; ++c) {
      const std::uint32_t work = trace_.commands()[c].work;
      if (!is_device_work(trace_, trace_.works()[work])) continue;
      const std::uint32_t its = row_of(work).row;
      if (only != no_index && only != its)
        return row(RankRow::Kind::together, "commands timed together");
      only = its;
    }
    return only;
  }

  // Where runs overlap, the time belongs to the one that began first, as in `reel diff`.
  void add_times(RankStep& step) {
    if (runs_.empty()) return;
    std::uint64_t until = runs_.front().started_ns;
    step.started_ns = until;
    for (const RankRun& run : runs_) {
      // While the host is in MPI it waits for others, and the gap isn't its own.
      if (run.started_ns > until)
        add(gap_before(run.row),
            run.started_ns - until - mpi_.spans().covered(until, run.started_ns));
      if (run.ended_ns <= until) continue;
      const std::uint64_t own = run.ended_ns - std::max(run.started_ns, until);
      add(run.row, own);
      step.busy_ns += own;
      if (rows_[run.row].kind == RankRow::Kind::collective) step.collective_ns += own;
      until = run.ended_ns;
    }
    step.ended_ns = until;
    step.parts.reserve(touched_.size());
    for (const std::uint32_t of : touched_)
      step.parts.emplace_back(of, std::exchange(sums_[of], 0));
    touched_.clear();
  }

  Intervals busy_of_runs() const {
    std::vector<std::pair<std::uint64_t, std::uint64_t>> spans;
    spans.reserve(runs_.size());
    for (const RankRun& run : runs_) spans.emplace_back(run.started_ns, run.ended_ns);
    return Intervals(std::move(spans));
  }

  void add(std::uint32_t of, std::uint64_t ns) {
    if (ns == 0) return;
    if (of >= sums_.size()) sums_.resize(of + 1, 0);
    if (sums_[of] == 0) touched_.push_back(of);
    sums_[of] += ns;
  }

  std::vector<RankWork> works_in(const Pass& pass) {
    std::unordered_map<std::uint64_t, RankWork> counts;
    for (std::uint32_t c = pass.first; c < pass.end; ++c) {
      const std::uint32_t number = trace_.commands()[c].work;
      const TraceWork& work = trace_.works()[number];
      if (!is_device_work(trace_, work)) continue;
      RankWork& entry = counts[row_of(number).hash];
      if (entry.count++ > 0) continue;
      entry.row = row_of(number).row;
      entry.items = work.all_items();
      entry.bytes = bytes_of(work);
    }
    std::vector<RankWork> list;
    list.reserve(counts.size());
    for (const auto& [hash, entry] : counts) list.push_back(entry);
    std::ranges::sort(list, {}, [](const RankWork& entry) {
      return std::tuple(entry.row, entry.items.x, entry.items.y, entry.items.z, entry.bytes);
    });
    return list;
  }

  const Trace& trace_;
  MpiCalls mpi_;
  std::vector<WorkRow> rows_of_work_;
  std::vector<RankRow> rows_;
  std::map<RankRow, std::uint32_t> numbers_;
  std::vector<std::uint32_t> gaps_;  // by row: that of the gap before it
  std::vector<RankRun> runs_;
  std::vector<std::uint64_t> sums_;     // by row, of the step that is looked at
  std::vector<std::uint32_t> touched_;  // rows that have some
};

}  // namespace

std::string text_of(const RankRow& row) {
  switch (row.kind) {
    case RankRow::Kind::kernel:
    case RankRow::Kind::collective:
      return "'" + row.name + "'";
    case RankRow::Kind::gap:
      return row.name.empty() ? "the gap before the step" : "the gap before '" + row.name + "'";
    case RankRow::Kind::after:
      return "the host after the step's last command";
    case RankRow::Kind::copy:
    case RankRow::Kind::together:
      break;
  }
  return row.name;
}

bool RankSteps::has_times() const noexcept {
  return std::ranges::any_of(steps, &RankStep::has_times);
}

RankSteps steps_of(const Trace& trace) { return StepSearch(trace).run(); }

RankRuns runs_of(const Trace& trace, const std::vector<std::uint32_t>& steps) {
  return StepSearch(trace).runs(steps);
}

}  // namespace reel::analysis
