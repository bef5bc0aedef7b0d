#include "analysis/sync/barrier_chains.hpp"

#include <algorithm>
#include <bit>

namespace reel::analysis {

namespace {

constexpr std::uint32_t never = 0xffffffff;

// The first of these after `after`; never: none.
std::uint32_t first_after(const std::vector<std::uint32_t>& commands, std::uint32_t after) {
  const auto found = std::ranges::upper_bound(commands, after);
  return found == commands.end() ? never : *found;
}

void push(std::vector<std::uint32_t>& commands, std::uint32_t command) {
  if (commands.empty() || commands.back() != command) commands.push_back(command);
}

}  // namespace

// What the barriers so far have done to one use.
struct BarrierChains::State {
  SyncUse use;
  std::uint8_t held = 0;       // stages that wait for it
  std::uint8_t available = 0;  // stages that wait for a barrier which made its bytes available
  std::uint16_t visible = 0;   // accesses that see them
  std::array<std::uint8_t, sync_stage::count> held_by{}, available_by{};
  std::array<std::uint8_t, sync_access::count> visible_by{};

  bool reaches(const Signature& s) const { return s.source.stages & (held | use.stage); }
  bool flushes(const Signature& s) const { return s.source.accesses & use.access; }
  bool sees(const Signature& s) const { return s.source.stages & available; }

  bool changes_order(const Signature& s) const {
    return (reaches(s) && s.target.stages & ~held) || (sees(s) && s.target.stages & ~available);
  }
  bool changes_memory(const Signature& s) const {
    if (!use.writes() || !(flushes(s) || sees(s))) return false;
    return s.target.accesses & ~visible || s.target.stages & ~available;
  }
};

void BarrierChains::add(std::uint32_t command, const SyncScope& source, const SyncScope& target,
                        Range range) {
  const Signature signature{source, target};
  const auto [known, is_new] =
      numbers_.try_emplace(signature.key(), static_cast<std::uint32_t>(signatures_.size()));
  if (is_new) {
    signatures_.push_back(signature);
    of_signature_.emplace_back();
  }
  const std::uint32_t number = known->second;
  rows_.push_back({command, number, range});
  push(of_signature_[number], command);
  auto& lists = of_range_[range];
  auto list = std::ranges::find(lists, number, [](const auto& one) { return one.first; });
  if (list == lists.end()) list = lists.insert(lists.end(), {number, {}});
  push(list->second, command);
}

// The first command between the two that would change what is known.
std::uint32_t BarrierChains::next_change(const State& state, std::uint32_t after,
                                         std::uint32_t before,
                                         std::span<const Range> ranges) const {
  std::uint32_t next = never;
  for (std::size_t s = 0; s < signatures_.size(); ++s)
    if (state.changes_order(signatures_[s]))
      next = std::min(next, first_after(of_signature_[s], after));
  const auto look_in = [&](Range range) {
    const auto lists = of_range_.find(range);
    if (lists == of_range_.end()) return;
    for (const auto& [number, commands] : lists->second)
      if (state.changes_memory(signatures_[number]))
        next = std::min(next, first_after(commands, after));
  };
  if (state.use.writes()) {
    look_in(all_memory);
    for (const Range range : ranges) look_in(range);
  }
  return next < before ? next : never;
}

void BarrierChains::apply(State& state, std::uint32_t command, std::span<const Range> ranges,
                          Path& path) const {
  const State before = state;  // rows of one command don't chain
  const auto first = std::ranges::lower_bound(rows_, command, {}, &Row::command);
  const auto end = std::ranges::upper_bound(rows_, command, {}, &Row::command);
  const auto add = [&](std::uint8_t by) {
    path.steps[path.count] = {command, by};
    return path.count++;
  };
  // Of several stages that a row could have waited for, the first will do.
  const auto reason = [](std::uint8_t stages, const auto& by) {
    return by[static_cast<std::size_t>(std::countr_zero(stages))];
  };
  const auto take = [](auto& known, auto more, auto& by, std::uint8_t of) {
    for (auto fresh = static_cast<unsigned>(more & ~known); fresh; fresh &= fresh - 1)
      by[static_cast<std::size_t>(std::countr_zero(fresh))] = of;
    known = static_cast<std::remove_reference_t<decltype(known)>>(known | more);
  };
  for (auto row = first; row != end; ++row) {
    const Signature& s = signatures_[row->signature];
    if (before.reaches(s) && s.target.stages & ~state.held) {
      const std::uint8_t by = s.source.stages & before.use.stage
                                  ? Path::none
                                  : reason(s.source.stages & before.held, before.held_by);
      take(state.held, s.target.stages, state.held_by, add(by));
    }
    if (!before.use.writes()) continue;
    const bool covers =
        row->range == all_memory || std::ranges::find(ranges, row->range) != ranges.end();
    if (covers && before.flushes(s)) {
      if (s.target.stages & ~state.available || s.target.accesses & ~state.visible) {
        const std::uint8_t of = add(Path::none);
        take(state.available, s.target.stages, state.available_by, of);
        take(state.visible, s.target.accesses, state.visible_by, of);
      }
    } else if (before.sees(s)) {
      const bool shows = covers && s.target.accesses & ~state.visible;
      if (s.target.stages & ~state.available || shows) {
        const std::uint8_t of =
            add(reason(s.source.stages & before.available, before.available_by));
        take(state.available, s.target.stages, state.available_by, of);
        if (covers) take(state.visible, s.target.accesses, state.visible_by, of);
      }
    }
  }
}

BarrierChains::Answer BarrierChains::follow(std::uint32_t from, SyncUse earlier, std::uint32_t to,
                                            SyncUse later, std::span<const Range> ranges,
                                            Path& path) const {
  State state{.use = earlier};
  std::uint32_t at = from;
  for (;;) {
    const bool is_held = state.held & later.stage;
    const bool is_visible = !earlier.writes() || state.visible & later.access;
    const auto of = [](auto bit) { return static_cast<std::size_t>(std::countr_zero(bit)); };
    if (is_held && is_visible) {
      path.last =
          earlier.writes() ? state.visible_by[of(later.access)] : state.held_by[of(later.stage)];
      return {true, true};
    }
    at = next_change(state, at, to, ranges);
    if (at != never) {
      apply(state, at, ranges, path);
      continue;
    }
    if (is_held) path.last = state.held_by[of(later.stage)];
    return {is_held, is_visible};
  }
}

}  // namespace reel::analysis
