// The longest chain: what the end waited for, back to the beginning.
//
// A command starts after the one before it in its stream, those it waits for, and the call that
// gave it. Whichever was last is what it waited for. The host works from call to call; a wait of
// the host ends when a command does, and so does a call that runs the command it gives. The path
// goes back along these. Time in a wait is waiting, never host work, whatever ended it.
#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <utility>

#include "analysis/order/stream_order.hpp"
#include "analysis/time/cold_runs.hpp"
#include "analysis/time/deciding_launches.hpp"
#include "analysis/time/host_calls.hpp"
#include "analysis/time/idle.hpp"
#include "analysis/time/timed_runs.hpp"
#include "reel/analysis.hpp"

namespace reel::analysis {

namespace {

constexpr std::size_t most_what_ifs = 8;

class PathSearch {
 public:
  PathSearch(const Trace& trace, const Activity& activity)
      : trace_(trace),
        commands_(trace.commands()),
        works_(trace.works()),
        activity_(activity),
        calls_(trace),
        waits_(trace),
        deciding_(trace) {
    times_.reserve(commands_.size());
    for (const TraceCommand& command : commands_) {
      // A launch stands for its nodes, which are there themselves.
      const bool is_timed = command.has_run_times() && command.ended_ns >= command.started_ns &&
                            works_[command.work].kind != WorkKind::launch;
      times_.push_back(is_timed ? Times{command.started_ns, command.ended_ns} : untimed);
    }
    for (const TraceInterval& interval : trace.intervals())
      if (const TimedRun run = run_of(interval); works_of(trace, interval).count > 0)
        times_[run.last] = {run.started_ns, run.ended_ns};
    by_end_.reserve(times_.size());
    for (std::uint32_t c = 0; c < times_.size(); ++c)
      if (is_timed(c)) by_end_.push_back(c);
    const auto ends_before = [&](std::uint32_t a, std::uint32_t b) {
      return std::pair(ended(a), a) < std::pair(ended(b), b);
    };
    if (!std::ranges::is_sorted(by_end_, ends_before)) std::ranges::sort(by_end_, ends_before);
    find_predecessors();
    find_run_in_calls();
  }

  LongestPath run() {
    path_.kernel_ns.resize(trace_.kernels().size());
    path_.span_ns = activity_.span_ns();
    if (by_end_.empty()) return path_;
    walk();
    std::ranges::reverse(path_.steps);
    for (const PathStep& step : path_.steps) {
      if (step.kind != PathStep::Kind::command) continue;
      const std::uint32_t kernel = kernel_of(commands_[step.command]);
      if (kernel != no_index) path_.kernel_ns[kernel] += step.end_ns - step.begin_ns;
    }
    find_parts();
    imagine();
    return std::move(path_);
  }

 private:
  // Asked for again and again: unpacked once.
  struct Times {
    std::uint64_t started_ns, ended_ns;
  };
  static constexpr Times untimed{1, 0};
  // Of several that were timed together the last stands for all, and no kernel.
  [[gnu::always_inline]] std::uint32_t kernel_of(const TraceCommand& command) const {
    return command.has_run_times() ? works_[command.work].kernel : no_index;
  }
  bool is_timed(std::uint32_t c) const { return times_[c].ended_ns >= times_[c].started_ns; }
  std::uint64_t started(std::uint32_t c) const { return times_[c].started_ns; }
  std::uint64_t ended(std::uint32_t c) const { return times_[c].ended_ns; }
  // Where no call was recorded, it may have been given any time before: nothing is known to wait.
  std::uint64_t given_ns(std::uint32_t c) const {
    const std::uint64_t call = commands_[c].call_begin_ns;
    return call ? std::min(call, started(c)) : started(c);
  }

  // The last timed command before it in its stream, and the timed ones it waits for.
  void find_predecessors() {
    std::vector<std::uint32_t> last(trace_.streams().size(), no_index);
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::vector<std::uint32_t>> edges;
    for (const TraceEdge& edge : trace_.edges()) edges[{edge.graph, edge.to}].push_back(edge.from);
    std::map<std::uint32_t, std::uint32_t> nodes;  // of one launch
    std::vector<std::uint32_t> before_launch(trace_.streams().size(), no_index);
    std::vector<std::uint32_t> launch_of(trace_.streams().size(), no_index);
    first_.reserve(commands_.size() + 1);
    before_.reserve(commands_.size() + trace_.orders().size());
    kept_place_.assign(commands_.size(), no_index);
    for (std::uint32_t c = 0; c < commands_.size(); ++c) {
      first_.push_back(static_cast<std::uint32_t>(before_.size()));
      const TraceCommand& command = commands_[c];
      const std::uint32_t stream = command.stream;
      if (command.launch != launch_of[stream]) {
        launch_of[stream] = command.launch;
        before_launch[stream] = last[stream];
        nodes.clear();
      }
      if (command.launch != no_index) {
        // Nodes wait for what the graph's edges say, and all for what was before the launch.
        const std::uint32_t graph = trace_.work_of(commands_[command.launch]).graph;
        if (const auto found = edges.find({graph, command.node}); found != edges.end())
          for (const std::uint32_t from : found->second)
            if (const auto node = nodes.find(from); node != nodes.end())
              add(node->second, last[stream]);
        if (before_launch[stream] != no_index) add(before_launch[stream], last[stream]);
        nodes[command.node] = c;
      } else if (last[stream] != no_index) {
        add(last[stream], last[stream]);
      }
      for (std::uint32_t member = first_timed_with(c); member <= c; ++member)
        for (const TraceOrder& wait : waits_.of(member)) add(wait.after, last[stream]);
      if (is_timed(c)) last[stream] = c;
    }
    first_.push_back(static_cast<std::uint32_t>(before_.size()));
  }
  // Some devices run a command in the call that gives it: the host waits for it there. A call that
  // only took long to return, while the device was quick, is not one of them: half of it at least
  // must be its commands', or that of most such calls of the stream. A first run may be built
  // there.
  void find_run_in_calls() {
    struct Call {
      std::uint64_t begin_ns = 0, size_ns = 0, run_ns = 0;
      std::vector<std::uint32_t> commands = {};
    };
    struct Tally {
      std::uint64_t within = 0, filling = 0;
    };
    ran_in_call_.assign(commands_.size(), false);
    std::map<std::uint32_t, Call> calls;  // by thread: the last that ran some
    std::vector<Tally> streams(trace_.streams().size());
    std::vector<std::uint32_t> within;
    const auto settle = [&](Call& call) {
      const bool is_filled = call.run_ns * 2 >= call.size_ns;
      for (const std::uint32_t c : call.commands) {
        ran_in_call_[c] = is_filled;
        within.push_back(c);
        Tally& tally = streams[commands_[c].stream];
        ++tally.within;
        tally.filling += is_filled;
      }
      call.run_ns = 0;
      call.commands.clear();
    };
    for (std::uint32_t c = 0; c < commands_.size(); ++c) {
      if (!is_timed(c)) continue;
      const TraceCommand command = commands_[c];
      if (command.call_begin_ns == 0 || started(c) < command.call_begin_ns ||
          command.call_end_ns < ended(c))
        continue;
      Call& call = calls[command.thread];
      if (call.begin_ns != command.call_begin_ns) settle(call);
      call.begin_ns = command.call_begin_ns;
      call.size_ns = command.call_end_ns - command.call_begin_ns;
      call.run_ns += ended(c) - started(c);
      call.commands.push_back(c);
    }
    for (auto& [thread, call] : calls) settle(call);
    for (const std::uint32_t c : within) {
      const TraceCommand command = commands_[c];
      const Tally& tally = streams[command.stream];
      if (tally.filling * 2 > tally.within) ran_in_call_[c] = true;
      if (ran_in_call_[c]) by_thread_[command.thread].push_back(c);
    }
    for (auto& [thread, list] : by_thread_)
      std::ranges::stable_sort(list, {}, [&](std::uint32_t c) { return ended(c); });
  }
  // The last that ran in a call of this thread and was over by then.
  std::optional<std::uint32_t> run_in_call_before(std::uint32_t thread, std::uint64_t time) const {
    const auto found = by_thread_.find(thread);
    if (found == by_thread_.end()) return std::nullopt;
    const auto after = std::ranges::upper_bound(found->second, time, {},
                                                [&](std::uint32_t c) { return ended(c); });
    if (after == found->second.begin()) return std::nullopt;
    return *std::prev(after);
  }

  std::uint32_t first_timed_with(std::uint32_t c) const {
    const auto interval = is_timed(c) ? trace_.interval_of(c) : std::nullopt;
    return interval ? trace_.intervals()[*interval].first : c;
  }
  // `last`: the last timed one of its stream.
  void add(std::uint32_t before, std::uint32_t last) {
    if (const auto interval = trace_.interval_of(before))
      before = run_of(trace_.intervals()[*interval]).last;
    if (!is_timed(before)) return;
    before_.push_back(before);
    if (before != last) keep(before);
  }
  // Its imagined end is asked for when others of its stream have ended, too.
  void keep(std::uint32_t c) {
    if (kept_place_[c] == no_index) kept_place_[c] = kept_++;
  }
  std::span<const std::uint32_t> predecessors(std::uint32_t c) const {
    return std::span(before_).subspan(first_[c], first_[c + 1] - first_[c]);
  }

  // How much of a span a device was idle: for the program, and for recording.
  struct IdleTimes {
    std::uint64_t own_ns = 0, recorded_ns = 0;
  };
  // Spans come in their order, and gaps of one device don't overlap: each is looked at once.
  class IdleOfDevice {
   public:
    explicit IdleOfDevice(std::uint32_t device) : device_(device) {}

    IdleTimes within(const std::vector<Gap>& gaps, std::uint64_t begin, std::uint64_t end) {
      const auto is_over = [&](const Gap& gap) {
        return gap.device != device_ || gap.end_ns <= begin;
      };
      while (next_ < gaps.size() && is_over(gaps[next_])) ++next_;
      IdleTimes times;
      for (std::size_t i = next_; i < gaps.size() && gaps[i].begin_ns < end; ++i) {
        const Gap& gap = gaps[i];
        if (is_over(gap)) continue;
        (gap.cause == IdleCause::capture ? times.recorded_ns : times.own_ns) +=
            std::min(end, gap.end_ns) - std::max(begin, gap.begin_ns);
      }
      return times;
    }

   private:
    std::uint32_t device_;
    std::size_t next_ = 0;
  };

  // What each step was, as far as it lies between the first start and the last end.
  void find_parts() {
    const TimeSpan active = activity_.active_span();
    const Intervals recording = recording_times(trace_);
    std::vector<IdleOfDevice> idle;
    for (std::uint32_t d = 0; d < activity_.devices.size(); ++d) idle.emplace_back(d);
    PathParts& parts = path_.parts;
    for (const PathStep& step : path_.steps) {
      const std::uint64_t begin = std::max(step.begin_ns, active.begin_ns);
      const std::uint64_t end = std::min(step.end_ns, active.end_ns);
      if (begin >= end) continue;
      const std::uint64_t capture = recording.covered(begin, end);
      const TraceCommand command = commands_[step.command];
      const bool is_command = step.kind == PathStep::Kind::command;
      if (is_command && is_device_work(trace_, works_[command.work])) {
        parts.command_ns += end - begin;
      } else if (is_command || step.kind == PathStep::Kind::host) {
        // A host call is the host's work, as devices are not busy with it.
        parts.capture_ns += capture;
        parts.host_ns += end - begin - capture;
      } else {
        const std::uint32_t device = trace_.streams()[command.stream].device;
        if (device == no_index || !activity_.devices[device].timed) {
          parts.capture_ns += capture;
          parts.delay_ns += end - begin - capture;
          continue;
        }
        // Before its first start and after its last end, a device is idle, and no gap says so.
        const Lane& lane = activity_.devices[device];
        const std::uint64_t from = std::clamp(lane.begin_ns, begin, end);
        const std::uint64_t to = std::clamp(lane.end_ns, from, end);
        const std::uint64_t outside = end - begin - (to - from);
        const std::uint64_t outside_capture = capture - recording.covered(from, to);
        const IdleTimes inside = idle[device].within(activity_.gaps, from, to);
        parts.capture_ns += outside_capture + inside.recorded_ns;
        parts.delay_ns += outside - outside_capture + inside.own_ns;
        parts.behind_ns += to - from - inside.own_ns - inside.recorded_ns;
      }
    }
  }

  void step(PathStep::Kind kind, std::uint32_t command, std::uint64_t begin_ns) {
    if (begin_ns >= now_) return;
    path_.steps.push_back({kind, command, begin_ns, now_});
    now_ = begin_ns;
    // It comes from the end: what it has of the last sixteenth tells how long it gets.
    if (path_.steps.size() == 1024 || path_.steps.size() == 65536) reserve_steps();
  }

  void reserve_steps() {
    const std::uint64_t done_ns = activity_.end_ns - now_, all_ns = activity_.span_ns();
    if (done_ns == 0) return;
    const double parts = static_cast<double>(all_ns) / static_cast<double>(done_ns);
    const double most = 2.0 * static_cast<double>(commands_.size());
    path_.steps.reserve(static_cast<std::size_t>(
        std::min(most, static_cast<double>(path_.steps.size()) * parts * 1.1)));
  }

  void walk() {
    now_ = activity_.end_ns;
    std::uint32_t c = by_end_.back();
    host_back(c, ended(c));
    // Each round goes to an earlier time or ends; clocks that disagree must not keep it going.
    for (std::size_t rounds = 0; rounds < 2 * commands_.size() + 2; ++rounds) {
      step(PathStep::Kind::command, c, started(c));
      const std::uint64_t given = given_ns(c);
      std::uint32_t latest = no_index;
      for (const std::uint32_t before : predecessors(c))
        if (ended(before) <= started(c) && (latest == no_index || ended(before) > ended(latest)))
          latest = before;
      if (latest != no_index && (ended(latest) >= given || decided_by(c, latest))) {
        step(PathStep::Kind::delay, c, ended(latest));
        c = latest;
        continue;
      }
      step(PathStep::Kind::delay, c, given);
      const auto released = walk_host(c);
      if (!released) return;
      c = *released;
    }
  }

  // A part of a launch that decides was given when those before it were done.
  bool decided_by(std::uint32_t c, std::uint32_t before) const {
    const std::uint32_t launch = deciding_.launch_of(c);
    return launch != no_index && deciding_.launch_of(before) == launch &&
           !deciding_.asks_functions(launch);
  }

  // Back from the call that gave `c` to the wait before it that a command ended; none: to the
  // beginning.
  std::optional<std::uint32_t> walk_host(std::uint32_t c) {
    const std::uint32_t thread = commands_[c].thread;
    std::uint64_t time = now_;
    const auto ran = run_in_call_before(thread, now_ == 0 ? 0 : now_ - 1);
    while (const auto wait = calls_.wait_before(thread, time)) {
      const TraceCall& call = trace_.calls()[*wait];
      if (ran && call.end_ns < ended(*ran)) break;
      if (const auto released = released_by(call); released && ended(*released) < now_) {
        host_back(c, std::min(call.end_ns, now_));
        step(PathStep::Kind::delay, c, ended(*released));
        return released;
      }
      if (call.begin_ns >= time && call.end_ns >= time) break;
      time = std::min(call.begin_ns, call.end_ns - 1);
    }
    host_back(c, ran ? ended(*ran) : activity_.begin_ns);
    return ran;
  }

  // Back to `begin_ns` on the thread that gave `c`. It worked, apart from waits that no command on
  // the path ended: for what was enqueued before the capture, or a wait that returned late.
  void host_back(std::uint32_t c, std::uint64_t begin_ns) {
    const auto& waits = calls_.waits(commands_[c].thread);
    const auto end_of = [&](std::uint32_t i) { return trace_.calls()[i].end_ns; };
    auto after = std::ranges::lower_bound(waits, now_, {}, end_of);
    // The one that was under way at that time ends behind it.
    if (after != waits.end()) ++after;
    while (after != waits.begin() && now_ > begin_ns) {
      const TraceCall& call = trace_.calls()[*--after];
      if (call.end_ns <= begin_ns) break;
      if (call.begin_ns >= now_) continue;
      step(PathStep::Kind::host, c, std::min(call.end_ns, now_));
      step(PathStep::Kind::delay, c, std::max(call.begin_ns, begin_ns));
    }
    step(PathStep::Kind::host, c, begin_ns);
  }

  // The command whose end let a wait come back.
  std::optional<std::uint32_t> released_by(const TraceCall& call) const {
    const auto end_of = [&](std::uint32_t c) { return ended(c); };
    const auto after = std::ranges::upper_bound(by_end_, call.end_ns, {}, end_of);
    if (after == by_end_.begin()) return std::nullopt;
    const std::uint32_t last = *std::prev(after);
    if (ended(last) < call.begin_ns) return std::nullopt;
    return last;
  }

  // The whole again, with each kernel in turn twice as fast. First runs that took far longer than
  // later ones stay as they were: a faster kernel doesn't warm up faster.
  void imagine() {
    if (std::ranges::none_of(path_.kernel_ns, [](std::uint64_t ns) { return ns > 0; })) return;
    cold_ = ColdRuns(trace_);
    std::vector<std::uint64_t> warm_ns = path_.kernel_ns;
    for (const PathStep& step : path_.steps)
      if (step.kind == PathStep::Kind::command && cold_.contains(step.command))
        warm_ns[kernel_of(trace_.commands()[step.command])] -= step.end_ns - step.begin_ns;
    std::vector<std::uint32_t> kernels;
    for (std::uint32_t k = 0; k < warm_ns.size(); ++k)
      if (warm_ns[k]) kernels.push_back(k);
    std::ranges::stable_sort(kernels, std::ranges::greater{},
                             [&](std::uint32_t k) { return warm_ns[k]; });
    if (kernels.size() > most_what_ifs) kernels.resize(most_what_ifs);
    if (kernels.empty()) return;
    const Lanes spans = spans_if_halved(kernels);
    for (std::size_t k = 0; k < kernels.size(); ++k) path_.halved.push_back({kernels[k], spans[k]});
    std::ranges::stable_sort(path_.halved, {}, &WhatIf::span_ns);
  }

  // A number for each kernel that is imagined to be faster: all of them in one walk, since
  // unpacking a command takes longer than eight additions.
  using Lanes = std::array<std::uint64_t, most_what_ifs>;
  struct Host {
    std::size_t next_wait = 0;
    Lanes earlier_ns{};  // by how much it is ahead
    // The same from the end of a call on that runs its commands; 0: there is none.
    std::uint64_t call_end_ns = 0;
    Lanes after_call_ns{};
  };

  // What the waits up to `time` make of how far ahead the host is. Ends are 0 of what hasn't run.
  void advance(Host& host, std::uint32_t thread, std::uint64_t time,
               const std::vector<Lanes>& kept) const {
    if (host.call_end_ns && host.call_end_ns <= time) {
      host.earlier_ns = host.after_call_ns;
      host.call_end_ns = 0;
    }
    const auto& waits = calls_.waits(thread);
    for (; host.next_wait < waits.size(); ++host.next_wait) {
      const TraceCall& call = trace_.calls()[waits[host.next_wait]];
      if (call.end_ns > time) break;
      const auto released = released_by(call);
      if (!released) continue;
      const Lanes& end = kept[kept_place_[*released]];
      if (end[0] == 0) continue;
      const std::uint64_t rest = call.end_ns - std::max(call.begin_ns, ended(*released));
      for (std::size_t k = 0; k < most_what_ifs; ++k) {
        const std::uint64_t begin = call.begin_ns - std::min(call.begin_ns, host.earlier_ns[k]);
        const std::uint64_t now = std::max(begin, end[k]) + rest;
        host.earlier_ns[k] = call.end_ns > now ? call.end_ns - now : 0;
      }
    }
  }

  // Its last command decides when a call returns that runs them.
  static void return_from_call(Host& host, std::uint64_t call_end_ns, std::uint64_t ended_ns,
                               const Lanes& end) {
    const bool is_first = std::exchange(host.call_end_ns, call_end_ns) != call_end_ns;
    for (std::size_t k = 0; k < most_what_ifs; ++k) {
      const std::uint64_t returns = end[k] + (call_end_ns - ended_ns);
      const std::uint64_t earlier = call_end_ns - std::min(call_end_ns, returns);
      host.after_call_ns[k] = is_first ? earlier : std::min(host.after_call_ns[k], earlier);
    }
  }

  // Every delay stays as it was; what nothing holds back any more moves up.
  Lanes spans_if_halved(const std::vector<std::uint32_t>& kernels) {
    std::vector<std::uint8_t> lane_of(trace_.kernels().size(), most_what_ifs);
    for (std::size_t k = 0; k < kernels.size(); ++k)
      lane_of[kernels[k]] = static_cast<std::uint8_t>(k);
    calls_.for_each_wait([&](const TraceCall& call) {
      if (const auto released = released_by(call)) keep(*released);
    });
    // Ends: of the last timed command of each stream, and of those that are asked for later.
    std::vector<Lanes> of_stream(trace_.streams().size()), kept(kept_);
    std::vector<std::uint32_t> last_of(of_stream.size(), no_index);
    std::map<std::uint32_t, Host> hosts;
    Host* host = nullptr;
    std::uint32_t thread = 0;
    Lanes last{};
    for (std::uint32_t c = 0; c < times_.size(); ++c) {
      if (!is_timed(c)) continue;
      const TraceCommand command = commands_[c];
      const std::uint64_t given = given_ns(c);
      if (!host || thread != command.thread) host = &hosts[thread = command.thread];
      advance(*host, thread, given, kept);
      std::uint64_t was = given;
      Lanes is;
      for (std::size_t k = 0; k < most_what_ifs; ++k)
        is[k] = given - std::min(given, host->earlier_ns[k]);
      for (const std::uint32_t before : predecessors(c)) {
        if (ended(before) > started(c)) continue;  // they overlapped: it did not wait for it
        was = std::max(was, ended(before));
        const Lanes& its = before == last_of[command.stream] ? of_stream[command.stream]
                                                             : kept[kept_place_[before]];
        for (std::size_t k = 0; k < most_what_ifs; ++k) is[k] = std::max(is[k], its[k]);
      }
      const std::uint64_t run = ended(c) - started(c), took = started(c) - was + run;
      Lanes& end = of_stream[command.stream];
      for (std::size_t k = 0; k < most_what_ifs; ++k) end[k] = is[k] + took;
      const std::uint32_t kernel = kernel_of(command);
      if (kernel != no_index && lane_of[kernel] < most_what_ifs && !cold_.contains(c))
        end[lane_of[kernel]] -= run - run / 2;
      for (std::size_t k = 0; k < most_what_ifs; ++k) last[k] = std::max(last[k], end[k]);
      if (ran_in_call_[c]) return_from_call(*host, command.call_end_ns, ended(c), end);
      last_of[command.stream] = c;
      if (kept_place_[c] != no_index) kept[kept_place_[c]] = end;
    }
    // What the host did after the last command, it does still.
    const std::uint64_t tail = activity_.end_ns - std::min(activity_.end_ns, ended(by_end_.back()));
    for (std::uint64_t& span : last) {
      const std::uint64_t whole = span + tail;
      span = std::min(whole > activity_.begin_ns ? whole - activity_.begin_ns : 0,
                      activity_.span_ns());
    }
    return last;
  }

  const Trace& trace_;
  const TraceCommands& commands_;
  const std::vector<TraceWork>& works_;
  const Activity& activity_;
  HostCalls calls_;
  CommandWaits waits_;
  ColdRuns cold_;
  DecidingLaunches deciding_;
  std::vector<Times> times_;           // of every command
  std::vector<std::uint32_t> by_end_;  // timed commands
  std::vector<std::uint32_t> first_, before_;
  std::vector<bool> ran_in_call_;                                  // by command
  std::map<std::uint32_t, std::vector<std::uint32_t>> by_thread_;  // those, by end
  std::vector<std::uint32_t> kept_place_;                          // by command
  std::uint32_t kept_ = 0;
  std::uint64_t now_ = 0;
  LongestPath path_;
};

}  // namespace

LongestPath find_longest_path(const Trace& trace, const Activity& activity) {
  return PathSearch(trace, activity).run();
}

}  // namespace reel::analysis
