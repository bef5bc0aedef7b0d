#include "backends/host/executable.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "backends/host/work.hpp"
#include "runtime/callback.hpp"

namespace reel::host {

namespace {

struct Times final : StepTimes {
  std::shared_ptr<std::vector<StepTime>> list = std::make_shared<std::vector<StepTime>>();
  std::vector<StepTime> collect() override { return *list; }
};

// Asking for a thread's CPU time costs as much as fifty small nodes: only now and then. Of a few
// launches the shortest counts, since the first ones meet cold caches and untouched pages (268 µs
// for what takes 7 afterwards).
constexpr std::uint32_t launches_between_samples = 1024, samples = 4;

// Estimates add up what kernels took one by one, clocks included: a thousand nodes of 6 ns seem
// to take 64 µs or more. So what may be short is run on the caller first, and measured as a whole.
constexpr double try_inline_below_ns = 1'000'000;

// Where it runs is left only for a clear reason, and not for ever: a machine that was busy while
// the samples were taken showed 22 µs for a graph of 7, which then went over the pool, at twice the
// price, as long as it lived.
constexpr double leave_caller_above_ns = 2 * inline_below_ns;
constexpr std::uint32_t launches_between_tries = 1024;
constexpr double try_again_below_ns = 8 * inline_below_ns;

}  // namespace

Executable::Executable(std::shared_ptr<const Plan> plan) : arena_(std::move(plan)) {}

bool Executable::runs_on_caller(Queue& queue) {
  if (arena_.has_host_calls() || !queue.idle()) return false;
  if (!estimate_stands_) {
    estimated_ns_ = arena_.estimate_ns();
    estimate_stands_ = true;
    measured_ = false;
  }
  if (!measured_) return estimated_ns_ < try_inline_below_ns;
  if (estimated_ns_ < leave_caller_above_ns) return true;
  if (estimated_ns_ >= try_again_below_ns || ++handed_over_ < launches_between_tries) return false;
  handed_over_ = launches_ = 0;
  measured_ = false;  // samples are taken anew
  return true;
}

void Executable::learn(std::uint32_t place, double ns) {
  shortest_ns_ = place == 0 ? ns : std::min(shortest_ns_, ns);
  if (place + 1 < samples) return;
  estimated_ns_ = shortest_ns_;
  measured_ = true;
}

// A launch in flight keeps the arguments it started with. Copying them takes as long as running
// a small graph, so launches share one copy until something changes.
std::shared_ptr<const Arena> Executable::shared_arena() {
  if (!snapshot_) snapshot_ = std::make_shared<const Arena>(arena_);
  return snapshot_;
}

void Executable::launch(QueueDriver& driver) {
  auto& queue = static_cast<Queue&>(driver);
  if (runs_on_caller(queue)) [[likely]] {
    const std::uint32_t place = launches_++ % launches_between_samples;
    const bool sampled = place < samples;
    const std::uint64_t before = sampled ? thread_cpu_ns() : 0;
    const Callback inside(*queue.device(), Callback::Kind::host_kernel, {});
    try {
      arena_.run({queue.line(), queue.pool(), *queue.device()});
    } catch (...) {
      queue.line().keep_error(std::current_exception());
    }
    if (sampled) learn(place, static_cast<double>(thread_cpu_ns() - before));
    return;
  }
  const auto snapshot = shared_arena();
  Line* line = &queue.line();  // lives as long as its tasks do
  queue.push({[snapshot, line, pool = queue.shared_pool(), device = queue.device()] {
                const Callback inside(*device, Callback::Kind::host_kernel, {});
                snapshot->run_wide({*line, *pool, *device});
              },
              snapshot->has_host_calls()});
}

std::unique_ptr<StepTimes> Executable::launch_timed(QueueDriver& driver) {
  auto& queue = static_cast<Queue&>(driver);
  auto times = std::make_unique<Times>();
  const auto snapshot = shared_arena();
  Line* line = &queue.line();
  queue.push(
      {[snapshot, line, pool = queue.shared_pool(), device = queue.device(), list = times->list] {
         const Callback inside(*device, Callback::Kind::host_kernel, {});
         snapshot->run_timed({*line, *pool, *device}, *list);
       },
       snapshot->has_host_calls()});
  return times;
}

void Executable::set_argument(std::uint32_t step, std::uint32_t index, const Argument& value) {
  arena_.set_argument(step, index, value);
  snapshot_ = nullptr;
}

void Executable::set_groups(std::uint32_t step, Dim3 groups) {
  arena_.set_groups(step, groups);
  changed();
}

void Executable::set_enabled(std::uint32_t step, bool enabled) {
  arena_.set_enabled(step, enabled);
  changed();
}

void Executable::replace(std::uint32_t step, const Command& command) {
  arena_.replace(step, command);
  changed();
}

void Executable::changed() {
  snapshot_ = nullptr;
  estimate_stands_ = false;
  launches_ = 0;
}

std::unique_ptr<reel::Executable> Executable::clone() const {
  return std::unique_ptr<reel::Executable>(new Executable(*this));
}

std::string Executable::lowering() const {
  if (arena_.has_host_calls()) return "flat records on the queue's thread";
  if (!measured_) return "flat records, on the caller or over the pool as the first launch shows";
  return fmt::format("flat records, {} (some {:.1f} µs)",
                     estimated_ns_ < leave_caller_above_ns ? "on the caller" : "over the pool",
                     estimated_ns_ / 1000);
}

}  // namespace reel::host
