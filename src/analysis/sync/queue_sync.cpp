#include "analysis/sync/queue_sync.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <tuple>

#include "analysis/sync/host_knowledge.hpp"
#include "analysis/sync/memory_pieces.hpp"
#include "analysis/sync/queue_clocks.hpp"
#include "base/range_set.hpp"
#include "document/trace/ranges.hpp"

namespace reel::analysis {

namespace {

constexpr std::size_t most_faults = 1000;
constexpr std::uint64_t most_visits = 200'000'000;  // of pieces: some seconds

// How a command does what it does with memory. Both bits where it reads and writes.
struct CommandUse {
  std::uint8_t stage = 0;
  std::uint16_t read = 0, write = 0;
};

CommandUse use_of(WorkKind kind, const TraceArgument& argument) {
  namespace a = sync_access;
  if (argument.kind == ArgumentKind::indirect) return {sync_stage::indirect, a::indirect_read, 0};
  if (is_predicate(argument.kind)) return {sync_stage::predicate, a::predicate_read, 0};
  switch (kind) {
    case WorkKind::dispatch:
      return {sync_stage::compute, a::shader_read, a::shader_write};
    case WorkKind::copy:
    case WorkKind::fill:
    case WorkKind::write:
    case WorkKind::read:
      return {sync_stage::transfer, a::transfer_read, a::transfer_write};
    default:
      return {sync_stage::other, a::other_read, a::other_write};
  }
}

bool moves_exactly(WorkKind kind) {
  return kind == WorkKind::copy || kind == WorkKind::fill || kind == WorkKind::write ||
         kind == WorkKind::read;
}

class SyncSearch {
 public:
  explicit SyncSearch(const Trace& trace)
      : trace_(trace),
        clocks_(trace),
        kept_(orders_kept(trace)),
        knowledge_(trace, kept_ == OrdersKept::all ? HostKnowledge::By::events
                                                   : HostKnowledge::By::any_call),
        pieces_(trace),
        chains_(trace.streams().size()) {}

  QueueSync run() {
    for (std::uint32_t c = 0; c < trace_.commands().size(); ++c) {
      const TraceCommand command = trace_.commands()[c];
      clocks_.next(c, command.stream);
      if (visits_ > most_visits || clocks_.is_too_much()) {
        found_.incomplete_from = c;
        break;
      }
      const TraceWork& work = trace_.works()[command.work];
      if (work.kind == WorkKind::barrier)
        add_barrier(c, command.stream);
      else
        look_at(c, command.stream, work);
    }
    // What nothing follows may be for what the document doesn't have.
    for (BarrierUse& barrier : found_.barriers) {
      const std::uint32_t stream = trace_.commands()[barrier.command].stream;
      barrier.is_between_uses &= last_use_[stream] > barrier.command;
      barrier.has_other_reason |=
          kept_barriers_[stream].contains(barrier.command, barrier.command + 1);
    }
    return std::move(found_);
  }

 private:
  bool is_ordered(std::uint32_t stream) const { return trace_.streams()[stream].is_ordered; }

  void add_barrier(std::uint32_t c, std::uint32_t stream) {
    if (is_ordered(stream)) return;
    BarrierUse use{.command = c};
    use.is_between_uses = last_use_.contains(stream);
    const auto rows = trace_.barriers_of(c);
    // Of what nobody described, everything is assumed.
    std::vector<QueueClocks::Row> stages;
    if (rows.empty()) {
      chains_[stream].add(c, everything, everything, BarrierChains::all_memory);
      stages.push_back({everything.stages, everything.stages});
      use.has_other_reason = true;
    }
    for (const TraceBarrier& row : rows) {
      const SyncScope source = source_scope(row.source_stages, row.source_accesses);
      const SyncScope target = target_scope(row.target_stages, row.target_accesses);
      chains_[stream].add(c, source, target, pieces_.range_of(row));
      stages.push_back({source.stages, target.stages});
      use.has_other_reason |= (source.stages | target.stages) & sync_stage::host ||
                              row.old_layout != row.new_layout ||
                              row.source_family != row.target_family;
      use.is_wide |= row.buffer == no_index &&
                     (source.stages & sync_stage::commands) == sync_stage::commands &&
                     (target.stages & sync_stage::commands) == sync_stage::commands;
    }
    // Other stages wait for a semaphore by it.
    if (clocks_.hand_on(stream, stages)) use.has_other_reason = true;
    found_.barriers.push_back(use);
  }

  void look_at(std::uint32_t c, std::uint32_t stream, const TraceWork& work) {
    bool has_ranges = false;
    for (const bool enters : {false, true}) {
      // Reads are entered before writes: a command that does both is known as the writer.
      for (const bool writing : {false, true})
        for_each_range(trace_, work, [&](const TraceArgument& argument, Access access) {
          if (!(writing ? writes(access) : reads(access))) return;
          const CommandUse how = use_of(work.kind, argument);
          const SyncUse use{how.stage, writing ? how.write : how.read};
          has_ranges = true;
          pieces_.for_each(argument, [&](MemoryPiece& piece) {
            ++visits_;
            if (enters)
              enter(piece, c, stream, use);
            else
              check(piece, c, stream, use, argument);
          });
        });
    }
    if (has_ranges) last_use_[stream] = c;
    flush(c, work);
  }

  void check(MemoryPiece& piece, std::uint32_t c, std::uint32_t stream, SyncUse use,
             const TraceArgument& argument) {
    if (use.writes() && !piece.reads.empty()) {
      for (const MemoryUse& read : piece.reads)
        if (read.command != c) judge(piece, read, c, stream, use, argument);
      return;
    }
    if (!piece.write || piece.write->command == c) return;
    // Once it is fine for a kind of access, it stays so.
    if (piece.fine_stream == stream && piece.fine & use.access) return;
    if (judge(piece, *piece.write, c, stream, use, argument)) {
      if (piece.fine_stream != stream) piece.fine = 0;
      piece.fine_stream = stream;
      piece.fine |= use.access;
    }
  }

  bool judge(const MemoryPiece& piece, const MemoryUse& earlier, std::uint32_t c,
             std::uint32_t stream, SyncUse use, const TraceArgument& argument) {
    const bool is_same = earlier.stream == stream;
    if (is_same && is_ordered(stream)) return true;
    // Between ordered streams it is a race like any other, and told as such.
    if (!is_same && is_ordered(stream) && is_ordered(earlier.stream)) return true;
    BarrierChains::Answer answer;
    // Barriers first, also where a wait would do: it is not said of them that nobody needs them.
    if (is_same)
      answer = chains_[stream].ask(
          earlier.command, earlier.use, c, use, pieces_.ranges_of(piece),
          [&](std::uint32_t barrier) { need(barrier, piece, earlier.command, c, argument); });
    if (answer.is_fine() || clocks_.is_done(earlier.command, earlier.stream, stream, use.stage))
      return true;
    if (may_have_waited(earlier.command, c)) return true;
    // Earlier ones that it stands for may be in order, by barriers that nobody is asked about.
    if (!answer.is_ordered && earlier.first < earlier.command)
      kept_barriers_[earlier.stream].add(earlier.first, earlier.command);
    const auto kind = answer.is_ordered ? SyncFault::Kind::visibility : SyncFault::Kind::missing;
    Open& open = open_[{earlier.command, kind}];
    const std::uint64_t offset = pieces_.offset_in(piece, argument);
    if (open.bytes == 0) {
      open.buffer = argument.buffer;
      open.offset = offset;
      open.from_writes = earlier.use.writes();
    }
    (use.writes() ? open.to_writes : open.to_reads) = true;
    // Of the buffer that is named; the others that the two share are faults of the same pair.
    if (argument.buffer == open.buffer) open.bytes += piece.size_bytes();
    return false;
  }

  // In a way that the document doesn't tell.
  bool may_have_waited(std::uint32_t earlier, std::uint32_t later) const {
    const TraceCommand a = trace_.commands()[earlier], b = trace_.commands()[later];
    if (knowledge_.came_between(a, b)) return true;
    if (kept_ == OrdersKept::all) return false;
    if (a.stream != b.stream) return kept_ == OrdersKept::some;
    const auto first = trace_.submission_of(earlier), second = trace_.submission_of(later);
    return first && second && *first != *second;
  }

  void need(std::uint32_t barrier, const MemoryPiece& piece, std::uint32_t from, std::uint32_t to,
            const TraceArgument& argument) {
    const auto found = std::ranges::lower_bound(found_.barriers, barrier, {}, &BarrierUse::command);
    BarrierUse& use = *found;
    const std::uint64_t begin = pieces_.offset_in(piece, argument);
    const std::uint64_t end = begin + piece.size_bytes();
    if (use.pairs++ == 0) {
      use.buffer = argument.buffer;
      use.begin_bytes = begin;
      use.end_bytes = end;
      use.from = from;
      use.to = to;
    } else if (use.buffer != argument.buffer) {
      use.buffer = no_index;
    } else {
      use.begin_bytes = std::min(use.begin_bytes, begin);
      use.end_bytes = std::max(use.end_bytes, end);
    }
  }

  // One fault for each pair of commands, however many pieces they share.
  void flush(std::uint32_t c, const TraceWork& work) {
    for (const auto& [key, open] : open_) {
      ++found_.fault_count;
      if (found_.faults.size() >= most_faults) continue;
      const WorkKind other = trace_.work_of(trace_.commands()[key.first]).kind;
      found_.faults.push_back({key.second, key.first, c, open.buffer, open.offset, open.bytes,
                               open.from_writes, open.to_reads, open.to_writes,
                               moves_exactly(work.kind) && moves_exactly(other)});
    }
    open_.clear();
  }

  static void enter(MemoryPiece& piece, std::uint32_t c, std::uint32_t stream, SyncUse use) {
    const MemoryUse now{c, stream, use};
    if (use.writes()) {
      piece.write = now;
      piece.reads.clear();
      piece.fine = 0;
      return;
    }
    // The last one of a stage stands for those before it: what waits for it waits for them.
    const auto same = std::ranges::find_if(piece.reads, [&](const MemoryUse& read) {
      return read.stream == stream && read.use.stage == use.stage;
    });
    if (same == piece.reads.end())
      piece.reads.push_back(now);
    else
      *same = {c, stream, use, same->first};
  }

  struct Open {
    std::uint32_t buffer = no_index;
    std::uint64_t offset = 0, bytes = 0;
    bool from_writes = false, to_reads = false, to_writes = false;
  };

  const Trace& trace_;
  QueueClocks clocks_;
  OrdersKept kept_;
  HostKnowledge knowledge_;
  MemoryPieces pieces_;
  std::vector<BarrierChains> chains_;                // by stream
  std::map<std::uint32_t, std::uint32_t> last_use_;  // by stream: a command that touches memory
  std::map<std::uint32_t, RangeSet> kept_barriers_;  // by stream: may be needed
  std::map<std::pair<std::uint32_t, SyncFault::Kind>, Open> open_;  // of this command
  std::uint64_t visits_ = 0;
  QueueSync found_;
};

}  // namespace

bool has_unordered_queues(const Trace& trace) {
  return std::ranges::any_of(trace.streams(),
                             [](const TraceStream& stream) { return !stream.is_ordered; });
}

OrdersKept orders_kept(const Trace& trace) {
  const auto orders = trace.facts().find("queue_orders");
  if (orders == trace.facts().end()) return OrdersKept::between_queues;
  return orders->second == "all" ? OrdersKept::all : OrdersKept::some;
}

QueueSync find_queue_sync(const Trace& trace) {
  return has_unordered_queues(trace) ? SyncSearch(trace).run() : QueueSync{};
}

}  // namespace reel::analysis
