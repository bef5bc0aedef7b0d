// All ranks compared, and the sentence that says what came of it.
#include "reel/ranks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "analysis/ranks/lateness.hpp"
#include "analysis/ranks/one_run.hpp"
#include "analysis/ranks/same_work.hpp"
#include "reel/error.hpp"
#include "reel/units.hpp"

namespace reel::analysis {

namespace {

// How much longer that is, where a part says more than both times do.
std::string against_usual(const LateRow& late) {
  const double part = static_cast<double>(late.excess_ns) / static_cast<double>(late.usual_ns);
  if (late.usual_ns == 0 || part > 10)
    return fmt::format("{} against {}", time_text(late.ns), time_text(late.usual_ns));
  return fmt::format("{:+.0f} %", 100 * part);
}

class Comparison {
 public:
  explicit Comparison(RankDocuments documents)
      : documents_(std::move(documents)), table_(documents_.documents) {}

  RanksReport run() {
    report_.program = documents_.program;
    report_.numbered_by_name = documents_.numbered_by_name;
    report_.problems = std::move(documents_.problems);
    report_.clock = table_.clock();
    report_.clock_error_ns = table_.clock_error_ns();
    report_.waits_within = table_.waits_within();
    report_.waits_recorded = table_.waits_recorded();
    report_.own_ns = table_.own();
    report_.waiting_ns = table_.waiting();
    for (std::size_t r = 0; r < table_.ranks(); ++r) report_.ranks.push_back(numbers_of(r));
    if (const std::string why = why_not_one_run(documents_.documents); !why.empty()) {
      conclude_nothing(why);
      return std::move(report_);
    }
    add_steps();
    judge_ranks(table_, report_.ranks);
    report_.differences = group_by_work(table_, report_.ranks);
    for (std::size_t r = 0; r < table_.ranks(); ++r) add_cost(r);
    report_.one_offs = find_one_offs(table_, report_.ranks);
    choose_straggler();
    report_.sentence = sentence();
    return std::move(report_);
  }

 private:
  // What each rank took is still what it took; who was last, and who waits, is no question.
  void conclude_nothing(const std::string& why) {
    report_.sentence = fmt::format(
        "These documents are not of one run: {} Nothing is said of who waits. `reel diff` compares "
        "two runs.",
        why);
    report_.steps.resize(table_.steps());
    for (std::vector<std::uint64_t>& waiting : report_.waiting_ns)
      std::ranges::fill(waiting, no_time);
    for (RankReport& rank : report_.ranks) {
      rank.waiting_ns.reset();
      rank.waits.clear();
    }
    report_.differences = group_by_work(table_, report_.ranks);
  }

  RankReport numbers_of(std::size_t r) const {
    const RankSteps& document = table_.document(r);
    RankReport rank;
    rank.rank = documents_.ranks[r];
    rank.path = document.path;
    if (const auto host = document.facts.find("host"); host != document.facts.end())
      rank.host = host->second;
    rank.steps = static_cast<std::uint32_t>(document.steps.size());
    Times busy, idle, waiting;
    for (const std::uint32_t s : table_.counted()) {
      if (s >= document.steps.size() || !document.steps[s].has_times()) continue;
      busy.push_back(document.steps[s].busy_ns);
      idle.push_back(document.steps[s].took_ns() - document.steps[s].busy_ns);
      if (table_.waiting_ns(r, s) != no_time) waiting.push_back(table_.waiting_ns(r, s));
    }
    rank.busy_ns = median_of(busy);
    rank.idle_ns = median_of(idle);
    rank.own_ns = median_of(table_.own_of(r));
    if (!waiting.empty()) rank.waiting_ns = median_of(waiting);
    if (table_.waits_recorded() && table_.compared()[r]) rank.waits = waits_of(r);
    return rank;
  }

  std::vector<RankWait> waits_of(std::size_t r) const {
    const RankSteps& document = table_.document(r);
    std::vector<Times> by_kind(document.mpi.size());
    std::size_t steps = 0;
    for (const std::uint32_t s : table_.counted()) {
      if (!table_.is_recorded(s)) continue;
      ++steps;
      for (const auto& [kind, ns] : document.steps[s].waits) by_kind[kind].push_back(ns);
    }
    std::vector<RankWait> list;
    for (std::size_t k = 0; k < by_kind.size(); ++k) {
      by_kind[k].resize(steps, 0);  // steps without it
      const RankMpi& kind = document.mpi[k];
      if (const std::uint64_t ns = median_of(by_kind[k]); ns > 0)
        list.push_back({kind.name, kind.peer, ns, kind.bytes / kind.calls});
    }
    std::ranges::stable_sort(list, std::greater{}, &RankWait::ns);
    constexpr std::size_t most_told = 5;
    if (list.size() > most_told) list.resize(most_told);
    return list;
  }

  void add_steps() {
    report_.steps.resize(table_.steps());
    for (std::size_t s = 0; s < table_.steps(); ++s) {
      RanksStep& step = report_.steps[s];
      step.skew_ns = table_.skew_ns(s);
      if (const auto last = table_.last(s)) step.last = documents_.ranks[*last];
      for (const std::uint32_t place : table_.arrivals(s))
        step.arrivals.push_back(documents_.ranks[place]);
    }
    for (const std::uint32_t s : table_.counted())
      if (const auto last = table_.last(s)) ++report_.ranks[*last].last;
  }

  // Ranks that wait for each other begin their steps equally often: if this one's steps follow each
  // other more slowly by half of what it takes longer, the others don't wait for it.
  bool is_waited_for(std::size_t r) const {
    if (table_.waits_recorded()) return waits_for(r);
    if (table_.is_seen_to_wait()) return true;
    const std::uint64_t own = median_of(table_.cycles_of(r));
    Times others;
    for (std::size_t other = 0; other < table_.ranks(); ++other)
      if (other != r && table_.compared()[other])
        others.push_back(median_of(table_.cycles_of(other)));
    const auto longer =
        static_cast<std::int64_t>(own) - static_cast<std::int64_t>(median_of(others));
    return own > 0 && longer * 2 <= report_.ranks[r].excess_ns;
  }

  // By calls of MPI: a tenth of what it is late at least, or it is no wait for it.
  bool waits_for(std::size_t r) const {
    const Times costs = costs_of(r);
    return !costs.empty() &&
           static_cast<std::int64_t>(median_of(costs)) * 10 >= report_.ranks[r].excess_ns;
  }

  // What the others wait, in the mean, in each step that it is last in.
  Times costs_of(std::size_t r) const {
    Times costs;
    for (const std::uint32_t s : table_.counted()) {
      if (table_.last(s) != r) continue;
      std::uint64_t sum = 0, others = 0;
      for (std::size_t other = 0; other < table_.ranks(); ++other)
        if (other != r && table_.compared()[other]) sum += table_.waiting_ns(other, s), ++others;
      if (others > 0) costs.push_back(sum / others);
    }
    return costs;
  }

  void add_cost(std::size_t r) {
    RankReport& rank = report_.ranks[r];
    if (rank.lateness == Lateness::none) return;
    rank.cause = cause_of(table_, r, rank);
    if (!rank.cause->rows.empty())
      rank.cause->remark = difference_in(table_, report_.ranks, r, rank.cause->rows.front().row);
    if (!is_waited_for(r)) return;
    if (const Times costs = costs_of(r); !costs.empty()) rank.cost_ns = median_of(costs);
  }

  void choose_straggler() {
    // Of those that are late, the one that costs most.
    std::uint64_t most = 0;
    for (std::uint32_t r = 0; r < report_.ranks.size(); ++r) {
      const RankReport& rank = report_.ranks[r];
      if (rank.lateness == Lateness::none) continue;
      const std::uint64_t costs =
          rank.cost_ns.value_or(0) * rank.last +
          static_cast<std::uint64_t>(std::max<std::int64_t>(rank.excess_ns, 1));
      if (costs <= most) continue;
      most = costs;
      report_.straggler = r;
    }
    // The rank in the middle of all others, to compare it with.
    std::vector<std::uint32_t> order;
    for (std::uint32_t r = 0; r < report_.ranks.size(); ++r)
      if (table_.compared()[r] && r != report_.straggler) order.push_back(r);
    std::ranges::stable_sort(order, {}, [&](std::uint32_t r) { return report_.ranks[r].own_ns; });
    if (!order.empty()) report_.typical = order[(order.size() - 1) / 2];
  }

  std::string cause_text(const RankReport& rank) const {
    const LateCause& cause = *rank.cause;
    const auto longer = [](const LateRow& late) {
      return fmt::format("takes {} longer than the median rank's ({})",
                         time_text(static_cast<std::uint64_t>(late.excess_ns)),
                         against_usual(late));
    };
    switch (cause.kind) {
      case LateCause::Kind::row: {
        const LateRow& late = cause.rows.front();
        const std::string name =
            late.row.kind == RankRow::Kind::gap && late.row.name.empty()
                ? fmt::format(
                      "the gap before its first command takes {} longer than the median rank's",
                      time_text(static_cast<std::uint64_t>(late.excess_ns)))
            : late.row.kind == RankRow::Kind::after
                ? fmt::format(
                      "its host takes {} longer than the median rank's after the last command",
                      time_text(static_cast<std::uint64_t>(late.excess_ns)))
            : late.row.kind == RankRow::Kind::gap
                ? fmt::format("its device is idle {} longer than the median rank's before '{}'",
                              time_text(static_cast<std::uint64_t>(late.excess_ns)), late.row.name)
                : fmt::format("its {} {}", text_of(late.row), longer(late));
        return cause.remark.empty() ? name : name + fmt::format(": it {}", cause.remark);
      }
      case LateCause::Kind::all_kernels:
        return fmt::format(
            "all its kernels take longer, {:+.0f} % in the median, so its device is slower",
            100 * (*cause.factor - 1));
      case LateCause::Kind::mixed:
        break;
    }
    std::string text = fmt::format(
        "it takes {} longer than the median rank, for mixed reasons",
        time_text(static_cast<std::uint64_t>(std::max<std::int64_t>(rank.excess_ns, 0))));
    for (std::size_t i = 0; i < cause.rows.size() && i < 2; ++i)
      text += fmt::format("{} {} +{}", i == 0 ? ":" : ",", text_of(cause.rows[i].row),
                          time_text(static_cast<std::uint64_t>(cause.rows[i].excess_ns)));
    return text;
  }

  // " in MPI_Allreduce, 8 B": the call in which most of the others wait longest.
  std::string waits_text(const RankReport& late) const {
    std::map<std::string, std::uint32_t> counts;
    for (const RankReport& rank : report_.ranks)
      if (&rank != &late && !rank.waits.empty()) {
        RankWait wait = rank.waits.front();
        if (wait.peer != late.rank) wait.peer.reset();
        ++counts[text_of(wait)];
      }
    const auto most =
        std::ranges::max_element(counts, {}, [](const auto& entry) { return entry.second; });
    return most == counts.end() ? "" : fmt::format(" ({})", most->first);
  }

  std::string cost_text(const RankReport& rank) const {
    const std::size_t counted = table_.counted().size();
    if (!rank.cost_ns)
      return "; the others don't wait for it: their steps follow each other without it";
    const auto others = std::ranges::count(table_.compared(), true) - 1;
    return fmt::format(
        ", which costs the other {} {} {}{}",
        others == 1 ? "rank" : fmt::format("{} ranks", others), time_text(*rank.cost_ns),
        rank.last * 10 >= counted * 9 ? "each step" : "in each of these steps", waits_text(rank));
  }

  std::string straggler_text() const {
    const RankReport& rank = report_.ranks[*report_.straggler];
    const std::size_t counted = table_.counted().size();
    std::string text =
        fmt::format("Rank {} is last in {} of {} steps", rank.rank, rank.last, counted);
    if (rank.lateness == Lateness::drift)
      text += fmt::format(
          " and drifts: it is {} later than the median rank in the first third of "
          "the steps and {} in the last",
          time_text(static_cast<std::uint64_t>(std::max<std::int64_t>(rank.excess_first_ns, 0))),
          time_text(static_cast<std::uint64_t>(rank.excess_last_ns)));
    text += "; " + cause_text(rank) + cost_text(rank) + ".";
    std::vector<std::uint32_t> others;
    for (std::size_t r = 0; r < report_.ranks.size(); ++r)
      if (r != *report_.straggler && report_.ranks[r].lateness != Lateness::none)
        others.push_back(report_.ranks[r].rank);
    if (!others.empty())
      text += fmt::format(" {} {} late too, by less.", ranks_text(others),
                          others.size() == 1 ? "is" : "are");
    if (!others.empty()) text[text.rfind(". r") + 2] = 'R';
    return text;
  }

  std::string sentence() const {
    const std::size_t counted = table_.counted().size();
    const auto compared = std::ranges::count(table_.compared(), true);
    if (compared < 2)
      return "Fewer than two ranks have times, so nothing can be said of who waits.";
    if (counted == 0) return "No step is in all ranks, so nothing can be said of who waits.";
    if (report_.straggler) return straggler_text();
    if (counted < fewest_times)
      return fmt::format("{} in all ranks: too few to tell a straggler; it takes {} or more.",
                         counted == 1 ? "1 step is" : fmt::format("{} steps are", counted),
                         fewest_times + 1);
    const auto most = std::ranges::max_element(report_.ranks, {}, &RankReport::last);
    std::uint64_t waits = 0;
    Times waiting;
    for (const std::uint32_t s : table_.counted()) {
      std::uint64_t sum = 0;
      for (std::size_t r = 0; r < table_.ranks(); ++r)
        if (table_.waiting_ns(r, s) != no_time) sum += table_.waiting_ns(r, s);
      waiting.push_back(sum / static_cast<std::uint64_t>(compared));
    }
    waits = median_of(waiting);
    std::string text = fmt::format(
        "No rank is a straggler: rank {} is last most often, in {} of {} steps, and that is not "
        "significant; a rank waits {} of a step of {} ({}).",
        most->rank, most->last, counted, time_text(waits), time_text(table_.level_ns() + waits),
        share_text(waits, table_.level_ns() + waits));
    if (!report_.one_offs.empty()) {
      const OneOff& one = report_.one_offs.front();
      text += fmt::format(" One-off: rank {} was {} late in step {}{}.", one.rank,
                          time_text(one.excess_ns), one.step,
                          one.row ? ", by " + text_of(one.row->row) : "");
    }
    return text;
  }

  RankDocuments documents_;
  StepTable table_;
  RanksReport report_;
};

}  // namespace

const char* to_string(Lateness lateness) noexcept {
  switch (lateness) {
    case Lateness::none:
      return "none";
    case Lateness::imbalance:
      return "imbalance";
    case Lateness::drift:
      return "drift";
  }
  return "none";
}

const char* to_string(RanksClock clock) noexcept {
  switch (clock) {
    case RanksClock::none:
      return "none";
    case RanksClock::too_wide:
      return "too_wide";
    case RanksClock::known:
      return "known";
  }
  return "none";
}

RanksReport compare_ranks(std::vector<RankSteps> documents) {
  RankDocuments arranged = arrange(std::move(documents));
  if (arranged.documents.size() < 2) {
    std::string why;
    for (const std::string& sentence : arranged.problems) why += " " + sentence;
    throw Error(Code::invalid_argument,
                "Ranks are compared with each other, and fewer than two are left here." + why);
  }
  return Comparison(std::move(arranged)).run();
}

}  // namespace reel::analysis
