#include "replay/run/job.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "analysis/time/device_work.hpp"
#include "base/clock.hpp"
#include "reel/units.hpp"
#include "replay/run/devices.hpp"
#include "replay/run/lockstep.hpp"
#include "replay/script/completeness.hpp"
#include "replay/script/relaxed.hpp"
#include "replay/script/suspects.hpp"

namespace reel::rerun {

namespace {

// With more commands a search for the first that differs is made only when asked for.
constexpr std::uint64_t most_unasked_steps = 20'000;

template <class List, class Name>
std::string joined(const List& list, Name&& name) {
  std::vector<std::string> names;
  for (const auto& item : list)
    if (const std::string one = name(item);
        std::find(names.begin(), names.end(), one) == names.end())
      names.push_back(one);
  return fmt::format("{}", fmt::join(names, ", "));
}

}  // namespace

Job::Set::Set(const Trace& trace, const Script& script, const std::vector<Device>& devices,
              const std::map<std::uint32_t, Replacement>& replacements, Obstacles* obstacles)
    : stage(trace, script, devices, replacements, obstacles) {}

Job::Job(const Trace& trace, std::vector<Device> devices, ReplayOptions options)
    : trace_(trace),
      options_(std::move(options)),
      devices_(std::move(devices)),
      exact_(are_same_devices(trace, devices_)),
      heart_(std::make_shared<Heartbeat>(options_.at_work)) {}

void Job::tell(std::string_view what, double part) const {
  if (options_.progress) options_.progress(what, part);
}

std::string Job::describe_hang(std::uint32_t oldest) const {
  if (oldest == no_index)
    return fmt::format(
        "Nothing of a graph of {} commands was done within {} s, the time limit; in recorded order "
        "the command that hangs is named.",
        script_.commands, options_.time_limit_s);
  return fmt::format("{} did not finish within {} s, the time limit.",
                     describe_command(trace_, oldest), options_.time_limit_s);
}

ReplayReport Job::run() {
  const auto self = shared_from_this();
  run_with_limit(
      options_.time_limit_s, heart_, [self] { self->do_all(); },
      [self](std::uint32_t oldest) { return self->describe_hang(oldest); });
  return std::move(report_);
}

void Job::prepare(Set& set, ReplayOrder order) {
  StreamChanges unwanted;
  for (const TraceOrder& wait : options_.without_waits)
    unwanted.without.insert({wait.command, wait.after});
  set.before = make_stream_runner(set.stage, script_.before, Streams::one, heart_);
  set.runner =
      options_.one_by_one
          ? make_stream_runner(set.stage, script_.actions, Streams::recorded_one_by_one, heart_)
      : order == ReplayOrder::recorded
          ? make_stream_runner(set.stage, script_.actions, Streams::recorded, heart_, unwanted)
          : make_graph_runner(set.stage, script_.actions, order == ReplayOrder::relaxed, heart_);
}

void Job::do_all() {
  report_.device = joined(devices_, [](const Device& d) { return d.info().id; });
  report_.recorded_device =
      joined(trace_.devices(), [](const TraceDevice& d) { return d.selector; });
  report_.is_recorded_device = exact_;
  report_.order = options_.order;
  tell("reading the document", 0);
  report_.incomplete = missing_parts(trace_);
  report_.is_damaged = !trace_.is_complete();
  unordered_ = find_unordered(trace_);
  kept_ = kept_order(trace_, unordered_);
  Obstacles obstacles = recorded_obstacles(trace_);
  write_script(obstacles);
  tell("building kernels", 0);
  const std::size_t known_obstacles = obstacles.count();
  Set set(trace_, script_, devices_, options_.replacements, &obstacles);
  if (obstacles.count() != known_obstacles) write_script(obstacles);
  if (set.stage.find_unfit(obstacles)) write_script(obstacles);
  report_left_out();
  prepare(set, options_.order);
  if (!options_.replacements.empty()) {
    original_ = std::make_unique<Set>(trace_, script_, devices_,
                                      std::map<std::uint32_t, Replacement>(), nullptr);
    prepare(*original_, options_.order);
  }

  Verifier verifier(trace_, set.stage.elements(), options_, exact_);
  expect_addresses(verifier, set.stage);
  std::set<std::uint32_t> left_out;
  for (const LeftOut& one : report_.left_out) left_out.insert(one.command);
  Timings timings(trace_, left_out);
  std::optional<Timings> original_timings;
  if (original_) original_timings.emplace(trace_, left_out);
  const std::uint32_t repeat = std::max(options_.repeat, 1u);
  report_.warmed_up = repeat > 1;
  std::uint32_t total = repeat + report_.warmed_up;
  for (std::uint32_t run = 0; run < total; ++run) {
    const bool measured = run > 0 || !report_.warmed_up;
    tell(total > 1 ? fmt::format("run {} of {}", run + 1, total) : std::string("running"),
         static_cast<double>(run) / total);
    if (original_) run_once(*original_, nullptr, measured ? &*original_timings : nullptr);
    run_once(set, &verifier, measured ? &timings : nullptr);
    verifier.next_run();
  }
  // What differs where it was recorded may differ from run to run: one more tells.
  if (total == 1 && exact_ && verifier.has_difference() && options_.replacements.empty()) {
    tell("running once more", 0);
    run_once(set, &verifier, nullptr);
    verifier.next_run();
    report_.was_run_again = true;
  }
  report_.runs = repeat;
  settle(verifier);
  verifier.report(report_);
  count_unproved();
  take_times(timings, original_timings);
  find_races_in_order(set);
  warn();
  find_culprit(set, verifier);
  if (options_.find_nan) {
    tell("looking for NaN", 0);
    report_.first_nan = first_nan(set.stage, options_, *heart_);
  }
  if (script_.host_calls)
    report_.remarks.push_back(
        fmt::format("{} host calls were not made: a document holds no functions of a program.",
                    script_.host_calls));
  if (script_.refused)
    report_.remarks.push_back(fmt::format("{} that the driver had refused {} left out.",
                                          count_text(script_.refused, "command"),
                                          script_.refused == 1 ? "was" : "were"));
}

// What can't be run is left out, and what needs it; the rest is worth a replay.
void Job::write_script(const Obstacles& obstacles) {
  script_ = make_script(trace_, options_.from, options_.to, obstacles, kept_);
  if (!options_.without.empty()) take_out_unwanted();
  check_something_is_left(trace_, script_);
}

// Not by an obstacle: what they would have written is not missing, somebody wants it to be.
void Job::take_out_unwanted() {
  for (auto* actions : {&script_.before, &script_.actions}) {
    const auto is_unwanted = [&](const Action& action) {
      return options_.without.contains(action.command);
    };
    if (actions == &script_.actions)
      script_.commands -=
          static_cast<std::uint64_t>(std::ranges::count_if(*actions, [&](const Action& action) {
            return is_unwanted(action) && action.kind == Action::Kind::run;
          }));
    leave_out(trace_, options_.without, *actions);
    std::erase_if(*actions, [&](const Action& action) {
      return is_unwanted(action) && action.kind == Action::Kind::look;
    });
  }
}

void Job::report_left_out() {
  report_.commands = script_.commands;
  report_.skipped = script_.host_calls + script_.refused + script_.left_out.size();
  if (!options_.without.empty()) {
    report_.skipped += options_.without.size();
    report_.remarks.push_back(fmt::format(
        "{} left out, as asked for.",
        options_.without.size() == 1 ? describe_command(trace_, *options_.without.begin()) + " was"
                                     : count_text(options_.without.size(), "command") + " were"));
  }
  for (const auto& [command, obstacle] : script_.left_out)
    report_.left_out.push_back({command, obstacle.reason});
  if (script_.left_out_checks)
    report_.unchecked.push_back({"the command that wrote them could not be run again",
                                 script_.left_out_checks, script_.left_out_bytes});
}

void Job::run_once(Set& set, Verifier* verifier, Timings* timings) {
  const std::uint64_t begin_ns = monotonic_ns();
  std::uint64_t all = 0;
  for (const std::uint32_t i : script_.at_start) all += trace_.contents()[i].size_bytes;
  const std::uint64_t bytes = set.stage.restore([&](std::uint64_t done) {
    tell("restoring contents",
         static_cast<double>(done) / static_cast<double>(std::max<std::uint64_t>(all, 1)));
  });
  if (report_.restore_ns == 0) {
    report_.restore_ns = monotonic_ns() - begin_ns;
    report_.restored_bytes = bytes;
  }
  const Look look = [&](std::uint32_t contents, std::uint32_t page,
                        std::span<const std::byte> found) {
    if (verifier) verifier->page(contents, page, found);
  };
  tell("running", 0);
  if (!script_.before.empty()) set.before->run(look, nullptr);
  RunTimes times;
  set.runner->run(look, &times);
  if (timings) timings->add(times);
  if (verifier) check_end(set, *verifier);
}

void Job::check_end(Set& set, Verifier& verifier) {
  const std::uint64_t begin_ns = monotonic_ns();
  std::uint64_t all = 1, done = 0;
  for (const std::uint32_t i : script_.at_end) all += trace_.contents()[i].size_bytes;
  look_at_end(set.stage,
              [&](std::uint32_t contents, std::uint32_t page, std::span<const std::byte> found) {
                verifier.page(contents, page, found);
                done += found.size();
                tell("checking results", static_cast<double>(done) / static_cast<double>(all));
              });
  report_.check_ns += monotonic_ns() - begin_ns;
}

// Somebody who can make the recorded bytes again: the recorded kernels on the recorded device.
Job::Set* Job::reference() {
  if (original_ && exact_) return original_.get();
  if (exact_ || reference_tried_) return reference_.get();
  reference_tried_ = true;
  try {
    if (const auto devices = exactly_recorded_devices(trace_)) {
      reference_ = std::make_unique<Set>(trace_, script_, *devices,
                                         std::map<std::uint32_t, Replacement>(), nullptr);
      prepare(*reference_, ReplayOrder::recorded);
    }
  } catch (const Error& error) {
    reference_ = nullptr;
    report_.remarks.push_back(
        fmt::format("The recorded results can't be made again here: {}", error.what()));
  }
  return reference_.get();
}

void Job::settle(Verifier& verifier) {
  if (!verifier.open().empty())
    if (Set* set = reference()) {
      tell("making the recorded results again", 0);
      std::multimap<std::pair<std::uint32_t, std::uint32_t>, const Verifier::Open*> open;
      for (const Verifier::Open& one : verifier.open())
        open.insert({{one.contents, one.number}, &one});
      std::uint64_t settled = 0;
      const Look look = [&](std::uint32_t contents, std::uint32_t page,
                            std::span<const std::byte> found) {
        const auto [first, last] = open.equal_range({contents, page});
        if (first == last) return;
        if (!verifier.is_recorded(contents, page, found)) return;
        for (auto wanted = first; wanted != last; ++wanted) {
          verifier.settle(*wanted->second, found);
          ++settled;
        }
      };
      set->stage.restore([](std::uint64_t) {});
      if (!script_.before.empty()) set->before->run(look, nullptr);
      set->runner->run(look, nullptr);
      look_at_end(set->stage, look);
      if (settled)
        report_.remarks.push_back(fmt::format(
            "The document has hashes of {} pages that differ; {} were made again on {}, where they "
            "have the recorded hashes.",
            verifier.open().size(), settled,
            joined(set->stage.devices(), [](const Device& d) { return d.info().id; })));
    }
  verifier.close();
}

void Job::count_unproved() {
  Unchecked never{.reason = "no result was recorded after the last command that wrote them"};
  for (const Script::Unproved& one : script_.unproved) {
    ++never.checks;
    never.bytes += one.bytes;
    const auto known = std::find_if(report_.buffers.begin(), report_.buffers.end(),
                                    [&](const BufferReport& b) { return b.buffer == one.buffer; });
    BufferReport& buffer = known == report_.buffers.end() ? report_.buffers.emplace_back() : *known;
    buffer.buffer = one.buffer;
    buffer.unchecked_bytes += one.bytes;
  }
  if (never.checks) report_.unchecked.push_back(never);
}

void Job::take_times(const Timings& timings, const std::optional<Timings>& original) {
  report_.command_times = timings.commands(options_.from, options_.to);
  report_.kernel_times = timings.kernels(options_.from, options_.to);
  report_.span = timings.span();
  report_.is_timed = !report_.command_times.empty();
  if (original)
    for (const KernelTiming& before : original->kernels(options_.from, options_.to))
      for (KernelTiming& now : report_.kernel_times)
        if (now.kernel == before.kernel && options_.replacements.contains(now.kernel))
          now.original = before.replayed;
  std::uint64_t begin = ~std::uint64_t{0}, end = 0;
  const TraceCommands& commands = trace_.commands();
  const std::vector<TraceWork>& works = trace_.works();
  for (std::uint32_t c = options_.from; c < commands.size() && c <= options_.to; ++c) {
    const TraceCommand command = commands[c];
    // As `reel info` has it: host calls, barriers and launches are not work of a device.
    if (!command.has_run_times() || !analysis::is_device_work(trace_, works[command.work]))
      continue;
    begin = std::min(begin, command.started_ns);
    end = std::max(end, command.ended_ns);
  }
  for (const TraceInterval& interval : trace_.intervals()) {
    if (interval.first < options_.from || interval.first + interval.count - 1 > options_.to)
      continue;
    begin = std::min(begin, interval.begin_ns);
    end = std::max(end, interval.end_ns);
    report_.recorded_together_ns += interval.size_ns();
  }
  if (end > begin) report_.recorded_span_ns = end - begin;
}

void Job::find_races_in_order(Set& set) {
  constexpr std::size_t most_races = 100;
  for (const Race& race : unordered_) {
    if (race.second < options_.from || race.second > options_.to) continue;
    auto& races = race.is_certain ? report_.races : report_.possible_races;
    if (races.size() < most_races) races.push_back(race);
  }
  if (options_.order != ReplayOrder::relaxed) return;
  tell("trying another order", 0);
  if (const auto race = observed_race(set.stage, heart_)) report_.races.push_back(*race);
}

// What the program got without asking for it.
void Job::warn() {
  if (!kept_.waits.empty() && options_.order == ReplayOrder::recorded) {
    const KeptOrder::Wait& first = kept_.waits.front();
    const std::size_t pairs = kept_.waits.size();
    report_.warnings.push_back(fmt::format(
        "The program relied on timing: {} the same buffers with nothing to "
        "put them in order, and by their times the one had ended before the other began, as {} "
        "before {}. The replay keeps that order.",
        pairs == 1 ? "two commands touch" : fmt::format("{} pairs of commands touch", pairs),
        describe_command(trace_, first.after), describe_command(trace_, first.command)));
  }
  constexpr std::size_t most_told = 5;
  std::size_t polled = 0;
  for (const TraceNote& note : trace_.notes())
    if (note.kind == "polled_order" && polled++ < most_told) report_.warnings.push_back(note.text);
  if (polled > most_told)
    report_.warnings.push_back(fmt::format(
        "{} more of its commands follow others only because the program asked or was called back.",
        polled - most_told));
}

void Job::find_culprit(Set& set, Verifier& verifier) {
  if (report_.differences.empty()) return;
  const Difference& first = report_.differences.front();
  if (first.command != no_index) {
    const auto suspects = unchecked_sources(
        trace_, first.command, [&](std::uint32_t contents) { return verifier.is_good(contents); });
    if (suspects.empty()) {
      report_.culprit = first.command;
      report_.culprit_reason = "what it read was checked, or given, and is as recorded";
      return;
    }
    // What is submitted together has results of all of it only.
    const auto contents = trace_.facts().find("contents");
    const bool has_all = contents != trace_.facts().end() && contents->second == "all";
    report_.culprit_reason = fmt::format(
        "{} ({} first); {}",
        suspects.size() == 1
            ? "a command before it fed it and was not checked"
            : fmt::format("{} commands before it fed it and were not checked", suspects.size()),
        command_name(suspects.front()),
        has_all ? "the program submitted them together, and results were recorded of the whole"
                : "a document with contents 'all' tells them apart");
  }
  if (!options_.find_culprit && script_.commands > most_unasked_steps) return;
  Set* right = reference();
  if (!right) return;
  tell("looking for the first command that differs", 0);
  if (const auto found = first_difference(right->stage, set.stage, options_, exact_, *heart_)) {
    report_.culprit = found->command;
    report_.culprit_reason = fmt::format(
        "given the same bytes, {} at {} of {} is {} here and {} by the recorded kernel on {}",
        found->elements == 1 ? "the element" : "the first element", found->offset_bytes,
        describe_buffer(trace_, found->buffer), found->found, found->expected,
        right->stage.devices().front().info().id);
  } else {
    report_.culprit_reason =
        "no single command differs beyond the tolerance when it gets the recorded bytes: small "
        "errors add up";
  }
}

}  // namespace reel::rerun
