#include "runtime/graphs/deciding_executable.hpp"

#include <algorithm>

#include "base/fail.hpp"
#include "graph/commands/access.hpp"
#include "graph/node_payload.hpp"
#include "runtime/graphs/graph_exec_state.hpp"

namespace reel {
namespace {

class QueueLaunch final : public DecidingLaunch {
 public:
  QueueLaunch(QueueDriver& queue, JoinedTimes* times)
      : DecidingLaunch(false), queue_(queue), times_(times) {}

 protected:
  void give(const LaunchedSteps& steps) override {
    if (times_)
      times_->add(steps.executable.launch_timed(queue_), first_step(), is_in_branch());
    else
      steps.executable.launch(queue_);
  }
  std::uint32_t fetch(const BufferRange& condition) override {
    std::uint32_t value = 0;
    queue_.fetch(condition, std::as_writable_bytes(std::span(&value, 1)));
    return value;
  }
  void decided(const Command&, std::string_view) override {}

 private:
  QueueDriver& queue_;
  JoinedTimes* times_;
};

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
      parts_.emplace_back(Choice{i, plan.steps[i].payload->decision, std::move(branches[next++])});
      begin = i + 1;
    }
  }
  end_straight(count);
  for (std::uint32_t part = 0; part < parts_.size(); ++part) {
    if (const auto* choice = std::get_if<Choice>(&parts_[part])) {
      part_of_step_[choice->step] = part;
      continue;
    }
    const auto& straight = std::get<Straight>(parts_[part]);
    std::fill_n(part_of_step_.begin() + straight.first, straight.plan->steps.size(), part);
  }
}

std::unique_ptr<DecidingExecutable> DecidingExecutable::clone_for(GraphExecState& owner) const {
  std::unique_ptr<DecidingExecutable> copy(new DecidingExecutable(owner));
  copy->part_of_step_ = part_of_step_;
  for (const Part& part : parts_) {
    if (const auto* straight = std::get_if<Straight>(&part)) {
      copy->parts_.emplace_back(
          Straight{straight->first, straight->plan, straight->executable->clone()});
      continue;
    }
    const auto& choice = std::get<Choice>(part);
    Choice other{choice.step, choice.decision, {}, choice.enabled};
    for (const GraphExec& branch : choice.branches) other.branches.push_back(branch.clone());
    copy->parts_.emplace_back(std::move(other));
  }
  return copy;
}

std::unique_ptr<Executable> DecidingExecutable::clone() const { return clone_for(owner_); }

DecidingExecutable::Choice& DecidingExecutable::choice(std::uint32_t step) {
  return std::get<Choice>(parts_[part_of_step_[step]]);
}
DecidingExecutable::Straight& DecidingExecutable::straight(std::uint32_t step) {
  return std::get<Straight>(parts_[part_of_step_[step]]);
}

void DecidingExecutable::launch(QueueDriver& queue) { QueueLaunch(queue, nullptr).run(owner_); }

std::unique_ptr<StepTimes> DecidingExecutable::launch_timed(QueueDriver& queue) {
  auto times = std::make_unique<JoinedTimes>();
  QueueLaunch(queue, times.get()).run(owner_);
  return times;
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

std::string DecidingExecutable::lowering() const {
  std::size_t choices = 0, straights = 0;
  const Executable* first = nullptr;
  for (const Part& part : parts_) {
    if (const auto* straight = std::get_if<Straight>(&part)) {
      ++straights;
      if (!first) first = straight->executable.get();
    } else {
      ++choices;
    }
  }
  std::string text = fmt::format(
      "split at {} decision{}, {} part{} between them; the launching thread reads each condition, "
      "by "
      "a load where memory is the host's",
      choices, choices == 1 ? "" : "s", straights, straights == 1 ? "" : "s");
  if (first) text += fmt::format("; the first part: {}", first->lowering());
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
