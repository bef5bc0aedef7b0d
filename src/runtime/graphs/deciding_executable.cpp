#include "runtime/graphs/deciding_executable.hpp"

#include <algorithm>
#include <utility>

#include "base/fail.hpp"
#include "base/handles.hpp"
#include "graph/commands/access.hpp"
#include "graph/node_payload.hpp"
#include "runtime/device_state.hpp"
#include "runtime/graphs/graph_exec_state.hpp"

namespace reel {
namespace {

// Rounds that are skipped cost something, a question costs a round trip: llvmpipe skips a dispatch
// in 1 µs and answers in 60. So few rounds come first, for loops that are soon over, and then more.
constexpr std::uint64_t first_rounds = 4, later_rounds = 16, rounds_of_a_repeat = 32;
// Of a loop within another decision, of which every round is there as often as that one has rounds:
// the first that isn't too many commands.
constexpr std::uint64_t inner_rounds[] = {first_rounds, 2, 1};

std::uint64_t at_most(std::uint64_t rounds, std::uint64_t limit) {
  return limit == 0 ? rounds : std::min(rounds, limit);
}

// A decision with all that is in it as a driver gets it.
class ForDevice {
 public:
  explicit ForDevice(std::uint64_t rounds_inside) : rounds_inside_(rounds_inside) {}

  std::string why_not;  // only the host can take it
  bool has_loops_inside = false;

  // With `rounds` where it is a loop.
  DecidedOnDevice decision(GraphExecState& exec, const DecidingExecutable::Choice& choice,
                           std::uint64_t rounds) {
    const Decision& decision = *choice.decision;
    DecidedOnDevice made{.kind = decision.kind, .rounds = rounds};
    made.may_stop = decision.kind == DecisionKind::switch_case;
    if (decision.predicate) why_not = "it asks a function of the host";
    if (!why_not.empty()) return made;
    if (const auto* read = std::get_if<Read>(&exec.steps()[choice.step].command.work))
      made.condition = read->source;
    for (const GraphExec& branch : choice.branches) {
      made.branches.push_back(parts(state_of(branch, "launch()")));
      for (const auto& part : made.branches.back())
        made.may_stop = made.may_stop || (part.decision && part.decision->may_stop);
    }
    return made;
  }

 private:
  DecidedOnDevice::Parts parts(GraphExecState& exec) {
    DecidedOnDevice::Parts made;
    DecidingExecutable* deciding = exec.deciding();
    if (!deciding) {
      made.push_back({&exec.executable(), nullptr});
      return made;
    }
    for (std::uint32_t i = 0; i < deciding->parts().size() && why_not.empty(); ++i) {
      auto& part = deciding->parts()[i];
      if (auto* straight = std::get_if<DecidingExecutable::Straight>(&part))
        made.push_back({straight->executable.get(), nullptr, i});
      else if (const auto& choice = std::get<DecidingExecutable::Choice>(part); choice.enabled)
        made.push_back({nullptr, inside(exec, choice), i});
    }
    return made;
  }

  std::shared_ptr<const DecidedOnDevice> inside(GraphExecState& exec,
                                                const DecidingExecutable::Choice& choice) {
    const Decision& decided = *choice.decision;
    const bool is_while = decided.kind == DecisionKind::while_loop;
    std::uint64_t rounds = decided.kind == DecisionKind::repeat ? decided.count : 1;
    if (is_while) {
      has_loops_inside = true;
      rounds = at_most(rounds_inside_, decided.limits.iterations);
    }
    auto made = std::make_shared<DecidedOnDevice>(decision(exec, choice, rounds));
    made->may_stop = made->may_stop || is_while;
    return made;
  }

  const std::uint64_t rounds_inside_;
};

bool asks_function(const DecidingExecutable::Choice& choice) {
  return choice.decision->predicate ||
         std::ranges::any_of(choice.branches, [](const GraphExec& branch) {
           const auto* inner = state_of(branch, "instantiate()").deciding();
           return inner && inner->asks_functions();
         });
}

}  // namespace

DecidingExecutable::DecidingExecutable(GraphExecState& owner, const Plan& plan,
                                       DeviceDriver& driver,
                                       std::vector<std::vector<GraphExec>> branches)
    : owner_(owner), part_of_step_(plan.steps.size()) {
  const auto count = static_cast<std::uint32_t>(plan.steps.size());
  std::uint32_t begin = 0;
  const auto end_straight = [&](std::uint32_t end) {
    if (begin == end) return;
    auto part = std::make_shared<const Plan>(part_of(plan, begin, end));
    parts_.emplace_back(Straight{begin, part, driver.instantiate(part)});
  };
  std::size_t next = 0;
  for (std::uint32_t i = 0; i < count; ++i) {
    if (plan.steps[i].decides()) {
      end_straight(i);
      parts_.emplace_back(Choice{.step = i,
                                 .decision = plan.steps[i].payload->decision,
                                 .branches = std::move(branches[next++])});
      begin = i + 1;
    }
  }
  end_straight(count);
  for (std::uint32_t part = 0; part < parts_.size(); ++part) {
    if (const auto* choice = std::get_if<Choice>(&parts_[part])) {
      part_of_step_[choice->step] = part;
      asks_functions_ = asks_functions_ || asks_function(*choice);
      continue;
    }
    const auto& straight = std::get<Straight>(parts_[part]);
    std::fill_n(part_of_step_.begin() + straight.first, straight.plan->steps.size(), part);
  }
}

std::unique_ptr<DecidingExecutable> DecidingExecutable::clone_for(GraphExecState& owner) const {
  std::unique_ptr<DecidingExecutable> copy(new DecidingExecutable(owner));
  copy->part_of_step_ = part_of_step_;
  copy->asks_functions_ = asks_functions_;
  for (const Part& part : parts_) {
    if (const auto* straight = std::get_if<Straight>(&part)) {
      copy->parts_.emplace_back(
          Straight{straight->first, straight->plan, straight->executable->clone()});
      continue;
    }
    const auto& choice = std::get<Choice>(part);
    Choice other{.step = choice.step, .decision = choice.decision, .enabled = choice.enabled};
    for (const GraphExec& branch : choice.branches)
      other.branches.push_back(make_handle<GraphExec>(state_of(branch, "clone()").clone()));
    copy->parts_.emplace_back(std::move(other));
  }
  return copy;
}

DecidingExecutable::Choice& DecidingExecutable::choice(std::uint32_t step) {
  return std::get<Choice>(parts_[part_of_step_[step]]);
}
DecidingExecutable::Straight& DecidingExecutable::straight(std::uint32_t step) {
  return std::get<Straight>(parts_[part_of_step_[step]]);
}

void DecidingExecutable::prepare_anew() {
  prepared_for_ = owner_.version();
  for (Part& part : parts_)
    if (auto* choice = std::get_if<Choice>(&part)) prepare(*choice);
  is_alone_ = can_run_alone();
}

void DecidingExecutable::prepare(Choice& choice) {
  const Decision& decision = *choice.decision;
  const bool is_while = decision.kind == DecisionKind::while_loop;
  const std::uint64_t most = is_while ? decision.limits.iterations : decision.count;
  choice.more_rounds = {};
  choice.is_simple = false;
  choice.on_device = prepare(choice, at_most(is_while ? first_rounds : rounds_of_a_repeat, most));
  if (choice.is_on_device()) {
    // Where they would be too many commands, the first ones are given again.
    if (is_while && (most == 0 || most > first_rounds))
      choice.more_rounds = prepare(choice, at_most(later_rounds, most));
    choice.why_not.clear();
    return;
  }
  choice.is_simple = decision.kind != DecisionKind::repeat && !decision.predicate;
  for (const GraphExec& branch : choice.branches)
    if (DecidingExecutable* inner = state_of(branch, "launch()").deciding()) {
      choice.is_simple = false;
      inner->prepare();
    }
}

DecidingExecutable::OnDevice DecidingExecutable::prepare(Choice& choice, std::uint64_t rounds) {
  for (const std::uint64_t rounds_inside : inner_rounds) {
    ForDevice maker(rounds_inside);
    DecidedOnDevice made = maker.decision(owner_, choice, rounds);
    made.has_loops_inside = maker.has_loops_inside;
    choice.why_not = std::move(maker.why_not);
    if (!choice.why_not.empty()) break;
    MadeForDevice answer = owner_.device->driver().decide_on_device(made);
    if (answer.launchable) return {std::move(answer.launchable), rounds, answer.way};
    choice.why_not = std::move(answer.why_not);
    if (!maker.has_loops_inside) break;
  }
  return {};
}

bool DecidingExecutable::waits_for_nobody() const {
  const bool is_host = owner_.device->info().backend == "host";  // where a condition is a load
  return is_alone_ || std::ranges::all_of(parts_, [&](const Part& part) {
           const auto* choice = std::get_if<Choice>(&part);
           if (!choice || choice->is_on_device()) return true;
           return is_host && !choice->decision->predicate &&
                  std::ranges::all_of(choice->branches, [](const GraphExec& branch) {
                    const auto* inner = state_of(branch, "launch()").deciding();
                    return !inner || inner->waits_for_nobody();
                  });
         });
}

bool DecidingExecutable::can_run_alone() {
  return std::ranges::all_of(parts_, [](Part& part) {
    if (const auto* straight = std::get_if<Straight>(&part))
      return straight->executable->can_run_alone();
    const auto& choice = std::get<Choice>(part);
    return !choice.decision->predicate &&
           std::ranges::all_of(choice.branches, [](const auto& exec) {
             return state_of(exec, "launch()").lowered().can_run_alone();
           });
  });
}

void DecidingExecutable::set_argument(std::uint32_t step, std::uint32_t index,
                                      const Argument& value) {
  Straight& part = straight(step);
  part.executable->set_argument(step - part.first, index, value);
}

void DecidingExecutable::set_groups(std::uint32_t step, Dim3 groups) {
  Straight& part = straight(step);
  part.executable->set_groups(step - part.first, groups);
}

void DecidingExecutable::set_enabled(std::uint32_t step, bool enabled) {
  Part& part = parts_[part_of_step_[step]];
  if (auto* choice = std::get_if<Choice>(&part)) {
    choice->enabled = enabled;
    return;
  }
  auto& straight = std::get<Straight>(part);
  straight.executable->set_enabled(step - straight.first, enabled);
}

// The condition of a choice is read from where the owner's parameters say.
void DecidingExecutable::replace(std::uint32_t step, const Command& command) {
  Part& part = parts_[part_of_step_[step]];
  if (auto* straight = std::get_if<Straight>(&part))
    straight->executable->replace(step - straight->first, command);
}

Footprint DecidingExecutable::footprint() const {
  Footprint sum;
  const auto add = [&](const Footprint& one) {
    sum.host_bytes += one.host_bytes;
    sum.device_bytes += one.device_bytes;
  };
  for (const Part& part : parts_) {
    if (const auto* straight = std::get_if<Straight>(&part)) {
      add(straight->executable->footprint());
      continue;
    }
    for (const GraphExec& branch : std::get<Choice>(part).branches) add(branch.footprint());
  }
  return sum;
}

namespace {

struct Lowered {
  std::size_t on_device = 0, by_host = 0;
  std::string why_not = {};   // of the first that isn't on the device
  std::string_view way = {};  // of those that are

  void count(const DecidingExecutable& deciding) {
    for (const auto& part : deciding.parts()) {
      const auto* choice = std::get_if<DecidingExecutable::Choice>(&part);
      if (!choice) continue;
      if (choice->is_on_device()) {
        ++on_device;  // with those in it
        way = choice->on_device.way;
        continue;
      }
      ++by_host;
      if (why_not.empty()) why_not = choice->why_not;
      for (const GraphExec& branch : choice->branches)
        if (const auto* inner = state_of(branch, "lowering()").deciding()) count(*inner);
    }
  }
};

std::string decisions(std::size_t count) {
  return fmt::format("{} decision{}", count, count == 1 ? "" : "s");
}

}  // namespace

std::string DecidingExecutable::lowering() const {
  Lowered lowered;
  lowered.count(*this);
  std::string text;
  if (lowered.on_device)
    text = fmt::format(
        "{} taken by the device, by {}, of a while {} rounds and then {} at a time, of one within "
        "another decision at most {}",
        decisions(lowered.on_device), lowered.way, first_rounds, later_rounds, first_rounds);
  const bool is_for_caller = owner_.device->info().backend == "host" && !asks_functions_;
  if (lowered.by_host)
    text += fmt::format("{}{} taken {} ({})", text.empty() ? "" : "; ", decisions(lowered.by_host),
                        is_alone_ ? "inside one native kernel, which loads conditions"
                        : is_for_caller
                            ? "by the caller as long as it takes microseconds, and then by a "
                              "thread of the stream, which load each condition"
                            : "by a thread of the stream, which reads each condition",
                        lowered.why_not);
  for (const Part& part : parts_)
    if (const auto* straight = std::get_if<Straight>(&part)) {
      text += fmt::format("; the first part between them: {}", straight->executable->lowering());
      break;
    }
  return text;
}

std::vector<StepTime> JoinedTimes::collect() {
  std::vector<StepTime> all;
  for (const Part& part : parts_)
    for (StepTime time : part.times->collect()) {
      time.step = part.is_one_step ? part.first : part.first + time.step;
      all.push_back(time);
    }
  return all;
}

}  // namespace reel
