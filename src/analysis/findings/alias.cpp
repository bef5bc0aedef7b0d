// Buffers that are never needed at the same time, each with memory of its own.
#include <fmt/format.h>

#include <algorithm>

#include "analysis/findings/rules.hpp"
#include "document/trace/ranges.hpp"
#include "reel/units.hpp"

namespace reel::analysis {

namespace {

// What passes do with a buffer, in commands from the begin of a pass on.
struct Life {
  std::uint32_t first = no_index, last = 0;
  std::uint32_t pass = no_index;  // the last one that used it
  std::uint32_t passes = 0;
  bool is_read_last = false;  // by the last command that used it
  bool is_out = false;        // its bytes matter before or after a pass
};

class Lives {
 public:
  explicit Lives(const Case& c) : case_(c), lives_(c.trace.buffers().size()) {
    const auto& passes = c.report.passes;
    std::uint32_t end = 0;
    for (std::uint32_t p = 0; p < passes.size(); ++p) {
      if (p > 0) see_outside(end, passes[p].first);
      for (std::uint32_t i = passes[p].first; i < passes[p].end; ++i)
        see(p, i - passes[p].first, c.work(i));
      end = passes[p].end;
    }
    see_outside(end, static_cast<std::uint32_t>(c.commands.size()));
  }

  // Written completely at first in every pass, and read at last: nobody else can want its bytes.
  bool is_passing(std::uint32_t buffer) const {
    const Life& life = lives_[buffer];
    return !life.is_out && life.passes > 1 && life.is_read_last;
  }
  const Life& of(std::uint32_t buffer) const { return lives_[buffer]; }

 private:
  void see_outside(std::uint32_t first, std::uint32_t end) {
    for (std::uint32_t i = first; i < end; ++i)
      for_each_range(case_.trace, case_.work(i), [&](const TraceArgument& range, Access) {
        lives_[range.buffer].is_out = true;
      });
  }

  void see(std::uint32_t pass, std::uint32_t at, const TraceWork& work) {
    for_each_range(case_.trace, work, [&](const TraceArgument& range, Access access) {
      Life& life = lives_[range.buffer];
      const TraceBuffer& buffer = case_.trace.buffers()[range.buffer];
      if (life.pass != pass) {
        // The last pass ended with bytes that nobody had read.
        if (life.pass != no_index && !life.is_read_last) life.is_out = true;
        life.pass = pass;
        ++life.passes;
        life.first = std::min(life.first, at);
        if (access != Access::write || range.offset_bytes != 0 ||
            range.size_bytes != buffer.size_bytes || range.view != no_index)
          life.is_out = true;
      }
      life.last = std::max(life.last, at);
      life.is_read_last = reads(access);
    });
  }

  const Case& case_;
  std::vector<Life> lives_;  // by buffer
};

// The most bytes that are needed at once.
std::uint64_t most_at_once(const Case& c, const Lives& lives,
                           const std::vector<std::uint32_t>& buffers) {
  std::vector<std::pair<std::uint32_t, std::int64_t>> changes;
  for (const std::uint32_t b : buffers) {
    const auto size = static_cast<std::int64_t>(c.trace.buffers()[b].size_bytes);
    changes.emplace_back(lives.of(b).first, size);
    changes.emplace_back(lives.of(b).last + 1, -size);
  }
  std::ranges::sort(changes);  // what ends goes before what begins
  std::int64_t now = 0, most = 0;
  for (const auto& [at, change] : changes) most = std::max(most, now += change);
  return static_cast<std::uint64_t>(most);
}

bool is_on_one_stream(const Case& c) {
  const auto& passes = c.report.passes;
  const std::uint32_t stream = c.command(passes[0].first).stream;
  for (const Pass& pass : passes)
    for (std::uint32_t i = pass.first; i < pass.end; ++i)
      if (c.command(i).stream != stream) return false;
  return true;
}

}  // namespace

void alias_rule(const Case& c, Findings& findings) {
  if (c.report.passes.size() < 2 || c.report.memory.peak_bytes == 0 || !is_on_one_stream(c)) return;
  const Lives lives(c);
  std::vector<std::uint32_t> buffers;
  std::uint64_t sum = 0;
  for (std::uint32_t b = 0; b < c.trace.buffers().size(); ++b)
    if (lives.is_passing(b)) {
      buffers.push_back(b);
      sum += c.trace.buffers()[b].size_bytes;
    }
  const std::uint64_t needed = most_at_once(c, lives, buffers), saving = sum - needed;
  if (saving == 0 || saving * 10 < c.report.memory.peak_bytes) return;
  std::ranges::stable_sort(buffers, std::ranges::greater{},
                           [&](std::uint32_t b) { return c.trace.buffers()[b].size_bytes; });
  // The largest two that could be one.
  const auto are_apart = [&](std::uint32_t a, std::uint32_t b) {
    return lives.of(a).last < lives.of(b).first || lives.of(b).last < lives.of(a).first;
  };
  std::string example;
  constexpr std::size_t looked_at = 200;
  for (std::size_t i = 0; i < std::min(buffers.size(), looked_at) && example.empty(); ++i)
    for (std::size_t k = i + 1; k < std::min(buffers.size(), looked_at) && example.empty(); ++k)
      if (are_apart(buffers[i], buffers[k]))
        example =
            fmt::format(" {} and {} could be the same memory, for one.",
                        describe_buffer(c.trace, buffers[i]), describe_buffer(c.trace, buffers[k]));
  Finding finding{.id = "mem.alias", .severity = Severity::info};
  finding.confidence = Confidence::likely;
  finding.title = fmt::format(
      "{} of {} are written anew in each pass and read within it, and at most {} of that is needed "
      "at the same time.{}",
      count_text(buffers.size(), "buffer"), size_text(sum), size_text(needed), example);
  finding.advice = "Let those share memory that are needed one after the other.";
  finding.numbers = {{"buffers", "", static_cast<double>(buffers.size())},
                     {"size", "bytes", static_cast<double>(sum)},
                     {"needed", "bytes", static_cast<double>(needed)}};
  finding.saving_bytes = saving;
  finding.formula = "their sizes - the most that lies between a first and a last use in a pass";
  finding.evidence.buffers = some(std::move(buffers));
  findings.push_back(std::move(finding));
}

}  // namespace reel::analysis
