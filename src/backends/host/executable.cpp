#include "backends/host/executable.hpp"

#include <fmt/format.h>

#include "backends/host/work.hpp"

namespace reel::host {

namespace {

struct Times final : StepTimes {
  std::shared_ptr<std::vector<StepTime>> list = std::make_shared<std::vector<StepTime>>();
  std::vector<StepTime> collect() override { return *list; }
};

// Reading the clock costs as much as ten small nodes: only now and then.
bool is_sampled(std::uint32_t launch) { return launch < 4 || launch % 64 == 0; }

}  // namespace

Executable::Executable(std::shared_ptr<const Plan> plan)
    : arena_(std::move(plan)), estimated_ns_(arena_.estimate_ns()) {}

bool Executable::runs_on_caller(Queue& queue) {
  return estimated_ns_ < inline_below_ns && !arena_.has_host_calls() && queue.idle();
}

void Executable::launch(QueueDriver& driver) {
  auto& queue = static_cast<Queue&>(driver);
  if (runs_on_caller(queue)) [[likely]] {
    const bool sampled = is_sampled(launches_++);
    const std::uint64_t begin = sampled ? now_ns() : 0;
    try {
      arena_.run(queue.line(), queue.pool());
    } catch (...) {
      queue.line().keep_error(std::current_exception());
    }
    if (sampled) estimated_ns_ = static_cast<double>(now_ns() - begin);
    return;
  }
  // Whoever was judged too slow once gets another chance with what kernels have shown since.
  if (is_sampled(launches_++)) estimated_ns_ = arena_.estimate_ns();
  auto snapshot = std::make_shared<const Arena>(arena_);
  Line* line = &queue.line();  // lives as long as its tasks do
  queue.push({[snapshot, line, pool = queue.shared_pool()] { snapshot->run_wide(*line, *pool); },
              snapshot->has_host_calls()});
}

std::unique_ptr<StepTimes> Executable::launch_timed(QueueDriver& driver) {
  auto& queue = static_cast<Queue&>(driver);
  auto times = std::make_unique<Times>();
  auto snapshot = std::make_shared<const Arena>(arena_);
  Line* line = &queue.line();
  queue.push({[snapshot, line, pool = queue.shared_pool(), list = times->list] {
                snapshot->run_timed(*line, *pool, *list);
              },
              snapshot->has_host_calls()});
  return times;
}

void Executable::set_groups(std::uint32_t step, Dim3 groups) {
  arena_.set_groups(step, groups);
  launches_ = 0;  // look at the clock again
}

void Executable::set_enabled(std::uint32_t step, bool enabled) {
  arena_.set_enabled(step, enabled);
  launches_ = 0;
}

void Executable::replace(std::uint32_t step, const Command& command) {
  arena_.replace(step, command);
  launches_ = 0;
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
