#include "analysis/sync/host_knowledge.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <map>
#include <span>
#include <string>

namespace reel::analysis {

HostKnowledge::HostKnowledge(const Trace& trace, By by) {
  constexpr std::array words{"finish", "wait",      "synchronize", "map",    "read", "event",
                             "fence",  "semaphore", "idle",        "status", "stop", "query"};
  constexpr std::array others{"vkgeteventstatus", "vksetevent", "vksignalsemaphore",
                              "vkgetquerypoolresults"};
  const std::span<const char* const> counted =
      by == By::events ? std::span<const char* const>(others) : words;
  std::map<std::uint32_t, bool> tells;  // by name
  for (const TraceCall& call : trace.calls()) {
    const auto [known, is_new] = tells.try_emplace(call.name, false);
    if (is_new) {
      std::string name = trace.text(call.name);
      std::ranges::transform(name, name.begin(),
                             [](unsigned char letter) { return std::tolower(letter); });
      known->second = std::ranges::any_of(
          counted, [&](const char* word) { return name.find(word) != std::string::npos; });
    }
    if (known->second) returned_ns_.push_back(call.end_ns);
  }
  std::ranges::sort(returned_ns_);
}

bool HostKnowledge::came_between(const TraceCommand& earlier, const TraceCommand& later) const {
  const auto found = std::ranges::lower_bound(returned_ns_, earlier.call_end_ns);
  return found != returned_ns_.end() && *found <= later.call_begin_ns;
}

}  // namespace reel::analysis
