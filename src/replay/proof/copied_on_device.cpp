// Bytes that come from the host though the device has them: copied there instead.
#include <fmt/format.h>

#include <list>

#include "document/trace/ranges.hpp"
#include "replay/proof/experiments.hpp"

namespace reel::rerun {

namespace {

struct Range {
  std::uint32_t buffer = no_index;
  std::uint64_t begin = 0, end = 0;

  bool overlaps(std::uint32_t other, std::uint64_t first, std::uint64_t last) const {
    return buffer == other && begin < last && first < end;
  }
};

// The only one that it touches this way; none: it touches several.
std::optional<Range> range_of(const Trace& trace, std::uint32_t command, bool written) {
  std::optional<Range> found;
  bool is_one = true;
  for_each_range(
      trace, trace.work_of(trace.commands()[command]),
      [&](const TraceArgument& range, Access access) {
        if (written ? !writes(access) : !reads(access)) return;
        is_one = !found;
        found = Range{range.buffer, range.offset_bytes, range.offset_bytes + range.size_bytes};
      });
  return is_one ? found : std::nullopt;
}

// Does anything between two actions change it?
bool stays(const Trace& trace, const std::vector<Action>& actions, const Range& range,
           std::uint32_t after, std::uint32_t before) {
  for (const Action& action : actions) {
    if (action.command <= after || action.command >= before) continue;
    bool is_changed = false;
    if (action.kind == Action::Kind::put) {
      const TraceContents& row = trace.contents()[action.contents];
      is_changed = range.overlaps(row.buffer, row.offset_bytes, row.offset_bytes + row.size_bytes);
    } else if (action.kind == Action::Kind::run) {
      for_each_range(trace, trace.work_of(trace.commands()[action.command]),
                     [&](const TraceArgument& touched, Access access) {
                       is_changed |= writes(access) &&
                                     range.overlaps(touched.buffer, touched.offset_bytes,
                                                    touched.offset_bytes + touched.size_bytes);
                     });
    }
    if (is_changed) return false;
  }
  return true;
}

// What a write brings, by the hashes of its pages.
const TraceContents* written_by(const Bench& bench, std::uint32_t command) {
  const TraceContents* found = nullptr;
  for (const Action& action : bench.recorded().actions)
    if (action.kind == Action::Kind::put && action.command == command)
      if (const TraceContents& row = bench.trace().contents()[action.contents];
          row.role == ContentRole::written)
        found = &row;
  return found;
}

// Where the bytes of this write are when it comes; `read`: the command that brought them to the
// host, in a round trip.
std::optional<Range> source_of(const Bench& bench, std::uint32_t write, std::uint32_t read) {
  const Trace& trace = bench.trace();
  const auto& actions = bench.recorded().actions;
  if (read != no_index) {
    const auto range = range_of(trace, read, false);
    return range && stays(trace, actions, *range, read, write) ? range : std::nullopt;
  }
  const TraceContents* brought = written_by(bench, write);
  if (!brought) return std::nullopt;
  for (const Action& action : actions) {
    if (action.kind != Action::Kind::put || action.command >= write) continue;
    const TraceContents& row = trace.contents()[action.contents];
    if (row.role != ContentRole::written || row.size_bytes != brought->size_bytes ||
        !std::ranges::equal(trace.pages(row), trace.pages(*brought)))
      continue;
    const Range range{row.buffer, row.offset_bytes, row.offset_bytes + row.size_bytes};
    if (stays(trace, actions, range, action.command, write)) return range;
  }
  return std::nullopt;
}

}  // namespace

Proof copied_on_device(const Trial& trial) {
  Bench& bench = trial.bench;
  const Trace& trace = bench.trace();
  bench.check_one_device();
  if (const std::string& why = bench.why_results_tell_nothing(); !why.empty())
    return not_tried(fmt::format("Nothing would be shown by copying on the device: {}.", why));
  // Reads of a round trip, by the write that brings the bytes back.
  std::map<std::uint32_t, std::uint32_t> reads;
  const auto& named = trial.finding.evidence.commands;
  if (trial.finding.id == "copy.roundtrip")
    for (std::size_t i = 0; i + 1 < named.size(); i += 2) reads[named[i + 1]] = named[i];
  std::map<std::uint32_t, Range> sources;
  std::size_t tried = 0;
  double claimed_ns = 0;
  for (const std::uint32_t write : named) {
    const bool is_write =
        trace.work_of(trace.commands()[write]).kind == WorkKind::write && bench.runs(write);
    if (!is_write) continue;
    ++tried;
    const auto read = reads.find(write);
    const auto target = range_of(trace, write, true);
    const auto source = source_of(bench, write, read == reads.end() ? no_index : read->second);
    if (!source || !target || target->end - target->begin != source->end - source->begin ||
        source->overlaps(target->buffer, target->begin, target->end))
      continue;
    sources[write] = *source;
    claimed_ns += static_cast<double>(trial.report.own_ns[write]);
    if (read != reads.end()) claimed_ns += static_cast<double>(trial.report.own_ns[read->second]);
  }
  if (sources.empty())
    return not_tried("When these bytes come, the place where the device had them is overwritten.");

  // Reads are only looked at in a replay; in the recorded way they are made, as the program did.
  std::list<std::vector<std::byte>> read_bytes;
  std::map<std::uint32_t, Command> copies, downloads;
  std::set<std::uint32_t> replaced;
  const auto on_stage = [&](const Range& range) {
    return bench.stage().range(range.buffer, range.begin, range.end - range.begin);
  };
  for (const auto& [write, source] : sources) {
    replaced.insert(write);
    copies.insert(
        {write, {Copy{on_stage(*range_of(trace, write, true)), on_stage(source)}, "copy"}});
    if (!reads.contains(write)) continue;
    auto& bytes = read_bytes.emplace_back(source.end - source.begin);
    downloads.insert({reads[write], {Read{on_stage(source), bytes}, "read"}});
  }
  const Plan before = bench.with_others(downloads), after = bench.with_others(copies);
  Proof proof;
  if (const auto change = bench.first_change(bench.recorded(), after, bench.recorded_results(),
                                             bench.results(after))) {
    proof.verdict = ProofVerdict::withdrawn;
    proof.sentence = fmt::format("With {} copied on the device instead, {}.", names_text(replaced),
                                 change_text(trace, *change));
    return proof;
  }
  proof.sentence = fmt::format("With {} copied on the device instead, all results are the same.",
                               names_text(replaced));
  if (sources.size() < tried)
    proof.sentence += fmt::format(" The other {} come when the place they were in is overwritten.",
                                  tried - sources.size());
  const auto saving = bench.measure(before, after, trial.seconds);
  if (!saving) {
    proof.verdict = ProofVerdict::inconclusive;
    proof.sentence += " " + bench.why_too_few();
    return proof;
  }
  proof.sentence += fmt::format(" Measured: {}", saving_text(*saving));
  add_verdict(*saving, claimed_ns > 0 ? std::optional(claimed_ns) : std::nullopt, proof);
  proof.sentence += '.';
  return proof;
}

}  // namespace reel::rerun
