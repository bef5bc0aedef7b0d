// Numbers that are none, and results that are not the same twice.
#include <fmt/format.h>

#include <cmath>
#include <map>
#include <unordered_map>

#include "analysis/buffer_elements.hpp"
#include "analysis/findings/rules.hpp"
#include "analysis/known_contents.hpp"
#include "base/hash128.hpp"
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
  for (const TraceContents& contents : c.trace.contents()) {
    const auto type = types[contents.buffer];
    if (!contents.stored || !type || !is_real(*type)) continue;
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
        "{} held {} at byte {} {}{}.", describe_buffer(c.trace, contents.buffer), strange->value,
        strange->offset,
        by_device                      ? "after "
        : contents.command == no_index ? "at the start"
                                       : "before ",
        contents.command == no_index ? "" : describe_command(c.trace, contents.command));
    finding.title[0] =
        static_cast<char>(std::toupper(static_cast<unsigned char>(finding.title[0])));
    finding.advice =
        by_device ? fmt::format("reel replay {} --nan names the command that wrote the first.",
                                c.trace.path())
                  : "It existed before the capture, or was written by the host.";
    finding.evidence.buffers = {contents.buffer};
    if (contents.command != no_index) finding.evidence.commands = {contents.command};
    finding.numbers = {{"offset", "bytes", static_cast<double>(strange->offset)}};
    findings.push_back(std::move(finding));
    return;
  }
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
  for (std::uint32_t i = 0; i < c.trace.commands().size(); ++i) {
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
