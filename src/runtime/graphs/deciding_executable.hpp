// deciding_executable.hpp - a plan with decisions: straight parts, lowered by the driver, and the
// decisions between them, whose branches are execs of their own.
//
// A launch gives the parts up to a decision, reads the condition, and goes on with what it says; so
// it returns when its last decision is taken. Loops, limits and words for errors are here too.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "reel/graph_exec.hpp"
#include "runtime/driver.hpp"
#include "runtime/graphs/graph_exec_state.hpp"

namespace reel {

class DeviceState;

// What the driver gets at once: a whole exec, or the steps of one between two decisions.
struct LaunchedSteps {
  Executable& executable;
  std::span<const StepParameters> steps;
  std::span<const Step> plan;
  std::string_view name;  // of the launch, in documents
  std::uint32_t &recorded_in, &recorded_graph;
};

// Walks through an exec as its conditions say.
class DecidingLaunch {
 public:
  void run(GraphExecState& exec);

 protected:
  explicit DecidingLaunch(bool tells) noexcept : tells_(tells) {}
  ~DecidingLaunch() = default;
  virtual void give(const LaunchedSteps& steps) = 0;
  // After all that was given is done.
  virtual std::uint32_t fetch(const BufferRange& condition) = 0;
  // The node that reads `condition`, or is a Barrier, decided: "while 'retry': 1, round 3". Only
  // where the launch tells.
  virtual void decided(const Command& condition, std::string_view words) = 0;
  // Of the exec that is launched: where the node stands that gives what is given now.
  std::uint32_t first_step() const noexcept { return first_step_; }
  bool is_in_branch() const noexcept { return inside_ != nullptr; }

 private:
  struct Asked;
  void run_parts(GraphExecState& exec, std::string_view name);
  void decide(GraphExecState& exec, std::uint32_t part);
  std::string name_of(const Asked& asked) const;  // with what it is in
  std::uint32_t ask(const Asked& asked);
  void run_branch(const Asked& asked, std::size_t branch, std::string_view words);
  void loop(const Asked& asked);

  const bool tells_;               // somebody wants the words of decided()
  const Asked* inside_ = nullptr;  // whose branch is being given
  std::uint32_t first_step_ = 0;
};

class DecidingExecutable final : public Executable {
 public:
  struct Straight {
    std::uint32_t first;               // step of the plan
    std::shared_ptr<const Plan> plan;  // of these steps
    std::unique_ptr<Executable> executable;
    std::uint32_t recorded_in = 0, recorded_graph = 0;
  };
  struct Choice {
    std::uint32_t step;
    std::shared_ptr<const Decision> decision;
    std::vector<GraphExec> branches;
    bool enabled = true;
  };
  using Part = std::variant<Straight, Choice>;

  // `branches` are those of the plan's decisions, in the order of its steps.
  DecidingExecutable(GraphExecState& owner, const Plan& plan, DeviceDriver& driver,
                     std::vector<std::vector<GraphExec>> branches);

  std::vector<Part>& parts() noexcept { return parts_; }
  const std::vector<Part>& parts() const noexcept { return parts_; }
  Choice& choice(std::uint32_t step);
  std::unique_ptr<DecidingExecutable> clone_for(GraphExecState& owner) const;

  void launch(QueueDriver& queue) override;
  std::unique_ptr<StepTimes> launch_timed(QueueDriver& queue) override;
  void set_argument(std::uint32_t step, std::uint32_t index, const Argument& value) override;
  void set_groups(std::uint32_t step, Dim3 groups) override;
  void set_enabled(std::uint32_t step, bool enabled) override;
  void replace(std::uint32_t step, const Command& command) override;
  std::unique_ptr<Executable> clone() const override;
  Footprint footprint() const override;
  std::string lowering() const override;

 private:
  explicit DecidingExecutable(GraphExecState& owner) : owner_(owner) {}
  Straight& straight(std::uint32_t step);

  GraphExecState& owner_;
  std::vector<Part> parts_;
  std::vector<std::uint32_t> part_of_step_;
};

// The times of several launches as those of one.
class JoinedTimes final : public StepTimes {
 public:
  // Its steps are counted from `first`, or are all that one where it is a branch's.
  void add(std::shared_ptr<StepTimes> times, std::uint32_t first, bool is_one_step) {
    parts_.push_back({std::move(times), first, is_one_step});
  }
  std::vector<StepTime> collect() override;

 private:
  struct Part {
    std::shared_ptr<StepTimes> times;
    std::uint32_t first;
    bool is_one_step;
  };
  std::vector<Part> parts_;
};

}  // namespace reel
