// executable.hpp - a plan on the host: an arena that runs on the caller, or a snapshot of it that
// runs on the queue.
#pragma once

#include <memory>
#include <string>

#include "backends/host/arena.hpp"
#include "runtime/driver.hpp"

namespace reel::host {

class Executable final : public reel::Executable {
 public:
  explicit Executable(std::shared_ptr<const Plan> plan);

  void launch(QueueDriver& driver) override;
  std::unique_ptr<StepTimes> launch_timed(QueueDriver& driver) override;
  void set_argument(std::uint32_t step, std::uint32_t index, const Argument& value) override;
  void set_groups(std::uint32_t step, Dim3 groups) override;
  void set_enabled(std::uint32_t step, bool enabled) override;
  void replace(std::uint32_t step, const Command& command) override;
  std::unique_ptr<reel::Executable> clone() const override;
  Footprint footprint() const override { return {arena_.size_bytes(), 0}; }
  std::string lowering() const override;

 private:
  Executable(const Executable& other) = default;
  bool runs_on_caller(Queue& queue);
  void learn(std::uint32_t place, double ns);
  std::shared_ptr<const Arena> shared_arena();
  void changed();

  Arena arena_;
  std::shared_ptr<const Arena> snapshot_;  // of arena_ as it is; null: none made yet
  double estimated_ns_ = 0;                // of a launch, on one thread
  double shortest_ns_ = 0;                 // of the launches sampled last
  bool estimate_stands_ = false;           // nothing changed since
  bool measured_ = false;                  // and not only added up
  std::uint32_t launches_ = 0;
  std::uint32_t handed_over_ = 0;  // since the samples
};

}  // namespace reel::host
