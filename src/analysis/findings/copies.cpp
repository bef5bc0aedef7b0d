// Bytes moved for nothing.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "analysis/contents/copied_ranges.hpp"
#include "analysis/contents/known_contents.hpp"
#include "analysis/findings/rules.hpp"
#include "document/trace/ranges.hpp"
#include "reel/dependency_sets.hpp"
#include "reel/units.hpp"

namespace reel::analysis {

namespace {

constexpr std::uint64_t smallest_duplicate = 64u << 10;
constexpr std::uint64_t smallest_round_trip = 4u << 10;
constexpr std::uint64_t small_copy = 4u << 10;

// Commands that share a fault.
struct Group {
  std::vector<std::uint32_t> commands;
  std::uint64_t bytes = 0;

  void add(std::uint32_t command, std::uint64_t size) {
    commands.push_back(command);
    bytes += size;
  }
};

// Whose time a finding has claimed: a transfer that two name is saved once, by the first.
class Claims {
 public:
  explicit Claims(const Case& c) : c_(c), is_claimed_(c.commands.size(), false) {}

  struct Claimed {
    std::uint64_t ns = 0;    // that nobody claimed before
    bool is_shared = false;  // others claimed a part
  };
  Claimed claim(const Group& group) {
    Claimed claimed;
    for (const std::uint32_t command : group.commands) {
      if (!is_claimed_[command]) claimed.ns += c_.report.own_ns[command];
      claimed.is_shared = claimed.is_shared || is_claimed_[command];
      is_claimed_[command] = true;
    }
    return claimed;
  }

 private:
  const Case& c_;
  std::vector<bool> is_claimed_;
};

Finding finding_of(const Case& c, Claims& claims, const char* id, const Group& group,
                   std::string title, const char* advice) {
  Finding finding{.id = id};
  const auto [ns, is_shared] = claims.claim(group);
  finding.severity = c.is_worth(ns) ? Severity::warning : Severity::info;
  finding.title = std::move(title);
  finding.advice = advice;
  finding.numbers = {{"commands", "", static_cast<double>(group.commands.size())},
                     {"moved", "bytes", static_cast<double>(group.bytes)}};
  finding.evidence.commands = some(group.commands);
  if (ns) {
    finding.saving_ns = ns;
    finding.formula = is_shared ? "the time these took, but for those that another finding counts"
                                : "the time these took";
  }
  return finding;
}

// None where there are several: rows of a rectangle.
const TraceArgument* target_of(const Case& c, const TraceWork& work) {
  const TraceArgument* target = nullptr;
  for (const TraceArgument& argument : c.trace.arguments(work))
    if (argument.kind == ArgumentKind::buffer && argument.buffer != no_index &&
        writes(argument.access) && argument.size_bytes) {
      if (target) return nullptr;
      target = &argument;
    }
  return target;
}

bool moves_bytes(WorkKind kind) { return kind == WorkKind::copy || kind == WorkKind::write; }

void add_same_bytes(const Case& c, Claims& claims, Findings& findings) {
  // Without any, nobody looked whether the host wrote memory that it had mapped.
  if (c.trace.contents().empty()) return;
  const bool has_copies = c.has_work_of({WorkKind::copy});
  if (!has_copies && !c.has_work_of({WorkKind::write})) return;
  KnownContents known(c.trace);
  CopiedRanges copied(c.trace);
  const auto is_copied_again = [&](std::uint32_t i) {
    if (!has_copies || !copied.is_known_to_be_there(i)) return false;
    return std::ranges::none_of(c.trace.arguments(c.work(i)), [&](const TraceArgument& range) {
      return c.is_host_visible(range.buffer) ||
             c.trace.buffers()[range.buffer].kind == BufferKind::svm;
    });
  };
  Group redundant, round_trips, duplicates;
  std::size_t brought_back = 0;  // of the redundant ones
  struct ReadBack {
    std::uint32_t command;
    bool is_counted = false;
  };
  std::map<BlobId, ReadBack> read_back;                  // bytes that came to the host, by whom
  std::map<BlobId, std::vector<std::uint32_t>> uploads;  // large ones
  for (std::uint32_t i = 0; i < c.commands.size(); ++i) {
    known.before(i);
    if (has_copies) known.for_each_input([&](const TraceContents& one) { copied.forget(one); });
    const TraceWork& work = c.work(i);
    if (const TraceArgument* target = target_of(c, work); target && moves_bytes(work.kind)) {
      std::optional<BlobId> brought;
      if (work.kind == WorkKind::write) {
        brought = known.written();
      } else {
        const TraceArgument& source = c.trace.arguments(work)[0];
        if (source.buffer != no_index)
          brought = known.of(source.buffer, source.offset_bytes, source.size_bytes);
      }
      if ((brought &&
           known.of(target->buffer, target->offset_bytes, target->size_bytes) == brought) ||
          is_copied_again(i)) {
        redundant.add(i, target->size_bytes);
        brought_back += work.kind == WorkKind::write && brought && read_back.contains(*brought);
      } else if (brought && work.kind == WorkKind::write) {
        if (const auto read = read_back.find(*brought); read != read_back.end()) {
          // The same bytes, both ways: they count once, and so does a read that several bring back.
          if (!std::exchange(read->second.is_counted, true))
            round_trips.add(read->second.command, 0);
          round_trips.add(i, target->size_bytes);
        } else if (target->size_bytes >= smallest_duplicate) {
          auto& same = uploads[*brought];
          same.push_back(i);
          if (same.size() > 1) duplicates.add(i, target->size_bytes);
        }
      }
    }
    known.after(i);
    if (has_copies) copied.after(i);
    if (work.kind != WorkKind::read) continue;
    // What was read is most often recorded with the read itself, so it is known only then.
    for_each_range(c.trace, work, [&](const TraceArgument& range, Access) {
      const auto hash = known.of(range.buffer, range.offset_bytes, range.size_bytes);
      if (hash && range.size_bytes >= smallest_round_trip) read_back[*hash] = {i};
    });
  }
  if (!redundant.commands.empty())
    findings.push_back(finding_of(
        c, claims, "copy.redundant", redundant,
        fmt::format("{} wrote {} over the same bytes; the first is {}.{}",
                    count_text(redundant.commands.size(), "transfer"), size_text(redundant.bytes),
                    describe_command(c.trace, redundant.commands[0]),
                    brought_back == 0 ? std::string()
                    : brought_back == redundant.commands.size()
                        ? " What they brought had been read from the device."
                        : fmt::format(" What {} of them brought had been read from the device.",
                                      brought_back)),
        "Skip them while the source has not changed."));
  if (!round_trips.commands.empty())
    findings.push_back(
        finding_of(c, claims, "copy.roundtrip", round_trips,
                   fmt::format("{} went to the host and came back unchanged; first read by {}.",
                               size_text(round_trips.bytes),
                               describe_command(c.trace, round_trips.commands[0])),
                   "Keep them on the device, or copy from buffer to buffer."));
  const auto contents =
      std::ranges::count_if(uploads, [](const auto& upload) { return upload.second.size() > 1; });
  if (!duplicates.commands.empty())
    findings.push_back(finding_of(
        c, claims, "upload.dup", duplicates,
        fmt::format("{} uploaded bytes that had been uploaded before: {} of {}.",
                    count_text(duplicates.commands.size(), "write"), size_text(duplicates.bytes),
                    contents == 1
                        ? "the same content"
                        : count_text(static_cast<std::uint64_t>(contents), "different content")),
        "Upload once, and share the buffer or copy on the device."));
}

// A good part of what was recorded came after it: then a reader would most likely be there.
bool is_followed(const Case& c, std::uint32_t command) {
  constexpr std::uint64_t part = 10;
  const TimeSpan active = c.report.activity.active_span();
  const std::uint64_t ended = c.command(command).ended_ns;
  return ended && ended < active.end_ns && (active.end_ns - ended) * part >= c.active_ns();
}

// Written and then overwritten or freed, and nobody had looked; or not read until the end.
struct Unread {
  Group unused, dead, unread;
};
Unread find_unread(const Case& c) {
  Unread found;
  if (!c.has_work_of({WorkKind::copy, WorkKind::write, WorkKind::fill})) return found;
  const std::size_t count = c.commands.size();
  const DependencySets& sets = c.sets;
  auto is_read = sets.values<std::uint8_t>(count, false);
  std::vector<std::uint64_t> overwritten(count);
  for (const Dependency& d : c.report.dependencies) {
    if (d.kind == DependencyKind::data || d.kind == DependencyKind::missing) is_read.of(d) = true;
    // What is overwritten unread is never in a set.
    if (d.kind == DependencyKind::order && d.buffer != no_index && d.set == no_index)
      overwritten[d.from] += d.bytes;
  }
  sets.spread(is_read, [](std::uint8_t& member, std::uint8_t set) { member |= set; });
  for (std::uint32_t i = 0; i < count; ++i) {
    const TraceWork& work = c.work(i);
    const bool is_fill = work.kind == WorkKind::fill;
    if (!(is_fill || moves_bytes(work.kind)) || is_read.of_command[i]) continue;
    const TraceArgument* target = target_of(c, work);
    if (!target) continue;
    if (c.is_host_visible(target->buffer)) continue;
    // A copy reads too, and order may be about its source; then only a freed buffer is proof.
    const bool gone = (work.kind != WorkKind::copy && overwritten[i] >= target->size_bytes) ||
                      c.trace.buffers()[target->buffer].freed_ns.has_value();
    if (gone)
      (is_fill ? found.dead : found.unused).add(i, target->size_bytes);
    else if (!is_fill && overwritten[i] == 0 && is_followed(c, i) &&
             c.trace.buffers()[target->buffer].kind != BufferKind::svm)
      found.unread.add(i, target->size_bytes);
  }
  return found;
}

void add_unused(const Case& c, const Group& unused, Claims& claims, Findings& findings) {
  if (unused.commands.empty()) return;
  findings.push_back(finding_of(
      c, claims, "copy.unused", unused,
      fmt::format(
          "{} wrote {} that were overwritten or freed before they were read; the first is {}.",
          count_text(unused.commands.size(), "transfer"), size_text(unused.bytes),
          describe_command(c.trace, unused.commands[0])),
      "Leave them out."));
}

void add_unread(const Case& c, const Group& unread, Claims& claims, Findings& findings) {
  if (!unread.commands.empty()) {
    Finding finding = finding_of(
        c, claims, "copy.unused", unread,
        fmt::format("{} wrote {} that nothing in this recording reads; the first is {}.",
                    count_text(unread.commands.size(), "transfer"), size_text(unread.bytes),
                    describe_command(c.trace, unread.commands[0])),
        "Leave them out, unless something reads them after the recording ended.");
    finding.confidence = Confidence::possible;
    findings.push_back(std::move(finding));
  }
}

void add_dead_fills(const Case& c, const Group& dead, Claims& claims, Findings& findings) {
  if (!dead.commands.empty())
    findings.push_back(finding_of(
        c, claims, "fill.dead", dead,
        fmt::format("{} of {} overwritten before {} read; the first is {}.",
                    count_text(dead.commands.size(), "fill"),
                    size_text(dead.bytes) + (dead.commands.size() == 1 ? " was" : " were"),
                    dead.commands.size() == 1 ? "it was" : "they were",
                    describe_command(c.trace, dead.commands[0])),
        "Remove them: later commands write every byte anyway."));
}

// Many small pieces side by side, where one copy would do.
void add_small_copies(const Case& c, Claims& claims, Findings& findings) {
  struct Seen {
    std::uint32_t command;
    std::uint64_t begin, end;
  };
  if (!c.has_work_of({WorkKind::copy, WorkKind::write, WorkKind::read})) return;
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::vector<Seen>> by_buffer;  // and stream
  for (std::uint32_t i = 0; i < c.commands.size(); ++i) {
    const TraceWork& work = c.work(i);
    if (!moves_bytes(work.kind) && work.kind != WorkKind::read) continue;
    const auto arguments = c.trace.arguments(work);
    if (arguments.empty() || arguments.size() > 2) continue;
    const TraceArgument& range = arguments.back();
    if (range.buffer == no_index || range.size_bytes == 0 || range.size_bytes >= small_copy)
      continue;
    by_buffer[{range.buffer, c.command(i).stream}].push_back(
        {i, range.offset_bytes, range.offset_bytes + range.size_bytes});
  }
  Group group;
  std::vector<std::uint32_t> buffers;
  std::uint64_t merged = 0;
  for (auto& [key, list] : by_buffer) {
    std::vector<Seen> side_by_side;
    for (std::size_t i = 0; i + 1 < list.size(); ++i)
      if (list[i].end == list[i + 1].begin) side_by_side.push_back(list[i + 1]);
    if (side_by_side.size() < 16) continue;
    buffers.push_back(key.first);
    for (const Seen& seen : side_by_side) group.add(seen.command, seen.end - seen.begin);
    merged += side_by_side.size();
  }
  if (merged == 0) return;
  Finding finding = finding_of(
      c, claims, "copy.small", group,
      fmt::format("{} of less than {} each are contiguous, {} in total.",
                  count_text(merged, "transfer"), size_text(small_copy), size_text(group.bytes)),
      "Gather them on the host and copy once.");
  finding.evidence.buffers = some(std::move(buffers));
  findings.push_back(std::move(finding));
}

}  // namespace

// What is surest claims first.
void transfers_rule(const Case& c, Findings& findings) {
  Claims claims(c);
  const Unread unread = find_unread(c);
  add_unused(c, unread.unused, claims, findings);
  add_same_bytes(c, claims, findings);
  add_dead_fills(c, unread.dead, claims, findings);
  add_unread(c, unread.unread, claims, findings);
  add_small_copies(c, claims, findings);
}

}  // namespace reel::analysis
