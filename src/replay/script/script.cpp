#include "replay/script/script.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <optional>
#include <set>
#include <tuple>

#include "base/fail.hpp"
#include "base/range_set.hpp"
#include "document/trace/loading/source_map.hpp"
#include "replay/script/addresses.hpp"

namespace reel::rerun {

namespace {

// The command that a note begins with: "c12 …".
std::optional<std::uint32_t> command_of(const TraceNote& note) {
  if (note.text.size() < 2 || note.text[0] != 'c') return std::nullopt;
  std::uint32_t command = 0;
  const char* end = note.text.data() + note.text.size();
  if (std::from_chars(note.text.data() + 1, end, command).ec != std::errc()) return std::nullopt;
  return command;
}

// Commands that the program was refused: they had no effect, and have none here.
std::set<std::uint32_t> refused_commands(const Trace& trace) {
  std::set<std::uint32_t> refused;
  for (const TraceNote& note : trace.notes())
    if (note.kind == "refused")
      if (const auto command = command_of(note)) refused.insert(*command);
  return refused;
}

// Work that only looks, as presenting: without it a replay comes to the same.
bool leaves_nothing(const Trace& trace, const TraceWork& work) {
  if (work.kind != WorkKind::opaque) return false;
  bool writes_any = false;
  for_each_range(trace, work, [&](const TraceArgument&, Access access) {
    writes_any = writes_any || writes(access);
  });
  return !writes_any;
}

class ScriptMaker {
 public:
  ScriptMaker(const Trace& trace, std::uint32_t from, std::uint32_t to, const Obstacles& obstacles,
              const KeptOrder& kept)
      : trace_(trace),
        kept_(kept),
        from_(from),
        end_(std::min<std::uint64_t>(std::uint64_t{to} + 1, trace.commands().size())),
        obstacles_(obstacles),
        known_(trace.buffers().size()),
        hashed_(trace.buffers().size()),
        written_(trace.buffers().size()),
        names_buffer_(trace.buffers().size()),
        names_kernel_(trace.kernels().size()),
        refused_(refused_commands(trace)) {}

  Script make() {
    script_.is_written.resize(trace_.buffers().size());
    script_.addresses = obstacles_.addresses;
    for (std::size_t b = 0; b < trace_.buffers().size(); ++b)
      if (const TraceBuffer& buffer = trace_.buffers()[b];
          buffer.allocated_ns && !buffer.starts_undefined)
        known_[b].add(0, buffer.size_bytes);
    const auto& contents = trace_.contents();
    if (from_ < end_) script_.actions.reserve(end_ - from_);
    find_finals();
    std::uint32_t at = 0;
    for (; at < contents.size() && contents[at].command == no_index; ++at)
      if (contents[at].role == ContentRole::input) input(at, no_index);
    if (kept_.sequence.empty()) {
      for (std::uint32_t c = 0; c < end_; ++c) at = command_with_contents(c, at);
    } else {
      give_first_inputs();
      for (const std::uint32_t c : kept_.sequence)
        if (c < end_) command_with_contents(c, first_contents(c));
    }
    for (const std::uint32_t i : finals_) look_at(trace_.contents()[i].command, i);
    script_.kept.insert(script_.kept.end(), kept_.waits.begin(), kept_.waits.end());
    std::ranges::stable_sort(script_.kept, {}, &KeptOrder::Wait::command);
    sort_checks();
    for (std::uint32_t b = 0; b < names_buffer_.size(); ++b)
      if (names_buffer_[b]) script_.buffers.push_back(b);
    for (std::uint32_t k = 0; k < names_kernel_.size(); ++k)
      if (names_kernel_[k]) script_.kernels.push_back(k);
    return std::move(script_);
  }

 private:
  using Writers =
      document::SourceMap<std::uint32_t>;  // the command by which bytes are, or would be

  std::vector<Action>& list(std::uint32_t c) {
    return c < from_ ? script_.before : script_.actions;
  }

  std::uint32_t first_contents(std::uint32_t c) const {
    // Those of the very start, which belong to no command, stand before all others.
    const auto place = [](const TraceContents& row) { return row.command + 1; };
    const auto& contents = trace_.contents();
    return static_cast<std::uint32_t>(std::ranges::lower_bound(contents, c + 1, {}, place) -
                                      contents.begin());
  }

  // With the last command stands what was looked at when the recording ended: what all left, also
  // those that ran later than this one. Where the document doesn't tell them from its own checks,
  // those come before, and are of its ranges.
  void find_finals() {
    const auto& commands = trace_.commands();
    if (commands.size() == 0 || commands.size() != end_) return;
    const std::uint32_t last = end_ - 1;
    const TraceWork& work = trace_.work_of(commands[last]);
    const auto fact = trace_.facts().find("contents");
    const bool has_own =
        work.kind == WorkKind::read || (fact != trace_.facts().end() && fact->second == "all");
    std::set<std::tuple<std::uint32_t, std::uint64_t, std::uint64_t>> own;
    if (has_own)
      for (const TraceArgument& a : trace_.arguments(work))
        if (a.buffer != no_index) own.insert({a.buffer, a.offset_bytes, a.size_bytes});
    const auto& contents = trace_.contents();
    for (std::uint32_t i = first_contents(last); i < contents.size(); ++i) {
      const TraceContents& row = contents[i];
      if (row.role != ContentRole::check || row.moment == CheckMoment::command) continue;
      if (row.moment == CheckMoment::end ||
          own.erase({row.buffer, row.offset_bytes, row.size_bytes}) == 0)
        finals_.insert(i);
    }
  }

  // Returns where the contents of the next command begin.
  std::uint32_t command_with_contents(std::uint32_t c, std::uint32_t first) {
    const auto& contents = trace_.contents();
    std::uint32_t last = first;
    while (last < contents.size() && contents[last].command == c) ++last;
    command(c, first, last);
    return last;
  }

  // An input stands with the command that was given first. Where that runs later than others that
  // need the bytes, and nobody wrote them until then, they were there from the start.
  void give_first_inputs() {
    std::vector<RangeSet> touched = known_;
    const auto& contents = trace_.contents();
    for (const std::uint32_t c : kept_.sequence) {
      if (c >= end_) continue;
      for (std::uint32_t i = first_contents(c); i < contents.size() && contents[i].command == c;
           ++i) {
        const TraceContents& row = contents[i];
        if (row.role != ContentRole::input) continue;
        const std::uint64_t begin = row.offset_bytes, end = begin + row.size_bytes;
        if (row.stored && !touched[row.buffer].overlaps(begin, end)) {
          is_given_.insert(i);
          input(i, no_index);
        }
        touched[row.buffer].add(begin, end);
      }
      for_each_range(trace_, trace_.work_of(trace_.commands()[c]),
                     [&](const TraceArgument& range, Access access) {
                       if (writes(access))
                         touched[range.buffer].add(range.offset_bytes,
                                                   range.offset_bytes + range.size_bytes);
                     });
    }
  }

  // Bytes that are there before command `c`.
  void input(std::uint32_t i, std::uint32_t c) {
    const TraceContents& row = trace_.contents()[i];
    const std::uint64_t begin = row.offset_bytes, end = begin + row.size_bytes;
    if (obstacles_.buffers.contains(row.buffer)) return;
    if (!row.stored) {
      known_[row.buffer].remove(begin, end);
      hashed_[row.buffer].add(begin, end);
      return;
    }
    // What was known before is another value: the host changed it in between.
    const bool is_first =
        !written_[row.buffer].overlaps(begin, end) && !known_[row.buffer].overlaps(begin, end);
    known_[row.buffer].add(begin, end);
    hashed_[row.buffer].remove(begin, end);
    names_buffer_[row.buffer] = true;
    if (c == no_index || is_first) {
      script_.at_start.push_back(i);
      return;
    }
    list(c).push_back({Action::Kind::put, c, i});
    script_.is_written[row.buffer] = true;
    puts_of(row.buffer).assign(begin, end, c);
  }

  Writers& puts_of(std::uint32_t buffer) {
    return puts_.try_emplace(buffer, trace_.buffers()[buffer].size_bytes, no_index).first->second;
  }

  // What the host wrote is put in place with the first command that uses it. Others on other
  // streams, which the program had no reason to put in order, come after that as well.
  void wait_for_puts(std::uint32_t c, const TraceWork& work) {
    if (puts_.empty()) return;
    for_each_range(trace_, work, [&](const TraceArgument& range, Access access) {
      const auto puts = puts_.find(range.buffer);
      if (puts == puts_.end()) return;
      const std::uint64_t begin = range.offset_bytes, end = begin + range.size_bytes;
      for (const Writers::Piece& piece : puts->second.pieces(begin, end))
        if (piece.source != no_index && piece.source != c &&
            trace_.commands()[piece.source].stream != trace_.commands()[c].stream)
          script_.kept.push_back({c, piece.source});
      if (writes(access)) puts->second.assign(begin, end, no_index);
    });
  }

  void command(std::uint32_t c, std::uint32_t first, std::uint32_t last) {
    const TraceWork& work = trace_.work_of(trace_.commands()[c]);
    for (std::uint32_t i = first; i < last; ++i)
      if (trace_.contents()[i].role == ContentRole::input && !is_given_.contains(i)) input(i, c);
    if (refused_.contains(c)) {
      // It did nothing; what was looked at after it is what others left.
      ++script_.refused;
      look(c, first, last);
      return;
    }
    if (leaves_nothing(trace_, work)) return look(c, first, last);
    wait_for_puts(c, work);
    Given given;  // by the host, with this command
    for (std::uint32_t i = first; i < last; ++i)
      if (const TraceContents& row = trace_.contents()[i];
          row.role == ContentRole::written && row.stored)
        given[row.buffer].add(row.offset_bytes, row.offset_bytes + row.size_bytes);
    if (const auto obstacle = obstacle_of(c, work, given)) {
      leave_out(c, work, *obstacle, first, last);
      return;
    }
    for (std::uint32_t i = first; i < last; ++i)
      if (trace_.contents()[i].role == ContentRole::written) put(c, i);
    run(c, work);
    look(c, first, last);
  }

  void look(std::uint32_t c, std::uint32_t first, std::uint32_t last) {
    for (std::uint32_t i = first; i < last; ++i)
      if (trace_.contents()[i].role == ContentRole::check && !finals_.contains(i)) look_at(c, i);
  }

  void look_at(std::uint32_t c, std::uint32_t i) {
    if (c < from_) return;
    const TraceContents& row = trace_.contents()[i];
    if (known_[row.buffer].contains(row.offset_bytes, row.offset_bytes + row.size_bytes) &&
        !obstacles_.buffers.contains(row.buffer))
      list(c).push_back({Action::Kind::look, c, i});
    else
      miss_check(row);
  }

  void miss_check(const TraceContents& row) {
    ++script_.left_out_checks;
    script_.left_out_bytes += row.size_bytes;
  }

  using Given = std::map<std::uint32_t, RangeSet>;  // by buffer

  // What the host, or a command that is left out, is known to have written.
  void put(std::uint32_t c, std::uint32_t i) {
    const TraceContents& row = trace_.contents()[i];
    if (!row.stored || obstacles_.buffers.contains(row.buffer)) return;
    list(c).push_back({Action::Kind::put, c, i});
    names_buffer_[row.buffer] = true;
    wrote(row.buffer, row.offset_bytes, row.offset_bytes + row.size_bytes);
  }

  void wrote(std::uint32_t buffer, std::uint64_t begin, std::uint64_t end) {
    known_[buffer].add(begin, end);
    hashed_[buffer].remove(begin, end);
    written_[buffer].add(begin, end);
    script_.is_written[buffer] = true;
  }

  std::optional<Obstacle> obstacle_of(std::uint32_t c, const TraceWork& work, const Given& given) {
    if (const auto known = obstacles_.commands.find(c); known != obstacles_.commands.end())
      return known->second;
    if (work.kind == WorkKind::dispatch && work.kernel == no_index)
      return Obstacle{Code::damaged_document,
                      fmt::format("{} names no kernel.", describe_command(trace_, c))};
    if (const auto known = obstacles_.kernels.find(work.kernel);
        work.kind == WorkKind::dispatch && known != obstacles_.kernels.end())
      return known->second;
    std::optional<Obstacle> obstacle;
    for_each_range(trace_, work, [&](const TraceArgument& range, Access access) {
      if (obstacle) return;
      if (const auto known = obstacles_.buffers.find(range.buffer);
          known != obstacles_.buffers.end()) {
        obstacle = known->second;
        return;
      }
      const std::uint64_t begin = range.offset_bytes, end = begin + range.size_bytes;
      switch (work.kind) {
        case WorkKind::write:
        case WorkKind::host_call: {  // neither is run: what it wrote must be there
          const auto known = given.find(range.buffer);
          if (writes(access) && (known == given.end() || !known->second.contains(begin, end)))
            obstacle = Obstacle{Code::unsupported,
                                fmt::format("{} wrote bytes {}.", describe_command(trace_, c),
                                            why_missing(range.buffer, begin, end))};
          break;
        }
        case WorkKind::copy:
        case WorkKind::fill:  // overwrite all, and need nothing there
          if (reads(access)) obstacle = missing(c, range.buffer, begin, end);
          break;
        default:
          obstacle = missing(c, range.buffer, begin, end);
      }
    });
    return obstacle;
  }

  std::optional<Obstacle> missing(std::uint32_t c, std::uint32_t buffer, std::uint64_t begin,
                                  std::uint64_t end) const {
    std::optional<Obstacle> obstacle;
    known_[buffer].for_each_gap(begin, end, [&](std::uint64_t first, std::uint64_t last) {
      if (obstacle) return;
      const std::string needs =
          fmt::format("{} needs bytes {} to {} of {}", describe_command(trace_, c), first, last,
                      describe_buffer(trace_, buffer));
      if (const std::uint32_t loser = loser_of(buffer, first, last); loser != no_index)
        obstacle = Obstacle{Code::unsupported, fmt::format("{}, which {} would have written.",
                                                           needs, command_name(loser))};
      else
        obstacle = Obstacle{Code::unsupported,
                            fmt::format("{}, {}.", needs, why_missing(buffer, first, last))};
    });
    return obstacle;
  }

  std::string why_missing(std::uint32_t buffer, std::uint64_t begin, std::uint64_t end) const {
    const auto contents = trace_.facts().find("contents");
    const bool keeps_inputs = contents != trace_.facts().end() &&
                              (contents->second == "inputs" || contents->second == "all");
    const char* to_do = "capture with contents 'inputs' or 'all'";
    if (hashed_[buffer].overlaps(begin, end))
      return fmt::format("of which the document has only hashes; {}", to_do);
    return fmt::format("which are not in the document; {}",
                       keeps_inputs ? "the notes that `reel info` shows may say why" : to_do);
  }

  std::uint32_t loser_of(std::uint32_t buffer, std::uint64_t begin, std::uint64_t end) const {
    const auto losers = lost_.find(buffer);
    if (losers == lost_.end()) return no_index;
    for (const Writers::Piece& piece : losers->second.pieces(begin, end))
      if (piece.source != no_index) return piece.source;
    return no_index;
  }

  // What it wrote is put where the document has it; else nobody knows what is there now.
  void leave_out(std::uint32_t c, const TraceWork& work, const Obstacle& obstacle,
                 std::uint32_t first, std::uint32_t last) {
    script_.left_out.emplace(c, obstacle);
    for_each_range(trace_, work, [&](const TraceArgument& range, Access access) {
      if (!writes(access)) return;
      const std::uint64_t begin = range.offset_bytes, end = begin + range.size_bytes;
      known_[range.buffer].remove(begin, end);
      written_[range.buffer].add(begin, end);
      const std::uint64_t size = trace_.buffers()[range.buffer].size_bytes;
      lost_.try_emplace(range.buffer, size, no_index).first->second.assign(begin, end, c);
    });
    for (std::uint32_t i = first; i < last; ++i) {
      const TraceContents& row = trace_.contents()[i];
      if (row.role == ContentRole::input || finals_.contains(i)) continue;
      if (row.role == ContentRole::check && c >= from_) miss_check(row);
      put(c, i);
    }
  }

  void run(std::uint32_t c, const TraceWork& work) {
    for_each_range(trace_, work, [&](const TraceArgument& range, Access access) {
      names_buffer_[range.buffer] = true;
      if (writes(access))
        wrote(range.buffer, range.offset_bytes, range.offset_bytes + range.size_bytes);
    });
    if (work.kind == WorkKind::dispatch) names_kernel_[work.kernel] = true;
    if (work.kind == WorkKind::host_call) ++script_.host_calls;
    list(c).push_back({Action::Kind::run, c, no_index});
    if (c >= from_) ++script_.commands;
  }

  // Back from the end: a check that nothing overwrites later is made there, and bytes that a device
  // wrote with no check after are not proved.
  void sort_checks() {
    std::vector<RangeSet> later(trace_.buffers().size());    // written after this point
    std::vector<RangeSet> checked(trace_.buffers().size());  // by a check after this point
    // Put in place of what was there, since the host wrote some of it: results that nobody looked
    // at before are not proved either.
    std::vector<RangeSet> hidden(trace_.buffers().size());
    std::vector<std::uint64_t> unproved(trace_.buffers().size());
    std::vector<Action> kept;
    kept.reserve(script_.actions.size());
    for (std::size_t i = script_.actions.size(); i-- > 0;) {
      const Action& action = script_.actions[i];
      if (action.kind == Action::Kind::look) {
        const TraceContents& row = trace_.contents()[action.contents];
        const std::uint64_t begin = row.offset_bytes, end = begin + row.size_bytes;
        names_buffer_[row.buffer] = true;
        hidden[row.buffer].remove(begin, end);
        later[row.buffer].for_each_gap(
            begin, end, [&](std::uint64_t a, std::uint64_t b) { checked[row.buffer].add(a, b); });
        if (!later[row.buffer].overlaps(begin, end)) {
          look_at_end(action.contents);
          continue;
        }
      } else if (action.kind == Action::Kind::put) {
        const TraceContents& row = trace_.contents()[action.contents];
        const std::uint64_t begin = row.offset_bytes, end = begin + row.size_bytes;
        if (row.role == ContentRole::input)
          hidden[row.buffer].add(begin, end);
        else
          hidden[row.buffer].remove(begin, end);
        later[row.buffer].add(begin, end);
      } else {
        const TraceWork& work = trace_.work_of(trace_.commands()[action.command]);
        const bool by_device = work.kind != WorkKind::write && work.kind != WorkKind::host_call;
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
          if (by_device)
            hidden[range.buffer].for_each_in(begin, end, [&](std::uint64_t a, std::uint64_t b) {
              unproved[range.buffer] += b - a;
            });
          hidden[range.buffer].remove(begin, end);
          later[range.buffer].add(begin, end);
        });
      }
      kept.push_back(action);
    }
    script_.actions.assign(kept.rbegin(), kept.rend());
    std::ranges::sort(script_.at_end);
    for (std::uint32_t b = 0; b < unproved.size(); ++b)
      if (unproved[b]) script_.unproved.push_back({b, unproved[b]});
  }

  // The same bytes of the same range may be recorded several times: when the program read them, and
  // at the end. The earliest of these is what shows a difference first.
  void look_at_end(std::uint32_t contents) {
    const TraceContents& row = trace_.contents()[contents];
    const auto [known, is_new] =
        ends_.try_emplace({row.buffer, row.offset_bytes, row.size_bytes}, script_.at_end.size());
    if (is_new)
      script_.at_end.push_back(contents);
    else if (std::uint32_t& later = script_.at_end[known->second];
             std::ranges::equal(trace_.pages(row), trace_.pages(trace_.contents()[later])))
      later = contents;
    else
      script_.at_end.push_back(contents);
  }

  const Trace& trace_;
  const KeptOrder& kept_;
  const std::uint32_t from_;
  const std::uint64_t end_;
  const Obstacles& obstacles_;
  Script script_;
  std::vector<RangeSet> known_, hashed_, written_;  // by buffer
  std::map<std::uint32_t, Writers> lost_;           // by buffer
  std::map<std::uint32_t, Writers> puts_;           // by buffer: what the host wrote in between
  std::set<std::uint32_t> is_given_;                // contents that are there from the start
  std::set<std::uint32_t> finals_;                  // contents that were looked at at the end
  std::vector<bool> names_buffer_, names_kernel_;
  const std::set<std::uint32_t> refused_;
  std::map<std::tuple<std::uint32_t, std::uint64_t, std::uint64_t>, std::size_t>
      ends_;  // places in at_end
};

}  // namespace

Obstacles recorded_obstacles(const Trace& trace) {
  Obstacles obstacles;
  for (const TraceNote& note : trace.notes()) {
    const bool is_failed = note.kind == "failed";
    const auto command =
        is_failed || note.kind == "not_replayable" ? command_of(note) : std::nullopt;
    if (!command || *command >= trace.commands().size()) continue;
    if (is_failed) {
      obstacles.commands.emplace(
          *command, Obstacle{Code::unsupported,
                             fmt::format("It failed when it was recorded, so it is unknown what it "
                                         "left in memory: {}",
                                         note.text)});
      continue;
    }
    obstacles.commands.emplace(*command, Obstacle{Code::unsupported, note.text});
  }
  for (std::uint32_t c = 0; c < trace.commands().size(); ++c) {
    const TraceWork& work = trace.work_of(trace.commands()[c]);
    if (work.kind == WorkKind::opaque && !leaves_nothing(trace, work))
      obstacles.commands.emplace(
          c, Obstacle{Code::unsupported, fmt::format("{} is work that can't be replayed.",
                                                     describe_command(trace, c))});
    if (work.kind == WorkKind::unknown)
      obstacles.commands.emplace(
          c, Obstacle{Code::unsupported,
                      fmt::format("{} is of a kind that this version of reel does not know.",
                                  describe_command(trace, c))});
    const auto arguments = trace.arguments(work);
    for (std::size_t i = 0; i < arguments.size(); ++i)
      if (arguments[i].kind == ArgumentKind::opaque)
        obstacles.commands.emplace(
            c, Obstacle{Code::unsupported,
                        fmt::format("Argument {} of {} can't be given again: it is no buffer, "
                                    "image, sampler or value.",
                                    i, describe_command(trace, c))});
  }
  AddressPlan plan = plan_addresses(trace);
  obstacles.commands.insert(plan.obstacles.begin(), plan.obstacles.end());
  if (!plan.empty()) obstacles.addresses = std::make_shared<const AddressPlan>(std::move(plan));
  return obstacles;
}

Script make_script(const Trace& trace, std::uint32_t from, std::uint32_t to,
                   const Obstacles& obstacles, const KeptOrder& kept) {
  return ScriptMaker(trace, from, to, obstacles, kept).make();
}

void leave_out(const Trace& trace, const std::set<std::uint32_t>& commands,
               std::vector<Action>& actions) {
  std::erase_if(actions, [&](const Action& action) {
    if (!commands.contains(action.command) || action.kind == Action::Kind::look) return false;
    return action.kind != Action::Kind::put ||
           trace.contents()[action.contents].role == ContentRole::written;
  });
}

void check_something_is_left(const Trace& trace, const Script& script) {
  if (script.left_out.empty()) return;
  const auto is_dispatch = [&](std::uint32_t c) {
    return trace.work_of(trace.commands()[c]).kind == WorkKind::dispatch;
  };
  bool lost_dispatch = false, kept_dispatch = false, kept_any = false;
  for (const auto& [c, obstacle] : script.left_out) lost_dispatch |= is_dispatch(c);
  for (const auto* actions : {&script.before, &script.actions})
    for (const Action& action : *actions) {
      if (action.kind != Action::Kind::run) continue;
      kept_any = true;
      kept_dispatch |= is_dispatch(action.command);
    }
  if (kept_dispatch || (kept_any && !lost_dispatch)) return;
  const Obstacle& first = script.left_out.begin()->second;
  throw Error(first.code, first.reason);
}

}  // namespace reel::rerun
