#include "replay/proof/bench.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/clock.hpp"
#include "base/fail.hpp"
#include "document/trace/ranges.hpp"
#include "reel/units.hpp"
#include "replay/run/devices.hpp"
#include "replay/script/writers.hpp"
#include "replay/verifier.hpp"

namespace reel::rerun {

namespace {

constexpr std::uint32_t most_pairs = 40;
// Of a document's writes, kept in memory; and of buffers without a check, read after a run.
constexpr std::uint64_t most_kept_bytes = std::uint64_t{1} << 30;

const Look nobody_looks = [](std::uint32_t, std::uint32_t, std::span<const std::byte>) {};

class Clock {
 public:
  explicit Clock(double seconds)
      : end_ns_(monotonic_ns() + static_cast<std::uint64_t>(std::max(seconds, 0.0) * 1e9)) {}
  bool is_over() const { return monotonic_ns() >= end_ns_; }

 private:
  const std::uint64_t end_ns_;
};

std::vector<Action> without_looks(std::vector<Action> actions) {
  std::erase_if(actions, [](const Action& action) { return action.kind == Action::Kind::look; });
  return actions;
}

}  // namespace

std::string change_text(const Trace& trace, const Change& change) {
  const std::string place =
      fmt::format("byte {} of {}", change.offset_bytes, describe_buffer(trace, change.buffer));
  return change.before == change.after
             ? fmt::format("bytes from {} on change", place)
             : fmt::format("{} is {} instead of {}", place, change.after, change.before);
}

Bench::Bench(const Trace& trace, std::vector<Device> devices, std::shared_ptr<Heartbeat> heart,
             std::uint64_t recorded_busy_ns)
    : trace_(trace),
      devices_(std::move(devices)),
      heart_(std::move(heart)),
      recorded_s_(is_recorded_device() ? static_cast<double>(recorded_busy_ns) / 1e9 : 0) {
  const KeptOrder kept = kept_order(trace_, find_unordered(trace_));
  Obstacles obstacles = recorded_obstacles(trace_);
  const auto write_script = [&] {
    script_ = make_script(trace_, 0, no_index, obstacles, kept);
    check_something_is_left(trace_, script_);
  };
  write_script();
  stage_ = std::make_unique<Stage>(trace_, script_, devices_,
                                   std::map<std::uint32_t, Replacement>(), &obstacles);
  write_script();
  if (stage_->find_unfit(obstacles)) write_script();
  stage_->keep_puts(script_.actions, most_kept_bytes);
  recorded_.actions = script_.actions;
  for (const Action& action : script_.actions)
    if (action.kind != Action::Kind::look) runs_.insert(action.command);
}

Plan Bench::without(const std::set<std::uint32_t>& commands) const {
  Plan plan = recorded_;
  leave_out(trace_, commands, plan.actions);
  return plan;
}

Plan Bench::with_others(const std::map<std::uint32_t, Command>& work) {
  Plan plan = recorded_;
  plan.actions.clear();
  std::set<std::uint32_t> given;
  for (const Action& action : recorded_.actions) {
    const auto other = work.find(action.command);
    const bool is_own = action.kind == Action::Kind::run ||
                        (action.kind == Action::Kind::put &&
                         trace_.contents()[action.contents].role == ContentRole::written);
    if (other == work.end() || !is_own)
      plan.actions.push_back(action);
    else if (given.insert(action.command).second)
      plan.actions.push_back(
          {Action::Kind::instead, action.command, stage_->add_other(other->second)});
  }
  return plan;
}

bool Bench::is_recorded_device() const { return are_same_devices(trace_, devices_); }

void Bench::check_one_device() const {
  for (const Device& device : devices_)
    if (device != devices_.front())
      fail(Code::unsupported,
           "The document was recorded on {} devices, and a graph or another order needs all of it "
           "on one.",
           devices_.size());
}

// `all`: what says it reads may write, and results would show it in the next run.
void Bench::restore(bool all) {
  stage_->restore([](std::uint64_t) {}, all);
}

std::unique_ptr<Runner> Bench::runner_of(const Plan& plan, const std::vector<Action>& actions) {
  if (plan.way != Plan::Way::streams) check_one_device();
  switch (plan.way) {
    case Plan::Way::graph:
      return make_graph_runner(*stage_, actions, true, heart_);
    case Plan::Way::one_stream:
      return make_stream_runner(*stage_, actions, Streams::one, heart_);
    case Plan::Way::streams:
      break;
  }
  return make_stream_runner(*stage_, actions, Streams::recorded, heart_, plan.changes);
}

void Bench::run(const Plan& plan, const std::set<std::uint32_t>& watched, const PageVisit& visit) {
  const Look look = [&](std::uint32_t contents, std::uint32_t page,
                        std::span<const std::byte> found) {
    const TraceContents& row = trace_.contents()[contents];
    visit({Place::Kind::check, contents, row.buffer, row.offset_bytes + page * page_bytes}, found);
  };
  restore(true);
  std::vector<Action> part;
  const auto flush = [&] {
    if (!part.empty()) runner_of(plan, part)->run(look, nullptr);
    part.clear();
  };
  for (const Action& action : plan.actions) {
    part.push_back(action);
    if (action.kind != Action::Kind::run || !watched.contains(action.command)) continue;
    flush();
    for_each_range(trace_, trace_.work_of(trace_.commands()[action.command]),
                   [&](const TraceArgument& range, Access access) {
                     if (!writes(access)) return;
                     TraceContents row;
                     row.buffer = range.buffer;
                     row.offset_bytes = range.offset_bytes;
                     row.size_bytes = range.size_bytes;
                     stage_->read(row, [&](std::uint32_t page, std::span<const std::byte> found) {
                       visit({Place::Kind::watched, action.command, row.buffer,
                              row.offset_bytes + page * page_bytes},
                             found);
                     });
                   });
  }
  flush();
  look_at_end(*stage_, look);
  look_at_lasting(visit);
}

// A buffer that was freed has no results in it; of one that lives on, somebody may use them later.
void Bench::look_at_lasting(const PageVisit& visit) {
  std::uint64_t total = 0;
  for (const Script::Unproved& one : script_.unproved) {
    const TraceBuffer& buffer = trace_.buffers()[one.buffer];
    if (buffer.freed_ns || buffer.image || (total += buffer.size_bytes) > most_kept_bytes) continue;
    TraceContents row;
    row.buffer = one.buffer;
    row.size_bytes = buffer.size_bytes;
    stage_->read(row, [&](std::uint32_t page, std::span<const std::byte> found) {
      visit({Place::Kind::end, one.buffer, one.buffer, page * page_bytes}, found);
    });
  }
}

Bench::Results Bench::results(const Plan& plan, const std::set<std::uint32_t>& watched) {
  Results results;
  run(plan, watched, [&](const Place& place, std::span<const std::byte> found) {
    results[place] = hash128(found);
  });
  return results;
}

const Bench::Results& Bench::recorded_results() {
  if (recorded_results_) return *recorded_results_;
  const bool is_exact = is_recorded_device();
  Verifier verifier(trace_, stage_->elements(), {}, is_exact);
  expect_addresses(verifier, *stage_);
  Results first;
  run(recorded_, {}, [&](const Place& place, std::span<const std::byte> found) {
    first[place] = hash128(found);
    const auto page = static_cast<std::uint32_t>(
        place.kind == Place::Kind::check
            ? (place.offset_bytes - trace_.contents()[place.index].offset_bytes) / page_bytes
            : 0);
    if (is_exact && place.kind == Place::Kind::check) verifier.page(place.index, page, found);
  });
  if (first.empty())
    why_nothing_ = "the document has no results that could be compared";
  else if (verifier.has_difference())
    why_nothing_ = "a replay here does not give the recorded results (see reel replay)";
  else if (results(recorded_) != first)
    why_nothing_ = "the results change from run to run";
  recorded_results_ = std::move(first);
  return *recorded_results_;
}

const std::string& Bench::why_results_tell_nothing() {
  recorded_results();
  return why_nothing_;
}

std::optional<std::vector<std::byte>> Bench::page_of(const Plan& plan, const Place& place) {
  std::optional<std::vector<std::byte>> bytes;
  run(plan, {}, [&](const Place& seen, std::span<const std::byte> found) {
    if (seen == place) bytes.emplace(found.begin(), found.end());
  });
  return bytes;
}

std::optional<Change> Bench::first_change(const Plan& before, const Plan& after, const Results& a,
                                          const Results& b) {
  const auto changed = std::ranges::find_if(b, [&](const auto& one) {
    const auto same = a.find(one.first);
    return same != a.end() && same->second != one.second;
  });
  if (changed == b.end()) return std::nullopt;
  const Place& place = changed->first;
  Change change{.buffer = place.buffer, .offset_bytes = place.offset_bytes};
  const auto wanted = page_of(before, place), got = page_of(after, place);
  if (!wanted || !got || wanted->size() != got->size()) return change;
  const auto [first, other] = std::ranges::mismatch(*wanted, *got);
  if (first == wanted->end()) return change;  // it changes from run to run
  auto at = static_cast<std::uint64_t>(first - wanted->begin());
  const std::uint64_t byte = place.offset_bytes + at;
  const auto type = Writers(trace_, stage_->elements())
                        .type(place.buffer, byte, byte + 1,
                              static_cast<std::uint32_t>(trace_.commands().size() - 1));
  const std::size_t size = type ? size_of(*type) : 1;
  if (type && (place.offset_bytes + at) % size <= at) at -= (place.offset_bytes + at) % size;
  const auto text = [&](const std::vector<std::byte>& page) {
    return type && at + size <= page.size()
               ? element_text(*type, std::span(page).subspan(at, size))
               : "0x" + element_text(ElementType::hex, std::span(page).subspan(at, 1));
  };
  change.offset_bytes = place.offset_bytes + at;
  change.before = text(*wanted);
  change.after = text(*got);
  return change;
}

// Half of the recorded time counts: the machine may have been busier then.
bool Bench::may_fit(std::uint32_t runs, double seconds) {
  if (runs * recorded_s_ / 2 <= seconds) return true;
  too_few("by the recorded times, a", runs, recorded_s_, seconds);
  return false;
}

void Bench::too_few(const char* known_from, std::uint32_t runs, double run_s, double seconds) {
  const auto text = [](double s) { return time_text(static_cast<std::uint64_t>(s * 1e9)); };
  why_too_few_ = fmt::format(
      "There was too little time: {} run takes {}, and it needs {} of them, {} in all, where it "
      "had "
      "{}; --prove-seconds gives more.",
      known_from, text(run_s), runs, text(runs * run_s), text(seconds));
}

std::optional<Saving> Bench::measure(const Plan& before, const Plan& after, double seconds) {
  constexpr std::uint32_t fewest_runs = 2 * (fewest_pairs + 1);
  if (!may_fit(fewest_runs, seconds)) return std::nullopt;
  const Clock clock(seconds);
  const std::vector<Action> first = without_looks(before.actions),
                            second = without_looks(after.actions);
  const auto before_runner = runner_of(before, first), after_runner = runner_of(after, second);
  const auto timed = [&](Runner& runner) {
    restore(false);
    const std::uint64_t begin_ns = monotonic_ns();
    runner.run(nobody_looks, nullptr);
    return static_cast<double>(monotonic_ns() - begin_ns);
  };
  const double pair_s = (timed(*before_runner) + timed(*after_runner)) / 1e9;
  if ((fewest_pairs + 1) * pair_s > 2 * seconds) {  // first runs are slow
    too_few("a", fewest_runs, pair_s / 2, seconds);
    return std::nullopt;
  }
  std::vector<double> a, b;
  while (a.size() < most_pairs && !clock.is_over()) {
    // By turns, and the first of a pair by turns: what a run leaves in caches helps both alike.
    if (a.size() % 2 == 0) a.push_back(timed(*before_runner));
    b.push_back(timed(*after_runner));
    if (a.size() < b.size()) a.push_back(timed(*before_runner));
  }
  if (a.size() < fewest_pairs) {
    why_too_few_ = fmt::format(
        "There was too little time: {} of the {} pairs of runs that it needs were made in {}; "
        "--prove-seconds gives more.",
        a.size(), fewest_pairs, time_text(static_cast<std::uint64_t>(seconds * 1e9)));
    return std::nullopt;
  }
  return saving_of(a, b);
}

std::vector<std::map<std::uint32_t, double>> Bench::times(const std::set<std::uint32_t>& commands,
                                                          std::uint32_t runs, double seconds) {
  why_too_few_ = "The device gave too few times.";
  if (!may_fit(fewest_pairs + 1, seconds)) return {};
  const Clock clock(seconds);
  const std::vector<Action> actions = without_looks(recorded_.actions);
  const auto runner = runner_of(recorded_, actions);
  std::vector<std::map<std::uint32_t, double>> result;
  for (std::uint32_t run = 0; run <= runs && !(run > 0 && clock.is_over()); ++run) {
    restore(false);
    RunTimes times;
    runner->run(nobody_looks, &times);
    if (run == 0) continue;
    auto& known = result.emplace_back();
    for (const std::uint32_t c : commands)
      if (const RunTimes::Time& time = times.of_command[c];
          time.begin_ns && time.end_ns >= time.begin_ns)
        known[c] = static_cast<double>(time.end_ns - time.begin_ns);
  }
  if (result.size() < fewest_pairs)
    why_too_few_ = fmt::format("There was too little time for {} runs; --prove-seconds gives more.",
                               fewest_pairs);
  return result;
}

std::vector<double> Bench::times_alone(std::uint32_t command, std::uint32_t runs, double seconds) {
  const Clock clock(seconds);
  std::vector<Action> before;
  for (const Action& action : recorded_.actions) {
    if (action.command == command && action.kind == Action::Kind::run) break;
    if (action.kind != Action::Kind::look) before.push_back(action);
  }
  const std::vector<Action> alone{{Action::Kind::run, command, no_index}};
  const auto prepare = runner_of(recorded_, before), runner = runner_of(recorded_, alone);
  restore(false);
  prepare->run(nobody_looks, nullptr);
  // What it changes it would not find again.
  struct Saved {
    TraceContents row;
    std::vector<std::byte> bytes;
  };
  std::vector<Saved> changed;
  for_each_range(trace_, trace_.work_of(trace_.commands()[command]),
                 [&](const TraceArgument& range, Access access) {
                   if (!writes(access) || !reads(access)) return;
                   Saved& saved = changed.emplace_back();
                   saved.row.buffer = range.buffer;
                   saved.row.offset_bytes = range.offset_bytes;
                   saved.row.size_bytes = range.size_bytes;
                   stage_->read(saved.row, [&](std::uint32_t, std::span<const std::byte> bytes) {
                     saved.bytes.insert(saved.bytes.end(), bytes.begin(), bytes.end());
                   });
                 });
  const Stream transfers =
      stage_->device_of_stream(trace_.commands()[command].stream).stream("proof");
  std::vector<double> result;
  for (std::uint32_t run = 0; run <= runs && !(run > 0 && clock.is_over()); ++run) {
    for (const Saved& saved : changed)
      transfers.write(stage_->range(saved.row.buffer, saved.row.offset_bytes, saved.row.size_bytes),
                      saved.bytes);
    if (!changed.empty()) transfers.synchronize();
    RunTimes times;
    runner->run(nobody_looks, &times);
    const RunTimes::Time& time = times.of_command[command];
    if (run > 0 && time.begin_ns && time.end_ns >= time.begin_ns)
      result.push_back(static_cast<double>(time.end_ns - time.begin_ns));
  }
  return result;
}

}  // namespace reel::rerun
