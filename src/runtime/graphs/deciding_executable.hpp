// deciding_executable.hpp - a plan with decisions: straight parts, lowered by the driver, and the
// decisions between them, whose branches are execs of their own.
//
// A launch walks through them (deciding_launch.hpp): it gives the parts up to a decision, reads the
// condition, and goes on with what it says. What the device decides alone is given whole.
#pragma once

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

class DecidingExecutable final : public LoweredPlan {
 public:
  struct Straight {
    std::uint32_t first;               // step of the plan
    std::shared_ptr<const Plan> plan;  // of these steps
    std::unique_ptr<Executable> executable;
    std::uint32_t recorded_in = 0, recorded_graph = 0;
  };
  struct OnDevice {
    std::unique_ptr<DecidedLaunchable> launchable = nullptr;
    std::uint64_t rounds = 1;   // of a loop
    std::string_view way = {};  // as the driver tells
  };
  struct Choice {
    std::uint32_t step;
    std::shared_ptr<const Decision> decision;
    std::vector<GraphExec> branches = {};
    bool enabled = true;
    // As the device decides it; else why it can't.
    OnDevice on_device = {};    // all of it, or of a loop the first rounds
    OnDevice more_rounds = {};  // of a while: those after them; none: like the first
    std::string why_not = {};
    bool is_simple = false;  // it reads its condition, and nothing in it decides

    bool is_on_device() const noexcept { return on_device.launchable != nullptr; }
    // What the device does of a loop next, after so many rounds.
    const OnDevice& rounds_after(std::uint64_t round) const noexcept {
      return round != 0 && more_rounds.launchable ? more_rounds : on_device;
    }
  };
  using Part = std::variant<Straight, Choice>;

  // `branches` are those of the plan's decisions, in the order of its steps.
  DecidingExecutable(GraphExecState& owner, const Plan& plan, DeviceDriver& driver,
                     std::vector<std::vector<GraphExec>> branches);

  std::vector<Part>& parts() noexcept { return parts_; }
  const std::vector<Part>& parts() const noexcept { return parts_; }
  Choice& choice(std::uint32_t step);
  std::unique_ptr<DecidingExecutable> clone_for(GraphExecState& owner) const;
  // Before a launch: what the device decides alone, with parameters as they stand.
  void prepare() {
    if (prepared_for_ != owner_.version()) [[unlikely]]
      prepare_anew();
  }
  // When that was done: could a thread walk through it without calling the driver?
  bool is_alone() const noexcept { return is_alone_; }
  bool can_run_alone() override;
  // Does a decision in it ask a function of the program?
  bool asks_functions() const noexcept { return asks_functions_; }
  // When that was done: does no decision of it make the device wait until the host has read
  // something?
  bool waits_for_nobody() const;

  void set_argument(std::uint32_t step, std::uint32_t index, const Argument& value) override;
  void set_groups(std::uint32_t step, Dim3 groups) override;
  void set_enabled(std::uint32_t step, bool enabled) override;
  void replace(std::uint32_t step, const Command& command) override;
  Footprint footprint() const override;
  std::string lowering() const override;

 private:
  explicit DecidingExecutable(GraphExecState& owner) : owner_(owner) {}
  Straight& straight(std::uint32_t step);

  void prepare_anew();
  void prepare(Choice& choice);
  OnDevice prepare(Choice& choice, std::uint64_t rounds);

  GraphExecState& owner_;
  std::vector<Part> parts_;
  std::uint64_t prepared_for_ = 0;  // version of the owner
  bool is_alone_ = false, asks_functions_ = false;
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
