// Advice of one finding that another one makes needless, or that can't be followed as well. The
// second then says what to do first.
#include <fmt/format.h>

#include <algorithm>

#include "analysis/findings/rules.hpp"

namespace reel::analysis {

namespace {

bool share(const std::vector<std::uint32_t>& a, const std::vector<std::uint32_t>& b) {
  return std::ranges::any_of(
      a, [&](std::uint32_t one) { return std::ranges::find(b, one) != b.end(); });
}

bool always(const Finding&, const Finding&) { return true; }
bool of_same_commands(const Finding& first, const Finding& second) {
  return share(first.evidence.commands, second.evidence.commands);
}
bool of_same_buffers(const Finding& first, const Finding& second) {
  return share(first.evidence.buffers, second.evidence.buffers);
}
// Of commands that are nodes already it doesn't.
bool advises_a_graph(const Finding& first, const Finding&) {
  return first.advice.find("into a graph") != std::string::npos;
}

struct Pair {
  const char *first, *second;
  bool (*meet)(const Finding& first, const Finding& second);
  const char* then;  // added to the advice of the second
};
constexpr const char* graph_first =
    "A graph, as {} advises, saves the launches that this counts: try that first, and fuse what is "
    "still slow then.";
constexpr const char* streams_later =
    "A graph, as {} advises, finds them too: measure again after that, before adding streams.";
constexpr const char* keep =
    "Not for buffers that are to be kept and reused ({}): let those share memory instead.";
constexpr const char* leave_out = "Leave out what {} names first: nobody reads those bytes.";
constexpr const char* mend_first =
    "Mend {} first: one of these may be meant for it, in the wrong place.";

constexpr Pair pairs[] = {
    {"launch.bound", "fuse.tiny", always, graph_first},
    {"idle.launch", "fuse.tiny", advises_a_graph, graph_first},
    {"launch.bound", "overlap.lost", always, streams_later},
    {"idle.launch", "overlap.lost", advises_a_graph, streams_later},
    {"launch.shape", "overlap.lost", always,
     "Kernels that fill the device, as {} advises, leave no room beside them: try that first."},
    {"mem.churn", "mem.dead", of_same_buffers, keep},
    {"idle.alloc", "mem.dead", always, keep},
    {"mem.alias", "mem.dead", of_same_buffers,
     "Sharing memory, as {} advises, saves some of the same bytes."},
    {"mem.never", "mem.churn", of_same_buffers,
     "Not those that {} names: nobody needs them, so don't allocate them at all."},
    {"copy.unused", "copy.redundant", of_same_commands, leave_out},
    {"copy.unused", "copy.roundtrip", of_same_commands, leave_out},
    {"copy.unused", "upload.dup", of_same_commands, leave_out},
    {"copy.unused", "copy.small", of_same_commands, leave_out},
    {"copy.redundant", "copy.small", of_same_commands,
     "Leave out what {} names first: those bytes were there already."},
    {"race", "barrier.redundant", always, mend_first},
    {"sync.missing", "barrier.redundant", always, mend_first},
    {"sync.visibility", "barrier.redundant", always, mend_first},
    {"sync.missing", "barrier.wide", always, mend_first},
    {"sync.visibility", "barrier.wide", always, mend_first},
};

}  // namespace

void put_together(Findings& findings) {
  for (Finding& second : findings)
    for (const Pair& pair : pairs) {
      if (second.id != pair.second) continue;
      const auto first = std::ranges::find_if(findings, [&](const Finding& candidate) {
        return candidate.id == pair.first && pair.meet(candidate, second);
      });
      if (first == findings.end()) continue;
      // Two that advise the same thing are one reason.
      const bool is_said = std::ranges::any_of(second.after, [&](const std::string& id) {
        return std::ranges::any_of(pairs, [&](const Pair& said) {
          return said.first == id && said.second == second.id && said.then == pair.then;
        });
      });
      second.after.push_back(first->id);
      if (!is_said) second.advice += ' ' + fmt::format(fmt::runtime(pair.then), first->id);
    }
}

}  // namespace reel::analysis
