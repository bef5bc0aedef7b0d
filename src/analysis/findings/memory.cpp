// Memory at its peak, and memory nobody needed.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "analysis/findings/rules.hpp"
#include "reel/units.hpp"

namespace reel::analysis {

namespace {

std::uint64_t size_of_all(const Case& c, const std::vector<std::uint32_t>& buffers) {
  std::uint64_t sum = 0;
  for (const std::uint32_t b : buffers) sum += c.trace.buffers()[b].size_bytes;
  return sum;
}

void largest_first(const Case& c, std::vector<std::uint32_t>& buffers) {
  std::ranges::stable_sort(buffers, std::ranges::greater{},
                           [&](std::uint32_t b) { return c.trace.buffers()[b].size_bytes; });
}

Finding about(const Case& c, const char* id, std::vector<std::uint32_t> buffers) {
  largest_first(c, buffers);
  Finding finding{.id = id};
  finding.numbers = {{"buffers", "", static_cast<double>(buffers.size())},
                     {"size", "bytes", static_cast<double>(size_of_all(c, buffers))}};
  finding.evidence.buffers = some(std::move(buffers));
  return finding;
}

void peak(const Case& c, Findings& findings) {
  const Memory& memory = c.report.memory;
  if (memory.peak_bytes == 0) return;
  std::vector<std::uint32_t> alive, idle;
  for (std::uint32_t b = 0; b < memory.buffers.size(); ++b) {
    const BufferUse& use = memory.buffers[b];
    if (!use.at_peak) continue;
    alive.push_back(b);
    // Of what no command touches, only what was freed is known to be needless.
    if (use.peak_use == PeakUse::not_yet || use.peak_use == PeakUse::no_longer ||
        (use.peak_use == PeakUse::never && c.trace.buffers()[b].allocated_ns && !use.outlives))
      idle.push_back(b);
  }
  Finding finding = about(c, "mem.peak", alive);
  if (alive.size() == 1)
    finding.title = fmt::format("At most {} was allocated at once, in one buffer: {}.",
                                size_text(memory.peak_bytes),
                                describe_buffer(c.trace, finding.evidence.buffers[0]));
  else
    finding.title =
        fmt::format("At most {} was allocated at once, in {}; the largest is {} with {}.",
                    size_text(memory.peak_bytes), count_text(alive.size(), "buffer"),
                    describe_buffer(c.trace, finding.evidence.buffers[0]),
                    size_text(c.trace.buffers()[finding.evidence.buffers[0]].size_bytes));
  finding.evidence.begin_ns = memory.peak_ns;
  finding.evidence.end_ns = memory.peak_ns + 1;
  findings.push_back(std::move(finding));

  // Before the capture began nothing was allocated in it: then the peak tells of no moment.
  const bool moves = memory.curve.size() > 2;
  const std::uint64_t idle_bytes = size_of_all(c, idle);
  if (!moves || idle_bytes * 10 < memory.peak_bytes) return;
  Finding dead = about(c, "mem.dead", idle);
  dead.severity = Severity::info;
  dead.title = fmt::format(
      "At the peak, {} of the {} allocated were not needed: not yet used, or no longer.",
      size_text(idle_bytes), size_text(memory.peak_bytes));
  dead.advice = "Allocate later, free earlier, or let buffers share memory.";
  dead.confidence = Confidence::likely;
  dead.saving_bytes = idle_bytes;
  dead.formula =
      "buffers allocated at the peak that were first used after it, or last used before it and "
      "freed "
      "later";
  dead.evidence.begin_ns = memory.peak_ns;
  dead.evidence.end_ns = memory.peak_ns + 1;
  findings.push_back(std::move(dead));
}

void never_used(const Case& c, Findings& findings) {
  std::vector<std::uint32_t> untouched, unread;
  for (std::uint32_t b = 0; b < c.trace.buffers().size(); ++b) {
    const TraceBuffer& buffer = c.trace.buffers()[b];
    const BufferUse& use = c.report.memory.buffers[b];
    // What was there before, or lives on, may be used outside of what was recorded.
    if (!buffer.allocated_ns || !buffer.freed_ns) continue;
    if (use.first == no_index)
      untouched.push_back(b);
    else if (use.reads == 0 && !c.is_host_visible(b))
      unread.push_back(b);
  }
  const auto add = [&](std::vector<std::uint32_t>& buffers, const char* what) {
    if (buffers.empty()) return;
    const std::uint64_t bytes = size_of_all(c, buffers);
    Finding finding = about(c, "mem.never", buffers);
    finding.severity = Severity::warning;
    finding.title =
        fmt::format("{} of {} {}; largest is {}.", count_text(buffers.size(), "buffer"),
                    size_text(bytes), what, describe_buffer(c.trace, finding.evidence.buffers[0]));
    finding.advice = "Remove them, and the commands that write them.";
    finding.saving_bytes = bytes;
    finding.formula = "their sizes";
    findings.push_back(std::move(finding));
  };
  add(untouched, untouched.size() == 1 ? "was allocated and freed, and no command touched it"
                                       : "were allocated and freed, and no command touched them");
  add(unread, unread.size() == 1 ? "was written but never read" : "were written but never read");
}

// More is alive after each pass than before it.
void leaks(const Case& c, Findings& findings) {
  const auto& passes = c.report.passes;
  if (passes.size() < 3) return;
  std::vector<std::pair<std::uint64_t, std::uint32_t>> staying;  // when allocated
  for (std::uint32_t b = 0; b < c.trace.buffers().size(); ++b) {
    const TraceBuffer& buffer = c.trace.buffers()[b];
    if (buffer.allocated_ns && !buffer.freed_ns) staying.emplace_back(*buffer.allocated_ns, b);
  }
  std::ranges::sort(staying);
  std::vector<std::uint32_t> kept;
  std::size_t growing = 0, next = 0;
  // The first pass allocates what all others use.
  while (next < staying.size() && staying[next].first < passes[1].begin_ns) ++next;
  for (std::size_t p = 1; p < passes.size(); ++p) {
    const std::size_t before = kept.size();
    const std::uint64_t until = p + 1 < passes.size() ? passes[p + 1].begin_ns : passes[p].end_ns;
    for (; next < staying.size() && staying[next].first < until; ++next)
      kept.push_back(staying[next].second);
    growing += kept.size() > before;
  }
  if (growing * 3 < (passes.size() - 1) * 2) return;
  const std::uint64_t bytes = size_of_all(c, kept);
  Finding finding = about(c, "mem.leak", kept);
  finding.severity = Severity::warning;
  finding.confidence = Confidence::likely;
  finding.title = fmt::format("Memory grows from pass to pass: {} in {} passes, about {} each.",
                              size_text(bytes), growing, size_text(bytes / growing));
  finding.advice = "Free them at the end of a pass, or reuse them.";
  finding.saving_bytes = bytes;
  finding.formula = "buffers allocated in a pass after the first and never freed";
  findings.push_back(std::move(finding));
}

void churn(const Case& c, Findings& findings) {
  std::map<std::uint64_t, std::vector<std::uint32_t>> by_size;
  for (std::uint32_t b = 0; b < c.trace.buffers().size(); ++b) {
    const TraceBuffer& buffer = c.trace.buffers()[b];
    if (buffer.allocated_ns && buffer.freed_ns) by_size[buffer.size_bytes].push_back(b);
  }
  std::vector<std::uint32_t> churned;
  std::uint64_t largest = 0;
  // One in each pass, and not just a few in all.
  const std::size_t enough = std::max<std::size_t>(8, c.report.passes.size());
  for (const auto& [size, buffers] : by_size) {
    if (buffers.size() < enough) continue;
    churned.insert(churned.end(), buffers.begin(), buffers.end());
    largest = std::max(largest, size);
  }
  if (churned.empty()) return;
  std::vector<std::uint64_t> allocated_ns;
  for (const std::uint32_t b : churned) allocated_ns.push_back(*c.trace.buffers()[b].allocated_ns);
  std::ranges::sort(allocated_ns);
  std::uint64_t calls_ns = 0;
  for (const TraceCall& call : c.trace.calls()) {
    const std::string& name = c.trace.text(call.name);
    if (call.command != no_index || (name != "Device::buffer()" && name != "clCreateBuffer"))
      continue;
    const auto made = std::ranges::lower_bound(allocated_ns, call.begin_ns);
    if (made != allocated_ns.end() && *made <= call.end_ns) calls_ns += call.end_ns - call.begin_ns;
  }
  Finding finding = about(c, "mem.churn", churned);
  finding.severity = Severity::warning;
  finding.title =
      fmt::format("{} of equal sizes were allocated and freed repeatedly, up to {} each.",
                  count_text(churned.size(), "buffer"), size_text(largest));
  finding.advice = "Keep a buffer of each size and reuse it.";
  if (calls_ns) {
    finding.saving_ns = calls_ns;
    finding.formula = "the time of the calls that allocated them";
  }
  findings.push_back(std::move(finding));
}

}  // namespace

void memory_rule(const Case& c, Findings& findings) {
  peak(c, findings);
  never_used(c, findings);
  leaks(c, findings);
  churn(c, findings);
}

}  // namespace reel::analysis
