// Numbers that are none, and results that are not the same twice.
#include <fmt/format.h>

#include <cmath>
#include <map>
#include <unordered_map>

#include "analysis/contents/buffer_elements.hpp"
#include "analysis/contents/known_contents.hpp"
#include "analysis/findings/rules.hpp"
#include "base/bytes/hash128.hpp"
#include "base/range_set.hpp"
#include "document/trace/ranges.hpp"
#include "reel/units.hpp"

namespace reel::analysis {

namespace {

// Looking at every byte of a large document would take longer than all other rules together.
constexpr std::uint64_t most_scanned = 256u << 20;

struct Strange {
  std::uint64_t offset;
  double value;
};

// Bytes that were written, of buffers whose fresh memory holds anything; as commands go by.
class WrittenBytes {
 public:
  explicit WrittenBytes(const Trace& trace) : trace_(trace), written_(trace.buffers().size()) {}

  // Memory that the host shares may be written without a call.
  bool tells_of(std::uint32_t buffer) const {
    const TraceBuffer& known = trace_.buffers()[buffer];
    return known.starts_undefined && known.allocated_ns && known.kind != BufferKind::svm;
  }
  bool tells_of_any() const {
    for (std::uint32_t b = 0; b < written_.size(); ++b)
      if (tells_of(b)) return true;
    return false;
  }
  bool is_undefined(std::uint32_t buffer, std::uint64_t offset, std::uint64_t size) const {
    return tells_of(buffer) && !written_[buffer].contains(offset, offset + size);
  }
  void after(std::uint32_t command) {
    for_each_range(trace_, trace_.work_of(trace_.commands()[command]),
                   [&](const TraceArgument& range, Access access) {
                     if (writes(access) && tells_of(range.buffer))
                       written_[range.buffer].add(range.offset_bytes,
                                                  range.offset_bytes + range.size_bytes);
                   });
  }

 private:
  const Trace& trace_;
  std::vector<RangeSet> written_;
};

std::optional<Strange> first_strange(const Case& c, const TraceContents& contents,
                                     ElementType type) {
  const std::size_t size = size_of(type);
  for (std::uint32_t page = 0; page < contents.page_count; ++page) {
    const auto bytes = c.trace.page(contents, page);
    if (!bytes) continue;
    for (std::size_t at = 0; at + size <= bytes->size(); at += size) {
      const double value = element_value(type, std::span(*bytes).subspan(at, size));
      if (!std::isfinite(value))
        return Strange{contents.offset_bytes + page * page_bytes + at, value};
    }
  }
  return std::nullopt;
}

}  // namespace

void nan_rule(const Case& c, Findings& findings) {
  const auto types = buffer_elements(c.trace);
  std::map<BlobId, bool> fine;  // one page contents that were looked at already
  std::uint64_t scanned = 0;
  WrittenBytes written(c.trace);
  std::uint32_t next = 0;
  for (const TraceContents& contents : c.trace.contents()) {
    const auto type = types[contents.buffer];
    if (!contents.stored || !type || !is_real(*type)) continue;
    // What nobody wrote holds anything, NaN among it: read.uninit is about who reads it.
    if (contents.role == ContentRole::input && contents.command != no_index) {
      for (; next < contents.command; ++next) written.after(next);
      if (written.is_undefined(contents.buffer, contents.offset_bytes, contents.size_bytes))
        continue;
    }
    const auto pages = c.trace.pages(contents);
    if (pages.size() == 1 && !fine.try_emplace(pages[0], true).second) continue;
    if (scanned += contents.size_bytes; scanned > most_scanned) return;
    const auto strange = first_strange(c, contents, *type);
    if (!strange) continue;
    const bool by_device = contents.role == ContentRole::check;
    Finding finding{.id = "nan", .severity = Severity::error};
    // Masks hold infinities on purpose; a NaN is never one.
    if (std::isinf(strange->value)) finding.severity = Severity::warning;
    finding.title = fmt::format(
        "{} contains {} at element {} (byte {}) {}{}.", describe_buffer(c.trace, contents.buffer),
        std::isnan(strange->value) ? "NaN"
        : strange->value > 0       ? "infinity"
                                   : "-infinity",
        strange->offset / size_of(*type), strange->offset,
        by_device                      ? "after "
        : contents.command == no_index ? "at the start"
                                       : "before ",
        contents.command == no_index ? "" : describe_command(c.trace, contents.command));
    finding.advice =
        by_device ? fmt::format("reel replay {} --nan names the command that wrote the first.",
                                c.trace.path())
                  : "It existed before the capture, or was written by the host.";
    finding.evidence.buffers = {contents.buffer};
    if (contents.command != no_index) finding.evidence.commands = {contents.command};
    finding.numbers = {{"offset", "bytes", static_cast<double>(strange->offset)},
                       {"element", "", static_cast<double>(strange->offset / size_of(*type))}};
    findings.push_back(std::move(finding));
    return;
  }
}

// Commands that read what nobody had written. Where a kernel may both read and write a range, only
// its source could tell whether it reads.
void uninitialised_rule(const Case& c, Findings& findings) {
  WrittenBytes written(c.trace);
  if (!written.tells_of_any()) return;
  std::vector<std::uint32_t> commands, buffers;
  std::uint64_t bytes = 0;
  for (std::uint32_t i = 0; i < c.commands.size(); ++i) {
    bool reads_undefined = false;
    for_each_range(c.trace, c.work(i), [&](const TraceArgument& range, Access access) {
      if (access != Access::read || c.is_host_visible(range.buffer) ||
          !written.is_undefined(range.buffer, range.offset_bytes, range.size_bytes))
        return;
      reads_undefined = true;
      if (std::ranges::find(buffers, range.buffer) != buffers.end()) return;
      buffers.push_back(range.buffer);
      bytes += range.size_bytes;
    });
    if (reads_undefined) commands.push_back(i);
    written.after(i);
  }
  if (commands.empty()) return;
  Finding finding{.id = "read.uninit", .severity = Severity::warning};
  finding.confidence = Confidence::likely;
  finding.title =
      fmt::format("{} is given {} to read, of which some bytes were never written.",
                  describe_command(c.trace, commands[0]), describe_buffer(c.trace, buffers[0]));
  if (commands.size() > 1)
    finding.title +=
        fmt::format(" {} read such memory, of {}.", count_text(commands.size(), "command"),
                    count_text(buffers.size(), "buffer"));
  finding.advice =
      "Fill or write the buffer first, unless the kernel doesn't look at those bytes: fresh memory "
      "holds anything.";
  finding.numbers = {{"commands", "", static_cast<double>(commands.size())},
                     {"buffers", "", static_cast<double>(buffers.size())},
                     {"size", "bytes", static_cast<double>(bytes)}};
  finding.evidence.commands = some(std::move(commands));
  finding.evidence.buffers = some(std::move(buffers));
  findings.push_back(std::move(finding));
}

// The same command, the same bytes to read, and other bytes after it.
void nondeterminism_rule(const Case& c, Findings& findings) {
  if (c.trace.contents().empty()) return;
  struct Outcome {
    std::uint32_t command, buffer;
    BlobId hash;
  };
  std::map<std::tuple<std::uint32_t, std::uint64_t, std::uint64_t, std::uint64_t, std::uint64_t>,
           Outcome>
      outcomes;  // of a work, what it read, and the range it wrote
  KnownContents known(c.trace);
  std::vector<std::uint32_t> commands, buffers;
  for (std::uint32_t i = 0; i < c.commands.size(); ++i) {
    known.before(i);
    const TraceWork& work = c.work(i);
    std::vector<BlobId> read;
    bool all_known = work.kind == WorkKind::dispatch;
    if (all_known)
      for_each_range(c.trace, work, [&](const TraceArgument& range, Access access) {
        if (!reads(access)) return;
        const auto hash = known.of(range.buffer, range.offset_bytes, range.size_bytes);
        all_known = all_known && hash.has_value();
        if (hash) read.push_back(*hash);
      });
    known.after(i);
    if (!all_known || read.empty()) continue;
    const Hash128 inputs = hash128(std::as_bytes(std::span(read)));
    for_each_range(c.trace, work, [&](const TraceArgument& range, Access access) {
      if (!writes(access)) return;
      const auto hash = known.of(range.buffer, range.offset_bytes, range.size_bytes);
      if (!hash) return;
      const auto [at, is_new] = outcomes.try_emplace(
          {c.command(i).work, inputs.low, inputs.high, range.offset_bytes, range.buffer},
          Outcome{i, range.buffer, *hash});
      if (is_new || at->second.hash == *hash) return;
      commands.push_back(at->second.command);
      commands.push_back(i);
      buffers.push_back(range.buffer);
    });
  }
  if (commands.empty()) return;
  Finding finding{.id = "nondeterminism", .severity = Severity::warning};
  finding.title =
      fmt::format("{} and {} did the same to the same bytes, and {} differs after them.",
                  describe_command(c.trace, commands[0]), describe_command(c.trace, commands[1]),
                  describe_buffer(c.trace, buffers[0]));
  finding.advice = fmt::format(
      "Look for atomics on floating-point numbers, and for reads of what it writes. reel replay {} "
      "--repeat "
      "5 "
      "tells whether it happens again.",
      c.trace.path());
  finding.numbers = {{"pairs", "", static_cast<double>(buffers.size())}};
  finding.evidence.commands = some(std::move(commands));
  finding.evidence.buffers = some(std::move(buffers));
  findings.push_back(std::move(finding));
}

}  // namespace reel::analysis
