#include "reel/diff.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "analysis/diff/cause.hpp"
#include "analysis/diff/common_kernels.hpp"
#include "analysis/diff/contents.hpp"
#include "analysis/diff/side.hpp"
#include "analysis/diff/sources.hpp"
#include "analysis/diff/statistics.hpp"
#include "analysis/findings/rules.hpp"
#include "analysis/time/device_work.hpp"
#include "document/trace/one_by_one.hpp"

namespace reel::analysis {

namespace {

std::vector<std::pair<Dim3, Dim3>> shapes_of(const Trace& trace, const RowTime& row) {
  std::vector<std::pair<Dim3, Dim3>> shapes;
  for (const std::uint32_t c : row.commands) {
    const TraceWork& work = trace.work_of(trace.commands()[c]);
    const std::pair shape(work.all_items(), work.group_size);
    if (std::ranges::find(shapes, shape) == shapes.end()) shapes.push_back(shape);
  }
  return shapes;
}

// Values and sizes of ranges, of its first command: ids differ from process to process.
bool same_arguments(const Trace& a, const Trace& b, std::uint32_t in_a, std::uint32_t in_b) {
  const auto mine = a.arguments(a.work_of(a.commands()[in_a]));
  const auto other = b.arguments(b.work_of(b.commands()[in_b]));
  return std::ranges::equal(mine, other, [&](const TraceArgument& x, const TraceArgument& y) {
    if (x.kind != y.kind || x.size_bytes != y.size_bytes || x.access != y.access) return false;
    return !x.has_value() || std::ranges::equal(a.value_bytes(x), b.value_bytes(y));
  });
}

// "idle.wakeup": that cause.
std::optional<IdleCause> idle_cause_of(const std::string& id) {
  if (id == "idle.dep") return IdleCause::dependency;
  if (id == "idle.alloc") return IdleCause::allocation;
  for (std::size_t cause = 0; cause < idle_causes; ++cause)
    if (id == std::string("idle.") + to_string(static_cast<IdleCause>(cause)))
      return static_cast<IdleCause>(cause);
  return std::nullopt;
}

class DiffSearch {
 public:
  DiffSearch(const Side& a, const Side& b) : a_(a), b_(b) {}

  TraceDiff run() {
    diff_.a = a_.numbers();
    diff_.b = b_.numbers();
    times_a_ = a_.kernel_times();
    times_b_ = b_.kernel_times();
    const CommonKernels common(times_a_, times_b_, diff_.a.busy_ns);
    diff_.common = common.change();
    pace_ = common.pace();
    if (drift_of_passes(pace_, {}) >= drift_of_passes({}, {})) pace_ = {};
    least_ = {.ns = std::max(diff_.a.total_ns, diff_.b.total_ns) / 100,
              .drift = drift_of_passes(pace_, rank_test(at_one_pace(a_.totals(), pace_.a),
                                                        at_one_pace(b_.totals(), pace_.b)))};
    // At one pace it is left out already.
    if (pace_.a.empty() && diff_.common && std::abs(*diff_.common) <= most_by_machine - 1)
      least_.common = std::abs(*diff_.common);
    diff_.comparable = a_.has_whole_pass() && b_.has_whole_pass() && have_enough_in_common();
    if (!diff_.comparable) {
      diff_.cause = cause_of(diff_, a_, b_);
      return std::move(diff_);
    }
    compare_passes();
    add_rows();
    add_kernels();
    judge_all();
    put_in_order();
    say_verdicts();
    compare_sources(a_.trace(), b_.trace(), diff_);
    compare_contents(a_, b_, diff_);
    add_findings();
    diff_.cause = cause_of(diff_, a_, b_);
    return std::move(diff_);
  }

 private:
  // By the time of rows that have a name in both, or where there are no times, by commands.
  bool have_enough_in_common() const {
    const auto shared = [](const Side& mine, const Side& other) {
      std::set<std::string> names;
      for (const auto& [key, row] : other.typical().rows) names.insert(key.second);
      double common = 0, all = 0;
      for (const auto& [key, row] : mine.typical().rows) {
        const double weight = mine.typical().busy_ns ? static_cast<double>(row.ns)
                                                     : static_cast<double>(row.commands.size());
        all += weight;
        if (names.contains(key.second)) common += weight;
      }
      return all == 0 ? 1 : common / all;
    };
    return std::max(shared(a_, b_), shared(b_, a_)) >= 0.1;
  }

  double drift_of_passes(const Pace& pace, std::optional<double> p) const {
    const std::uint64_t larger = std::max(diff_.a.total_ns, diff_.b.total_ns);
    if (larger == 0) return 0;
    return static_cast<double>(drift_between(at_one_pace(a_.totals(), pace.a),
                                             at_one_pace(b_.totals(), pace.b), p)) /
           static_cast<double>(larger);
  }

  void compare_passes() {
    const auto over_passes = [&](auto&& time_of, const Pace& pace = {}) {
      return compare(a_.times(time_of), b_.times(time_of), least_, pace);
    };
    diff_.total = over_passes([](const PassTime& pass) { return pass.total_ns; }, pace_);
    diff_.busy = over_passes([](const PassTime& pass) { return pass.busy_ns; }, pace_);
    // What the host does there, and how soon it wakes, changes with every other program.
    least_.ns *= 3;
    diff_.idle = over_passes([](const PassTime& pass) { return pass.total_ns - pass.busy_ns; });
    // Of single passes nothing is known, which is not the same as nothing.
    const Times before = a_.between_times(), after = b_.between_times();
    if (!before.empty() && !after.empty()) diff_.between = compare(before, after, least_);
    least_.ns /= 3;
    diff_.between.floor_ns += latency_change();
  }

  // How late a waiting host wakes, and how long a launch takes to reach the device, is up to the
  // system's scheduler: one run has 15 µs in every pass and the next one 90 µs. What that changed
  // between passes is no change of a program that waits there in both documents.
  std::uint64_t latency_change() const {
    const auto woken_late = [](const PassTime& pass) { return pass.woken_late_ns; };
    if (median_of(a_.times(woken_late)) == 0 || median_of(b_.times(woken_late)) == 0) return 0;
    const auto latency = [](const PassTime& pass) {
      return pass.woken_late_ns + pass.launching_ns;
    };
    const std::uint64_t before = undisturbed(a_.times(latency)),
                        after = undisturbed(b_.times(latency));
    return std::max(before, after) - std::min(before, after);
  }

  void add_rows() {
    const auto &mine = a_.typical().rows, &other = b_.typical().rows;
    std::vector<RowKey> only_a;
    std::set<RowKey> only_b;
    for (const auto& [key, row] : mine)
      if (!other.contains(key)) only_a.push_back(key);
    for (const auto& [key, row] : other) {
      if (mine.contains(key))
        add_row(key, &mine.at(key), key, &row);
      else
        only_b.insert(key);
    }
    // A scope may have another name: the same kernel as often elsewhere is the same row.
    for (const RowKey& key : only_a) {
      const RowTime& row = mine.at(key);
      const auto same = std::ranges::find_if(only_b, [&](const RowKey& candidate) {
        return candidate.second == key.second &&
               other.at(candidate).commands.size() == row.commands.size();
      });
      if (same == only_b.end()) {
        add_row(key, &row, key, nullptr);
        continue;
      }
      add_row(key, &row, *same, &other.at(*same));
      only_b.erase(same);
    }
    for (const RowKey& key : only_b) add_row(key, nullptr, key, &other.at(key));
  }

  void add_row(const RowKey& key_a, const RowTime* mine, const RowKey& key_b,
               const RowTime* other) {
    DiffRow row;
    row.scope = mine ? key_a.first : key_b.first;
    if (mine && other && key_a.first != key_b.first) row.scope += " -> " + key_b.first;
    row.name = mine ? key_a.second : key_b.second;
    const auto fill = [](const Trace& trace, const RowTime* from, auto& kernel, auto& first,
                         auto& count) {
      if (!from) return;
      first = from->commands[0];
      kernel = trace.work_of(trace.commands()[first]).kernel;
      count = from->commands.size();
    };
    fill(a_.trace(), mine, row.kernel_a, row.first_a, row.count_a);
    fill(b_.trace(), other, row.kernel_b, row.first_b, row.count_b);
    row.time = compare(mine ? a_.row_times(key_a) : a_.times(nothing),
                       other ? b_.row_times(key_b) : b_.times(nothing), least_of_kernel(), pace_);
    if (!mine || !other) {
      row.change = mine ? Change::removed : Change::added;
    } else {
      row.new_shape = shapes_of(a_.trace(), *mine) != shapes_of(b_.trace(), *other);
      row.new_arguments = is_steady(a_, key_a) && is_steady(b_, key_b) &&
                          !same_arguments(a_.trace(), b_.trace(), row.first_a, row.first_b);
      const SourceChange change = source_change(a_.trace(), b_.trace(), row.kernel_a, row.kernel_b);
      row.new_source = change == SourceChange::kernel;
      row.new_program = change == SourceChange::program;
      if (row.count_a != row.count_b)
        row.run = compare(a_.run_times(key_a), b_.run_times(key_b),
                          {.ns = least_of_kernel().ns / std::max(row.count_a, row.count_b),
                           .drift = least_.drift,
                           .common = least_.common,
                           .part = least_of_kernel().part},
                          pace_);
    }
    diff_.rows.push_back(std::move(row));
    keys_.emplace_back(key_a, key_b);
  }

  Least least_of_kernel() const {
    Least least = least_;
    least.ns += least.ns / 2;
    // Times at one pace are less certain, and a change of 10 % may look like half of it.
    if (pace_.a.empty()) least.part = least_part_of_kernel;
    return least;
  }

  static std::uint64_t nothing(const PassTime&) { return 0; }

  // Its arguments are the same in the first and the last pass: those that count passes tell
  // nothing.
  static bool is_steady(const Side& side, const RowKey& key) {
    const auto &first = side.passes().front().rows, &last = side.passes().back().rows;
    const auto one = first.find(key), other = last.find(key);
    return one == first.end() || other == last.end() ||
           same_arguments(side.trace(), side.trace(), one->second.commands.front(),
                          other->second.commands.front());
  }

  void add_kernels() {
    struct Rows {
      std::uint32_t count = 0;
      std::uint64_t ns_a = 0, ns_b = 0;
    };
    std::map<std::string, Rows> rows;  // by name
    for (const DiffRow& row : diff_.rows) {
      Rows& of_name = rows[row.name];
      ++of_name.count;
      of_name.ns_a += row.time.ns_a;
      of_name.ns_b += row.time.ns_b;
    }
    const bool are_steady = has_steady_rows(a_) && has_steady_rows(b_);
    for (const auto& [name, of_name] : rows) {
      DiffTime time = compare(kernel_times_of(a_, times_a_, name),
                              kernel_times_of(b_, times_b_, name), least_of_kernel(), pace_);
      // The sentence names kernels and the table rows: whoever adds those up gets the same.
      if (are_steady) {
        time.ns_a = of_name.ns_a;
        time.ns_b = of_name.ns_b;
      }
      diff_.kernels.push_back({name, of_name.count, std::move(time)});
    }
  }

  // The total is asked first and alone; its parts are many, and are judged together.
  void judge_all() {
    DiffTime* const whole[] = {&diff_.total};
    judge(whole);
    std::vector<DiffTime*> parts{&diff_.busy, &diff_.idle, &diff_.between}, runs, kernels;
    for (DiffRow& row : diff_.rows) {
      parts.push_back(&row.time);
      if (row.run) runs.push_back(&*row.run);
    }
    for (DiffKernel& kernel : diff_.kernels) kernels.push_back(&kernel.time);
    judge(parts);
    judge(runs);
    judge(kernels);
    leave_out_interruptions();
    if (diff_.total.significant) name_the_cause();
    if (is_taken_apart())
      for (DiffTime* time : {&diff_.total, &diff_.idle, &diff_.between}) {
        time->comparable = time->significant = false;
        time->passes_needed.reset();
      }
    for (DiffRow& row : diff_.rows) {
      if (row.change == Change::added || row.change == Change::removed) continue;
      const DiffTime& compared = row.run ? *row.run : row.time;
      if (compared.significant)
        row.change = compared.delta_ns() > 0 ? Change::slower : Change::faster;
      else if (row.run)
        row.change = row.count_b > row.count_a ? Change::more_runs : Change::fewer_runs;
    }
  }

  // Where threads of other programs interrupt every pass, but each time another command, the sum of
  // many rows changes and none of them does. A change of a program is in its rows.
  void leave_out_interruptions() {
    if (!has_steady_rows(a_) || !has_steady_rows(b_)) return;
    std::int64_t explained = diff_.idle.delta_ns();
    std::map<std::string, std::int64_t> by_kernel;
    for (const DiffRow& row : diff_.rows) {
      explained += row.time.delta_ns();
      by_kernel[row.name] += row.time.delta_ns();
    }
    const auto check = [](DiffTime& time, std::int64_t part) {
      const std::int64_t delta = time.delta_ns();
      if (delta > 0 ? part * 2 < delta : part * 2 > delta) time.significant = false;
    };
    check(diff_.total, explained);
    check(diff_.busy, explained - diff_.idle.delta_ns());
    for (DiffKernel& kernel : diff_.kernels) check(kernel.time, by_kernel[kernel.name]);
  }

  // Most rows are in most passes, and have nine tenths of the busy time: their medians
  // tell something. Commands that were timed together with those of other rows are in none.
  static bool has_steady_rows(const Side& side) {
    std::size_t steady = 0;
    std::uint64_t in_rows = 0;
    for (const auto& [key, row] : side.typical().rows) in_rows += row.ns;
    if (in_rows * 10 < side.typical().busy_ns * 9) return false;
    for (const auto& [key, row] : side.typical().rows) {
      const auto has_row = [&key = key](const PassTime& pass) { return pass.rows.contains(key); };
      steady += std::ranges::count_if(side.passes(), has_row) * 2 >=
                static_cast<std::ptrdiff_t>(side.passes().size());
    }
    return steady * 2 >= side.typical().rows.size();
  }

  // A graph is compared with single commands, and recording enqueues its nodes one by one.
  bool is_taken_apart() const {
    if ((diff_.a.launches > 0) == (diff_.b.launches > 0)) return false;
    if (diff_.total.ns_a == 0 || diff_.total.ns_b == 0) return false;  // there are no times at all
    const Side& graphs = diff_.a.launches ? a_ : b_;
    return !graphs_given_one_by_one(graphs.trace()).empty();
  }

  // The total changed, so some part of it did, and the question is no longer whether, but which.
  // The part that changed most the same way is asked alone: the total's test protects it from being
  // one of many. That the runs differ by more than their passes drift has been shown with a margin,
  // so of this part it is enough to exceed its own drift.
  void name_the_cause() {
    const bool is_slower = diff_.total.shift_ns > 0;
    const auto gain = [&](const DiffTime& time) {
      return is_slower ? time.shift_ns : -time.shift_ns;
    };
    const auto by_gain = [&](const auto& x, const auto& y) { return gain(x.time) < gain(y.time); };
    const auto kernel = std::ranges::max_element(diff_.kernels, by_gain);
    if (kernel == diff_.kernels.end() || gain(kernel->time) <= 0) return;
    if (gain(diff_.idle) > gain(kernel->time)) {
      const auto idle = [](const PassTime& pass) { return pass.total_ns - pass.busy_ns; };
      ask_alone(diff_.idle, a_.times(idle), b_.times(idle));
      return;
    }
    ask_alone(kernel->time, kernel_times_of(a_, times_a_, kernel->name),
              kernel_times_of(b_, times_b_, kernel->name));
    if (!kernel->time.significant) return;
    std::size_t most = diff_.rows.size();
    for (std::size_t i = 0; i < diff_.rows.size(); ++i)
      if (diff_.rows[i].name == kernel->name &&
          (most == diff_.rows.size() || by_gain(diff_.rows[most], diff_.rows[i])))
        most = i;
    if (most < diff_.rows.size() && diff_.rows[most].change == Change::same)
      ask_alone(diff_.rows[most].time, a_.row_times(keys_[most].first),
                b_.row_times(keys_[most].second));
  }

  void ask_alone(DiffTime& time, const Times& a, const Times& b) const {
    if (time.significant) return;
    const Least least{.ns = least_.ns, .common = least_.common, .margin = 1};
    DiffTime alone = compare(a, b, least, &time == &diff_.idle ? Pace{} : pace_);
    // What is told of it must bear it out: a kernel's medians are those of its rows, added up.
    alone.ns_a = time.ns_a;
    alone.ns_b = time.ns_b;
    if (!is_significant_alone(alone)) return;
    alone.significant = true;
    alone.passes_needed.reset();
    time = alone;
  }

  static Times kernel_times_of(const Side& side, const std::map<std::string, Times>& times,
                               const std::string& name) {
    const auto found = times.find(name);
    return found == times.end() ? side.times(nothing) : found->second;
  }

  void say_verdicts() {
    const auto say = [&](DiffTime& time, const char* longer, const char* shorter) {
      if (!time.comparable)
        time.verdict = "can't be told";
      else if (time.significant)
        time.verdict = time.delta_ns() > 0 ? longer : shorter;
      else if (!time.p)
        time.verdict = "not tested";
      else
        time.verdict = time.is_small ? under(time) : "not significant";
    };
    for (DiffTime* time : {&diff_.total, &diff_.busy}) say(*time, "slower", "faster");
    for (DiffTime* time : {&diff_.idle, &diff_.between}) say(*time, "longer", "shorter");
    for (DiffKernel& kernel : diff_.kernels) say(kernel.time, "slower", "faster");
    for (DiffRow& row : diff_.rows) {
      say(row.time, "slower", "faster");
      if (row.run) say(*row.run, "slower", "faster");
    }
  }

  // What it is too small a part of: of a pass, or of what it was itself.
  std::string under(const DiffTime& time) const {
    const auto part = [&](std::uint64_t whole) {
      return 100 * static_cast<double>(time.least_ns) / static_cast<double>(whole);
    };
    const std::uint64_t pass = std::max(diff_.a.total_ns, diff_.b.total_ns);
    const double of_pass = part(pass), of_itself = part(std::max(time.ns_a, time.ns_b));
    // The least part of itself is 5 % or less: more than that is due to the pass.
    if (of_itself > 100 * least_part_of_kernel && of_pass < 3.5)
      return fmt::format("under {:.2g}% of a pass", of_pass);
    return fmt::format("under {:.0f}%", of_itself);
  }

  void put_in_order() {
    const auto size = [](const auto& row) {
      return std::pair(row.time.significant, std::abs(row.time.delta_ns()));
    };
    std::ranges::stable_sort(diff_.rows, std::ranges::greater{}, size);
    std::ranges::stable_sort(diff_.kernels, std::ranges::greater{}, size);
    diff_.rest_ns = diff_.total.delta_ns() - diff_.idle.delta_ns();
    for (const DiffRow& row : diff_.rows) diff_.rest_ns -= row.time.delta_ns();
  }

  // What only says how things are is in every document. What is about time comes and goes with
  // noise, so it counts only where some time has changed.
  bool is_fault(const Finding& finding) const {
    const auto starts = [&](const char* with) { return finding.id.starts_with(with); };
    const bool is_of_time =
        starts("idle.") || starts("launch.") || starts("overlap.") || finding.id == "outlier";
    return finding.severity != Severity::info && (!is_of_time || diff_.differs());
  }

  void add_findings() {
    const auto mine = find_insights(a_.trace(), a_.report());
    const auto other = find_insights(b_.trace(), b_.report());
    const auto lacks = [this](const std::vector<Finding>& list, const Finding& finding) {
      return std::ranges::none_of(
          list, [&](const Finding& f) { return is_fault(f) && f.id == finding.id; });
    };
    // Builds are found where they are a part of what was recorded: with more passes they are a
    // smaller one, and not gone.
    const std::uint64_t builds_a = building_ns(a_.trace()), builds_b = building_ns(b_.trace());
    // Likewise idle time of a cause, which is a part of all time: where other time has grown, it
    // is below what is reported, and as long in each pass as it was.
    const auto is_alike = [](std::uint64_t a, std::uint64_t b) {
      return std::min(a, b) * 2 > std::max(a, b);
    };
    const auto is_as_before = [&](const Finding& finding) {
      if (finding.id == "build") return is_alike(builds_a, builds_b);
      const auto cause = idle_cause_of(finding.id);
      return cause && is_alike(a_.idle_in_all_ns(*cause) / a_.passes().size(),
                               b_.idle_in_all_ns(*cause) / b_.passes().size());
    };
    const auto take = [&](const std::vector<Finding>& from, const std::vector<Finding>& without,
                          std::vector<Finding>& into) {
      for (const Finding& finding : from)
        if (is_fault(finding) && lacks(without, finding) && !is_as_before(finding))
          into.push_back(finding);
    };
    take(other, mine, diff_.new_findings);
    take(mine, other, diff_.fixed_findings);
  }

  const Side &a_, &b_;
  TraceDiff diff_;
  std::map<std::string, Times> times_a_, times_b_;  // by kernel
  std::vector<std::pair<RowKey, RowKey>> keys_;     // as diff_.rows, until they are put in order
  Least least_;
  Pace pace_;
};

}  // namespace

bool TraceDiff::differs() const noexcept {
  return total.significant || busy.significant || idle.significant || between.significant ||
         std::ranges::any_of(rows, [](const DiffRow& row) { return row.time.significant; }) ||
         std::ranges::any_of(kernels, [](const DiffKernel& k) { return k.time.significant; });
}

TraceDiff diff(const Trace& a, const Trace& b, const AnalysisOptions& options) {
  const Report report_a = analyze(a, options), report_b = analyze(b, options);
  const Side side_a(a, report_a), side_b(b, report_b);
  return DiffSearch(side_a, side_b).run();
}

}  // namespace reel::analysis
