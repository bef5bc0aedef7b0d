#include "reel/diff.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "analysis/diff/contents.hpp"
#include "analysis/diff/side.hpp"
#include "reel/units.hpp"

namespace reel::analysis {

namespace {

// One pass each tells nothing of noise: then a tenth of the row and a hundredth of the whole.
bool is_significant(const DiffRow& row, const std::vector<std::uint64_t>& noise_ns,
                    std::uint64_t total_ns) {
  const auto delta = static_cast<std::uint64_t>(std::abs(row.delta_ns()));
  if (!noise_ns.empty()) return delta > 2 * std::ranges::max(noise_ns) && delta * 200 >= total_ns;
  return delta * 10 >= row.ns_a && delta * 100 >= total_ns;
}

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

std::string text_of(const Trace& trace, const TraceVariant& variant) {
  if (!variant.blob || variant.form == KernelForm::spirv) return {};
  const auto bytes = trace.blob(*variant.blob);
  if (!bytes) return {};
  return {reinterpret_cast<const char*>(bytes->data()), bytes->size()};
}

class DiffSearch {
 public:
  DiffSearch(const Side& a, const Side& b) : a_(a), b_(b) {}

  TraceDiff run() {
    diff_.a = a_.numbers();
    diff_.b = b_.numbers();
    diff_.idle_delta_ns =
        static_cast<std::int64_t>(diff_.b.idle_ns) - static_cast<std::int64_t>(diff_.a.idle_ns);
    const double noise = std::max(diff_.a.noise, diff_.b.noise);
    const auto delta = static_cast<double>(std::abs(diff_.total_delta_ns()));
    // Without passes to tell the noise, a twentieth: what a quiet machine repeats.
    diff_.significant =
        delta > static_cast<double>(diff_.a.total_ns) * (noise > 0 ? 2 * noise : 0.05);
    add_rows();
    add_sources();
    compare_contents(a_, b_, diff_);
    add_findings();
    diff_.cause = cause();
    return std::move(diff_);
  }

 private:
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
    std::ranges::stable_sort(diff_.rows, std::ranges::greater{},
                             [](const DiffRow& row) { return std::abs(row.delta_ns()); });
  }

  void add_row(const RowKey& key_a, const RowTime* mine, const RowKey& key_b,
               const RowTime* other) {
    DiffRow row;
    row.scope = mine ? key_a.first : key_b.first;
    if (mine && other && key_a.first != key_b.first) row.scope += " -> " + key_b.first;
    row.name = mine ? key_a.second : key_b.second;
    const auto fill = [](const Trace& trace, const RowTime* from, auto& kernel, auto& first,
                         auto& count, auto& ns) {
      if (!from) return;
      first = from->commands[0];
      kernel = trace.work_of(trace.commands()[first]).kernel;
      count = from->commands.size();
      ns = from->ns;
    };
    fill(a_.trace(), mine, row.kernel_a, row.first_a, row.count_a, row.ns_a);
    fill(b_.trace(), other, row.kernel_b, row.first_b, row.count_b, row.ns_b);
    std::vector<std::uint64_t> noise_ns;  // of each side that has passes enough to tell
    if (mine)
      if (const auto noise = a_.noise_ns(key_a)) noise_ns.push_back(*noise);
    if (other)
      if (const auto noise = b_.noise_ns(key_b)) noise_ns.push_back(*noise);
    if (!noise_ns.empty() && row.ns_a)
      row.noise = static_cast<double>(std::ranges::max(noise_ns)) / static_cast<double>(row.ns_a);
    row.significant = is_significant(row, noise_ns, a_.typical().total_ns);
    if (!mine || !other) {
      row.change = mine ? Change::removed : Change::added;
    } else {
      row.new_shape = shapes_of(a_.trace(), *mine) != shapes_of(b_.trace(), *other);
      row.new_arguments = !same_arguments(a_.trace(), b_.trace(), row.first_a, row.first_b);
      row.new_source = has_new_source(row.kernel_a, row.kernel_b);
      if (row.significant) row.change = row.delta_ns() > 0 ? Change::slower : Change::faster;
    }
    diff_.rows.push_back(std::move(row));
  }

  bool has_new_source(std::uint32_t kernel_a, std::uint32_t kernel_b) const {
    if (kernel_a == no_index || kernel_b == no_index) return false;
    const TraceKernel &mine = a_.trace().kernels()[kernel_a],
                      &other = b_.trace().kernels()[kernel_b];
    if (mine.defines != other.defines || mine.constants != other.constants ||
        mine.options != other.options)
      return true;
    // Of the form both were built from; another form may not have been recorded.
    for (const TraceVariant& variant : mine.variants)
      for (const TraceVariant& candidate : other.variants)
        if (variant.form == candidate.form && variant.blob != candidate.blob) return true;
    return false;
  }

  void add_sources() {
    std::set<std::pair<std::uint32_t, std::uint32_t>> seen;
    for (const DiffRow& row : diff_.rows) {
      if (!row.new_source || !seen.insert({row.kernel_a, row.kernel_b}).second) continue;
      for (const TraceVariant& mine : a_.trace().kernels()[row.kernel_a].variants)
        for (const TraceVariant& other : b_.trace().kernels()[row.kernel_b].variants)
          if (mine.form == other.form && mine.blob != other.blob)
            diff_.sources.push_back({row.kernel_a, row.kernel_b, mine.form,
                                     text_of(a_.trace(), mine), text_of(b_.trace(), other)});
    }
  }

  // What only says how things are is in every document.
  static bool is_fault(const Finding& finding) { return finding.severity != Severity::info; }

  void add_findings() {
    const auto mine = find_insights(a_.trace(), a_.report());
    const auto other = find_insights(b_.trace(), b_.report());
    const auto lacks = [](const std::vector<Finding>& list, const Finding& finding) {
      return std::ranges::none_of(
          list, [&](const Finding& f) { return is_fault(f) && f.id == finding.id; });
    };
    for (const Finding& finding : other)
      if (is_fault(finding) && lacks(mine, finding)) diff_.new_findings.push_back(finding);
    for (const Finding& finding : mine)
      if (is_fault(finding) && lacks(other, finding)) diff_.fixed_findings.push_back(finding);
  }

  std::string cause() const {
    const std::int64_t delta = diff_.total_delta_ns();
    const auto size = [](std::int64_t ns) {
      return time_text(static_cast<std::uint64_t>(std::abs(ns)));
    };
    if (diff_.a.total_ns == 0 || diff_.b.total_ns == 0)
      return "One of them has no timestamps, so only the commands can be compared.";
    if (!diff_.significant)
      return fmt::format("No difference in time beyond the noise ({} against {}).",
                         time_text(diff_.a.total_ns), time_text(diff_.b.total_ns));
    const char* how = delta > 0 ? "slower" : "faster";
    // The row that did most in this direction, against idle time.
    const DiffRow* top = nullptr;
    for (const DiffRow& row : diff_.rows)
      if ((row.delta_ns() > 0) == (delta > 0) &&
          (!top || std::abs(row.delta_ns()) > std::abs(top->delta_ns())))
        top = &row;
    const bool idle = (diff_.idle_delta_ns > 0) == (delta > 0) &&
                      (!top || std::abs(diff_.idle_delta_ns) > std::abs(top->delta_ns()));
    if (idle)
      return fmt::format("{} {}: the device was idle {} {}{}.", size(delta), how,
                         size(diff_.idle_delta_ns), diff_.idle_delta_ns > 0 ? "more" : "less",
                         idle_cause());
    if (!top) return fmt::format("{} {}, spread over all rows.", size(delta), how);
    if (std::abs(top->delta_ns()) * 2 < std::abs(delta)) return spread_cause(*top, delta, how);
    const std::string place = top->scope.empty() ? "" : " in " + top->scope;
    std::string why;
    if (top->change == Change::added)
      return fmt::format("{} {}: '{}'{} is new ({}).", size(delta), how, top->name, place,
                         size(top->delta_ns()));
    if (top->change == Change::removed)
      return fmt::format("{} {}: '{}'{} is gone ({}).", size(delta), how, top->name, place,
                         size(top->delta_ns()));
    if (top->new_source)
      why = "its source or options changed";
    else if (top->new_shape)
      why = "its launch size changed";
    else if (top->count_a != top->count_b)
      why = fmt::format("it runs {} times, not {}", top->count_b, top->count_a);
    else if (top->new_arguments)
      why = "its arguments changed";
    return fmt::format("{} {}: mostly '{}'{}, {} {}{}{}.", size(delta), how, top->name, place,
                       size(top->delta_ns()), how, why.empty() ? "" : "; ", why);
  }

  // No row alone makes up half of it: perhaps a kernel in all its scopes does.
  std::string spread_cause(const DiffRow& top, std::int64_t delta, const char* how) const {
    std::map<std::string, std::pair<std::int64_t, std::uint32_t>> by_name;  // change, rows
    std::uint32_t rows = 0;
    for (const DiffRow& row : diff_.rows) {
      if ((row.delta_ns() > 0) != (delta > 0)) continue;
      auto& [change, count] = by_name[row.name];
      change += row.delta_ns();
      ++count;
      rows += row.significant;
    }
    const auto& [name, most] = *std::ranges::max_element(
        by_name, {}, [](const auto& entry) { return std::abs(entry.second.first); });
    const auto size = [](std::int64_t ns) {
      return time_text(static_cast<std::uint64_t>(std::abs(ns)));
    };
    if (std::abs(most.first) * 2 >= std::abs(delta))
      return fmt::format("{} {}: mostly '{}' in {} places, {} {}.", size(delta), how, name,
                         most.second, size(most.first), how);
    return fmt::format("{} {}, spread over {} rows; most of it is '{}'{}, {} {}.", size(delta), how,
                       rows, top.name, top.scope.empty() ? "" : " in " + top.scope,
                       size(top.delta_ns()), how);
  }

  // Which cause of idle time grew or shrank most, over the whole documents.
  std::string idle_cause() const {
    const auto share = [](const Side& side, std::size_t cause) {
      return static_cast<std::int64_t>(side.report().activity.idle_ns[cause] /
                                       std::max<std::size_t>(1, side.passes().size()));
    };
    std::size_t most = 0;
    std::int64_t largest = 0;
    for (std::size_t cause = 0; cause < idle_causes; ++cause) {
      const std::int64_t change = share(b_, cause) - share(a_, cause);
      const bool same_way = (change > 0) == (diff_.idle_delta_ns > 0);
      if (!same_way || std::abs(change) <= largest) continue;
      largest = std::abs(change);
      most = cause;
    }
    return largest ? fmt::format(", mostly because of: {}", to_string(static_cast<IdleCause>(most)))
                   : "";
  }

  const Side &a_, &b_;
  TraceDiff diff_;
};

}  // namespace

TraceDiff diff(const Trace& a, const Trace& b, const AnalysisOptions& options) {
  const Report report_a = analyze(a, options), report_b = analyze(b, options);
  const Side side_a(a, report_a), side_b(b, report_b);
  return DiffSearch(side_a, side_b).run();
}

}  // namespace reel::analysis
