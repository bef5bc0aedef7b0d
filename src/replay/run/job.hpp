// job.hpp - one replay from beginning to end. Owns all it uses, so that a hanging one can be left.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "reel/replay.hpp"
#include "replay/run/heartbeat.hpp"
#include "replay/run/runner.hpp"
#include "replay/run/stage.hpp"
#include "replay/statistics.hpp"
#include "replay/verifier.hpp"

namespace reel::rerun {

class Job : public std::enable_shared_from_this<Job> {
 public:
  Job(const Trace& trace, std::vector<Device> devices, ReplayOptions options);

  // Within the limit of the options.
  ReplayReport run();

 private:
  // A stage, what runs before the measured commands, and what runs them.
  struct Set {
    Set(const Trace& trace, const Script& script, const std::vector<Device>& devices,
        const std::map<std::uint32_t, Replacement>& replacements, Obstacles* obstacles);
    Stage stage;
    std::unique_ptr<Runner> before, runner;
  };

  void do_all();
  void write_script(const Obstacles& obstacles);
  void take_out_unwanted();
  void report_left_out();
  void prepare(Set& set, ReplayOrder order);
  void run_once(Set& set, Verifier* verifier, Timings* timings);
  void check_end(Set& set, Verifier& verifier);
  void settle(Verifier& verifier);
  Set* reference();
  void find_races_in_order(Set& set);
  void warn();
  void find_culprit(Set& set, Verifier& verifier);
  void count_unproved();
  void take_times(const Timings& timings, const std::optional<Timings>& original);
  void tell(std::string_view what, double part) const;
  std::string describe_hang(std::uint32_t oldest) const;

  const Trace trace_;
  const ReplayOptions options_;
  const std::vector<Device> devices_;
  const bool exact_;
  const std::shared_ptr<Heartbeat> heart_;
  std::vector<Race> unordered_;  // pairs that nothing puts in order
  KeptOrder kept_;
  Script script_;
  std::unique_ptr<Set> original_;   // the recorded kernels beside replaced ones
  std::unique_ptr<Set> reference_;  // on the recorded device
  bool reference_tried_ = false;
  ReplayReport report_;
};

}  // namespace reel::rerun
