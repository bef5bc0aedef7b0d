#include "analysis/ranks/mpi_calls.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "reel/units.hpp"

namespace reel::analysis {

MpiCalls::MpiCalls(const Trace& trace) {
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> numbers;  // by name and peer
  std::map<std::uint32_t, bool> is_mpi;                                      // by name
  std::vector<std::pair<std::uint64_t, std::uint64_t>> spans;
  for (const TraceCall call : trace.calls()) {
    if (call.command != no_index || call.end_ns < call.begin_ns) continue;
    const auto [known, is_new] = is_mpi.try_emplace(call.name, false);
    if (is_new) known->second = trace.text(call.name).starts_with("MPI_");
    if (!known->second) continue;
    const auto [number, is_other] =
        numbers.try_emplace({call.name, call.peer}, static_cast<std::uint32_t>(kinds_.size()));
    if (is_other) {
      kinds_.push_back({trace.text(call.name)});
      if (call.peer != no_index) kinds_.back().peer = call.peer;
    }
    RankMpi& kind = kinds_[number->second];
    ++kind.calls;
    kind.bytes += call.bytes;
    calls_.push_back({call.begin_ns, call.end_ns, number->second});
    spans.emplace_back(call.begin_ns, call.end_ns);
  }
  spans_ = Intervals(std::move(spans));
}

void MpiCalls::tell(RankStep& step, RankStep& next, const Intervals& busy) const {
  if (!step.has_times() || !next.has_times() || next.started_ns < step.started_ns) return;
  std::uint64_t moment = step.started_ns;
  const auto first = std::ranges::lower_bound(calls_, step.started_ns, {}, &Call::begin_ns);
  auto end = first;
  for (; end != calls_.end() && end->begin_ns < next.started_ns; ++end)
    if (end->end_ns <= next.started_ns) moment = std::max(moment, end->end_ns);
  // Whoever doesn't call MPI between its steps begins when its device does.
  if (moment == step.started_ns) moment = next.started_ns;
  next.begin_ns = moment;
  if (step.begin_ns == 0) return;
  step.until_ns = moment;

  const auto idle_in = [&](std::uint64_t from, std::uint64_t to) {
    return to > from ? to - from - busy.covered(from, to) : 0;
  };
  std::map<std::uint32_t, std::uint64_t> by_kind;
  for (auto call = first; call != end; ++call)
    by_kind[call->kind] += idle_in(call->begin_ns, std::min(call->end_ns, moment));
  step.waits.assign(by_kind.begin(), by_kind.end());
  spans_.for_each_within(step.begin_ns, moment, [&](std::uint64_t from, std::uint64_t to) {
    step.mpi_ns += idle_in(from, to);
  });
  if (moment > step.ended_ns)
    step.after_ns = moment - step.ended_ns - spans_.covered(step.ended_ns, moment);
}

std::string text_of(const RankWait& wait) {
  std::string text = wait.name;
  if (wait.peer) text += fmt::format(" with rank {}", *wait.peer);
  if (wait.bytes) text += ", " + size_text(wait.bytes);
  return text;
}

}  // namespace reel::analysis
