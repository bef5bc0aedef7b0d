// arena.hpp - a plan as flat records, with every argument resolved to a pointer.
//
// One record is one cache line. A step that is a single group of a kernel, a copy or a fill runs
// as one indirect call; anything else has no function in its record and takes the slower way.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

#include "backends/host/kernel.hpp"
#include "backends/host/pool.hpp"
#include "backends/host/queue.hpp"
#include "graph/commands/kept_command.hpp"
#include "graph/order/plan.hpp"
#include "reel/host_kernel.hpp"

namespace reel::host {

struct alignas(64) Record {
  HostFunction function;  // null: see StepState
  HostGroup group;
};
static_assert(sizeof(Record) == 64);

class Arena {
 public:
  explicit Arena(std::shared_ptr<const Plan> plan);
  Arena(const Arena& other);  // an independent snapshot
  Arena& operator=(const Arena&) = delete;

  // Where it runs.
  struct Place {
    Line& line;
    Pool& pool;
    const DeviceInfo& device;
  };
  // On this thread, all of it. Errors of host calls go to the line; others are thrown.
  void run(const Place& place) const;
  // Independent steps side by side, groups over the pool.
  void run_wide(const Place& place) const;
  void run_timed(const Place& place, std::vector<StepTime>& times) const;

  void set_argument(std::uint32_t step, std::uint32_t index, const Argument& value);
  void set_groups(std::uint32_t step, Dim3 groups);
  void set_enabled(std::uint32_t step, bool enabled);
  void replace(std::uint32_t step, const Command& command);

  double estimate_ns() const;
  bool has_host_calls() const noexcept { return has_host_calls_; }
  std::uint64_t size_bytes() const noexcept;

 private:
  // What the record alone doesn't say.
  struct StepState {
    Work work;  // arguments point into `values_`, kept up to date
    Kernel* kernel = nullptr;
    std::uint32_t first_argument = 0;
    std::uint64_t shared_bytes = 0;
    bool enabled = true;
    KeptBytes data;  // of a replaced write
  };

  void resolve(std::uint32_t step);
  void choose_function(std::uint32_t step);
  void run_steps(std::uint32_t begin, std::uint32_t end, const Place& place) const;
  void run_slowly(std::uint32_t step, const Place& place) const;
  void hold(std::uint32_t step, std::uint32_t slot, const BufferRange& range);

  std::shared_ptr<const Plan> plan_;
  std::vector<Record> records_;
  std::vector<HostArgument> arguments_;  // of all steps, one after another
  std::vector<Argument> values_;         // the same, as given
  std::vector<StepState> steps_;
  // Buffers that the plan doesn't keep, by place.
  std::unordered_map<std::uint64_t, std::shared_ptr<BufferResource>> bound_;
  bool has_host_calls_ = false;
};

}  // namespace reel::host
