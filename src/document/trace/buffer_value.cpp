#include "reel/buffer_value.hpp"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <optional>
#include <set>

#include "base/fail.hpp"
#include "document/trace/loading/source_map.hpp"

namespace reel {
namespace {

using Source = BufferValue::Source;
using Sources = document::SourceMap<Source>;
using Touched = document::SourceMap<bool>;

// The buffers whose bytes may have come into `target` by copies, itself among them.
std::vector<bool> origins_of(const Trace& trace, std::uint32_t target) {
  std::vector<bool> wanted(trace.buffers().size());
  wanted[target] = true;
  for (bool grew = true; grew;) {
    grew = false;
    for (const TraceWork& work : trace.works()) {
      if (work.kind != WorkKind::copy) continue;
      const auto ranges = trace.arguments(work);
      for (std::size_t i = 0; i + 1 < ranges.size(); i += 2) {
        if (!wanted[ranges[i + 1].buffer] || wanted[ranges[i].buffer]) continue;
        wanted[ranges[i].buffer] = true;
        grew = true;
      }
    }
  }
  return wanted;
}

std::uint64_t size_of(const Trace& trace, std::uint32_t buffer) {
  if (buffer >= trace.buffers().size())
    fail(Code::invalid_argument, "There is no buffer with index {}: the document has {} buffers.",
         buffer, trace.buffers().size());
  return trace.buffers()[buffer].size_bytes;
}

class Walk {
 public:
  Walk(const Trace& trace, std::uint32_t target)
      : trace_(trace), wanted_(origins_of(trace, target)), sources_(trace.buffers().size()) {
    // A driver that refused a command did nothing of it. The note begins with its name: "c12 …".
    for (const TraceNote& note : trace.notes()) {
      std::uint32_t command = 0;
      const char* end = note.text.data() + note.text.size();
      if (note.kind == "refused" && note.text.starts_with('c') &&
          std::from_chars(note.text.data() + 1, end, command).ec == std::errc())
        refused_.insert(command);
    }
  }

  Sources run(std::uint32_t target, std::uint32_t command) {
    set_initial_values();
    const std::size_t end = command == no_index ? 0 : std::size_t{command} + 1;
    std::size_t row = first_row_;
    for (std::uint32_t i = 0; i < end; ++i) {
      const std::size_t begin = row;
      while (row < trace_.contents().size() && trace_.contents()[row].command == i) ++row;
      apply_contents(begin, row, ContentRole::input);
      if (!refused_.contains(i)) {
        apply_command(trace_.work_of(trace_.commands()[i]));
        apply_contents(begin, row, ContentRole::written);
      }
      apply_contents(begin, row, ContentRole::check);
    }
    return std::move(sources_[target]);
  }

 private:
  // An input was there from the start wherever nothing recorded can have written before it.
  void set_initial_values() {
    std::vector<Touched> touched(trace_.buffers().size());
    for (std::size_t i = 0; i < wanted_.size(); ++i) {
      if (!wanted_[i]) continue;
      const TraceBuffer& buffer = trace_.buffers()[i];
      touched[i] = Touched(buffer.size_bytes, false);
      const Source zeros{Source::Kind::pattern, 0, 1, 0};
      sources_[i] = Sources(buffer.size_bytes,
                            buffer.allocated_ns && !buffer.starts_undefined ? zeros : Source{});
    }
    const auto& contents = trace_.contents();
    std::size_t row = 0;
    for (; row < contents.size() && contents[row].command == no_index; ++row)
      if (contents[row].role == ContentRole::input) apply(row);
    first_row_ = row;
    for (std::uint32_t i = 0; i < trace_.commands().size(); ++i) {
      for (; row < contents.size() && contents[row].command == i; ++row) {
        const TraceContents& input = contents[row];
        if (input.role != ContentRole::input || !wanted_[input.buffer] || !input.stored) continue;
        const std::uint64_t end = input.offset_bytes + input.size_bytes;
        for (const auto& piece : touched[input.buffer].pieces(input.offset_bytes, end))
          if (!piece.source) sources_[input.buffer].assign(piece.begin, piece.end, source_of(row));
      }
      for (const TraceArgument& range : trace_.arguments(trace_.work_of(trace_.commands()[i])))
        if (range.kind == ArgumentKind::buffer && writes(range.access) && wanted_[range.buffer])
          touched[range.buffer].assign(range.offset_bytes, range.offset_bytes + range.size_bytes,
                                       true);
    }
  }

  Source source_of(std::size_t row) const {
    return {Source::Kind::contents, static_cast<std::uint32_t>(row), 1,
            trace_.contents()[row].offset_bytes};
  }
  void apply(std::size_t row) {
    const TraceContents& contents = trace_.contents()[row];
    if (wanted_[contents.buffer] && contents.stored)
      sources_[contents.buffer].assign(contents.offset_bytes,
                                       contents.offset_bytes + contents.size_bytes, source_of(row));
  }
  void apply_contents(std::size_t begin, std::size_t end, ContentRole role) {
    for (std::size_t row = begin; row < end; ++row)
      if (trace_.contents()[row].role == role) apply(row);
  }

  void apply_command(const TraceWork& work) {
    const auto arguments = trace_.arguments(work);
    if (work.kind == WorkKind::copy) {
      for (std::size_t i = 0; i + 1 < arguments.size(); i += 2)
        copy(arguments[i], arguments[i + 1]);
      return;
    }
    for (const TraceArgument& range : arguments) {
      if (range.kind != ArgumentKind::buffer || !writes(range.access) || !wanted_[range.buffer])
        continue;
      const Source source =
          work.kind == WorkKind::fill
              ? Source{Source::Kind::pattern, work.pattern, work.pattern_bytes, range.offset_bytes}
              : Source{};
      sources_[range.buffer].assign(range.offset_bytes, range.offset_bytes + range.size_bytes,
                                    source);
    }
  }
  void copy(const TraceArgument& from, const TraceArgument& to) {
    if (!wanted_[to.buffer]) return;
    const std::uint64_t shift = to.offset_bytes - from.offset_bytes;  // modulo 2^64
    for (auto piece :
         sources_[from.buffer].pieces(from.offset_bytes, from.offset_bytes + from.size_bytes)) {
      piece.source.origin += shift;
      sources_[to.buffer].assign(piece.begin + shift, piece.end + shift, piece.source);
    }
  }

  const Trace& trace_;
  std::vector<bool> wanted_;
  std::vector<Sources> sources_;
  std::set<std::uint32_t> refused_;
  std::size_t first_row_ = 0;  // of contents that belong to a command
};

void add_span(std::vector<ByteSpan>& spans, std::uint64_t begin, std::uint64_t end) {
  if (!spans.empty() && spans.back().end == begin)
    spans.back().end = end;
  else
    spans.push_back({begin, end});
}

}  // namespace

BufferValue::BufferValue(const Trace& trace, std::uint32_t buffer, std::uint32_t command)
    : trace_(trace), size_bytes_(size_of(trace, buffer)) {
  if (command != no_index && command >= trace.commands().size())
    fail(Code::invalid_argument, "There is no command c{}: the document has {} commands.", command,
         trace.commands().size());
  const Sources sources = Walk(trace, buffer).run(buffer, command);
  for (const auto& piece : sources.pieces(0, size_bytes_))
    pieces_[piece.begin] = {piece.end, piece.source};
}

std::vector<ByteSpan> BufferValue::unknown() const {
  std::vector<ByteSpan> spans;
  for (const auto& [begin, piece] : pieces_)
    if (piece.source.kind == Source::Kind::unknown) add_span(spans, begin, piece.end);
  return spans;
}

std::uint64_t BufferValue::unknown_bytes() const {
  std::uint64_t total = 0;
  for (const ByteSpan& span : unknown()) total += span.end - span.begin;
  return total;
}

BufferValue::Bytes BufferValue::read(std::uint64_t offset_bytes, std::uint64_t size_bytes) const {
  Bytes result;
  const std::uint64_t first = std::min(offset_bytes, size_bytes_);
  const std::uint64_t end = first + std::min(size_bytes, size_bytes_ - first);
  result.bytes.resize(end - first);
  // The page that was read last; pieces next to each other often share it.
  std::uint32_t page_contents = no_index, page_number = 0;
  std::optional<std::vector<std::byte>> page;
  auto at = pieces_.upper_bound(first);
  if (at != pieces_.begin()) --at;
  for (; at != pieces_.end() && at->first < end; ++at) {
    const Source& source = at->second.source;
    const std::uint64_t begin = std::max(at->first, first), stop = std::min(at->second.end, end);
    if (begin >= stop) continue;
    std::byte* out = result.bytes.data() + (begin - first);
    if (source.kind == Source::Kind::unknown) {
      add_span(result.unknown, begin, stop);
    } else if (source.kind == Source::Kind::pattern) {
      for (std::uint64_t i = begin; i < stop; ++i) {
        const auto shift = static_cast<unsigned>((i - source.origin) % source.pattern_bytes) * 8;
        *out++ = static_cast<std::byte>(source.value >> shift);
      }
    } else {
      const TraceContents& contents = trace_.contents()[source.value];
      for (std::uint64_t i = begin; i < stop;) {
        const std::uint64_t within = i - source.origin;
        const auto number = static_cast<std::uint32_t>(within / page_bytes);
        const std::uint64_t count = std::min(stop - i, page_bytes - within % page_bytes);
        if (page_contents != source.value || page_number != number) {
          page = trace_.page(contents, number);
          page_contents = source.value;
          page_number = number;
        }
        if (page)
          std::memcpy(out, page->data() + within % page_bytes, count);
        else
          add_span(result.unknown, i, i + count);
        out += count;
        i += count;
      }
    }
  }
  return result;
}

}  // namespace reel
