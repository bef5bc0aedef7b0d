#include "backends/host/executable.hpp"

#include <fmt/format.h>

#include "backends/host/work.hpp"

namespace reel::host {

namespace {

struct Times final : StepTimes {
  std::shared_ptr<std::vector<StepTime>> list = std::make_shared<std::vector<StepTime>>();
  std::vector<StepTime> collect() override { return *list; }
};

// Asking for a thread's CPU time costs as much as fifty small nodes: only now and then.
bool is_sampled(std::uint32_t launch) { return launch < 4 || launch % 256 == 0; }

}  // namespace

Executable::Executable(std::shared_ptr<const Plan> plan)
    : arena_(std::move(plan)), estimated_ns_(arena_.estimate_ns()) {}

bool Executable::runs_on_caller(Queue& queue) {
  return estimated_ns_ < inline_below_ns && !arena_.has_host_calls() && queue.idle();
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
    const bool sampled = is_sampled(launches_++);
    const std::uint64_t before = sampled ? thread_cpu_ns() : 0;
    try {
      arena_.run(queue.line(), queue.pool());
    } catch (...) {
      queue.line().keep_error(std::current_exception());
    }
    if (sampled) estimated_ns_ = static_cast<double>(thread_cpu_ns() - before);
    return;
  }
  // Whoever was judged too slow once gets another chance with what kernels have shown since.
  if (is_sampled(launches_++)) estimated_ns_ = arena_.estimate_ns();
  const auto snapshot = shared_arena();
  Line* line = &queue.line();  // lives as long as its tasks do
  queue.push({[snapshot, line, pool = queue.shared_pool()] { snapshot->run_wide(*line, *pool); },
              snapshot->has_host_calls()});
}

std::unique_ptr<StepTimes> Executable::launch_timed(QueueDriver& driver) {
  auto& queue = static_cast<Queue&>(driver);
  auto times = std::make_unique<Times>();
  const auto snapshot = shared_arena();
  Line* line = &queue.line();
  queue.push({[snapshot, line, pool = queue.shared_pool(), list = times->list] {
                snapshot->run_timed(*line, *pool, *list);
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
  launches_ = 0;  // how long does it take now?
}

std::unique_ptr<reel::Executable> Executable::clone() const {
  return std::unique_ptr<reel::Executable>(new Executable(*this));
}

std::string Executable::lowering() const {
  if (arena_.has_host_calls()) return "flat records on the queue's thread";
  return fmt::format("flat records, {} (some {:.1f} µs)",
                     estimated_ns_ < inline_below_ns ? "on the caller" : "over the pool",
                     estimated_ns_ / 1000);
}

}  // namespace reel::host
