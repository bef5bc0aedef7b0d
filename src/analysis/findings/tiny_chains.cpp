#include "analysis/findings/tiny_chains.hpp"

#include "document/trace/ranges.hpp"
#include "reel/dependency_sets.hpp"

namespace reel::analysis {

std::vector<TinyChain> find_tiny_chains(const Trace& trace, const Report& report) {
  constexpr std::size_t shortest = 3;
  const TraceCommands& commands = trace.commands();
  const std::vector<TraceWork>& works = trace.works();
  const std::size_t count = commands.size();
  // The only command that reads what it wrote; `several` where there are more.
  constexpr std::uint32_t several = no_index - 1;
  const DependencySets sets(report.dependency_sets);
  auto feeds = sets.values(count, no_index);
  const auto add = [](std::uint32_t& reader, std::uint32_t another) {
    if (another != no_index && another != reader) reader = reader == no_index ? another : several;
  };
  for (const Dependency& d : report.dependencies)
    if (d.kind == DependencyKind::data) add(feeds.of(d), d.to);
  sets.spread(feeds, add);
  std::vector<std::uint32_t> last(trace.streams().size(), no_index);
  std::vector<bool> is_last_tiny(last.size());
  std::vector<std::uint32_t> before(count, no_index);  // in its chain
  std::vector<bool> goes_on(count);
  for (std::uint32_t i = 0; i < count; ++i) {
    const TraceCommand command = commands[i];
    const std::uint32_t stream = command.stream, previous = last[stream];
    // One that is short may have been skipped, where it has a predicate.
    const bool is_tiny = works[command.work].kind == WorkKind::dispatch &&
                         command.has_run_times() && command.run_ns() < tiny_kernel_ns &&
                         !predicate_of(trace, works[command.work]);
    const bool was_tiny = is_last_tiny[stream];
    last[stream] = i;
    is_last_tiny[stream] = is_tiny;
    if (previous == no_index || !is_tiny || !was_tiny) continue;
    if (feeds.of_command[previous] != i) continue;
    before[i] = previous;
    goes_on[previous] = true;
  }
  std::vector<TinyChain> chains;
  for (std::uint32_t i = 0; i < count; ++i) {
    if (goes_on[i] || before[i] == no_index) continue;
    TinyChain chain{i};
    while (before[chain.back()] != no_index) chain.push_back(before[chain.back()]);
    if (chain.size() >= shortest) chains.emplace_back(chain.rbegin(), chain.rend());
  }
  return chains;
}

}  // namespace reel::analysis
