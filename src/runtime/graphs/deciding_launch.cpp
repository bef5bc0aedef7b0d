// deciding_launch.cpp - the walk through an exec that decides.
#include "base/fail.hpp"
#include "graph/commands/describe.hpp"
#include "runtime/callback.hpp"
#include "runtime/device_state.hpp"
#include "runtime/graphs/deciding_executable.hpp"
#include "runtime/graphs/graph_exec_state.hpp"

namespace reel {
namespace {

using Clock = std::chrono::steady_clock;

std::string title_of(const Command& command, const Decision& decision) {
  std::string text = to_string(decision.kind);
  if (!command.label.empty()) text += fmt::format(" '{}'", command.label);
  return text;
}

}  // namespace

// One decision of an exec, as it stands.
struct DecidingLaunch::Asked {
  GraphExecState& exec;
  DecidingExecutable::Choice& choice;
  const Command& command;
  const Asked* outer;  // in whose branch it is

  const Decision& decision() const { return *choice.decision; }
  std::string name() const { return exec.graph().describe(exec.plan().steps[choice.step].node); }
};

std::string DecidingLaunch::name_of(const Asked& asked) const {
  std::string text = asked.name();
  for (const Asked* in = asked.outer; in; in = in->outer) text += " in " + in->name();
  return text;
}

void DecidingLaunch::run(GraphExecState& exec) { run_parts(exec, exec.launch_name); }

void DecidingLaunch::run_parts(GraphExecState& exec, std::string_view name) {
  const std::span<const StepParameters> steps = exec.steps();
  DecidingExecutable* deciding = exec.deciding();
  if (!deciding) {
    if (!steps.empty())
      give({exec.executable(), steps, exec.plan().steps, name, exec.recorded_in,
            exec.recorded_graph});
    return;
  }
  for (std::uint32_t i = 0; i < deciding->parts().size(); ++i) {
    if (auto* straight = std::get_if<DecidingExecutable::Straight>(&deciding->parts()[i])) {
      if (!inside_) first_step_ = straight->first;
      give({*straight->executable, steps.subspan(straight->first, straight->plan->steps.size()),
            straight->plan->steps, name, straight->recorded_in, straight->recorded_graph});
    } else {
      decide(exec, i);
    }
  }
}

void DecidingLaunch::decide(GraphExecState& exec, std::uint32_t part) {
  auto& choice = std::get<DecidingExecutable::Choice>(exec.deciding()->parts()[part]);
  if (!choice.enabled) return;
  if (!inside_) first_step_ = choice.step;
  const Asked asked{exec, choice, exec.steps()[choice.step].command, inside_};
  const Decision& decision = asked.decision();
  if (decision.kind == DecisionKind::while_loop || decision.kind == DecisionKind::repeat) {
    loop(asked);
    return;
  }
  const std::uint32_t value = ask(asked);
  std::size_t branch = value;
  if (decision.kind == DecisionKind::if_else)
    branch = value ? 0 : 1;
  else if (value >= choice.branches.size())
    fail(Code::invalid_argument,
         "{} got the condition {}, but its branches are numbered from 0 to {}; nothing after it "
         "was launched.",
         name_of(asked), value, choice.branches.size() - 1);
  const bool runs = branch < choice.branches.size();
  std::string words;
  if (tells_)
    words = fmt::format("{}: {}, {}", title_of(asked.command, decision), value,
                        runs ? branch_name(decision, branch) : "nothing to do");
  if (tells_) decided(asked.command, words);
  if (runs) run_branch(asked, branch, words);
}

// A function of the program runs after all that was given, as a host call does; here it is this
// thread that has the stream, so it is refused what a host kernel is.
std::uint32_t DecidingLaunch::ask(const Asked& asked) {
  const auto& predicate = asked.decision().predicate;
  if (!predicate) return fetch(std::get<Read>(asked.command.work).source);
  fetch({});
  const Callback inside(asked.exec.device->info(), Callback::Kind::host_kernel,
                        asked.command.label);
  try {
    return (*predicate)();
  } catch (const std::exception& error) {
    fail(Code::host_call_failed, "The function that {} asks threw: {}", name_of(asked),
         error.what());
  } catch (...) {
    fail(Code::host_call_failed,
         "The function that {} asks threw something that is not a std::exception.", name_of(asked));
  }
}

void DecidingLaunch::run_branch(const Asked& asked, std::size_t branch, std::string_view words) {
  GraphExecState& inner = state_of(asked.choice.branches[branch], "launch()");
  inside_ = &asked;
  run_parts(inner, words);
  inside_ = asked.outer;
}

void DecidingLaunch::loop(const Asked& asked) {
  const Decision& decision = asked.decision();
  const std::string title = tells_ ? title_of(asked.command, decision) : "";
  const Clock::time_point begin = Clock::now();
  for (std::uint64_t round = 0;; ++round) {
    const bool is_repeat = decision.kind == DecisionKind::repeat;
    if (is_repeat && round == decision.count) return;
    const std::uint32_t value = is_repeat ? 1 : ask(asked);
    if (!is_repeat) {
      if (tells_)
        decided(asked.command, value ? fmt::format("{}: {}, round {}", title, value, round)
                                     : fmt::format("{}: 0, done", title));
      if (value == 0) return;
      if (decision.limits.iterations && round >= decision.limits.iterations)
        fail(Code::timed_out,
             "{} still has the condition {} after {} rounds, which is the limit of iterations it "
             "was "
             "given; nothing after it was launched.",
             name_of(asked), value, round);
      if (decision.limits.time.count() > 0 && Clock::now() - begin >= decision.limits.time)
        fail(Code::timed_out,
             "{} still has the condition {} after {} ms and {} rounds; its limit is {} ms. "
             "Nothing after it was launched.",
             name_of(asked), value,
             std::chrono::duration_cast<std::chrono::milliseconds>(Clock::now() - begin).count(),
             round, decision.limits.time.count());
    }
    run_branch(asked, 0, tells_ ? fmt::format("{}, round {}", title, round) : "");
  }
}

}  // namespace reel
