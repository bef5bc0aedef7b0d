#include "replay/script.hpp"

#include <fmt/format.h>

#include <charconv>
#include <set>

#include "base/fail.hpp"
#include "base/range_set.hpp"

namespace reel::rerun {

namespace {

// Commands that the program was refused: they had no effect, and have none here.
std::set<std::uint32_t> refused_commands(const Trace& trace) {
  std::set<std::uint32_t> refused;
  for (const TraceNote& note : trace.notes()) {
    if (note.kind != "refused" || note.text.size() < 2 || note.text[0] != 'c') continue;
    std::uint32_t command = 0;
    const char* end = note.text.data() + note.text.size();
    if (std::from_chars(note.text.data() + 1, end, command).ec == std::errc())
      refused.insert(command);
  }
  return refused;
}

class ScriptMaker {
 public:
  ScriptMaker(const Trace& trace, std::uint32_t from, std::uint32_t to)
      : trace_(trace),
        from_(from),
        end_(std::min<std::uint64_t>(std::uint64_t{to} + 1, trace.commands().size())),
        known_(trace.buffers().size()),
        written_(trace.buffers().size()),
        names_buffer_(trace.buffers().size()),
        names_kernel_(trace.kernels().size()),
        refused_(refused_commands(trace)) {}

  Script make() {
    script_.is_written.resize(trace_.buffers().size());
    for (std::size_t b = 0; b < trace_.buffers().size(); ++b)
      if (trace_.buffers()[b].allocated_ns) known_[b].add(0, trace_.buffers()[b].size_bytes);
    const auto& contents = trace_.contents();
    std::uint32_t at = 0;
    for (; at < contents.size() && contents[at].command == no_index; ++at)
      if (contents[at].role == ContentRole::input) start_with(at);
    for (std::uint32_t c = 0; c < end_; ++c) {
      const std::uint32_t first = at;
      while (at < contents.size() && contents[at].command == c) ++at;
      command(c, first, at);
    }
    sort_checks();
    for (std::uint32_t b = 0; b < names_buffer_.size(); ++b)
      if (names_buffer_[b]) script_.buffers.push_back(b);
    for (std::uint32_t k = 0; k < names_kernel_.size(); ++k)
      if (names_kernel_[k]) script_.kernels.push_back(k);
    return std::move(script_);
  }

 private:
  std::vector<Action>& list(std::uint32_t c) {
    return c < from_ ? script_.before : script_.actions;
  }

  void start_with(std::uint32_t i) {
    const TraceContents& row = trace_.contents()[i];
    known_[row.buffer].add(row.offset_bytes, row.offset_bytes + row.size_bytes);
    need(row);
    script_.at_start.push_back(i);
    names_buffer_[row.buffer] = true;
  }

  void need(const TraceContents& row) const {
    if (!row.stored)
      fail(Code::unsupported,
           "{} needs bytes {} to {} of {}, of which the document has only hashes; capture with "
           "contents 'inputs' or 'all'.",
           row.command == no_index ? "The start" : describe_command(trace_, row.command),
           row.offset_bytes, row.offset_bytes + row.size_bytes,
           describe_buffer(trace_, row.buffer));
  }

  void command(std::uint32_t c, std::uint32_t first, std::uint32_t last) {
    const TraceWork& work = trace_.work_of(trace_.commands()[c]);
    if (refused_.contains(c)) {
      ++script_.refused;
      return;
    }
    RangeSet given;  // by the host, with this command
    for (std::uint32_t i = first; i < last; ++i) {
      const TraceContents& row = trace_.contents()[i];
      if (row.role == ContentRole::check) continue;
      need(row);
      if (row.role == ContentRole::written) {
        given.add(row.offset_bytes, row.offset_bytes + row.size_bytes);
        list(c).push_back({Action::Kind::put, c, i});
        continue;
      }
      known_[row.buffer].add(row.offset_bytes, row.offset_bytes + row.size_bytes);
      if (written_[row.buffer].overlaps(row.offset_bytes, row.offset_bytes + row.size_bytes)) {
        list(c).push_back({Action::Kind::put, c, i});
        script_.is_written[row.buffer] = true;
      } else {
        script_.at_start.push_back(i);
      }
      names_buffer_[row.buffer] = true;
    }
    run(c, work, given);
    for (std::uint32_t i = first; i < last; ++i)
      if (trace_.contents()[i].role == ContentRole::check && c >= from_)
        list(c).push_back({Action::Kind::look, c, i});
  }

  void run(std::uint32_t c, const TraceWork& work, const RangeSet& given) {
    if (work.kind == WorkKind::unknown)
      fail(Code::unsupported, "{} is of a kind that this version of reel does not know.",
           describe_command(trace_, c));
    for_each_range(trace_, work, [&](const TraceArgument& range, Access access) {
      names_buffer_[range.buffer] = true;
      const bool whole = work.kind == WorkKind::copy || work.kind == WorkKind::fill ||
                         work.kind == WorkKind::write;  // overwrites all, needs nothing
      if (reads(access) || !whole) check_known(c, range);
    });
    for_each_range(trace_, work, [&](const TraceArgument& range, Access access) {
      if (!writes(access)) return;
      known_[range.buffer].add(range.offset_bytes, range.offset_bytes + range.size_bytes);
      written_[range.buffer].add(range.offset_bytes, range.offset_bytes + range.size_bytes);
      script_.is_written[range.buffer] = true;
    });
    switch (work.kind) {
      case WorkKind::dispatch:
        if (work.kernel == no_index)
          fail(Code::damaged_document, "{} names no kernel.", describe_command(trace_, c));
        names_kernel_[work.kernel] = true;
        break;
      case WorkKind::write:
        for_each_range(trace_, work, [&](const TraceArgument& range, Access) {
          if (!given.contains(range.offset_bytes, range.offset_bytes + range.size_bytes))
            fail(Code::unsupported,
                 "The bytes that {} wrote are not in the document; capture with contents 'inputs' "
                 "or 'all'.",
                 describe_command(trace_, c));
        });
        break;
      case WorkKind::host_call:
        ++script_.host_calls;
        break;
      default:
        break;
    }
    list(c).push_back({Action::Kind::run, c, no_index});
    if (c >= from_) ++script_.commands;
  }

  void check_known(std::uint32_t c, const TraceArgument& range) const {
    const std::uint64_t begin = range.offset_bytes, end = begin + range.size_bytes;
    known_[range.buffer].for_each_gap(begin, end, [&](std::uint64_t first, std::uint64_t last) {
      fail(Code::unsupported,
           "{} needs bytes {} to {} of {}, which are not in the document; capture with contents "
           "'inputs' or 'all'.",
           describe_command(trace_, c), first, last, describe_buffer(trace_, range.buffer));
    });
  }

  // Back from the end: a check that nothing overwrites later is made there, and bytes that a device
  // wrote with no check after are not proved.
  void sort_checks() {
    std::vector<RangeSet> later(trace_.buffers().size());    // written after this point
    std::vector<RangeSet> checked(trace_.buffers().size());  // by a check after this point
    std::vector<std::uint64_t> unproved(trace_.buffers().size());
    std::vector<Action> kept;
    for (std::size_t i = script_.actions.size(); i-- > 0;) {
      const Action& action = script_.actions[i];
      if (action.kind == Action::Kind::look) {
        const TraceContents& row = trace_.contents()[action.contents];
        const std::uint64_t begin = row.offset_bytes, end = begin + row.size_bytes;
        names_buffer_[row.buffer] = true;
        later[row.buffer].for_each_gap(
            begin, end, [&](std::uint64_t a, std::uint64_t b) { checked[row.buffer].add(a, b); });
        if (!later[row.buffer].overlaps(begin, end)) {
          script_.at_end.push_back(action.contents);
          continue;
        }
      } else if (action.kind == Action::Kind::run) {
        const TraceWork& work = trace_.work_of(trace_.commands()[action.command]);
        const bool by_device = work.kind != WorkKind::write;
        for_each_range(trace_, work, [&](const TraceArgument& range, Access access) {
          if (!writes(access)) return;
          const std::uint64_t begin = range.offset_bytes, end = begin + range.size_bytes;
          if (by_device)
            later[range.buffer].for_each_gap(begin, end, [&](std::uint64_t a, std::uint64_t b) {
              checked[range.buffer].for_each_gap(a, b,
                                                 [&](std::uint64_t first, std::uint64_t last) {
                                                   unproved[range.buffer] += last - first;
                                                 });
            });
          later[range.buffer].add(begin, end);
        });
      }
      kept.push_back(action);
    }
    script_.actions.assign(kept.rbegin(), kept.rend());
    std::reverse(script_.at_end.begin(), script_.at_end.end());
    for (std::uint32_t b = 0; b < unproved.size(); ++b)
      if (unproved[b]) script_.unproved.push_back({b, unproved[b]});
  }

  const Trace& trace_;
  const std::uint32_t from_;
  const std::uint64_t end_;
  Script script_;
  std::vector<RangeSet> known_, written_;
  std::vector<bool> names_buffer_, names_kernel_;
  const std::set<std::uint32_t> refused_;
};

}  // namespace

Script make_script(const Trace& trace, std::uint32_t from, std::uint32_t to) {
  return ScriptMaker(trace, from, to).make();
}

}  // namespace reel::rerun
