#include "runtime/graphs/deciding_launch.hpp"

#include <time.h>

#include <algorithm>
#include <utility>

#include "base/fail.hpp"
#include "base/os/clocks.hpp"
#include "graph/commands/describe.hpp"
#include "runtime/callback.hpp"
#include "runtime/device_state.hpp"
#include "runtime/graphs/graph_exec_state.hpp"

namespace reel {
namespace {

std::string title_of(const Command& command, const Decision& decision) {
  std::string text = to_string(decision.kind);
  if (!command.label.empty()) text += fmt::format(" '{}'", command.label);
  return text;
}

NodeId node_of(const DecidingFrame& frame, const DecidingExecutable::Choice& choice) {
  return frame.exec->plan().steps[choice.step].node;
}

bool is_loop(const Decision& decision) noexcept {
  return decision.kind == DecisionKind::while_loop || decision.kind == DecisionKind::repeat;
}

// "while 'retry': 1, round 3"
std::string told_of_loop(const Command& command, const Decision& decision, std::uint32_t value,
                         std::uint64_t round, bool goes_on) {
  const std::string title = title_of(command, decision);
  if (value == 0) return title + ": 0, done";
  return goes_on ? fmt::format("{}: {}, round {}", title, value, round)
                 : fmt::format("{}: {}, limit reached", title, value);
}

// To some milliseconds, in a fifth of the time: it is asked in every round.
std::chrono::milliseconds coarse_now() {
  timespec time{};
  clock_gettime(os::coarse_clock, &time);
  return std::chrono::milliseconds(time.tv_sec * 1000 + time.tv_nsec / 1'000'000);
}

template <class... Values>
[[noreturn]] void fail_deciding(Code code, fmt::format_string<Values...> text, Values&&... values) {
  throw DecisionError(code, fmt::format(text, std::forward<Values>(values)...));
}

}  // namespace

bool is_of_launched_work(const Error& error) noexcept {
  return error.code() == Code::host_call_failed ||
         dynamic_cast<const DecisionError*>(&error) != nullptr;
}

void DecidingLaunch::run(GraphExecState& exec) {
  begin(exec);
  try {
    finish();
  } catch (...) {
    note_failure();
  }
  throw_failure();
}

void DecidingLaunch::begin(GraphExecState& exec) {
  if (frames_.capacity() == 0) frames_.reserve(4);
  Frame& frame = frames_.emplace_back();
  frame.exec = &exec;
  if (tells()) frame.name = exec.launch_name;
}

void DecidingLaunch::step() {
  Frame& frame = frames_.back();
  if (frame.given) return look_where_it_stopped(frame);
  GraphExecState& exec = *frame.exec;
  in_branch_ = frames_.size() > 1;
  auto& part = exec.deciding()->parts()[frame.part];
  if (auto* straight = std::get_if<DecidingExecutable::Straight>(&part)) {
    if (!in_branch_) first_step_ = straight->first;
    const auto& plan = straight->plan->steps;
    give({*straight->executable, std::span(exec.steps()).subspan(straight->first, plan.size()),
          plan, frame.name, straight->recorded_in, straight->recorded_graph});
    part_is_done();
    return;
  }
  auto& choice = *std::get_if<DecidingExecutable::Choice>(&part);
  if (!in_branch_) first_step_ = choice.step;
  if (!choice.enabled)
    part_is_done();
  else if (is_loop(*choice.decision))
    loop(frame, choice);
  else
    decide(frame, choice);
}

DecidingLaunch::Next DecidingLaunch::next() const {
  const Frame& frame = frames_.back();
  if (frame.given) return Next::asks_condition;
  const auto& parts = frame.exec->deciding()->parts();
  const auto* choice = std::get_if<DecidingExecutable::Choice>(&parts[frame.part]);
  if (!choice || !choice->enabled) return Next::gives;
  const Decision& decision = *choice->decision;
  if (decision.predicate) return Next::asks_function;
  if (decision.kind == DecisionKind::repeat) return Next::gives;
  if (mode_ != Mode::plain || !choice->is_on_device()) return Next::asks_condition;
  const bool asks = frame.asks_after_rounds || (is_loop(decision) && !takes_rounds(frame, *choice));
  return asks ? Next::asks_condition : Next::gives;
}

// Those that are over go at once, so that a walk is over when its last part is.
void DecidingLaunch::part_is_done() {
  do {
    Frame& frame = frames_.back();
    if (++frame.part != frame.exec->deciding()->parts().size()) return;
    frames_.pop_back();
    if (frames_.empty() || frames_.back().is_looping) return;
    decision_is_done();
  } while (true);
}

// With the branch of it that ran.
void DecidingLaunch::decision_is_done() {
  if (!tells()) return;
  ends();
  ends();
}

void DecidingLaunch::give_whole(GraphExecState& exec, std::string_view name) {
  in_branch_ = true;
  if (!exec.steps().empty())
    give({exec.executable(), exec.steps(), exec.plan().steps, name, exec.recorded_in,
          exec.recorded_graph});
}

void DecidingLaunch::move_to(GraphExecState& clone) {
  GraphExecState* exec = &clone;
  for (Frame& frame : frames_) {
    frame.exec = exec;
    if (&frame == &frames_.back()) return;
    auto& choice = std::get<DecidingExecutable::Choice>(exec->deciding()->parts()[frame.part]);
    exec = &state_of(choice.branches[frame.branch], "launch()");
  }
}

std::string DecidingLaunch::name_of_decision() const {
  std::string text;
  for (auto frame = frames_.rbegin(); frame != frames_.rend(); ++frame) {
    const auto& choice =
        std::get<DecidingExecutable::Choice>(frame->exec->deciding()->parts()[frame->part]);
    if (!text.empty()) text += " in ";
    text += frame->exec->graph().describe(node_of(*frame, choice));
  }
  return text;
}

void DecidingLaunch::decide(Frame& frame, DecidingExecutable::Choice& choice) {
  if (mode_ != Mode::plain || !choice.is_on_device()) return decide_by_host(frame, choice);
  frame.given = give(*choice.on_device.launchable);
  if (!frame.given) part_is_done();
}

void DecidingLaunch::decide_by_host(Frame& frame, DecidingExecutable::Choice& choice) {
  const Command& command = frame.exec->steps()[choice.step].command;
  const Decision& decision = *choice.decision;
  if (tells()) begins(command, decision.kind, node_of(frame, choice));
  const std::uint32_t value = ask(frame, choice);
  std::size_t branch = value;
  if (decision.kind == DecisionKind::if_else) {
    branch = value ? 0 : 1;
  } else if (value >= choice.branches.size()) {
    if (tells()) {
      has_number(value);
      decided(command, fmt::format("{}: {}, no such branch", title_of(command, decision), value));
    }
    fail_deciding(Code::invalid_argument,
                  "{} got the condition {}, but its branches are numbered from 0 to {}; nothing "
                  "after it was launched.",
                  name_of_decision(), value, choice.branches.size() - 1);
  }
  const bool runs = branch < choice.branches.size();
  std::string words;
  if (tells()) {
    words = fmt::format("{}: {}, {}", title_of(command, decision), value,
                        runs ? branch_name(decision, branch) : "not taken");
    has_number(value);
    decided(command, words);
    if (runs)
      begins(DecidedPart::branch, branch);
    else
      ends();
  }
  if (runs)
    enter(frame, choice, branch, words);
  else
    part_is_done();
}

// A function of the program runs after all that was given, as a host call does.
std::uint32_t DecidingLaunch::ask(const Frame& frame, const DecidingExecutable::Choice& choice) {
  const Command& command = frame.exec->steps()[choice.step].command;
  const auto& predicate = choice.decision->predicate;
  if (!predicate) return fetch(std::get<Read>(command.work).source);
  fetch({});
  // Where a recorder follows, this thread has the stream.
  const Callback inside(frame.exec->device->info(),
                        tells() ? Callback::Kind::host_kernel : Callback::Kind::host_call,
                        command.label);
  try {
    return (*predicate)();
  } catch (const std::exception& error) {
    fail_deciding(Code::host_call_failed, "The function that {} asks threw: {}", name_of_decision(),
                  error.what());
  } catch (...) {
    fail_deciding(Code::host_call_failed,
                  "The function that {} asks threw something that is not a std::exception.",
                  name_of_decision());
  }
}

// Its `frame` stays at the decision until the branch is done, which one without decisions is at
// once.
void DecidingLaunch::enter(Frame& frame, DecidingExecutable::Choice& choice, std::size_t branch,
                           std::string& words) {
  GraphExecState& inner = state_of(choice.branches[branch], "launch()");
  if (!inner.deciding()) {
    const bool is_round = frame.is_looping;
    give_whole(inner, words);
    if (is_round) return;
    decision_is_done();
    part_is_done();
    return;
  }
  frame.branch = static_cast<std::uint32_t>(branch);
  Frame& above = frames_.emplace_back();  // `frame` may have moved
  above.exec = &inner;
  above.name.swap(words);
}

void DecidingLaunch::leave(Frame& frame) {
  frame.is_looping = frame.asks_after_rounds = false;
  if (tells()) ends();
  part_is_done();
}

bool DecidingLaunch::takes_rounds(const Frame& frame,
                                  const DecidingExecutable::Choice& choice) const {
  if (mode_ != Mode::plain || !choice.is_on_device()) return false;
  const Decision& decision = *choice.decision;
  const std::uint64_t most =
      decision.kind == DecisionKind::repeat ? decision.count : decision.limits.iterations;
  const std::uint64_t round = frame.is_looping ? frame.round : 0;
  return most == 0 || most - round >= choice.rounds_after(round).rounds;
}

void DecidingLaunch::loop(Frame& frame, DecidingExecutable::Choice& choice) {
  const Decision& decision = *choice.decision;
  const bool is_repeat = decision.kind == DecisionKind::repeat;
  const Command& command = frame.exec->steps()[choice.step].command;
  if (!frame.is_looping) {
    frame.is_looping = true;
    frame.round = 0;
    frame.loop_began = {};
    if (tells()) {
      begins(command, decision.kind, node_of(frame, choice));
      has_number(decision.count);  // of a while none
    }
  }
  // A round lasts until the next question is answered, which waits for its work.
  const auto round_is_done = [&] {
    if (tells() && frame.round > 0) ends();
  };
  if (is_repeat && frame.round == decision.count) {
    round_is_done();
    return leave(frame);
  }
  if (!frame.asks_after_rounds && takes_rounds(frame, choice)) {
    const auto& rounds = choice.rounds_after(frame.round);
    frame.given = give(*rounds.launchable);
    if (frame.given) return;  // it knows how many they were
    frame.round += rounds.rounds;
    frame.asks_after_rounds = !is_repeat;
    return;
  }
  std::uint32_t value = 1;
  if (!is_repeat) value = ask(frame, choice);
  round_is_done();
  const std::string limit = is_repeat || value == 0 ? "" : limit_reached(frame, decision, value);
  const bool goes_on = value != 0 && limit.empty();
  if (tells()) {
    if (goes_on) {
      if (!is_repeat) has_number(frame.round + 1);
      begins(DecidedPart::round, frame.round);
    }
    if (!is_repeat) decided(command, told_of_loop(command, decision, value, frame.round, goes_on));
  }
  if (value == 0) return leave(frame);
  if (!goes_on) throw DecisionError(Code::timed_out, limit);
  if (std::exchange(frame.asks_after_rounds, false)) return;  // and on with the next rounds
  const std::uint64_t round = frame.round++;
  std::string words;
  if (tells()) words = fmt::format("{}, round {}", title_of(command, decision), round);
  enter(frame, choice, 0, words);
}

void DecidingLaunch::look_where_it_stopped(Frame& frame) {
  const std::uint32_t stopped = fetch(frame.given->word);  // may throw, and be asked again
  const std::shared_ptr<const Stops> stops = std::exchange(frame.given, nullptr);
  if (stopped != 0) return resume_at(stops->places.at(stopped - 1));
  auto& choice = std::get<DecidingExecutable::Choice>(frame.exec->deciding()->parts()[frame.part]);
  if (choice.decision->kind == DecisionKind::while_loop)
    leave(frame);
  else if (frame.is_looping)
    frame.round += choice.rounds_after(frame.round).rounds;
  else
    part_is_done();
}

// Nothing after the place has run, and what decides there is as it was.
void DecidingLaunch::resume_at(std::span<const StoppedAt> place) {
  for (const StoppedAt& at : place) {
    Frame& frame = frames_.back();
    const bool is_outermost = &at == &place.front(), is_innermost = &at == &place.back();
    if (!is_outermost) frame.part = at.part;
    auto& choice =
        std::get<DecidingExecutable::Choice>(frame.exec->deciding()->parts()[frame.part]);
    if (is_loop(*choice.decision)) {
      frame.is_looping = true;
      frame.round += at.round;
      frame.asks_after_rounds = is_innermost;
    }
    if (is_innermost) {
      if (!frame.is_looping) decide_by_host(frame, choice);  // it is out of range
      return;
    }
    frame.branch = at.branch;
    GraphExecState& inner = state_of(choice.branches[at.branch], "launch()");
    inner.deciding()->prepare();  // a loop in it may go on for long
    frames_.emplace_back().exec = &inner;
  }
}

// The time of a loop counts from when its first rounds were given: a loop of one looks at no clock.
std::string DecidingLaunch::limit_reached(Frame& frame, const Decision& decision,
                                          std::uint32_t value) const {
  const LoopLimits& limits = decision.limits;
  if (limits.iterations && frame.round >= limits.iterations)
    return fmt::format(
        "{} still has the condition {} after {} rounds, which is the limit of its iterations; "
        "nothing after it was launched. Let the condition become 0, or raise its LoopLimits.",
        name_of_decision(), value, frame.round);
  if (limits.time.count() <= 0 || frame.round == 0) return {};
  const std::chrono::milliseconds now = coarse_now();
  if (frame.loop_began.count() == 0) frame.loop_began = now;
  const std::chrono::milliseconds taken = now - frame.loop_began;
  if (taken < limits.time) return {};
  return fmt::format(
      "{} still has the condition {} after {} ms and {} rounds; its limit is {} ms. Nothing after "
      "it was launched. Let the condition become 0, or raise its LoopLimits.",
      name_of_decision(), value, taken.count(), frame.round, limits.time.count());
}

// --- by a queue ----------------------------------------------------------------------------------

DecidingLaunch::Place QueueLaunch::give_first_parts(GraphExecState& exec, QueueDriver& queue) {
  auto& parts = exec.deciding()->parts();
  Place at;
  for (int left = 8; left > 0 && at.part < parts.size(); --left) {
    if (auto* straight = std::get_if<DecidingExecutable::Straight>(&parts[at.part])) {
      straight->executable->launch(queue);
      ++at.part;
      continue;
    }
    auto& choice = *std::get_if<DecidingExecutable::Choice>(&parts[at.part]);
    if (!choice.enabled || !choice.is_simple || !queue.idle()) return at;
    const Decision& decision = *choice.decision;
    const bool is_loop = decision.kind == DecisionKind::while_loop;
    if (is_loop && decision.limits.iterations && at.round >= decision.limits.iterations) return at;
    std::uint32_t value = 0;
    try {
      queue.fetch(std::get_if<Read>(&exec.steps()[choice.step].command.work)->source,
                  std::as_writable_bytes(std::span(&value, 1)));
    } catch (const Error& error) {  // of work before the launch: it is for whoever waits
      queue.run_in_order([error] { throw error; }, InOrder::nothing);
      return at;
    }
    const bool is_switch = decision.kind == DecisionKind::switch_case;
    if (is_switch && value >= choice.branches.size()) return at;  // the walk says what is wrong
    const std::size_t branch = is_switch ? value : value ? 0 : 1;
    if (branch < choice.branches.size()) {
      GraphExecState& taken = state_of(choice.branches[branch], "launch()");
      if (!taken.steps().empty()) taken.executable().launch(queue);
    }
    if (is_loop && value)
      ++at.round;
    else
      at = {at.part + 1};
  }
  return at;
}

void QueueLaunch::give(const LaunchedSteps& steps) {
  if (times_)
    times_->add(steps.executable.launch_timed(*queue_), first_step(), is_in_branch());
  else if (alone_)
    steps.executable.run_alone();
  else
    steps.executable.launch(*queue_);
}

// On the caller an error may be of work before the launch: the stream sees to that.
std::uint32_t QueueLaunch::fetch(const BufferRange& condition) {
  std::uint32_t value = 0;
  const auto fetch = [&] {
    queue_->fetch(condition, std::as_writable_bytes(std::span(&value, 1)));
  };
  is_asking_ = true;
  if (is_continued_)
    ask_in_spite_of_host_calls(fetch);
  else
    fetch();
  is_asking_ = false;
  return value;
}

void QueueLaunch::finish_on_thread() {
  try {
    finish();
  } catch (...) {
    note_failure();
  }
  try {
    queue_->flush();
    queue_->wait();
  } catch (...) {
    note_failure();
  }
  throw_failure();
}

}  // namespace reel
