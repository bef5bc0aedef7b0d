#include "replay/script/relaxed.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <queue>
#include <random>

#include "base/bytes/hash128.hpp"
#include "graph/commands/resource.hpp"
#include "graph/order/hazard_map.hpp"
#include "replay/run/runner.hpp"

namespace reel::rerun {

namespace {

constexpr std::uint32_t orders_tried = 8;

using Order = std::vector<std::uint32_t>;  // indices of actions

// What a run gave, page by page of the checks.
using Fingerprint = std::map<std::pair<std::uint32_t, std::uint32_t>, Hash128>;

class RaceSearch {
 public:
  RaceSearch(Stage& stage, std::shared_ptr<Heartbeat> heart)
      : stage_(stage), heart_(std::move(heart)), actions_(stage.script().actions) {}

  std::optional<Race> run() {
    expected_ = fingerprint({});
    for (std::uint32_t number = 0; number < orders_tried; ++number) {
      const Order other = allowed_order(stage_.trace(), actions_, number);
      if (!is_equal(other)) return narrow(other);
    }
    return std::nullopt;
  }

 private:
  // Given an order that goes wrong.
  Race narrow(const Order& contrary) {
    // The first `good` actions may go in the contrary order and the rest as recorded; with one more
    // the results change.
    const auto mixed = [&](std::size_t count) { return restricted(contrary, count); };
    std::size_t good = 0, bad = actions_.size();
    while (bad - good > 1) {
      const std::size_t middle = good + (bad - good) / 2;
      (is_equal(mixed(middle)) ? good : bad) = middle;
    }
    // That one: how far back may it go among the earlier ones?
    const auto moved = static_cast<std::uint32_t>(good);
    Order earlier = mixed(bad);
    earlier.resize(bad);
    const auto place = static_cast<std::size_t>(std::find(earlier.begin(), earlier.end(), moved) -
                                                earlier.begin());
    earlier.erase(earlier.begin() + static_cast<std::ptrdiff_t>(place));
    std::size_t wrong = place, right = earlier.size();
    while (right - wrong > 1) {
      const std::size_t middle = wrong + (right - wrong) / 2;
      (is_equal(inserted(earlier, moved, middle)) ? right : wrong) = middle;
    }
    Race race{.first = actions_[earlier[wrong]].command,
              .second = actions_[moved].command,
              .observed = true};
    if (race.first > race.second) std::swap(race.first, race.second);
    name_common_range(race);
    return race;
  }

  // The contrary order of the first `count` actions, then the others as recorded.
  Order restricted(const Order& contrary, std::size_t count) const {
    Order order;
    for (const std::uint32_t i : contrary)
      if (i < count) order.push_back(i);
    for (auto i = static_cast<std::uint32_t>(count); i < actions_.size(); ++i) order.push_back(i);
    return order;
  }

  Order inserted(const Order& earlier, std::uint32_t moved, std::size_t at) const {
    Order order(earlier.begin(), earlier.begin() + static_cast<std::ptrdiff_t>(at));
    order.push_back(moved);
    order.insert(order.end(), earlier.begin() + static_cast<std::ptrdiff_t>(at), earlier.end());
    for (auto i = static_cast<std::uint32_t>(order.size()); i < actions_.size(); ++i)
      order.push_back(i);
    return order;
  }

  bool is_equal(const Order& order) { return fingerprint(order) == expected_; }

  Fingerprint fingerprint(const Order& order) {
    Fingerprint print;
    const Look look = [&](std::uint32_t contents, std::uint32_t page,
                          std::span<const std::byte> found) {
      print[{contents, page}] = hash128(found);
    };
    std::vector<Action> ordered = actions_;
    for (std::size_t i = 0; i < order.size(); ++i) ordered[i] = actions_[order[i]];
    stage_.restore([](std::uint64_t) {}, true);  // what says it reads may write
    make_stream_runner(stage_, stage_.script().before, Streams::one, heart_)->run(look, nullptr);
    make_stream_runner(stage_, ordered, Streams::one, heart_)->run(look, nullptr);
    look_at_end(stage_, look);
    return print;
  }

  // What both name, whatever they say they do with it.
  void name_common_range(Race& race) const {
    const Trace& trace = stage_.trace();
    for_each_range(
        trace, trace.work_of(trace.commands()[race.first]), [&](const TraceArgument& a, Access) {
          for_each_range(trace, trace.work_of(trace.commands()[race.second]),
                         [&](const TraceArgument& b, Access) {
                           if (a.buffer != b.buffer || race.buffer != no_index) return;
                           race.buffer = a.buffer;
                           race.begin = std::max(a.offset_bytes, b.offset_bytes);
                           race.end = std::max(race.begin, std::min(a.offset_bytes + a.size_bytes,
                                                                    b.offset_bytes + b.size_bytes));
                         });
        });
  }

  Stage& stage_;
  const std::shared_ptr<Heartbeat> heart_;
  const std::vector<Action>& actions_;
  Fingerprint expected_;
};

}  // namespace

std::vector<std::uint32_t> allowed_order(const Trace& trace, const std::vector<Action>& actions,
                                         std::uint32_t number) {
  std::vector<std::unique_ptr<BufferResource>> buffers(trace.buffers().size());
  for (auto& buffer : buffers) buffer = std::make_unique<BufferResource>();
  const auto use = [&](std::uint32_t buffer, std::uint64_t offset, std::uint64_t size,
                       Access access) {
    BufferRange range;
    range.buffer = buffers[buffer].get();
    range.offset_bytes = offset;
    range.size_bytes = size;
    return Use{range, access};
  };
  HazardMap hazards;
  std::vector<std::vector<std::uint32_t>> next(actions.size());
  std::vector<std::uint32_t> missing(actions.size());
  for (std::uint32_t i = 0; i < actions.size(); ++i) {
    const Action& action = actions[i];
    std::vector<Use> uses;
    bool fence = false;
    if (action.kind == Action::Kind::run) {
      const TraceWork& work = trace.work_of(trace.commands()[action.command]);
      fence = work.kind == WorkKind::barrier || work.kind == WorkKind::host_call;
      for_each_range(trace, work, [&](const TraceArgument& a, Access access) {
        uses.push_back(use(a.buffer, a.offset_bytes, a.size_bytes, access));
      });
    } else {
      const TraceContents& row = trace.contents()[action.contents];
      uses.push_back(use(row.buffer, row.offset_bytes, row.size_bytes,
                         action.kind == Action::Kind::put ? Access::write : Access::read));
    }
    for (const std::uint32_t before : hazards.next(uses, fence)) {
      next[before].push_back(i);
      ++missing[i];
    }
  }
  std::vector<std::uint32_t> priority(actions.size());
  std::iota(priority.begin(), priority.end(), 0u);
  // The order of one number is the same wherever it is made: no distribution of the library's own.
  if (std::mt19937 random(number); number > 0)
    for (std::size_t i = priority.size(); i > 1; --i)
      std::swap(priority[i - 1], priority[random() % i]);
  const auto comes_later = [&](std::uint32_t a, std::uint32_t b) {
    return priority[a] < priority[b];
  };
  std::priority_queue<std::uint32_t, std::vector<std::uint32_t>, decltype(comes_later)> ready(
      comes_later);
  for (std::uint32_t i = 0; i < actions.size(); ++i)
    if (!missing[i]) ready.push(i);
  std::vector<std::uint32_t> order;
  while (!ready.empty()) {
    const std::uint32_t i = ready.top();
    ready.pop();
    order.push_back(i);
    for (const std::uint32_t after : next[i])
      if (--missing[after] == 0) ready.push(after);
  }
  return order;
}

std::optional<Race> observed_race(Stage& stage, const std::shared_ptr<Heartbeat>& heart) {
  return RaceSearch(stage, heart).run();
}

}  // namespace reel::rerun
