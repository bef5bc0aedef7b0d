// overheads.cpp - what capture took, from the rows of its spans.
#include <algorithm>
#include <tuple>
#include <vector>

#include "reel/trace.hpp"

namespace reel {

namespace {

// Rows of the others say how much, not when.
bool is_span(OverheadKind kind) { return kind <= OverheadKind::stopping; }

}  // namespace

std::array<std::uint64_t, overhead_kinds> overhead_ns(std::span<const TraceOverhead> overheads) {
  std::array<std::uint64_t, overhead_kinds> ns{};
  std::vector<const TraceOverhead*> spans;
  for (const TraceOverhead& overhead : overheads) {
    ns[static_cast<std::size_t>(overhead.kind)] += overhead.end_ns - overhead.begin_ns;
    if (is_span(overhead.kind)) spans.push_back(&overhead);
  }
  // Of each thread from left to right, the outer before what lies within.
  std::ranges::sort(spans, [](const TraceOverhead* a, const TraceOverhead* b) {
    return std::tuple(a->thread, a->begin_ns, b->end_ns) <
           std::tuple(b->thread, b->begin_ns, a->end_ns);
  });
  std::vector<const TraceOverhead*> around;
  for (const TraceOverhead* span : spans) {
    while (!around.empty() &&
           (around.back()->thread != span->thread || around.back()->end_ns <= span->begin_ns))
      around.pop_back();
    if (!around.empty())
      ns[static_cast<std::size_t>(around.back()->kind)] -=
          std::min(span->end_ns, around.back()->end_ns) - span->begin_ns;
    around.push_back(span);
  }
  return ns;
}

}  // namespace reel
